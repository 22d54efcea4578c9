/** The record of a call as programs see it, whether it lives or has ended. */
import { isoTime } from '../base/clock.ts'
import { parseDestination } from '../schema/destination.ts'
import type { CallRecordView, NoteView } from '../schema/history.ts'
import type { CallRow, HistoryRow, NoteRow } from '../store/tables.ts'
import { historyOf } from './record.ts'
import { internalPrefix } from '../calls/new-call.ts'
import type { RecordState } from '../schema/states.ts'
import { takerOf } from './outcome.ts'

/** The state of a call that lives, in the words of its record: pure. */
type LiveState = Exclude<RecordState, 'ended'>

const ranks: Readonly<Record<RecordState, number>> = { dialing: 0, ringing: 1, answered: 2, held: 2, ended: 3 }

/** `before`: what it was. There is no way back, but from `held` to `answered`. */
export function liveStateOf(row: CallRow, before: RecordState = 'dialing'): RecordState {
  const state = stateOf(row)
  return ranks[state] < ranks[before] ? before : state
}

/** A menu that speaks to a caller has not answered for the house, as an application or a mailbox has. */
function stateOf(row: CallRow): LiveState {
  const { direction, state, steps = [], legs = [], endpointId, held, agentFirst } = row
  if (takerOf(row) !== undefined) return held === true ? 'held' : 'answered'
  if (agentFirst === true) return legs.length === 0 ? 'dialing' : 'ringing'
  if (direction === 'outbound') return state === 'in-progress' ? 'answered' : state === 'ringing' ? 'ringing' : 'dialing'
  if (state !== 'in-progress') return 'ringing'
  const last = parseDestination(steps.at(-1)?.to ?? '')?.kind
  const byApplication = endpointId !== '' && !endpointId.startsWith(internalPrefix)
  return byApplication || last === 'voicemail' || last === 'fax' ? 'answered' : 'ringing'
}

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
