/** A typed table over the committed rows of it and the writes that are on their way to them. */
import type { Space } from './space.ts'

/** Where the committed rows of a table lie, as JSON text. */
export interface StoredRows {
  get(key: string): string | undefined
  doesExist(key: string): boolean
  getRange(options: StoredRange): Iterable<{ key: string; value: string }>
  /** Has `entryCount`. */
  getStats(): object
}

/** Without more, `start` is included and `end` is not. */
export interface StoredRange {
  start?: string
  end?: string
  reverse?: boolean
  exclusiveStart?: boolean
  inclusiveEnd?: boolean
  /** No more are needed; there may be more. */
  limit?: number
}

export interface RangeOptions {
  /** First key, included. */
  start?: string
  /** Last key, excluded. */
  end?: string
  limit?: number
  /** From the last key to the first. */
  reverse?: boolean
}

export interface Table<V> {
  get(key: string): V | undefined
  /** Only inside a transaction. */
  put(key: string, value: V): void
  /** The same of a value whose JSON is made already. */
  putText(key: string, json: string): void
  /** Only inside a transaction. Whether there was such a row. */
  remove(key: string): boolean
  /** In order of the keys. Read it to its end or not at all across an await. */
  range(options?: RangeOptions): Iterable<{ key: string; value: V }>
  /** The same as one array, in less time, as most are parsed together: for those that need all of them. */
  rows(options?: RangeOptions): { key: string; value: V }[]
  /** Committed rows. */
  count(): number
}

/** Rows of one table by key: JSON text, or null for "removed". */
export type TableWrites = Map<string, string | null>
export type Writes = Map<string, TableWrites>

/** How to take back one write. */
interface Undo {
  readonly rows: TableWrites
  readonly key: string
  /** What stood there. */
  readonly before: string | null | undefined
  readonly earlier: Undo | undefined
}

/** What the running transaction sees above the committed rows, and how to take back what it wrote there. */
export class PendingWrites {
  /** What goes with the next commit; undefined while no transaction runs. */
  #next: Writes | undefined
  /** What is on its way to the disk. */
  #leaving: Writes | undefined
  /** What the running transaction wrote last. */
  #undo: Undo | undefined

  get running(): boolean {
    return this.#next !== undefined
  }

  /** Whether the running transaction has written anything. */
  get written(): boolean {
    return this.#undo !== undefined
  }

  /** A transaction begins, which writes into `next`. */
  begin(next: Writes, leaving: Writes | undefined): void {
    this.#next = next
    this.#leaving = leaving
  }

  end(): void {
    this.#next = undefined
    this.#leaving = undefined
    this.#undo = undefined
  }

  /** Leaves nothing of what the running transaction wrote. */
  rollBack(): void {
    for (let undo = this.#undo; undo !== undefined; undo = undo.earlier) {
      if (undo.before === undefined) undo.rows.delete(undo.key)
      else undo.rows.set(undo.key, undo.before)
    }
    this.#undo = undefined
  }

  /** `text`: null for "removed". */
  set(name: string, key: string, text: string | null): void {
    if (this.#next === undefined) throw new Error(`The table ${name} can only be written inside a transaction.`)
    let rows = this.#next.get(name)
    if (rows === undefined) this.#next.set(name, (rows = new Map()))
    this.#undo = { rows, key, before: rows.get(key), earlier: this.#undo }
    rows.set(key, text)
  }

  /** Text, null for "removed", undefined for "look on the disk". */
  find(name: string, key: string): string | null | undefined {
    const text = this.#next?.get(name)?.get(key)
    return text === undefined ? this.#leaving?.get(name)?.get(key) : text
  }

  /** All pending rows of a table, as one map; undefined where there are none. */
  all(name: string): TableWrites | undefined {
    const next = this.#next?.get(name)
    const leaving = this.#leaving?.get(name)
    return next === undefined || leaving === undefined ? (next ?? leaving) : new Map([...leaving, ...next])
  }
}

const mostKept = 1000

/**
 * Committed rows that are asked for all the time: only this process writes, so what was read or committed last is still current. The first
 * ones stay, since what is read in the turn of a commit may predate it.
 */
export class KeptRows {
  /** JSON text, null for "there is none". */
  readonly #rows: TableWrites = new Map()

  read(db: StoredRows, key: string): string | undefined {
    const text = this.#rows.get(key)
    if (text !== undefined) return text ?? undefined
    const stored = db.get(key)
    this.#keep(key, stored ?? null)
    return stored
  }

  /** These are on the disk. */
  committed(writes: TableWrites): void {
    for (const [key, text] of writes) this.#keep(key, text)
  }

  #keep(key: string, text: string | null): void {
    if (this.#rows.size < mostKept || this.#rows.has(key)) this.#rows.set(key, text)
  }
}

/** Printable ASCII sorts alike in LMDB and in JavaScript, on which `range` relies; LMDB takes up to 1,978 bytes. */
const keyPattern = /^[\x20-\x7e]{1,500}$/

export interface TableNeeds {
  readonly pending: PendingWrites
  readonly space: Pick<Space, 'admit'>
  /** Of a table with few rows that are read often. */
  readonly kept?: KeptRows | undefined
}

export function makeTable<V>(name: string, db: StoredRows, { pending, space, kept }: TableNeeds): Table<V> {
  const parse = (text: string): V => JSON.parse(text) as V
  const count = (): number => (db.getStats() as { entryCount: number }).entryCount
  const isNew = (key: string): boolean => {
    const text = pending.find(name, key)
    return text === null || (text === undefined && !db.doesExist(key))
  }
  const entries = (options: RangeOptions): Iterable<Entry> => {
    const { limit = Infinity, reverse = false } = options
    const above = pendingRange(pending.all(name), options)
    // Each of those that are pending may remove one.
    const disk = db.getRange({ ...boundsOf(options), limit: limit + above.length })
    return above.length === 0 ? disk : merge(disk, above, reverse)
  }
  const admitting = { name, isNew, count }
  const putText = (key: string, json: string): void => {
    if (!keyPattern.test(key)) throw new Error(`"${key}" cannot be a key of the table ${name}.`)
    space.admit(admitting, key, json.length)
    pending.set(name, key, json)
  }
  return {
    get(key) {
      // No row has such a key, and the disk refuses to look for one that is too long.
      if (!keyPattern.test(key)) return undefined
      const text = pending.find(name, key)
      if (text === null) return undefined
      const stored = text ?? (kept === undefined ? db.get(key) : kept.read(db, key))
      return stored === undefined ? undefined : parse(stored)
    },
    put(key, value) {
      putText(key, JSON.stringify(value))
    },
    putText,
    remove(key) {
      if (!pending.running) throw new Error(`The table ${name} can only be written inside a transaction.`)
      if (!keyPattern.test(key)) return false
      const text = pending.find(name, key)
      if (text === null || (text === undefined && !db.doesExist(key))) return false
      pending.set(name, key, null)
      return true
    },
    range: (options = {}) => parsed<V>(entries(options), options.limit),
    rows: (options = {}) => whole<V>(entries(options), options.limit),
    count,
  }
}

interface Entry {
  readonly key: string
  readonly value: string
}

/** So much text is parsed at once. */
const pieceChars = 65_536

/**
 * The first `limit` rows. Several are read and then parsed as one text, each time twice as many as before: a page takes less time than its rows
 * take one by one, and who stops early has read no more than twice of what was needed.
 */
function* parsed<V>(rows: Iterable<Entry>, limit = Infinity): Generator<{ key: string; value: V }> {
  let piece: Entry[] = []
  let chars = 0
  let wanted = 1
  let left = limit
  for (const row of rows) {
    if (left-- <= 0) break
    piece.push(row)
    chars += row.value.length
    if (chars < pieceChars && piece.length < wanted) continue
    yield* together<V>(piece)
    piece = []
    chars = 0
    wanted *= 2
  }
  yield* together<V>(piece)
}

/** The first `limit` rows. */
function whole<V>(rows: Iterable<Entry>, limit = Infinity): { key: string; value: V }[] {
  const all: { key: string; value: V }[] = []
  let piece: Entry[] = []
  let chars = 0
  for (const row of rows) {
    if (all.length + piece.length >= limit) break
    piece.push(row)
    chars += row.value.length
    if (chars < pieceChars) continue
    all.push(...together<V>(piece))
    piece = []
    chars = 0
  }
  const last = together<V>(piece)
  return all.length === 0 ? last : [...all, ...last]
}

function together<V>(rows: readonly Entry[]): { key: string; value: V }[] {
  let text = ''
  // Faster than joined: nothing is copied before all of it is parsed.
  for (const { value } of rows) text += text === '' ? value : `,${value}`
  const values = JSON.parse(`[${text}]`) as V[]
  return values.map((value, at) => ({ key: rows[at]!.key, value }))
}

function boundsOf({ start, end, reverse }: RangeOptions) {
  if (reverse) {
    return {
      reverse: true,
      ...(end === undefined ? {} : { start: end, exclusiveStart: true }),
      ...(start === undefined ? {} : { end: start, inclusiveEnd: true }),
    }
  }
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
}

function pendingRange(writes: TableWrites | undefined, { start, end, reverse }: RangeOptions): [string, string | null][] {
  if (writes === undefined) return []
  const rows = [...writes].filter(([key]) => (start === undefined || key >= start) && (end === undefined || key < end))
  rows.sort(([a], [b]) => (a < b ? -1 : 1))
  return reverse ? rows.reverse() : rows
}

/** Both in the same order; of two rows with one key the pending one wins, and removed rows vanish. */
function* merge(disk: Iterable<Entry>, above: readonly [string, string | null][], reverse: boolean): Iterable<Entry> {
  const before = (a: string, b: string): boolean => (reverse ? a > b : a < b)
  let at = 0
  for (const row of disk) {
    for (; at < above.length && before(above[at]![0], row.key); at++) yield* entry(above[at]!)
    if (at < above.length && above[at]![0] === row.key) yield* entry(above[at++]!)
    else yield row
  }
  for (; at < above.length; at++) yield* entry(above[at]!)
}

function* entry([key, value]: [string, string | null]): Iterable<Entry> {
  if (value !== null) yield { key, value }
}
