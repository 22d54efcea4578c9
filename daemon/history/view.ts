/** The record of a call as programs see it, whether it lives or has ended. */
import { isoTime } from '../base/clock.ts'
import { parseDestination } from '../schema/destination.ts'
import type { CallRecordView, NoteView } from '../schema/history.ts'
import type { CallRow, HistoryRow, NoteRow } from '../store/tables.ts'
import { liveStateOf } from './live-state.ts'
import { historyOf } from './record.ts'

/** A call that has ended. `recording`: of the last of its recordings. */
export function recordOf(row: HistoryRow, recording?: CallRecordView['recording']): CallRecordView {
  const { steps, callerName, trunkId, extension, endpointId, externalRef, answeredAt, endedBy } = row
  const queue = steps.map(({ to }) => parseDestination(to)).findLast((destination) => destination?.kind === 'queue')
  return {
    callId: row.callId,
    rev: row.rev ?? 1,
    direction: row.direction,
    state: 'ended',
    outcome: row.outcome,
    from: row.from,
    to: row.to,
    ...(callerName === '' ? {} : { callerName }),
    ...(row.customerId === undefined ? {} : { customerId: row.customerId }),
    ...(row.matchType === undefined ? {} : { matchType: row.matchType }),
    ...(trunkId === '' ? {} : { trunkId }),
    ...(row.direction === 'inbound' ? { did: row.to } : {}),
    ...(extension === '' ? {} : { extension }),
    ...(row.userId === undefined ? {} : { userId: row.userId }),
    ...(queue?.kind === 'queue' ? { queue: queue.id } : {}),
    ...(endpointId === '' ? {} : { endpoint: endpointId }),
    ...(externalRef === undefined ? {} : { externalRef }),
    startedAt: isoTime(row.startedAt),
    ...(answeredAt === null ? {} : { answeredAt: isoTime(answeredAt) }),
    endedAt: isoTime(row.endedAt),
    ringSeconds: row.ringSeconds,
    talkSeconds: row.talkSeconds,
    ...(row.holdSeconds === undefined ? {} : { holdSeconds: row.holdSeconds }),
    hangupBy: endedBy === 'app' ? 'system' : endedBy,
    ...(row.hangupCause === undefined ? {} : { hangupCause: row.hangupCause }),
    sipCode: row.sipCode,
    ...(row.transfers === undefined ? {} : { transfers: row.transfers.map((one) => ({ ...one, at: isoTime(one.at) })) }),
    steps: steps.map((step) => ({ ...step, at: isoTime(step.at), endedAt: isoTime(step.endedAt) })),
    legs: row.legs.map((leg) => ({
      ...leg,
      startedAt: isoTime(leg.startedAt),
      answeredAt: isoTime(leg.answeredAt),
      endedAt: isoTime(leg.endedAt),
    })),
    recordings: row.recordings,
    ...(row.voicemailId === undefined ? {} : { voicemailId: row.voicemailId }),
    ...(recording === undefined ? {} : { recording }),
    ...(row.notes === undefined ? {} : { notes: row.notes.map((note) => noteView(row.callId, note)) }),
    crmSync: row.crmSync ?? 'off',
    ...(row.crmLogId === undefined ? {} : { crmLogId: row.crmLogId }),
  }
}

/** A call that lives, at `now`. */
export function liveRecordOf(row: CallRow, now: number): CallRecordView {
  const {
    ringSeconds,
    answeredAt,
    outcome: _,
    endedAt: __,
    talkSeconds: ___,
    hangupBy: ____,
    sipCode: _____,
    hangupCause: ______,
    ...known
  } = ended(row, now)
  const state = row.recordState ?? liveStateOf(row)
  const taken = state === 'answered' || state === 'held'
  return { ...known, state, ...(taken && answeredAt !== undefined && ringSeconds !== undefined ? { answeredAt, ringSeconds } : {}) }
}

/** As if it ended now. */
const ended = (row: CallRow, now: number): CallRecordView => recordOf(historyOf(row, now))

export function noteView(callId: string, { createdAt, ...note }: NoteRow): NoteView {
  return { ...note, callId, createdAt: isoTime(createdAt) }
}
