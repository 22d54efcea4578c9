/** Reads the audit trail: the newest rows that fit, or all of them in order. */
import { setImmediate } from 'node:timers/promises'
import type { Store } from '../store/store.ts'
import type { AuditRow } from '../store/tables.ts'
import { auditKey } from './chain.ts'

export interface AuditQuery {
  /** Milliseconds since the epoch. */
  readonly since?: number
  /** As it is written in the row, or the name alone. */
  readonly actor?: string
  /** A deed, or the beginning of some: `fax`. */
  readonly deed?: string
  /** An id that the object names. */
  readonly object?: string
}

export interface AuditPage {
  /** Rows with a smaller number alone. */
  readonly before?: number
  readonly limit: number
}

/** Rows read between two turns of the event loop. */
const batch = 500

function fits({ since, actor, deed, object }: AuditQuery, row: AuditRow): boolean {
  if (since !== undefined && Date.parse(row.time) < since) return false
  if (actor !== undefined && row.actor !== actor && row.actor.slice(row.actor.indexOf(':') + 1).split(' ')[0] !== actor) return false
  if (deed !== undefined && row.deed !== deed && !row.deed.startsWith(`${deed}.`)) return false
  return object === undefined || row.object.split(' ').includes(object)
}

/** Newest first. */
export async function listAudit(store: Store, query: AuditQuery, { before, limit }: AuditPage): Promise<AuditRow[]> {
  const found: AuditRow[] = []
  let end = before === undefined ? undefined : auditKey(before)
  for (;;) {
    let read = 0
    for (const { key, value } of store.tables.audit.range({ reverse: true, limit: batch, ...(end === undefined ? {} : { end }) })) {
      read++
      end = key
      if (fits(query, value)) found.push(value)
      if (found.length === limit) return found
      // Times follow the clock, which may have been set back; a day of it is allowed for.
      if (query.since !== undefined && Date.parse(value.time) < query.since - 86_400_000) return found
    }
    if (read < batch) return found
    await setImmediate()
  }
}

/** Oldest first. */
export async function* readAudit(store: Store, query: AuditQuery): AsyncIterable<AuditRow> {
  for (let start = ''; ;) {
    const rows = [...store.tables.audit.range({ start, limit: batch })]
    for (const { value } of rows) if (fits(query, value)) yield value
    if (rows.length < batch) return
    start = `${rows.at(-1)!.key}!`
    await setImmediate()
  }
}
