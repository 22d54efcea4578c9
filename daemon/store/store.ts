/**
 * The store: LMDB with one writer and typed tables. This folder alone imports lmdb. A transaction runs at once against
 * what is committed plus what is on its way, and resolves when its writes are on the disk; transactions that arrive
 * while the disk is busy share the next commit. Outside a transaction only committed rows are seen.
 */
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { open, type Database, type RootDatabase } from 'lmdb'
import { ApiError } from '../errors.ts'
import type { Log } from '../log.ts'
import { freeBytes } from './disk.ts'
import { indexOf, makeIndexed, type IndexedTable } from './indexes.ts'
import { lockDirectory, StoreError } from './lock.ts'
import { migrate, type TableSpecs } from './migrate.ts'
import { putBack } from './put-back.ts'
import { Room } from './room.ts'
import { KeptRows, makeTable, PendingWrites, type Table } from './table.ts'
import { tableSpecs, type IndexedRows, type Rows, type TableName } from './tables.ts'
import { Writer } from './writer.ts'

export type { IndexedTable } from './indexes.ts'
export { lockDirectory, StoreError } from './lock.ts'
export type { RangeOptions, Table } from './table.ts'

export type Tables = { readonly [K in TableName]: K extends keyof IndexedRows ? IndexedTable<Rows[K]> : Table<Rows[K]> }

export interface Store {
  readonly tables: Tables
  /**
   * Runs `work`, which must be synchronous, as one transaction: all of its writes or none. Resolves when they are
   * durable. Rejects with what `work` threw, or with ApiError `storage_full`; then nothing was written. A failed commit
   * also rejects the transactions that waited behind it, because they may have read what was lost.
   */
  transaction<T>(work: () => T): Promise<T>
  /** Inside a transaction that writes: `work`, which must not throw, runs when that is durable, and never where it was rolled back or lost. */
  afterCommit(work: () => void): void
  /** `bytes`: size of the data file. */
  health(): { ok: boolean; reason: string; bytes: number }
  /** Commits what is on its way and lets go of the directory. */
  close(): Promise<void>
  /** Writes a consistent copy into `dir` while everything goes on; it can be opened as it is. */
  backup(dir: string): Promise<void>
}

export interface StoreOptions {
  /** Free space below which writes are refused, so that LMDB itself never meets a full disk. */
  reserveBytes?: number
  specs?: TableSpecs
  /** Migrations since then (ms since the epoch) are undone before it is opened: a version that did not come up has been taken back. */
  undoSince?: number | null
}

export const dataFile = 'store.mdb'
const defaultReserveBytes = 16 * 1024 * 1024
const freeSpaceCheckMs = 250
/** Asked for by nearly every request. */
const hotTables = ['meta', 'usage']

/** @throws StoreError where the directory is in use, was written by a newer version, or cannot be written. */
export async function openStore(dir: string, log: Log, options: StoreOptions = {}): Promise<Store> {
  const files = await openFiles(dir, log, options)
  const { root, room, databases } = files
  const pending = new PendingWrites()
  const kept = new Map(hotTables.map((name) => [name, new KeptRows()]))
  const tables = tablesOf((name) => makeTable(name, databases.get(name)!, pending, kept.get(name)), [...databases.keys()])
  const space = new Space(dir, options.reserveBytes ?? defaultReserveBytes)
  const writer = new Writer(pending, {
    async commit(writes) {
      await room.ahead()
      await root.batch(() => {
        for (const [name, rows] of writes) {
          const db = databases.get(name)!
          for (const [key, text] of rows) {
            if (text === null) void db.remove(key)
            else void db.put(key, text)
          }
        }
      })
      for (const [name, rows] of writes) kept.get(name)?.committed(rows)
    },
    async explain(error) {
      // lmdb reports a commit in two steps: the reason arrives in a promise of its own, which must not go unhandled.
      const reason: unknown = (await (error as { commitError?: Promise<unknown> }).commitError?.catch((inner: unknown) => inner)) ?? error
      log.error({ error: String(reason) }, 'a commit to the store failed')
      return space.enough(true) && !/ENOSPC|No space/i.test(String(reason))
        ? new ApiError('internal', 'The store cannot write.', { cause: reason })
        : full(reason)
    },
  })

  let closing: Promise<void> | undefined
  return {
    tables,
    transaction(work) {
      if (closing !== undefined) return Promise.reject(new StoreError('closed', 'The store is closed.'))
      if (!space.enough()) return Promise.reject(full())
      return writer.run(work)
    },
    afterCommit: (work) => writer.afterCommit(work),
    health() {
      const bytes = sizeOf(join(dir, dataFile))
      if (closing !== undefined) return { ok: false, reason: 'closed', bytes }
      if (!space.enough()) return { ok: false, reason: space.lack(), bytes }
      if (writer.failure !== '') return { ok: false, reason: `the last commit failed: ${writer.failure}`, bytes }
      return { ok: true, reason: '', bytes }
    },
    close() {
      closing ??= writer.idle().then(() => files.close())
      return closing
    },
    async backup(target) {
      mkdirSync(target, { recursive: true, mode: 0o700 })
      await root.backup(join(target, dataFile), true)
    },
  }
}

interface Files {
  readonly root: RootDatabase<string, string>
  readonly room: Room
  /** One for each table. */
  readonly databases: ReadonlyMap<string, Database<string, string>>
  close(): Promise<void>
}

/** The directory locked, its tables open and in the shape of this version. Throws StoreError. */
async function openFiles(dir: string, log: Log, { specs = tableSpecs, undoSince = null }: StoreOptions): Promise<Files> {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StoreError('not-writable', `The directory ${dir} cannot be made: ${(error as Error).message}`, { cause: error })
  }
  const unlock = lockDirectory(dir)
  let root: RootDatabase<string, string> | undefined
  let room: Room | undefined
  const close = async (): Promise<void> => {
    try {
      await room?.close()
      await root?.close()
    } finally {
      unlock()
    }
  }
  const databases = new Map<string, Database<string, string>>()
  try {
    if (undoSince !== null) putBack(dir, undoSince, log)
    // Without overlapping sync a commit resolves only after fdatasync; with it that is merely what was observed.
    const opened = (root = open<string, string>({
      path: join(dir, dataFile),
      encoding: 'string',
      maxDbs: 128,
      overlappingSync: false,
      eventTurnBatching: false,
    }))
    for (const name of [dataFile, `${dataFile}-lock`]) chmodSync(join(dir, name), 0o600)
    for (const name of Object.keys(specs)) databases.set(name, opened.openDB<string, string>({ name, encoding: 'string' }))
    await migrate({ dir, root: opened, databases, specs, log })
    room = await Room.open(join(dir, dataFile), () => usedBytes(opened))
    return { root: opened, room, databases, close }
  } catch (error) {
    await close()
    if (error instanceof StoreError) throw error
    throw new StoreError('not-writable', `The store in ${dir} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

/** What is free on the disk, looked at a few times a second. */
class Space {
  readonly #dir: string
  readonly #reserve: number
  #checkedAt = -Infinity
  #enough = true

  constructor(dir: string, reserve: number) {
    this.#dir = dir
    this.#reserve = reserve
  }

  /** `anew`: not what was seen a moment ago. */
  enough(anew = false): boolean {
    const now = performance.now()
    if (anew || now - this.#checkedAt >= freeSpaceCheckMs) {
      this.#checkedAt = now
      this.#enough = freeBytes(this.#dir) >= this.#reserve
    }
    return this.#enough
  }

  lack(): string {
    return `less than ${Math.round(this.#reserve / 1048576)} MiB free on the disk of ${this.#dir}`
  }
}

function full(cause?: unknown): ApiError {
  return new ApiError('storage_full', 'The storage is full: free some space on the disk.', { retryAfterSeconds: 30, cause })
}

function tablesOf(make: <V>(name: string) => Table<V>, names: readonly string[]): Tables {
  const tables = names.map((name) => {
    const index = names.includes('indexes') ? indexOf(name) : undefined
    return [name, index === undefined ? make(name) : makeIndexed(name, make(name), make<true>('indexes'), index)]
  })
  return Object.fromEntries(tables) as Tables
}

function usedBytes(root: RootDatabase<string, string>): number {
  const { pageSize, lastPageNumber } = root.getStats() as { pageSize: number; lastPageNumber: number }
  return (lastPageNumber + 1) * pageSize
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
