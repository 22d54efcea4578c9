/**
 * Sends ended calls to the CRM, until it has taken each: in order, no faster than allowed, and not at all while the CRM is away or the
 * integration is switched off.
 */
import { Alarm, settledWithin, type Clock } from '../../base/clock.ts'
import type { History } from '../../history/history.ts'
import type { Log } from '../../base/log.ts'
import type { LogAnswer } from '../../schema/crm-answers.ts'
import type { CallRecordView } from '../../schema/history.ts'
import type { CrmPendingRow } from '../../store/tables.ts'
import type { CrmClient } from '../client/client.ts'
import type { CrmOutcome, CrmRequest } from '../client/routes.ts'
import type { Entry, Order } from './order.ts'
import type { Pending } from './pending.ts'

/** When a call is sent again: pure. */
const second = 1000
const minute = 60 * second
const pauses = [5 * second, 15 * second, minute, 5 * minute, 15 * minute]
/** Between two attempts, whatever the CRM asks for. */
const longestPauseMs = 60 * minute
const longestMs = 14 * 24 * 60 * minute
/** The CRM says that it does not want this very request. */
const refusing = new Set([400, 404, 409, 422])
const mostRefusals = 3

interface Told {
  readonly attempts: number
  readonly refusals: number
  readonly createdAt: number
}

type Verdict =
  | { readonly outcome: 'again'; readonly afterMs: number; readonly refusals: number }
  | { readonly outcome: 'dead'; readonly refusals: number }

/** After an attempt that failed, which `attempts` already counts. `status`: 0 where there was no answer. */
export function afterFailure(told: Told, status: number, retryAfterMs: number, now: number): Verdict {
  const refusals = told.refusals + (refusing.has(status) ? 1 : 0)
  if (refusals >= mostRefusals || now - told.createdAt >= longestMs) return { outcome: 'dead', refusals }
  const pause = refusing.has(status) ? minute : (pauses[told.attempts - 1] ?? pauses.at(-1)!)
  return { outcome: 'again', afterMs: Math.max(pause, Math.min(retryAfterMs, longestPauseMs)), refusals }
}

export interface SenderOptions {
  readonly clock: Clock
  readonly log: Log
  readonly client: Pick<CrmClient, 'request' | 'circuit' | 'onClosed'>
  readonly history: Pick<History, 'find' | 'view'>
  readonly pending: Pick<Pending, 'rows' | 'told' | 'failed' | 'drop' | 'get'>
  readonly order: Order
  readonly perSecond: number
  readonly enabled: () => boolean
  /** Text of the CRM, without what could be of a patient. */
  readonly scrub: (text: string) => string
  /** The CRM has taken a record that ended so long ago (ms). */
  readonly delivered?: (delayMs: number) => void
}

const goodbyeMs = 3000

export class Sender {
  readonly order: Order
  readonly #options: SenderOptions
  readonly #alarm: Alarm
  readonly #underWay = new Set<Promise<void>>()
  /** When requests of the last second were sent. */
  #sent: number[] = []
  #stopped = false

  constructor(options: SenderOptions) {
    this.#options = options
    this.order = options.order
    this.#alarm = new Alarm(options.clock, () => this.#turn())
    options.client.onClosed(() => this.hurry())
  }

  /** Retries at once every item that never reached the CRM. Keeping the old back-off would deliver newer calls before older ones. */
  start(): void {
    const now = this.#options.clock.now()
    for (const { key, row } of this.#options.pending.rows()) {
      const metNobody = row.attempts > 0 && row.lastStatus === 0
      // Nor does anything wait for longer than it ever would: the clock may have been set since.
      this.expect(key, { ...row, nextAt: Math.min(row.nextAt, metNobody ? now : now + longestPauseMs) })
    }
  }

  /** It is in the store. */
  expect(key: string, row: CrmPendingRow): void {
    if (row.deadAt !== null) return this.order.remove(key)
    const kind = row.noteId === null ? 'log' : 'note'
    this.order.put({ key, callId: row.callId, endedAt: row.endedAt, kind, nextAt: row.nextAt })
    this.wake()
  }

  /** The CRM is back, or switched on again: nothing waits for its time. */
  hurry(): void {
    this.order.hurry(this.#options.clock.now())
    this.wake()
  }

  /** The clock was set. */
  stepped(stepMs: number): void {
    this.order.stepped(stepMs)
    this.wake()
  }

  wake(): void {
    this.#alarm.within(0)
  }

  /** Requests under way get a moment; what is still open is sent after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#alarm.stop()
    await settledWithin(this.#options.clock, goodbyeMs, this.#underWay)
  }

  #turn(): void {
    const { clock, client, enabled, perSecond } = this.#options
    if (this.#stopped || !enabled() || client.circuit !== 'closed') return
    for (;;) {
      const now = clock.elapsed()
      this.#sent = this.#sent.filter((at) => now - at < 1000)
      if (this.#sent.length >= perSecond) return this.#alarm.within(1000 - (now - this.#sent[0]!))
      const entry = this.order.take(clock.now())
      if (entry === undefined) break
      this.#sent.push(now)
      const telling = this.#tell(entry).finally(() => {
        this.#underWay.delete(telling)
        this.order.done(entry)
        this.wake()
      })
      this.#underWay.add(telling)
    }
    const next = this.order.nextAt(clock.now())
    if (next !== undefined) this.#alarm.within(next - clock.now())
  }

  async #tell(entry: Entry): Promise<void> {
    const { log, pending, client, history } = this.#options
    try {
      const row = pending.get(entry.key)
      const past = row === undefined ? undefined : history.find(row.callId)
      const request = row === undefined || past === undefined ? null : requestOf(row, history.view(past))
      if (row === undefined || request === null) {
        await pending.drop(entry.key)
        return this.order.remove(entry.key)
      }
      await this.#judge(entry, row, past?.rev ?? 1, await client.request(request))
    } catch (error) {
      // The disk did not take it: the call is sent again, and the CRM recognises it by its id.
      log.error({ err: error, callId: entry.callId }, 'a delivery to the CRM could not be recorded')
      entry.nextAt = this.#options.clock.now() + 5000
    }
  }

  async #judge(entry: Entry, row: CrmPendingRow, rev: number, outcome: CrmOutcome): Promise<void> {
    const { clock, pending, log, scrub, delivered } = this.#options
    if (outcome.kind === 'skipped') {
      entry.nextAt = clock.now()
      return
    }
    // A CRM without notes has them in the record.
    if (outcome.kind === 'answered' || (outcome.kind === 'not-offered' && row.noteId !== null)) {
      const answer = outcome.kind === 'answered' && row.noteId === null ? ((outcome.body ?? {}) as LogAnswer) : {}
      const crmLogId = answer.crmLogId
      if (await pending.told(entry.key, rev, crmLogId)) {
        this.order.remove(entry.key)
        if (row.noteId === null) delivered?.(clock.now() - row.endedAt)
      } else entry.nextAt = clock.now()
      return
    }
    const { status, text, retryAfterMs } = failureOf(outcome)
    const attempts = row.attempts + 1
    const verdict = afterFailure({ ...row, attempts }, status, retryAfterMs, clock.now())
    const told = { attempts, refusals: verdict.refusals, lastStatus: status, lastError: scrub(text).slice(0, 500) }
    if (verdict.outcome === 'dead') {
      await pending.failed(entry.key, { ...told, deadAt: clock.now() })
      this.order.remove(entry.key)
      log.error({ callId: row.callId, status }, 'the CRM refuses a call: given up, see pbx crm queue --dead')
      return
    }
    const nextAt = clock.now() + verdict.afterMs
    await pending.failed(entry.key, { ...told, nextAt })
    entry.nextAt = nextAt
  }
}

function failureOf(outcome: CrmOutcome): { readonly status: number; readonly text: string; readonly retryAfterMs: number } {
  if (outcome.kind === 'refused') return { status: outcome.status, text: `answered ${outcome.status}: ${outcome.text}`, retryAfterMs: 0 }
  if (outcome.kind === 'failed') return { status: outcome.status, text: outcome.reason, retryAfterMs: outcome.retryAfterMs ?? 0 }
  return { status: 404, text: 'the CRM does not have this route', retryAfterMs: 0 }
}

/** null: the note is not there any more. */
function requestOf(row: CrmPendingRow, record: CallRecordView): CrmRequest | null {
  const attempt = row.attempts + 1
  const { eventId, callId, noteId } = row
  if (noteId === null) return { ask: { route: 'log', body: record }, eventId, attempt, idempotencyKey: `${callId}:log:${record.rev}` }
  const note = record.notes?.find((one) => one.noteId === noteId)
  if (note === undefined) return null
  const ask = { route: 'notes', params: { callId }, body: { notes: [note] } } as const
  return { ask, eventId, attempt, idempotencyKey: `${callId}:notes:${noteId}` }
}
