/** The audit trail as the servers use it: deeds under way, refusals, and the end of both. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import { Audit, bySystem, type AuditOptions, type Deed } from './audit.ts'
import { RecordedDeed, type Doer, type NamedDeed } from './deed.ts'
import { Refusals } from './refusals.ts'

const repeatMs = 60_000
const mostLooks = 10_000

export class Trail {
  readonly audit: Audit
  readonly refusals: Refusals
  readonly #clock: Clock
  readonly #looks = new Map<string, number>()

  constructor(options: AuditOptions) {
    this.#clock = options.clock
    this.audit = new Audit(options)
    this.refusals = new Refusals(this.audit, options.clock, options.log)
  }

  /** `object`: what it is about where the handler does not say. */
  begin(deed: NamedDeed, doer: Doer, object: string): RecordedDeed {
    return new RecordedDeed(this, deed, doer, object)
  }

  /** What programs look at all the time: once a minute. Resolves when its row is durable. */
  async polled(deed: Deed): Promise<void> {
    const now = this.#clock.now()
    const look = [deed.deed, deed.actor, deed.address, deed.object].join(' ')
    const before = this.#looks.get(look)
    if (before !== undefined && now >= before && now - before < repeatMs) return
    await this.audit.note(deed)
    if (this.#looks.size >= mostLooks) this.#looks.clear()
    this.#looks.set(look, now)
  }

  /** The configuration is known by the SHA-256 of its file. */
  started(configFile: string | null): Promise<void> {
    const config = configFile === null ? 'embedded' : hash('sha256', readFileSync(configFile))
    return this.audit.note(bySystem('daemon.start', `config:${config}`))
  }

  /** A phone of the house called for help. */
  emergency(callId: string, extension: string): Promise<void> {
    return this.audit.note(bySystem('call.emergency', `${callId} extension:${extension}`))
  }

  /** The engine shut an address out; counted as refusals are, since addresses can be forged. */
  banned(address: string): void {
    this.refusals.count({ actor: 'system', address, deed: 'ban.set', object: '', outcome: 'banned' })
  }

  /** All is written and mirrored; before the store is closed. */
  async stop(): Promise<void> {
    await this.refusals.flush()
    await this.audit.mirrored()
  }
}
