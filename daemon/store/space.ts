/** What a transaction may still write: the room on the disk, and what is given up as it becomes less (sacrifice.ts). */
import { ApiError } from '../base/errors.ts'
import type { DiskRoom } from './disk.ts'
import { changesCount, classOf, keptClasses, markOf, mostRows, nounOf, type KeptClass } from './sacrifice.ts'
import type { TableName } from './tables.ts'

/** What is asked of a table before it gets a row. */
export interface AdmittingTable {
  readonly name: string
  isNew(key: string): boolean
  /** Committed rows. */
  count(): number
}

const freeSpaceCheckMs = 250
/** A row costs pages of its table and of its indexes besides itself. */
const costOfRow = (bytes: number): number => 2 * bytes + 512

export class Space {
  readonly #look: () => DiskRoom
  readonly #reserve: number
  #checkedAt = -Infinity
  #room: DiskRoom = { free: 0, disk: 0 }
  /** Of the transaction that runs. */
  #as: KeptClass | undefined
  #written = 0
  /** Rows of tables that take no more than so many, with those of this transaction: counting takes as long as writing a row. */
  readonly #rows = new Map<string, number>()

  /** `reserve`: bytes that no class may use, whatever its mark. */
  constructor(look: () => DiskRoom, reserve: number) {
    this.#look = look
    this.#reserve = reserve
  }

  /** `again`: not as it was seen a moment ago. */
  room(again = false): DiskRoom {
    const now = performance.now()
    if (again || now - this.#checkedAt >= freeSpaceCheckMs) {
      this.#checkedAt = now
      this.#room = this.#look()
    }
    return this.#room
  }

  /** Whether the class takes new rows, after `more` bytes too. */
  takes(kept: KeptClass, more = 0): boolean {
    const { free, disk } = this.room()
    return free - more >= Math.max(this.#reserve, markOf(kept, disk))
  }

  /** Those that take nothing new, in the order in which they are given up. */
  refused(): KeptClass[] {
    return keptClasses.filter((kept) => !this.takes(kept))
  }

  /** A transaction begins; `as`: all its rows are of that class. */
  begin(as: KeptClass | undefined): void {
    this.#as = as
    this.#written = 0
    this.#rows.clear()
  }

  /** Of a row of so many bytes. Throws ApiError `storage_full` where it is not taken. */
  admit(table: AdmittingTable, key: string, bytes: number): void {
    const name = table.name as TableName
    this.#written += costOfRow(bytes)
    const most = mostRows[name]
    if (most !== undefined && table.isNew(key)) this.#countNew(table, most)
    const kept = this.#as ?? classOf[name] ?? 'calls'
    if (kept === 'calls' || this.takes(kept, this.#written)) return
    if (changesCount.has(kept) || table.isNew(key)) throw fullFor(kept)
  }

  #countNew(table: AdmittingTable, most: number): void {
    const rows = (this.#rows.get(table.name) ?? table.count()) + 1
    if (rows > most) throw new ApiError('storage_full', `The table ${table.name} is full (${most} rows).`, { retryAfterSeconds: 3600 })
    this.#rows.set(table.name, rows)
  }
}

export function full(cause?: unknown): ApiError {
  return new ApiError('storage_full', 'The storage is full: free some space on the disk.', { retryAfterSeconds: 30, cause })
}

function fullFor(kept: KeptClass): ApiError {
  return new ApiError('storage_full', `The storage is nearly full and accepts no new ${nounOf(kept)}: free some space on the disk.`, {
    retryAfterSeconds: 30,
  })
}
