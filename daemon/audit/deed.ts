/** A deed under way: what a handler says of it, and what the server writes when the handler did not. */
import type { Deed } from './audit.ts'
import type { Trail } from './trail.ts'

/** What is written into the audit trail: noun and verb, such as `fax.send`. docs/audit.md says of each when it is; a test holds the page against the source. */
export type DeedName = `${Lowercase<string>}.${Lowercase<string>}`

/** A deed as the route names it that was asked for. */
export interface NamedDeed {
  readonly name: DeedName
  /** Programs look at it all the time, such as at the state of a fax: the same look of the same actor is recorded once a minute. */
  readonly polled?: boolean
  /** Programs look up something else each time, such as who has a number: all looks of one actor in a minute are one row. */
  readonly gathered?: boolean
}

/** What a handler sees of its deed. */
export interface DeedUnderWay {
  /** Who does it, as in AuditRow; '' where nothing is recorded. */
  readonly actor: string
  /** Inside the transaction of the deed. `object`: ids, separated by spaces. */
  record(object: string, count?: number): void
  /** Of a deed that writes nothing: what it is about, before the handler ends. Nothing is recorded where `count` is 0. */
  about(object: string, count?: number): void
  /** It turned out to be another deed than its route names. */
  becomes(name: DeedName): void
}

export interface Doer {
  /** As in AuditRow. */
  readonly actor: string
  readonly address: string
  readonly requestId: string
}

/** Where nothing is recorded. */
export const noDeed: DeedUnderWay = { actor: '', record() {}, about() {}, becomes() {} }

export class RecordedDeed implements DeedUnderWay {
  readonly #trail: Trail
  #named: NamedDeed
  readonly #doer: Doer
  #recorded = false
  #object: string
  #count = 1

  /** `object`: what it is about where the handler does not say. */
  constructor(trail: Trail, named: NamedDeed, doer: Doer, object: string) {
    this.#trail = trail
    this.#named = named
    this.#doer = doer
    this.#object = object
  }

  get actor(): string {
    return this.#doer.actor
  }

  record(object: string, count = 1): void {
    this.#recorded = true
    const { actor, address, requestId } = this.#doer
    this.#trail.audit.record({ actor, address, requestId, deed: this.#named.name, object, count })
  }

  about(object: string, count = 1): void {
    this.#object = object
    this.#count = count
  }

  becomes(name: DeedName): void {
    this.#named = { name }
  }

  /** Before the answer: whether there is something to wait for, which then is on the disk. */
  settle(): Promise<void> | undefined {
    if (this.#recorded || this.#count === 0) return undefined
    this.#recorded = true
    const { name, polled, gathered } = this.#named
    const deed = { ...this.#doer, deed: name, object: this.#object, count: this.#count }
    if (gathered === true) return this.#trail.gathered(deed)
    return polled === true ? this.#trail.polled(deed) : this.#trail.audit.note(deed)
  }

  refuse(code: string): void {
    this.#trail.refusals.count({ ...this.#doer, deed: this.#named.name, object: this.#object, outcome: code })
  }
}
