/** Delivery of what the outbox holds: who is due when, attempts under way, and what each came to. The store holds the truth. */
import type { Clock, Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { OutboxRow } from '../store/tables.ts'
import { checkUrl, guardedAgent, type AddressPolicy } from './address.ts'
import { attempt, type Attempt } from './attempt.ts'
import { Lanes, type Waiting } from './lanes.ts'
import type { Ledger } from './ledger.ts'

/** When a callback is tried again: pure. */

export type ScheduleName = 'standard' | 'call'

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Pauses after the first, second, ... failed attempt. Standard: 10 attempts in 75 h 35 min, so weekends survive. */
export const pauses: Readonly<Record<ScheduleName, readonly number[]>> = {
  standard: [5 * seconds, 5 * minutes, 30 * minutes, 2 * hours, 5 * hours, 10 * hours, 14 * hours, 20 * hours, 24 * hours],
  call: [5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 1 * hours],
}

const longestRetryAfterMs = 1 * hours
const jitter = 0.1
const longestPauseMs = 24 * hours * (1 + jitter)

export interface AttemptResult {
  /** HTTP status; 0 where no answer came. */
  status: number
  /** From Retry-After of a 429 or 503, otherwise undefined. */
  retryAfterMs?: number
}

type Verdict = { outcome: 'delivered' } | { outcome: 'dead' } | { outcome: 'again'; afterMs: number }

/**
 * @param attempts attempts made, this one included
 * @param random 0 to 1
 */
export function judge(schedule: ScheduleName, attempts: number, result: AttemptResult, random: number): Verdict {
  if (result.status >= 200 && result.status < 300) return { outcome: 'delivered' }
  if (result.status === 410) return { outcome: 'dead' }
  const pause = pauses[schedule][attempts - 1]
  if (pause === undefined) return { outcome: 'dead' }
  const afterMs = Math.round(pause * (1 - jitter + 2 * jitter * random))
  const asked = result.status === 429 || result.status === 503 ? Math.min(result.retryAfterMs ?? 0, longestRetryAfterMs) : 0
  return { outcome: 'again', afterMs: Math.max(afterMs, asked) }
}

export interface DeliveryOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly ledger: Ledger
  readonly policy: AddressPolicy
  /** Kinds of callbacks that may go to other places, such as those that go where control events go. */
  readonly policyOfKind?: Readonly<Record<string, AddressPolicy>>
  /** The secret of that name as it is configured now. */
  readonly secret: (name: string) => string | undefined
  readonly version: string
  /** 0 to 1. */
  readonly random?: () => number
  readonly connectTimeoutMs?: number
  readonly timeoutMs?: number
  readonly perHost?: number
  readonly total?: number
  /** How long `stop` waits for attempts under way. */
  readonly stopGraceMs?: number
}

/** A row that is not in the store so long after it was enqueued was rolled back. */
const abandonAfterMs = 600_000

export class Deliveries {
  readonly #options: DeliveryOptions
  readonly #agents: ReadonlyMap<AddressPolicy, ReturnType<typeof guardedAgent>>
  readonly #lanes: Lanes
  readonly #aborter = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  #fresh: { readonly row: OutboxRow; readonly since: number }[] = []
  #timer: Timer | undefined
  #running = false

  constructor(options: DeliveryOptions) {
    const { policy, policyOfKind = {}, connectTimeoutMs = 5000, perHost = 4, total = 16 } = options
    this.#options = options
    this.#agents = new Map([policy, ...Object.values(policyOfKind)].map((each) => [each, guardedAgent(each, { connectTimeoutMs })]))
    this.#lanes = new Lanes({ perHost, total })
  }

  /** Takes up all that the store has. */
  start(): void {
    if (this.#running) return
    this.#running = true
    const { store, log } = this.#options
    const rows = Array.from(store.tables.outbox.range(), ({ value }) => value)
    const before = (a: OutboxRow, b: OutboxRow): number => (a.order ?? 0) - (b.order ?? 0) || (a.eventId < b.eventId ? -1 : 1)
    for (const row of rows.toSorted(before)) this.#admit(row)
    if (rows.length > 0) log.info({ waiting: rows.length }, 'earlier callbacks are waiting')
    this.#pump()
  }

  /** Inside a transaction: a row that `wake` looks for after the commit. */
  expect(row: OutboxRow): void {
    if (this.#running) this.#fresh.push({ row, since: this.#options.clock.elapsed() })
  }

  wake(): void {
    const { store, clock } = this.#options
    const now = clock.elapsed()
    const waiting = this.#fresh
    this.#fresh = []
    for (const item of waiting) {
      if (store.tables.outbox.get(item.row.eventId) !== undefined) this.#admit(item.row)
      else if (now - item.since < abandonAfterMs) this.#fresh.push(item)
    }
    this.#pump()
  }

  /** A row that was made due now. */
  hurry(row: OutboxRow): void {
    if (!this.#lanes.hurry(row.eventId, this.#options.clock.elapsed()) && this.#running) this.#admit(row)
    this.#pump()
  }

  /** Attempts under way get a moment. */
  async stop(): Promise<void> {
    this.#running = false
    this.#timer?.cancel()
    const grace = setTimeout(() => this.#aborter.abort(), this.#options.stopGraceMs ?? 2000)
    await Promise.all(this.#underWay)
    clearTimeout(grace)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()))
  }

  #policyOf({ kind }: OutboxRow): AddressPolicy {
    return this.#options.policyOfKind?.[kind] ?? this.#options.policy
  }

  #pump(): void {
    if (!this.#running) return
    this.#timer?.cancel()
    this.#timer = undefined
    const { clock } = this.#options
    const now = clock.elapsed()
    for (let entry = this.#lanes.take(now); entry !== undefined; entry = this.#lanes.take(now)) {
      const task: Promise<void> = this.#deliver(entry).finally(() => {
        this.#underWay.delete(task)
        this.#pump()
      })
      this.#underWay.add(task)
    }
    const next = this.#lanes.nextAt()
    if (next !== undefined) this.#timer = clock.after(Math.max(0, next - now), () => this.#pump())
  }

  async #deliver(entry: Waiting): Promise<void> {
    const { ledger, clock, secret, version, timeoutMs = 15_000 } = this.#options
    const row = ledger.current(entry.eventId)
    if (row === undefined) {
      this.#lanes.finish(entry)
      return
    }
    const now = clock.now()
    const policy = this.#policyOf(row)
    const agent = this.#agents.get(policy)!
    const { signal } = this.#aborter
    const result = await attempt(row, { agent, policy, secret: secret(row.secret), now, version, timeoutMs, signal })
    // Cut off by stop: nothing is known, so nothing is written, and the attempt is made again.
    if (signal.aborted && result.status === 0) return
    this.#settle(entry, row, result, now)
  }

  #settle(entry: Waiting, row: OutboxRow, result: Attempt, startedAt: number): void {
    const { clock, log, ledger, random = Math.random } = this.#options
    const { eventId, kind, subject, schedule } = row
    const { status, error } = result
    const now = clock.now()
    const attempts = row.attempts + 1
    const verdict = judge(schedule, attempts, result, random())
    const tried = { ...row, attempts, lastStatus: status, lastError: error, lastAttemptAt: startedAt }
    const facts = { eventId, kind, subject, attempt: attempts, status, error }
    if (verdict.outcome === 'again') {
      const nextAt = now + verdict.afterMs
      ledger.again({ ...tried, nextAt })
      this.#lanes.postpone(entry, clock.elapsed() + verdict.afterMs)
      log.warn({ ...facts, retryInSeconds: Math.round(verdict.afterMs / 1000) }, 'a callback was not accepted')
      return
    }
    ledger.done(tried, verdict.outcome, now)
    this.#lanes.finish(entry)
    if (verdict.outcome === 'dead') log.error(facts, 'a callback was given up; `pbx callbacks retry` sends it again')
    else log.debug(facts, 'a callback was delivered')
  }

  /** In the lanes time is what nobody can set. */
  #admit(row: OutboxRow): void {
    const { clock } = this.#options
    const at = clock.elapsed() + waitMs(row, clock.now())
    this.#lanes.add({ eventId: row.eventId, host: hostOf(row.url, this.#policyOf(row)), fifo: row.fifo, at })
  }
}

/**
 * What was never tried is due. What waits may have been written under another time of day: it waits as long as it was to wait after its
 * last attempt and no longer, whatever the clock has been set to since.
 */
function waitMs({ attempts, nextAt, lastAttemptAt }: OutboxRow, now: number): number {
  return attempts === 0 ? 0 : Math.min(nextAt - now, nextAt - (lastAttemptAt ?? nextAt), longestPauseMs)
}

/** Rows with a URL that is refused meanwhile share a lane: their attempts fail without a connection. */
function hostOf(url: string, policy: AddressPolicy): string {
  const checked = checkUrl(url, policy)
  return checked.ok ? checked.url.hostname : ''
}
