/**
 * The life of a reminder, as a pure machine: `scheduled -> dialing -> in-call -> over`, with `waiting-retry` between two
 * calls. Every input gives a new row or the same one; nothing follows `over`. Time and limits come from outside.
 */
import { isReminderPending } from '../store/reminder-rows.ts'
import type { ReminderOutcome, ReminderRow } from '../store/tables.ts'
import type { ReminderCallResult } from './caller.ts'

export type ReminderInput =
  /** A time was found, or the former one is not right any more. */
  | { readonly type: 'plan'; readonly at: number }
  | { readonly type: 'dial'; readonly callId: string }
  | { readonly type: 'answered'; readonly at: number }
  /** The person decided, and the call goes on to say so. */
  | { readonly type: 'decided'; readonly outcome: string; readonly reason: string }
  | { readonly type: 'ended'; readonly result: ReminderCallResult }
  /** No moment is left at which a call may be made; `outcome` is that of a reminder nobody was called for. */
  | { readonly type: 'give-up'; readonly outcome: 'failed' | 'expired'; readonly reason: string }
  | { readonly type: 'opted-out' }
  | { readonly type: 'withdraw'; readonly reason: 'deleted' | 'replaced' }
  /** The daemon died during the call; `fate` is what is known of it. */
  | { readonly type: 'restart'; readonly fate: 'never-dialed' | 'dialed' | 'answered' }

export interface ReminderMoment {
  readonly now: number
  /** Calls for one reminder. */
  readonly mostAttempts: number
  /** The first moment from `earliest` on at which the person may be called; null where there is none before the appointment. */
  readonly open: (earliest: number) => number | null
}

const minuteMs = 60_000
const busyRetries = 2
const retryAfterMs = { busy: 10 * minuteMs, failed: 15 * minuteMs, 'no-answer': 90 * minuteMs, interrupted: 30 * minuteMs } as const
/** A line was not free: nobody noticed, so soon again. */
const noLineMs = 30_000

export function isTerminal({ state }: Pick<ReminderRow, 'state'>): boolean {
  return !isReminderPending({ state })
}

export function isUnderWay({ state }: Pick<ReminderRow, 'state'>): boolean {
  return state === 'dialing' || state === 'in-call'
}

/** The practice took it back, or put another in its place. */
export function isWithdrawn({ reason }: Pick<ReminderRow, 'reason'>): boolean {
  return reason === 'deleted' || reason === 'replaced'
}

export function step(row: ReminderRow, input: ReminderInput, moment: ReminderMoment): ReminderRow {
  if (isTerminal(row)) return row
  if (input.type === 'withdraw') return row.recorded === '' ? over(row, 'canceled', input.reason, moment) : row
  if (isUnderWay(row)) return during(row, input, moment)
  switch (input.type) {
    case 'plan':
      return { ...row, nextAttemptAt: input.at }
    case 'dial': {
      const { callId } = input
      const dialing = {
        state: 'dialing',
        attempts: row.attempts + 1,
        lastCallId: callId,
        dialedAt: moment.now,
        nextAttemptAt: null,
      } as const
      return { ...row, ...dialing, recorded: '' }
    }
    case 'give-up':
      return row.attempts === 0 ? over(row, input.outcome, input.reason, moment) : over(row, lastOutcome(row), row.reason, moment)
    case 'opted-out':
      return over(row, 'opted-out', 'list', moment)
    default:
      return row
  }
}

function during(row: ReminderRow, input: ReminderInput, moment: ReminderMoment): ReminderRow {
  switch (input.type) {
    case 'answered':
      return row.state === 'in-call' ? row : { ...row, state: 'in-call', answeredAt: input.at }
    case 'decided':
      return { ...row, state: 'in-call', answeredAt: row.answeredAt ?? moment.now, recorded: `${input.outcome} ${input.reason}` }
    case 'ended':
      return row.recorded === '' ? ended(row, input.result, moment) : asRecorded(row, moment)
    case 'restart': {
      if (row.recorded !== '') return asRecorded(row, moment)
      if (input.fate === 'never-dialed' && row.state === 'dialing') return notDialled(row, moment.now, moment)
      const answeredAt = input.fate === 'answered' ? (row.answeredAt ?? row.dialedAt) : row.answeredAt
      const earliest = Math.max(moment.now, (row.dialedAt ?? moment.now) + retryAfterMs.interrupted)
      return again({ ...row, answeredAt }, 'interrupted', earliest, moment)
    }
    default:
      return row
  }
}

function ended(row: ReminderRow, result: ReminderCallResult, moment: ReminderMoment): ReminderRow {
  const { now } = moment
  const answered = { ...row, answeredAt: row.answeredAt ?? now }
  switch (result.kind) {
    case 'answer':
      return over(answered, result.outcome, result.reason, moment)
    case 'reception':
      return over(answered, 'reschedule', 'reception', moment)
    case 'no-input':
      return over(answered, 'no-answer', 'no-input', moment)
    case 'voicemail':
      return over(answered, 'voicemail', 'message-left', moment)
    case 'no-answer':
      return again(row, 'no-answer', now + retryAfterMs['no-answer'], moment)
    case 'busy': {
      const quick = row.busy < busyRetries
      return again({ ...row, busy: row.busy + 1 }, 'busy', now + retryAfterMs[quick ? 'busy' : 'no-answer'], moment)
    }
    case 'failed':
      return again(row, 'failed', now + retryAfterMs.failed, moment)
    case 'not-placed':
      return notDialled(row, now + noLineMs, moment)
  }
}

/** Another call, where one is allowed; otherwise over with what the last one came to. */
function again(row: ReminderRow, reason: string, earliest: number, moment: ReminderMoment): ReminderRow {
  const at = row.attempts < moment.mostAttempts ? moment.open(earliest) : null
  const waiting: ReminderRow = { ...row, state: 'waiting-retry', reason, nextAttemptAt: at }
  return at === null ? over(waiting, lastOutcome(waiting), reason, moment) : waiting
}

/** As if it had not been tried. Where no time is left, the planner gives it up when it looks at it next. */
function notDialled(row: ReminderRow, earliest: number, moment: ReminderMoment): ReminderRow {
  const attempts = row.attempts - 1
  return {
    ...row,
    state: attempts === 0 ? 'scheduled' : 'waiting-retry',
    attempts,
    lastCallId: attempts === 0 ? '' : row.lastCallId,
    dialedAt: null,
    nextAttemptAt: moment.open(earliest) ?? earliest,
  }
}

/** What the last call came to. */
function lastOutcome({ reason }: ReminderRow): ReminderOutcome {
  return reason === 'busy' || reason === 'failed' ? reason : 'no-answer'
}

function asRecorded(row: ReminderRow, moment: ReminderMoment): ReminderRow {
  const [outcome, reason = ''] = row.recorded.split(' ')
  return over(row, outcome as ReminderOutcome, reason, moment)
}

function over(row: ReminderRow, outcome: ReminderOutcome, reason: string, { now }: ReminderMoment): ReminderRow {
  return { ...row, state: 'over', outcome, reason, nextAttemptAt: null, completedAt: now }
}
