/**
 * Deletion: an ended item is removed with everything that repeats its content, in one transaction with its row of the audit trail, and then
 * its files. What repeats an item elsewhere in the store: the trace of its call, callbacks that were given up or delivered, answers kept
 * for requests that are repeated. It is looked for in pieces, so that nobody waits. What has not ended is canceled first, by the part that
 * owns it. Facts without content stay: who called whom and when, and in the audit trail that it was deleted and by whom.
 */
import { setImmediate as breath } from 'node:timers/promises'
import type { Store, Table, Tables } from '../store/store.ts'
import type { HistoryRow, IdempotencyRow, OutboxRow } from '../store/tables.ts'

/** Removes an item; `record` is called inside the transaction, with the id of what is removed. Throws ApiError where there is none. */
export type Eraser = (id: string, record: (id: string) => void) => Promise<void>

type Told = Pick<OutboxRow, 'kind' | 'subject' | 'body'>

const rowsAtOnce = 200

/** Keys of the rows that `fits` takes, in their order, from `start` on. */
export async function keysOf<V>(table: Table<V>, fits: (row: V, key: string) => boolean, start = ''): Promise<string[]> {
  const keys: string[] = []
  let from = start
  for (;;) {
    const rows = [...table.range({ start: from, limit: rowsAtOnce })]
    for (const { key, value } of rows) if (fits(value, key)) keys.push(key)
    if (rows.length < rowsAtOnce) return keys
    // The key after the last one.
    from = `${rows.at(-1)!.key} `
    await breath()
  }
}

export interface Repeats {
  readonly pending: readonly string[]
  readonly ended: readonly string[]
  readonly answers: readonly string[]
}

/** Of the item `id`: callbacks that match the filter, and answers that have the id in them. */
export async function repeatsOf({ tables }: Store, id: string, tells: (row: Told) => boolean): Promise<Repeats> {
  const { outbox, outboxDone, deadLetters, idempotency } = tables
  return {
    pending: await keysOf(outbox, tells),
    ended: [...(await keysOf(deadLetters, tells)), ...(await keysOf(outboxDone, tells))],
    answers: await keysOf(idempotency, ({ body }) => body.includes(id)),
  }
}

/**
 * Inside a transaction. A callback that waits is still sent, without words; an answer that is asked for again says what was done, and no
 * more.
 */
export function forgetRepeats(tables: Tables, id: string, { pending, ended, answers }: Repeats): void {
  for (const key of pending) {
    const row = tables.outbox.get(key)
    if (row !== undefined) tables.outbox.put(key, { ...row, body: withoutWords(row.body) })
  }
  for (const key of ended) {
    tables.deadLetters.remove(key)
    tables.outboxDone.remove(key)
  }
  for (const key of answers) {
    const row = tables.idempotency.get(key)
    if (row !== undefined) tables.idempotency.put(key, { ...row, ...bare(row, id) })
  }
}

/** Inside a transaction: the traces of these calls, and what their rows have in words. Who called whom and when stays. */
export function forgetCalls({ calls, callTraces, history }: Tables, callIds: readonly string[]): void {
  for (const callId of callIds) {
    callTraces.remove(callId)
    const row = calls.get(callId)
    if (row === undefined) continue
    const { params: _, customerId: __, matchType: ___, notes: ____, ...rest } = row
    calls.put(callId, { ...rest, callerName: '', source: null })
    const key = row.historySeq === undefined ? undefined : String(row.historySeq).padStart(16, '0')
    const past = key === undefined ? undefined : history.get(key)
    if (key !== undefined && past !== undefined) history.put(key, withoutName(past))
  }
}

function withoutName({ customerId: _, matchType: __, notes: ___, ...row }: HistoryRow): HistoryRow {
  return { ...row, callerName: '' }
}

const words: ReadonlySet<string> = new Set(['transcript', 'speech', 'digits', 'message', 'callerName', 'remoteStationId'])

function withoutWords(body: string): string {
  const event = JSON.parse(body) as Record<string, unknown>
  const told = Object.entries(event).map(([name, value]) => [name, words.has(name) && typeof value === 'string' ? '' : value])
  return JSON.stringify(Object.fromEntries(told))
}

/** What an answer says of the item is its id and its state. */
const facts = /^(?:status|index|duplicate)$/

function bare(row: IdempotencyRow, id: string): Pick<IdempotencyRow, 'body'> {
  try {
    return { body: JSON.stringify(without(JSON.parse(row.body), id)) }
  } catch {
    return { body: '{}' }
  }
}

function without(value: unknown, id: string): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, id))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const own = entries.some(([, item]) => item === id)
  return Object.fromEntries(
    entries
      .filter(([name, item]) => !own || item === id || facts.test(name) || typeof item === 'number')
      .map(([name, item]) => [name, without(item, id)]),
  )
}
