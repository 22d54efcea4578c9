/** Whether the audit trail is as it was written: finds rows that were changed, removed, put in or moved, and says which. */
import { setImmediate } from 'node:timers/promises'
import type { AuditVerdictView } from '../schema/audit.ts'
import type { Store } from '../store/store.ts'
import type { AuditRow } from '../store/tables.ts'
import { auditKey, hashOf, linkText, origin, parseLink, readLink, type Link } from './chain.ts'

/** Rows read between two turns of the event loop. */
const batch = 500
const mostFaults = 100

/** `known`: a place of the chain that was noted down before, such as a `hash` of the log, and must still be there. */
export async function verifyAudit(store: Store, known?: Link): Promise<AuditVerdictView> {
  const { meta } = store.tables
  const anchor = readLink(meta, 'audit:anchor')
  // What is recorded while this runs is not looked at.
  const head = readLink(meta, 'audit:head')
  const walk = new Walk(anchor)
  for (let start = ''; ;) {
    const { entries, done, next } = readBatch(store, start, auditKey(head.seq))
    for (const { key, row } of entries) walk.see(key, row)
    if (done) break
    start = next
    await setImmediate()
  }
  walk.end(head, known)
  const faults = walk.faults.slice(0, mostFaults)
  return { ok: walk.faults.length === 0, rows: walk.rows, first: walk.first, last: walk.last, faults }
}

interface Batch {
  readonly entries: { key: string; row: AuditRow | null }[]
  readonly done: boolean
  readonly next: string
}

/** A row that is no JSON ends a batch as null, and the next begins behind it. */
function readBatch(store: Store, start: string, lastKey: string): Batch {
  const entries: Batch['entries'] = []
  const rows = store.tables.audit.range({ start, end: `${lastKey}!`, limit: batch })[Symbol.iterator]()
  for (;;) {
    try {
      const { value, done } = rows.next()
      if (done === true) return { entries, done: entries.length < batch, next: after(entries.at(-1)?.key ?? start) }
      entries.push({ key: value.key, row: value.value })
    } catch {
      const key = keyAfter(store, entries.at(-1)?.key ?? start)
      entries.push({ key, row: null })
      return { entries, done: key >= lastKey, next: after(key) }
    }
  }
}

function after(key: string): string {
  return `${key}!`
}

/** Of a row whose text cannot be read: rows are numbered, so it is the next number. */
function keyAfter(store: Store, key: string): string {
  const seq = Number(/^\d{16}/.exec(key)?.[0] ?? readLink(store.tables.meta, 'audit:anchor').seq)
  return auditKey(seq + 1)
}

class Walk {
  readonly faults: AuditVerdictView['faults'][number][] = []
  rows = 0
  first: Link | null = null
  last: Link | null = null
  #expected: Link
  readonly #anchor: Link
  /** As the newest row about pruning says. */
  #pruned: Link = origin
  readonly #hashes = new Map<number, string>()

  constructor(anchor: Link) {
    this.#anchor = anchor
    this.#expected = anchor
  }

  see(key: string, row: AuditRow | null): void {
    this.rows++
    const place = Number(key)
    const wanted = this.#expected.seq + 1
    if (place > wanted) {
      const which = place === wanted + 1 ? `row ${wanted} is missing` : `rows ${wanted} to ${place - 1} are missing`
      this.#fault(wanted, 'missing', which)
    } else if (!(place === wanted)) {
      this.#fault(place, 'inserted', `a row has the key "${key}", which is not possible`)
      return
    }
    const gap = place !== wanted
    if (row === null || typeof row !== 'object') {
      this.#fault(place, 'unreadable', `row ${place} cannot be read: it was changed`)
      this.#expected = { seq: place, hash: '' }
      return
    }
    const computed = hashOf(row)
    if (row.seq !== place) this.#fault(place, 'moved', `row ${row.seq} is in the place of row ${place}`)
    else if (computed !== row.hash) this.#fault(place, 'changed', `row ${place} was changed after it was written`)
    else if (!gap && this.#expected.hash !== '' && row.previous !== this.#expected.hash) {
      const text = `row ${place} does not follow row ${place - 1}: that row was replaced`
      this.#fault(Math.max(1, place - 1), 'changed', text)
    }
    if (row.deed === 'audit.prune' && row.actor === 'system') this.#pruned = parseLink(row.object) ?? this.#pruned
    this.first ??= { seq: place, hash: row.hash }
    this.last = { seq: place, hash: row.hash }
    this.#hashes.set(place, row.hash)
    // After a row that was changed or moved the next is judged by itself.
    this.#expected = { seq: place, hash: row.seq === place && computed === row.hash ? row.hash : '' }
  }

  end(head: Link, known: Link | undefined): void {
    const { seq } = this.#expected
    if (seq < head.seq) {
      this.#fault(
        seq + 1,
        'missing',
        seq + 1 === head.seq ? `row ${head.seq}, the last, is missing` : `rows ${seq + 1} to ${head.seq}, the last ones, are missing`,
      )
    } else if (this.last !== null && this.last.hash !== head.hash) {
      this.#fault(seq, 'changed', `row ${seq}, the last, is not the one that was last written`)
    }
    if (linkText(this.#pruned) !== linkText(this.#anchor) && !(this.#anchor.seq === 0 && this.#pruned.seq === 0)) {
      this.#fault(
        this.#anchor.seq,
        'missing',
        `rows up to ${this.#anchor.seq} were removed, but not by the box at the end of their retention`,
      )
    }
    if (known !== undefined && known.seq > this.#anchor.seq && this.#hashes.get(known.seq) !== known.hash) {
      this.#fault(known.seq, 'changed', `row ${known.seq} is not the one that you noted down: the trail was written again from the start`)
    }
  }

  #fault(seq: number, kind: AuditVerdictView['faults'][number]['kind'], text: string): void {
    this.faults.push({ seq, kind, text })
  }
}
