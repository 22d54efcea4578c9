/**
 * The audit trail (45 CFR 164.312(b)): who did what, when, from where, to which item. What a deed writes into the store and its row
 * are one transaction; a deed that only reads is recorded before its answer leaves.
 *
 * In a route, of the web port or of the control socket: give it `deed: 'fax.delete'`. Inside the transaction of the deed call
 * `deed.record(faxId)` (of the handler's context or request); a read needs nothing, or `deed.about(ids, count)` where its path
 * does not name what was read. The server records whatever the handler did not, and every refusal.
 *
 * For what the box does by itself: `audit.record(bySystem('retention.delete', 'recordings', 12))` inside the transaction, or
 * `await audit.note(...)` where there is none.
 *
 * Objects are ids, separated by spaces. What is not made of the characters of ids is left out; a telephone number is masked.
 */
import { isoTime, type Clock } from '../base/clock.ts'
import { type Log, maskNumber } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { AuditRow } from '../store/tables.ts'
import { auditKey, linkText, origin, readLink, seal, type Link } from './chain.ts'
import type { DeedName } from './deed.ts'

/** What a row of the audit trail says of its object: ids. Whatever code passes it, nothing by which a patient could be known gets in. */
const longest = 20_000
const foreign = '(not-an-id)'
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Most objects: with a letter first it is no telephone number. */
const oneId = /^[A-Za-z][\w.:*/-]{0,99}$/
const day = /^\d{4}-\d{2}-\d{2}$/

/** Parameters of a path, which the client has chosen. */
export function objectOf(params: Readonly<Record<string, string>>): string {
  const values: string[] = []
  for (const name in params) values.push(/\s/.test(params[name]!) ? foreign : params[name]!)
  return values.join(' ')
}

/** Words are ids, days and masked numbers; what is none of them is left out. */
export function cleanObject(object: string): string {
  if (object === '' || oneId.test(object)) return object
  return object.slice(0, longest).split(' ').map(cleanWord).join(' ')
}

function cleanWord(word: string): string {
  if (uuid.test(word) || day.test(word)) return word
  if (/^[+\d().*#/-]*$/.test(word)) return word.replaceAll(/\D/g, '').length > 6 ? maskNumber(word) : word
  if (word === foreign) return word
  return /^[\w.:*/-]{1,100}$/.test(word) ? word : foreign
}

export interface Deed {
  /** As in AuditRow. */
  readonly actor: string
  readonly address: string
  readonly deed: DeedName
  readonly object: string
  /** `done` where it is left out. */
  readonly outcome?: string
  /** 1 where it is left out. */
  readonly count?: number
  readonly requestId?: string
  /** When it was, in milliseconds since the epoch; now where it is left out. */
  readonly at?: number
}

export interface AuditOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** Of the object in the log, which is for people. */
const loggedObject = 200

export function bySystem(deed: DeedName, object: string, count = 1): Deed {
  return { actor: 'system', address: '', deed, object, count }
}

export class Audit {
  readonly #options: AuditOptions
  /** On the disk, and not in the log yet. */
  readonly #unlogged: AuditRow[] = []
  /** As it was written last, so that its text is seldom taken apart: the store says whether it is still so. */
  #head: { readonly link: Link; readonly text: string } = { link: origin, text: '' }

  constructor(options: AuditOptions) {
    this.#options = options
  }

  /** Inside the transaction of the deed: its row stands or falls with it. */
  record(deed: Deed): void {
    const { clock, store, log } = this.#options
    const { audit, meta } = store.tables
    const head = meta.get('audit:head') === this.#head.text ? this.#head.link : readLink(meta, 'audit:head')
    const row = {
      seq: head.seq + 1,
      time: isoTime(deed.at ?? clock.now()),
      actor: deed.actor,
      address: deed.address,
      deed: deed.deed,
      object: cleanObject(deed.object),
      outcome: deed.outcome ?? 'done',
      count: deed.count ?? 1,
      requestId: deed.requestId ?? '',
      previous: head.hash,
    }
    const { own, text } = seal(row)
    audit.putText(auditKey(row.seq), text)
    const link = { seq: row.seq, hash: own }
    this.#head = { link, text: linkText(link) }
    meta.put('audit:head', this.#head.text)
    if (log.isLevelEnabled('info')) store.afterCommit(() => this.#durable({ ...row, hash: own }))
  }

  /** In a transaction of its own; resolves when the row is durable. Rejects as Store.transaction does. */
  note(deed: Deed): Promise<void> {
    return this.noteAll([deed])
  }

  /** The same of several, in this order. */
  noteAll(deeds: readonly Deed[]): Promise<void> {
    return this.#options.store.transaction(() => deeds.forEach((deed) => this.record(deed)))
  }

  #durable(row: AuditRow): void {
    this.#unlogged.push(row)
    if (this.#unlogged.length === 1) setImmediate(() => this.#mirror())
  }

  /** Resolves when the log has all that was recorded before. */
  async mirrored(): Promise<void> {
    // Resolves when all that was written before is durable.
    await this.#options.store.transaction(() => undefined).catch(() => undefined)
    this.#mirror()
  }

  /** Into the log, and not before the answers that wait for the same commit. */
  #mirror(): void {
    const { log } = this.#options
    for (const { seq, actor, address, deed, object, outcome, count, requestId, hash } of this.#unlogged.splice(0)) {
      const about = object.length > loggedObject ? `${object.slice(0, loggedObject)}...` : object
      log.info({ audit: seq, actor, address, deed, object: about, outcome, count, requestId, hash }, 'audit')
    }
  }
}
