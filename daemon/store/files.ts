/** The rows on the disk: LMDB in a directory that one daemon holds. This folder alone imports lmdb. */
import { chmodSync, closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { open, type Database, type RootDatabase } from 'lmdb'
import { statOf } from '../../drivers/stat.ts'
import type { Log } from '../base/log.ts'
import { lockDirectory, StoreError } from './lock.ts'
import { migrate, type TableSpecs } from './migrate.ts'
import { putBack } from './put-back.ts'
import { Room } from './room.ts'
import type { StoredRows, Writes } from './table.ts'

/** Where rows lie. */
export interface RowFiles {
  /** One for each table. */
  readonly rows: ReadonlyMap<string, StoredRows>
  /** All or nothing; resolves when they are durable. */
  commit(writes: Writes): Promise<void>
  /** Size of the data. */
  bytes(): number
  /** A consistent copy in `dir`, which is there. */
  backup(dir: string): Promise<void>
  close(): Promise<void>
}

export const dataFile = 'store.mdb'

export interface FileOptions {
  readonly specs: TableSpecs
  readonly undoSince: number | null
}

/** The directory locked, its tables open and in the shape of this version. Throws StoreError. */
export async function openFiles(dir: string, log: Log, options: FileOptions): Promise<RowFiles> {
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
  try {
    if (options.undoSince !== null) putBack(dir, options.undoSince, log)
    const file = join(dir, dataFile)
    const opened = (root = openRoot(file))
    const rows = await openTables(dir, opened, options.specs, log)
    room = await Room.open(file, () => usedBytes(opened))
    const ahead = room
    return {
      rows,
      async commit(writes) {
        await ahead.ahead(writes)
        await opened.batch(() => {
          for (const [name, changes] of writes) write(rows.get(name)!, changes)
        })
      },
      bytes: () => statOf(file)?.size ?? 0,
      backup: async (target) => void (await opened.backup(join(target, dataFile), true)),
      close,
    }
  } catch (error) {
    await close()
    if (error instanceof StoreError) throw error
    throw new StoreError('not-writable', `The store in ${dir} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

/** The first two pages of LMDB say what it is; without that lmdb does not refuse the file but ends the process. */
const pageBytes = 4096
const magicAt = 24
const magic = 0xbeefc0de

function checkHeader(file: string): void {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size === 0) return
  const header = Buffer.alloc(2 * pageBytes)
  const opened = openSync(file, 'r')
  try {
    readSync(opened, header, 0, header.length, 0)
  } finally {
    closeSync(opened)
  }
  if ([0, pageBytes].some((page) => header.readUInt32LE(page + magicAt) !== magic))
    throw new Error(`${file} is not a store: its beginning is missing`)
}

/**
 * Addresses for the file, which cost nothing until it is so long. From a smaller map lmdb goes on to a larger one as the file grows, and
 * keeps the old ones: the pages are in memory as often as that.
 */
const mapBytes = 16 * 1024 ** 3

function openRoot(file: string): RootDatabase<string, string> {
  checkHeader(file)
  // Without overlapping sync a commit resolves only after fdatasync; with it that is merely what was observed.
  const root = open<string, string>({
    path: file,
    encoding: 'string',
    maxDbs: 128,
    mapSize: mapBytes,
    overlappingSync: false,
    eventTurnBatching: false,
  })
  const { size } = statSync(file)
  if (size < usedBytes(root)) {
    void root.close()
    throw new Error(`${file} has ${size} bytes instead of ${usedBytes(root)}: a part of it is missing`)
  }
  return root
}

async function openTables(dir: string, root: RootDatabase<string, string>, specs: TableSpecs, log: Log) {
  for (const name of [dataFile, `${dataFile}-lock`]) chmodSync(join(dir, name), 0o600)
  const rows = new Map<string, Database<string, string>>()
  for (const name of Object.keys(specs)) rows.set(name, root.openDB<string, string>({ name, encoding: 'string' }))
  await migrate({ dir, root, databases: rows, specs, log })
  return rows
}

function write(rows: Database<string, string>, changes: ReadonlyMap<string, string | null>): void {
  for (const [key, text] of changes) {
    if (text === null) void rows.remove(key)
    else void rows.put(key, text)
  }
}

/** Up to the end of the last page that holds anything. */
function usedBytes(root: RootDatabase<string, string>): number {
  const { pageSize, lastPageNumber } = root.getStats() as { pageSize: number; lastPageNumber: number }
  return (lastPageNumber + 1) * pageSize
}
