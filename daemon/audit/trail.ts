/** The audit trail as the servers use it: deeds under way, refusals, and the end of both. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'
import { Audit, bySystem, type AuditOptions, type Deed } from './audit.ts'
import { RecordedDeed, type Doer, type NamedDeed } from './deed.ts'
import { Looks } from './looks.ts'
import { Owed } from './owed.ts'
import { Refusals } from './refusals.ts'

const repeatMs = 60_000
const mostLooks = 10_000
/** Rows a minute of one actor and deed; what more is looked at is gathered. */
const mostRows = 60

export class Trail {
  readonly audit: Audit
  readonly refusals: Refusals
  readonly #clock: Clock
  readonly #owed: Owed
  readonly #gathered: Looks
  readonly #looks = new Map<string, number>()
  readonly #rates = new Map<string, { readonly since: number; readonly rows: number }>()

  constructor({ store, clock, log }: AuditOptions) {
    this.#clock = clock
    const audit = (this.audit = new Audit({ store, clock, log }))
    this.#owed = new Owed({ clock, log, audit })
    this.#gathered = new Looks({ store, clock, log, audit })
    this.refusals = new Refusals(this.#owed, clock)
  }

  /** `object`: what it is about where the handler does not say. */
  begin(deed: NamedDeed, doer: Doer, object: string): RecordedDeed {
    return new RecordedDeed(this, deed, doer, object)
  }

  /** What programs look at all the time: once a minute. Resolves when its row is durable. */
  async polled(deed: Deed): Promise<void> {
    const now = this.#clock.now()
    const look = hash('sha256', [deed.deed, deed.actor, deed.address, deed.object].join(' '))
    const before = this.#looks.get(look)
    if (before !== undefined && now >= before && now - before < repeatMs) return
    await (this.#isMany(deed, now) ? this.gathered(deed) : this.audit.note(deed))
    if (this.#looks.size >= mostLooks) this.#looks.clear()
    this.#looks.set(look, now)
  }

  #isMany({ deed, actor }: Deed, now: number): boolean {
    const key = `${deed} ${actor}`
    const before = this.#rates.get(key)
    const fresh = before === undefined || now < before.since || now - before.since >= repeatMs
    const rate = fresh ? { since: now, rows: 1 } : { ...before, rows: before.rows + 1 }
    if (this.#rates.size >= mostLooks) this.#rates.clear()
    this.#rates.set(key, rate)
    return rate.rows > mostRows
  }

  /** What programs look up all day: one row a minute for all of it. Resolves when it is durable. */
  gathered(deed: Deed): Promise<void> {
    return this.#gathered.add(deed)
  }

  /** What cannot be refused because the disk takes nothing: its row is written, or waits. Never rejects. */
  happened(deed: Deed): Promise<void> {
    return this.#owed.write(deed)
  }

  /** Rows that wait for the disk, and those that are in the log alone. */
  get owed(): Owed['state'] {
    return this.#owed.state
  }

  /** The configuration is known by the SHA-256 of its file. */
  started(configFile: string | null): void {
    this.#gathered.start()
    void this.happened(bySystem('daemon.start', `config:${configHash(configFile)}`))
  }

  /** A phone of the house called for help. */
  emergency(callId: string, extension: string): void {
    void this.happened(bySystem('call.emergency', `${callId} extension:${extension}`))
  }

  /** The engine shut an address out; counted as refusals are, since addresses can be forged. */
  banned(address: string): void {
    this.refusals.count({ actor: 'system', address, deed: 'ban.set', object: '', outcome: 'banned' })
  }

  /** All is written and mirrored; before the store is closed. */
  async stop(): Promise<void> {
    await this.refusals.flush()
    await this.#gathered.stop()
    await this.#owed.stop()
    await this.audit.mirrored()
  }
}

function configHash(file: string | null): string {
  if (file === null) return 'embedded'
  try {
    return hash('sha256', readFileSync(file))
  } catch {
    return 'unreadable'
  }
}
