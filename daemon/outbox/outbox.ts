/**
 * The outbox: callbacks that are written in the transaction of what they report, and delivered at least once until a
 * 2xx or the end of their schedule. The store holds the truth; in memory is only what falls due when.
 */
import type { Clock, Timer } from '../clock.ts'
import type { Log } from '../log.ts'
import { wireBody, type OutgoingEvent } from '../schema/events.ts'
import type { CallbackState } from '../schema/states.ts'
import type { Store } from '../store/store.ts'
import type { OutboxRow } from '../store/tables.ts'
import { checkUrl, guardedAgent, type AddressPolicy } from './address.ts'
import { attempt, type Attempt } from './attempt.ts'
import { Lanes, type Waiting } from './lanes.ts'
import { Ledger } from './ledger.ts'
import { judge, longestPauseMs } from './schedule.ts'
import { listCallbacks, showCallback, type CallbackDetail, type CallbackView } from './views.ts'

export type { CallbackDetail, CallbackView } from './views.ts'

export interface Callback {
  /** Its eventId is that of the callback: receivers know a repeated delivery by it. */
  event: OutgoingEvent
  /** What it is about: the callId. */
  subject: string
  url: string
  /** Name of the secret: `callbacks` or `endpoint:<id>`. */
  secret: string
  schedule: 'standard' | 'call'
  /** Callbacks of one fifo are delivered in order, one at a time. */
  fifo?: string
}

export interface Outbox {
  /** Inside a store transaction. */
  enqueue(callback: Callback): void
  /** After the commit: looks for what is new. */
  wake(): void
  /** Newest first. */
  list(options?: { state?: CallbackState; limit?: number }): CallbackView[]
  show(eventId: string): CallbackDetail | undefined
  /** Makes it due now, a dead one with a fresh schedule; false where there is none or it is delivered. `alongside` runs in the transaction. */
  retry(eventId: string, alongside?: () => void): Promise<boolean>
  stats(): { pending: number; oldestPendingAt: number | null; dead: number }
  /** Removes callbacks that ended long ago; how many. */
  sweep(): Promise<number>
  start(): void
  /** Attempts under way get a moment; what is then open is tried again after the next start. */
  stop(): Promise<void>
}

export interface OutboxOptions {
  store: Store
  clock: Clock
  log: Log
  policy: AddressPolicy
  /** Kinds of callbacks that may go to other places, such as those that go where control events go. */
  policyOfKind?: Readonly<Record<string, AddressPolicy>>
  /** The secret of that name as it is configured now. */
  secret: (name: string) => string | undefined
  version: string
  /** 0 to 1. */
  random?: () => number
  connectTimeoutMs?: number
  timeoutMs?: number
  perHost?: number
  total?: number
  /** How long callbacks that were given up are kept. */
  deadDays?: number
  /** How long results may wait so that many share one commit. */
  batchMs?: number
  /** How long `stop` waits for attempts under way. */
  stopGraceMs?: number
}

/** A row that is not in the store so long after it was enqueued was rolled back. */
const abandonAfterMs = 600_000

export function createOutbox(options: OutboxOptions): Outbox {
  const { store, clock, log } = options
  const policyOf = (row: OutboxRow): AddressPolicy => options.policyOfKind?.[row.kind] ?? options.policy
  const timeoutMs = options.timeoutMs ?? 15_000
  const random = options.random ?? Math.random
  const agents = new Map(
    [options.policy, ...Object.values(options.policyOfKind ?? {})].map((policy) => [
      policy,
      guardedAgent(policy, { connectTimeoutMs: options.connectTimeoutMs ?? 5000 }),
    ]),
  )
  const lanes = new Lanes({ perHost: options.perHost ?? 4, total: options.total ?? 16 })
  const ledger = new Ledger({ store, clock, log, batchMs: options.batchMs ?? 100, deadMs: (options.deadDays ?? 30) * 86_400_000 })
  const aborter = new AbortController()
  const underWay = new Set<Promise<void>>()
  let fresh: { row: OutboxRow; since: number }[] = []
  let timer: Timer | undefined
  let running = false
  /** Of the last row that was written, whenever that was: ids begin with a time of day that may have been set. */
  let order = 0
  for (const { value } of store.tables.outbox.range()) order = Math.max(order, value.order ?? 0)

  function pump(): void {
    if (!running) return
    timer?.cancel()
    timer = undefined
    const now = clock.elapsed()
    for (let entry = lanes.take(now); entry !== undefined; entry = lanes.take(now)) {
      const task: Promise<void> = deliver(entry).finally(() => {
        underWay.delete(task)
        pump()
      })
      underWay.add(task)
    }
    const next = lanes.nextAt()
    if (next !== undefined) timer = clock.after(Math.max(0, next - now), pump)
  }

  async function deliver(entry: Waiting): Promise<void> {
    const row = ledger.current(entry.eventId)
    if (row === undefined) {
      lanes.finish(entry)
      return
    }
    const now = clock.now()
    const policy = policyOf(row)
    const result = await attempt(row, {
      agent: agents.get(policy)!,
      policy,
      secret: options.secret(row.secret),
      now,
      version: options.version,
      timeoutMs,
      signal: aborter.signal,
    })
    // Cut off by stop: nothing is known, so nothing is written, and the attempt is made again.
    if (aborter.signal.aborted && result.status === 0) return
    settle(entry, row, result, now)
  }

  function settle(entry: Waiting, row: OutboxRow, result: Attempt, startedAt: number): void {
    const now = clock.now()
    const attempts = row.attempts + 1
    const verdict = judge(row.schedule, attempts, result, random())
    const tried = { ...row, attempts, lastStatus: result.status, lastError: result.error, lastAttemptAt: startedAt }
    const facts = {
      eventId: row.eventId,
      kind: row.kind,
      subject: row.subject,
      attempt: attempts,
      status: result.status,
      error: result.error,
    }
    if (verdict.outcome === 'again') {
      const nextAt = now + verdict.afterMs
      ledger.again({ ...tried, nextAt })
      lanes.postpone(entry, clock.elapsed() + verdict.afterMs)
      log.warn({ ...facts, retryInSeconds: Math.round(verdict.afterMs / 1000) }, 'a callback was not accepted')
      return
    }
    ledger.done(tried, verdict.outcome, now)
    lanes.finish(entry)
    if (verdict.outcome === 'dead') log.error(facts, 'a callback was given up; `pbx callbacks retry` sends it again')
    else log.debug(facts, 'a callback was delivered')
  }

  /** In the lanes time is what nobody can set. */
  function admit(row: OutboxRow): void {
    const at = clock.elapsed() + waitMs(row, clock.now())
    lanes.add({ eventId: row.eventId, host: hostOf(row.url, policyOf(row)), fifo: row.fifo, at })
  }

  function wake(): void {
    const now = clock.elapsed()
    const waiting = fresh
    fresh = []
    for (const item of waiting) {
      if (store.tables.outbox.get(item.row.eventId) !== undefined) admit(item.row)
      else if (now - item.since < abandonAfterMs) fresh.push(item)
    }
    pump()
  }

  return {
    enqueue({ event, fifo = '', ...to }) {
      const now = clock.now()
      const row: OutboxRow = {
        ...to,
        eventId: event.eventId,
        kind: event.event,
        body: wireBody(event),
        fifo,
        createdAt: now,
        order: ++order,
        attempts: 0,
        nextAt: now,
        lastStatus: 0,
        lastError: '',
        lastAttemptAt: null,
      }
      store.tables.outbox.put(row.eventId, row)
      if (running) fresh.push({ row, since: clock.elapsed() })
    },
    wake,
    list: (query = {}) => listCallbacks(store.tables, query),
    show: (eventId) => showCallback(store.tables, eventId),
    async retry(eventId, alongside) {
      await ledger.flush()
      const row = await store.transaction(() => {
        const dead = store.tables.deadLetters.get(eventId)
        const old = dead ?? store.tables.outbox.get(eventId)
        if (old === undefined) return undefined
        const again: OutboxRow = { ...withoutOutcome(old), attempts: dead === undefined ? old.attempts : 0, nextAt: clock.now() }
        store.tables.outbox.put(eventId, again)
        store.tables.deadLetters.remove(eventId)
        alongside?.()
        return again
      })
      if (row === undefined) return false
      if (!lanes.hurry(eventId, clock.elapsed()) && running) admit(row)
      pump()
      return true
    },
    stats() {
      const oldest = [...store.tables.outbox.range({ limit: 1 })][0]?.value
      return { pending: store.tables.outbox.count(), oldestPendingAt: oldest?.createdAt ?? null, dead: store.tables.deadLetters.count() }
    },
    start() {
      if (running) return
      running = true
      const rows = [...store.tables.outbox.range()].map(({ value }) => value)
      const before = (a: OutboxRow, b: OutboxRow): number => (a.order ?? 0) - (b.order ?? 0) || (a.eventId < b.eventId ? -1 : 1)
      for (const row of rows.toSorted(before)) admit(row)
      if (rows.length > 0) log.info({ waiting: rows.length }, 'callbacks wait from before')
      pump()
    },
    sweep: () => ledger.sweep(),
    async stop() {
      running = false
      timer?.cancel()
      const grace = setTimeout(() => aborter.abort(), options.stopGraceMs ?? 2000)
      await Promise.all(underWay)
      clearTimeout(grace)
      await ledger.stop()
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
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

function withoutOutcome(row: OutboxRow | (Omit<OutboxRow, 'nextAt'> & { outcome: string; endedAt: number })): Omit<OutboxRow, 'nextAt'> {
  const { eventId, kind, subject, url, secret, body, schedule, fifo, createdAt, attempts, lastStatus, lastError, lastAttemptAt } = row
  return { eventId, kind, subject, url, secret, body, schedule, fifo, createdAt, attempts, lastStatus, lastError, lastAttemptAt }
}
