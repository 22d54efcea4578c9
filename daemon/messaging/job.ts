/**
 * The life of a text that is sent, as a pure machine: `queued -> sending -> sent -> delivered`, with `retrying` between two
 * tries, and `failed` and `unknown` as other ends. Every input gives a new row and what is to be done next. Time comes from
 * outside. A text whose answer was lost may have been sent: it is not sent again unless that is configured.
 */
import type { SmsOutcome, SmsReport } from '../../drivers/sms.ts'
import { isSmsPending } from '../store/message-rows.ts'
import type { SmsRow, SmsState } from '../store/tables.ts'

export type SmsInput =
  /** It is its turn. */
  | { readonly type: 'send' }
  /** Of a try, or of a look-up after one. `interrupted`: the daemon stops. */
  | { readonly type: 'outcome'; readonly outcome: SmsOutcome; readonly interrupted?: boolean }
  | {
      readonly type: 'report'
      readonly part: number
      readonly reference: string
      readonly state: SmsReport['state']
      readonly text: string
    }
  /** The recipient asked not to be texted since it was accepted. */
  | { readonly type: 'opted-out' }
  /** The number may not be texted any more: the configuration has changed. */
  | { readonly type: 'denied'; readonly reason: string }
  /** It has expired. */
  | { readonly type: 'expire' }
  /** No trunk can send what is left of it. */
  | { readonly type: 'orphan' }
  /** The daemon starts and finds the row as the last one left it. */
  | { readonly type: 'restart' }

export interface SmsMoment {
  readonly now: number
  /** Whether the network can be asked once more what became of the text, and after how long. Null where it cannot. */
  readonly lookUpInMs: number | null
  readonly repeatUnknown: boolean
}

export type SmsEffect =
  | { readonly type: 'none' }
  /** To be handed to the trunk, once the row is durable. */
  | { readonly type: 'transmit' }
  | { readonly type: 'look-up'; readonly inMs: number }
  /** Until `nextAttemptAt`. */
  | { readonly type: 'wait' }
  /** It leaves the queue. */
  | { readonly type: 'over' }

export interface SmsStep {
  readonly row: SmsRow
  readonly effect: SmsEffect
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** After the first, second, ... failed try; then hourly. */
export const longestPauseMs = 66 * minuteMs
export const retryDelaysMs = [10_000, 30_000, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs] as const

/** Whether the queue still has to do with it. */
export function isWaiting(state: SmsState): boolean {
  return isSmsPending({ state })
}

export function step(row: SmsRow, input: SmsInput, moment: SmsMoment): SmsStep {
  switch (input.type) {
    case 'send':
      if (row.state !== 'queued' && row.state !== 'retrying') return same(row)
      return { row: { ...row, state: 'sending', attempts: row.attempts + 1, nextAttemptAt: null }, effect: { type: 'transmit' } }
    case 'outcome':
      return row.state === 'sending' ? judge(row, input.outcome, input.interrupted ?? false, moment) : same(row)
    case 'report':
      return report(row, input, moment)
    case 'opted-out':
      return held(row) ? fail(row, 'opted_out', 'The recipient has opted out of texts.', moment) : same(row)
    case 'denied':
      return held(row) ? fail(row, 'destination_denied', input.reason, moment) : same(row)
    case 'expire': {
      if (!held(row)) return same(row)
      const last = row.error === '' ? '' : ` Last attempt: ${row.error}`
      return fail(row, 'expired', `The deadline for this text has passed.${last}`, moment)
    }
    case 'orphan':
      return held(row)
        ? fail(row, 'trunk_removed', 'The trunk that had sent a part of this text is no longer configured.', moment)
        : same(row)
    case 'restart':
      if (row.state === 'sending') return indeterminate(row, 'The telephone system was stopped while it sent this text.', moment)
      return { row, effect: { type: isWaiting(row.state) ? 'wait' : 'over' } }
  }
}

function same(row: SmsRow): SmsStep {
  return { row, effect: { type: 'none' } }
}

function held(row: SmsRow): boolean {
  return row.state === 'queued' || row.state === 'retrying'
}

function judge(before: SmsRow, outcome: SmsOutcome, interrupted: boolean, moment: SmsMoment): SmsStep {
  const row = { ...before, accepted: merge(before.accepted, outcome) }
  // Every part was taken: what went wrong around it no longer matters.
  if (outcome.kind === 'accepted' || row.accepted.every((reference) => reference !== null)) {
    const reports = row.accepted.map((_, part) => before.reports[part] ?? null)
    return { row: { ...row, state: 'sent', reports, sentAt: moment.now, error: '', code: '' }, effect: { type: 'over' } }
  }
  switch (outcome.kind) {
    case 'temporary':
      // What the stop of the daemon kept from being sent was no failed try.
      if (interrupted) return { row: { ...row, state: 'queued', attempts: Math.max(0, row.attempts - 1) }, effect: { type: 'wait' } }
      return again(row, outcome.text, (outcome.retryAfterSeconds ?? 0) * 1000, moment)
    case 'refused':
      return fail(row, outcome.code === '' ? 'refused' : outcome.code, outcome.text, moment)
    case 'unknown':
      return indeterminate(row, outcome.text, moment)
  }
}

/** What was accepted before stays; of a trunk that takes whole texts there is one entry. */
function merge(before: readonly (string | null)[], outcome: SmsOutcome): (string | null)[] {
  const now = outcome.accepted
  if (outcome.kind === 'accepted') {
    if (now.length === before.length) return before.map((reference, part) => reference ?? now[part] ?? '')
    return now.length === 0 ? before.map((reference) => reference ?? '') : now.map((reference) => reference ?? '')
  }
  if (now.length === before.length) return before.map((reference, part) => reference ?? now[part] ?? null)
  return now.length === 1 && typeof now[0] === 'string' ? [now[0]] : [...before]
}

/** The answer was lost. */
function indeterminate(row: SmsRow, text: string, moment: SmsMoment): SmsStep {
  if (moment.lookUpInMs !== null) return { row: { ...row, error: text }, effect: { type: 'look-up', inMs: moment.lookUpInMs } }
  if (moment.repeatUnknown) return again(row, text, 0, moment)
  const error = `It is not known whether this text was sent. ${text}`
  return {
    row: { ...row, state: 'unknown', completedAt: moment.now, nextAttemptAt: null, error, code: 'unknown' },
    effect: { type: 'over' },
  }
}

/** The next try, unless it would come after the text's time. */
function again(row: SmsRow, text: string, atLeastMs: number, moment: SmsMoment): SmsStep {
  const delay = Math.max(atLeastMs, retryDelaysMs[Math.max(1, row.attempts) - 1] ?? hourMs)
  const nextAttemptAt = moment.now + delay
  if (nextAttemptAt >= row.expiresAt) return fail(row, 'expired', `The deadline for this text has passed. Last attempt: ${text}`, moment)
  return { row: { ...row, state: 'retrying', nextAttemptAt, error: text, code: 'temporary' }, effect: { type: 'wait' } }
}

function fail(row: SmsRow, code: string, error: string, moment: SmsMoment): SmsStep {
  return { row: { ...row, state: 'failed', completedAt: moment.now, nextAttemptAt: null, error, code }, effect: { type: 'over' } }
}

type PartState = SmsReport['state']

/**
 * What a part is known to be, by how much is known: whatever order reports come in, the one that says most stands. A phone that has the text has it,
 * whatever was reported before or after; of two ends without delivery the first is kept.
 */
const says: Readonly<Record<PartState, number>> = { buffered: 1, failed: 2, expired: 2, delivered: 3 }

/** Never changes what the queue does: a part may be reported while another is still to be sent. */
function report(before: SmsRow, input: Extract<SmsInput, { type: 'report' }>, moment: SmsMoment): SmsStep {
  const { part, state } = input
  const known = before.reports[part] ?? null
  if (part < 0 || part >= before.accepted.length || (known !== null && says[known] >= says[state])) return same(before)
  const reports = before.accepted.map((_, at) => (at === part ? state : (before.reports[at] ?? null)))
  // What the network speaks of, it has, also where its answer was lost.
  const accepted =
    before.state === 'unknown' ? before.accepted.map((one, at) => (at === part ? (one ?? input.reference) : one)) : before.accepted
  const row = { ...before, reports, accepted }
  // One that failed with parts that no network took was never sent; otherwise it was a report that said so.
  const wasSent = row.state === 'sent' || row.state === 'unknown' || (row.state === 'failed' && !accepted.includes(null))
  if (!wasSent) return same(row)
  const lost = reports.find((one) => one === 'failed' || one === 'expired')
  if (lost !== undefined) {
    // Another part was delivered: what is known of the one that was not stays.
    if (row.state === 'failed' && state !== 'failed' && state !== 'expired') return same(row)
    const error = input.text === '' ? 'The network could not deliver it.' : input.text
    return same({ ...row, state: 'failed', completedAt: moment.now, error, code: lost === 'expired' ? 'expired' : 'undelivered' })
  }
  if (accepted.includes(null)) return same(row)
  const sent: SmsRow = { ...row, state: 'sent', sentAt: row.sentAt ?? moment.now, completedAt: null, error: '', code: '' }
  return same(reports.every((one) => one === 'delivered') ? { ...sent, state: 'delivered', completedAt: moment.now } : sent)
}
