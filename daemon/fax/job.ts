/**
 * The life of a fax that is sent, as a pure machine:
 * `queued -> processing -> dialing -> sending -> sent | failed | canceled`, with `retrying` between two calls. Every
 * input gives a new row; nothing follows a terminal state. Time and chance come from outside.
 */
import type { FaxModem, FaxProgress } from '../../drivers/fax.ts'
import { isFaxPending } from '../store/fax-rows.ts'
import type { FaxReason, FaxRow, FaxState } from '../store/tables.ts'
import { judge, type FaxOutcome } from './outcome.ts'

export type FaxInput =
  | { readonly type: 'render' }
  | {
      readonly type: 'rendered'
      readonly pages: number
      readonly bytesPerPage: readonly number[]
      readonly standardBytesPerPage: readonly number[]
    }
  | { readonly type: 'unrenderable'; readonly reason: 'document_error' | 'internal'; readonly message: string }
  /** Its number may not be faxed any more: the configuration has changed. */
  | { readonly type: 'denied'; readonly message: string }
  /** The pages cannot be drawn now, for a reason that may pass. */
  | { readonly type: 'postpone'; readonly message: string }
  | { readonly type: 'dial' }
  /** DIS of the far end was received, and everything after it. */
  | { readonly type: 'progress'; readonly progress: FaxProgress; readonly firstPage: number }
  | {
      readonly type: 'ended'
      readonly outcome: FaxOutcome
      readonly firstPage: number
      readonly callId: string
      readonly line: string
      readonly startedAt: number
    }
  /** `during`: the call in progress, of which `ended` comes too late. */
  | { readonly type: 'cancel'; readonly during?: BrokenCall }
  /** The window has ended. */
  | { readonly type: 'expire' }
  /** The daemon starts and finds the row as the last one left it. */
  | { readonly type: 'restart' }

export interface BrokenCall {
  readonly callId: string
  readonly line: string
  readonly startedAt: number
  readonly firstPage: number
  readonly durationSeconds: number
}

export interface FaxMoment {
  readonly now: number
  /** -1 to 1: moves each delay by up to a tenth. */
  readonly jitter: number
  /** A fax machine answered at this number before. */
  readonly known: boolean
  /** No fax machine ever answered there, and a fax was given up for that reason a short while ago. */
  readonly suspect: boolean
}

/** Dials of each class before a fax is given up; the second number where the number is known to be a fax. */
const most = { busy: 12, noAnswer: [4, 6], notFax: [2, 4], protocol: 3 } as const
const delays = {
  busy: 180_000,
  noAnswer: 300_000,
  notFax: 300_000,
  interrupted: 60_000,
  drawing: 60_000,
  line: [30_000, 60_000],
  protocol: [60_000, 120_000],
}
/** Of all pauses before another try. */
export const longestPauseMs = 360_000
const historyLength = 50

export function isTerminal(state: FaxState): boolean {
  return !isFaxPending({ state })
}

export function isRendered(row: FaxRow): boolean {
  return row.bytesPerPage.length > 0
}

/** What the next call may use: every failed one takes a step down, ECM stays. */
export function ladder(row: Pick<FaxRow, 'broken'>): { modems: readonly FaxModem[]; t38: boolean } {
  if (row.broken === 0) return { modems: ['v17', 'v29', 'v27ter'], t38: true }
  return row.broken === 1 ? { modems: ['v29', 'v27ter'], t38: false } : { modems: ['v27ter'], t38: false }
}

export function step(row: FaxRow, input: FaxInput, moment: FaxMoment): FaxRow {
  if (isTerminal(row.state)) return row
  switch (input.type) {
    case 'render':
      if ((row.state !== 'queued' && row.state !== 'retrying') || isRendered(row)) return row
      return { ...row, state: 'processing', nextAttemptAt: null }
    case 'rendered':
      if (row.state !== 'processing') return row
      return {
        ...row,
        pages: input.pages,
        bytesPerPage: [...input.bytesPerPage],
        standardBytesPerPage: [...input.standardBytesPerPage],
      }
    case 'unrenderable':
      return fail(row, input.reason, input.message, moment)
    case 'denied':
      return fail(row, 'destination_denied', input.message, moment)
    case 'postpone':
      return row.state === 'processing' ? again(row, delays.drawing, { reason: 'internal', message: input.message }, moment) : row
    case 'dial':
      if ((row.state !== 'processing' && row.state !== 'retrying') || !isRendered(row)) return row
      return { ...row, state: 'dialing', nextAttemptAt: null }
    case 'progress':
      return row.state === 'dialing' || row.state === 'sending' ? advance(row, input.progress, input.firstPage) : row
    case 'ended':
      return row.state === 'dialing' || row.state === 'sending' ? ended(row, input, moment) : row
    case 'cancel':
      return cancel(row, input.during, moment)
    case 'expire':
      return expire(row, moment)
    case 'restart':
      return restart(row, moment)
  }
}

/** A copy with the session's progress; confirmed pages only ever grow. */
function advance(row: FaxRow, progress: FaxProgress, firstPage: number): FaxRow {
  const { bitRate, ecm, resolution, transport, remoteId } = progress
  return {
    ...row,
    state: 'sending',
    pagesSent: Math.max(row.pagesSent, Math.min(row.pages, firstPage + progress.pages)),
    bitRate: bitRate === 0 ? row.bitRate : bitRate,
    ecm,
    resolution,
    transport,
    remoteStationId: remoteId === '' ? row.remoteStationId : remoteId,
  }
}

function ended(before: FaxRow, input: Extract<FaxInput, { type: 'ended' }>, moment: FaxMoment): FaxRow {
  const { outcome, firstPage } = input
  const connected = outcome.kind === 'session' || outcome.kind === 'interrupted' ? outcome.progress : null
  const heard = outcome.kind === 'session' ? outcome.heardFax : before.state === 'sending'
  let row: FaxRow = connected !== null && heard ? advance(before, connected, firstPage) : { ...before }
  if (outcome.kind === 'session' || outcome.kind === 'interrupted') row.durationSeconds = outcome.durationSeconds
  let verdict = judge(outcome)
  const complete = row.pages > 0 && row.pagesSent >= row.pages
  if (verdict.class === 'sent' && !complete) {
    verdict = { class: 'protocol', reason: 'protocol_error', message: 'The far end did not confirm every page.' }
  }
  // MCF for the last page was received: what went wrong after it no longer matters.
  if (complete) verdict = { class: 'sent', reason: '', message: '' }
  row.history = [
    ...before.history.slice(1 - historyLength),
    {
      at: input.startedAt,
      callId: input.callId,
      line: input.line,
      durationSeconds: connected === null ? 0 : row.durationSeconds,
      class: verdict.class,
      reason: verdict.reason,
      t30Code: outcome.kind === 'session' ? outcome.code : null,
      sipCode: outcome.kind === 'unanswered' ? outcome.sipCode : 0,
      pages: row.pagesSent - Math.min(firstPage, row.pagesSent),
      bitRate: connected?.bitRate ?? 0,
      transport: connected?.transport ?? null,
      text: outcome.text,
    },
  ]
  if (verdict.class === 'line') {
    row.lineFailures += 1
    return again(row, delays.line[row.lineFailures === 1 ? 0 : 1]!, verdict, moment)
  }
  row.lineFailures = 0
  row.attempts += 1
  row.t30Code = outcome.kind === 'session' ? outcome.code : row.t30Code
  if (complete) return over(row, 'sent', moment)
  if (outcome.kind === 'session' && outcome.unconfirmedLastPage) row = mayRepeat(row, row.pagesSent + 1)
  switch (verdict.class) {
    case 'busy':
      row.busy += 1
      return row.busy >= most.busy ? give(row, verdict, moment) : again(row, delays.busy, verdict, moment)
    case 'no-answer':
      row.unanswered += 1
      return row.unanswered >= most.noAnswer[moment.known ? 1 : 0]
        ? give(row, verdict, moment)
        : again(row, delays.noAnswer, verdict, moment)
    case 'not-a-fax':
      row.notFax += 1
      return row.notFax >= (moment.suspect ? 1 : most.notFax[moment.known ? 1 : 0])
        ? give(row, verdict, moment)
        : again(row, delays.notFax, verdict, moment)
    case 'protocol':
      row.broken += 1
      return row.broken >= most.protocol ? give(row, verdict, moment) : again(row, delays.protocol[row.broken - 1]!, verdict, moment)
    case 'reformat':
      if (row.standard) return give(row, verdict, moment)
      row.standard = true
      return again(row, 0, verdict, moment)
    case 'interrupted':
      if (before.state === 'sending') row = mayRepeat(row, row.pagesSent + 1)
      return again(row, delays.interrupted, verdict, moment)
    default:
      return give(row, verdict, moment)
  }
}

function cancel(before: FaxRow, during: BrokenCall | undefined, moment: FaxMoment): FaxRow {
  const row: FaxRow = { ...over(before, 'canceled', moment), reason: 'canceled', message: 'The fax was canceled.' }
  if (during === undefined) return row
  const { callId, line, startedAt, firstPage, durationSeconds } = during
  const heard = before.state === 'sending'
  row.attempts += 1
  if (durationSeconds > 0) row.durationSeconds = durationSeconds
  row.history = [
    ...before.history.slice(1 - historyLength),
    {
      at: startedAt,
      callId,
      line,
      durationSeconds,
      class: 'canceled',
      reason: 'canceled',
      t30Code: null,
      sipCode: 0,
      pages: row.pagesSent - Math.min(firstPage, row.pagesSent),
      bitRate: heard ? row.bitRate : 0,
      transport: heard ? row.transport : null,
      text: 'canceled during the call',
    },
  ]
  return row
}

/** The next call, unless it would come after the window. */
function again(row: FaxRow, delay: number, why: { reason: FaxReason | ''; message: string }, moment: FaxMoment): FaxRow {
  const nextAttemptAt = moment.now + Math.round(delay * (1 + Math.max(-1, Math.min(1, moment.jitter)) / 10))
  if (nextAttemptAt >= row.expiresAt) return give(row, why, moment)
  return { ...row, state: 'retrying', nextAttemptAt, reason: why.reason === '' ? null : why.reason, message: why.message }
}

function give(row: FaxRow, why: { reason: FaxReason | ''; message: string }, moment: FaxMoment): FaxRow {
  return fail(row, why.reason === '' ? 'internal' : why.reason, why.message, moment)
}

function fail(row: FaxRow, reason: FaxReason, message: string, moment: FaxMoment): FaxRow {
  return { ...over(row, 'failed', moment), reason, message }
}

function over(row: FaxRow, state: 'sent' | 'failed' | 'canceled', moment: FaxMoment): FaxRow {
  const ended = { ...row, state, completedAt: moment.now, nextAttemptAt: null }
  return state === 'sent' ? { ...ended, reason: null, message: '' } : ended
}

/** A call in progress goes on: its end decides. */
function expire(row: FaxRow, moment: FaxMoment): FaxRow {
  if (row.state === 'dialing' || row.state === 'sending') return row
  if (row.attempts === 0 && isRendered(row)) {
    return fail(row, 'line_unavailable', 'No line became free for this fax before its deadline.', moment)
  }
  const last = row.message === '' ? '' : ` Last attempt: ${row.message}`
  return fail(
    row,
    row.reason === 'line_unavailable' ? 'line_unavailable' : 'expired',
    `The deadline for this fax has passed.${last}`,
    moment,
  )
}

function restart(row: FaxRow, moment: FaxMoment): FaxRow {
  switch (row.state) {
    case 'dialing':
    case 'sending': {
      const counted = { ...row, attempts: row.attempts + 1 }
      if (row.pages > 0 && row.pagesSent >= row.pages) return over(counted, 'sent', moment)
      const flagged = row.state === 'sending' ? mayRepeat(counted, row.pagesSent + 1) : counted
      return again(flagged, delays.interrupted, { reason: 'call_dropped', message: 'The box lost the call.' }, moment)
    }
    case 'processing':
      return isRendered(row) ? row : { ...row, state: 'queued' }
    default:
      return row
  }
}

function mayRepeat(row: FaxRow, page: number): FaxRow {
  if (page > row.pages || row.possibleDuplicatePages.includes(page)) return row
  return { ...row, possibleDuplicatePages: [...row.possibleDuplicatePages, page].toSorted((a, b) => a - b) }
}
