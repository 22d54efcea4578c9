/**
 * The store: one writer and typed tables. A transaction runs at once against what is committed plus what is on its way, and resolves when
 * its writes are on the disk; transactions that arrive while the disk is busy share the next commit. Outside a transaction only committed
 * rows are seen.
 */
import { mkdirSync } from 'node:fs'
import { ApiError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { roomOn } from './disk.ts'
import { openFiles, type RowFiles } from './files.ts'
import { indexOf, makeIndexed, type IndexedTable } from './indexes.ts'
import { StoreError } from './lock.ts'
import { memoryFiles } from './memory.ts'
import type { TableSpecs } from './migrate.ts'
import { nounOf, type KeptClass } from './sacrifice.ts'
import { full, Space } from './space.ts'
import { KeptRows, makeTable, PendingWrites, type Table, type Writes } from './table.ts'
import { tableSpecs, type IndexedRows, type Rows, type TableName } from './tables.ts'
import { Writer } from './writer.ts'

export { dataFile } from './files.ts'
export type { IndexedTable } from './indexes.ts'
export { lockDirectory, StoreError } from './lock.ts'
export type { KeptClass } from './sacrifice.ts'
export type { RangeOptions, Table, Writes } from './table.ts'

export type Tables = { readonly [K in TableName]: K extends keyof IndexedRows ? IndexedTable<Rows[K]> : Table<Rows[K]> }

export interface Store {
  readonly tables: Tables
  /**
   * Runs `work`, which must be synchronous, as one transaction: all of its writes or none. Resolves when they are
   * durable. Rejects with what `work` threw, or with ApiError `storage_full`; then nothing was written. A failed commit
   * also rejects the transactions that waited behind it, because they may have read what was lost. `as`: its rows are of that class
   * (sacrifice.ts), whatever table they are in.
   */
  transaction<T>(work: () => T, as?: KeptClass): Promise<T>
  /** Inside a transaction that writes: `work`, which must not throw, runs when that is durable, and never where it was rolled back or lost. */
  afterCommit(work: () => void): void
  /** The observer, which must not throw, gets the rows of each commit once they are on the disk: by table and key, as JSON, or null where one was removed. */
  onCommit(observe: (writes: Writes) => void): void
  /** Whether rows of that class are taken that are not there yet. */
  takes(kept: KeptClass): boolean
  health(): StoreHealth
  /** Commits what is on its way and lets go of the directory. */
  close(): Promise<void>
  /** Writes a consistent copy into `dir` while everything goes on; it can be opened as it is. */
  backup(dir: string): Promise<void>
}

export interface StoreHealth {
  readonly ok: boolean
  /** '' where all is well. */
  readonly reason: string
  /** Size of the data file. */
  readonly bytes: number
  /** What takes nothing new, in the order in which it is given up. */
  readonly refused: readonly KeptClass[]
}

export interface StoreOptions {
  /** Free space below which everything is refused; 0 unless given. */
  reserveBytes?: number
  specs?: TableSpecs
  /** Migrations since then (ms since the epoch) are undone before it is opened: a version that did not come up has been taken back. */
  undoSince?: number | null
}

/** Asked for by nearly every request. */
const hotTables = ['meta', 'usage']

/** @throws StoreError where the directory is in use, was written by a newer version, or cannot be written. */
export async function openStore(dir: string, log: Log, options: StoreOptions = {}): Promise<Store> {
  const files = await openFiles(dir, log, { specs: options.specs ?? tableSpecs, undoSince: options.undoSince ?? null })
  const space = new Space(() => roomOn(dir), options.reserveBytes ?? 0)
  return storeOver(files, space, { log, lack: (refused) => (refused.length === 0 ? '' : lackIn(dir, space.room().free, refused)) })
}

/** In place of a store that cannot be opened, for `reason`: rows of calls in memory, and nothing that somebody relies on. */
export function standInStore(reason: string, log: Log): Store {
  const space = new Space(() => ({ free: 0, disk: Infinity }), 0)
  return storeOver(memoryFiles(Object.keys(tableSpecs)), space, { log, lack: () => `NOTHING IS STORED, calls continue: ${reason}` })
}

interface Told {
  readonly log: Log
  /** What it means that these classes take nothing new. */
  readonly lack: (refused: readonly KeptClass[]) => string
}

function storeOver(files: RowFiles, space: Space, { log, lack }: Told): Store {
  const pending = new PendingWrites()
  const kept = new Map(hotTables.map((name) => [name, new KeptRows()]))
  const observers = new Set<(writes: Writes) => void>()
  const tables = tablesOf(
    (name) => makeTable(name, files.rows.get(name)!, { pending, space, kept: kept.get(name) }),
    [...files.rows.keys()],
  )
  const writer = new Writer(pending, {
    async commit(writes) {
      await files.commit(writes)
      for (const [name, rows] of writes) kept.get(name)?.committed(rows)
      for (const observe of observers) observe(writes)
    },
    async explain(error) {
      // lmdb reports a commit in two steps: the reason arrives in a promise of its own, which must not go unhandled.
      const reason: unknown = (await (error as { commitError?: Promise<unknown> }).commitError?.catch((inner: unknown) => inner)) ?? error
      log.error({ error: String(reason) }, 'a commit to the store failed')
      return /ENOSPC|EDQUOT|No space/i.test(String(reason)) || space.room(true).free === 0
        ? full(reason)
        : new ApiError('internal', 'The store cannot write.', { cause: reason })
    },
  })
  let closing: Promise<void> | undefined
  return {
    tables,
    transaction(work, as) {
      if (closing !== undefined) return Promise.reject(new StoreError('closed', 'The store is closed.'))
      if (!space.takes('calls')) return Promise.reject(full())
      return writer.run(() => {
        space.begin(as)
        return work()
      })
    },
    afterCommit: (work) => writer.afterCommit(work),
    onCommit: (observe) => void observers.add(observe),
    takes: (one) => space.takes(one),
    health() {
      // Where room was made a moment ago, the store is well.
      space.room(true)
      const [bytes, refused] = [files.bytes(), space.refused()]
      if (closing !== undefined) return { ok: false, reason: 'closed', bytes, refused }
      const failed = writer.failure === '' ? '' : `the last commit failed: ${writer.failure}`
      const reason = [failed, lack(refused)].filter((text) => text !== '').join('; ')
      return { ok: reason === '', reason, bytes, refused }
    },
    close() {
      closing ??= writer.idle().then(() => files.close())
      return closing
    },
    async backup(target) {
      mkdirSync(target, { recursive: true, mode: 0o700 })
      await files.backup(target)
    },
  }
}

function lackIn(dir: string, free: number, refused: readonly KeptClass[]): string {
  const what = refused.filter((kept) => kept !== 'calls').map(nounOf)
  const calls = refused.includes('calls') ? 'calls continue but are not recorded' : 'calls continue'
  return `${Math.floor(free / 1048576)} MiB are free on the disk of ${dir}: nothing new is accepted of ${what.join(', ')}; ${calls}`
}

function tablesOf(make: <V>(name: string) => Table<V>, names: readonly string[]): Tables {
  const tables = names.map((name) => {
    const index = names.includes('indexes') ? indexOf(name) : undefined
    return [name, index === undefined ? make(name) : makeIndexed(name, make(name), make<true>('indexes'), index)]
  })
  return Object.fromEntries(tables) as Tables
}
