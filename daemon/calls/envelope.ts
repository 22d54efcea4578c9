/**
 * The JSON every event of a call carries. The sequence is taken when an event is made, so control and status events of
 * one call count up together without a gap; the same bytes go out on every attempt.
 */
import { isoTime } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { newId } from '../ids.ts'
import type { CallRow } from '../store/tables.ts'
import type { Call } from './call.ts'

/** An event that may yet not be sent: it takes its number when it is. */
export interface LaterEvent {
  readonly eventId: string
  /** The same on every call. */
  readonly body: () => string
  /** To be waited for before `body` is asked for: it is known on the disk that the event leaves. */
  readonly stored: () => Promise<void>
}

export interface LaterOptions {
  readonly eventId?: string
  /** Told its number when it leaves, and before, the number that it will have. */
  readonly leaves?: (sequence: number) => void
}

export interface CallEvent {
  readonly eventId: string
  readonly event: string
  readonly body: string
}

/** Members common to all events, in the order in which a person reads them; `fields` are the event's own. */
export function callEvent(call: Call, clock: Clock, event: string, fields: Readonly<Record<string, unknown>>): CallEvent {
  return eventOfRow(call.row, call.nextSequence(), clock, event, fields)
}

/** The same for an event that is only made when it is certain to leave, so that no number is missing. */
export function laterEvent(
  call: Call,
  clock: Clock,
  event: string,
  fields: Readonly<Record<string, unknown>>,
  { eventId = newId(), leaves = () => undefined }: LaterOptions = {},
): LaterEvent {
  let made: string | null = null
  const make = () => {
    const sequence = call.nextSequence()
    leaves(sequence)
    return bodyOf(eventId, call.row, sequence, clock, event, fields)
  }
  const stored = async (): Promise<void> => {
    // Another event may take the number meanwhile.
    for (let promised = 0; made === null && promised !== call.row.sequence + 1;) {
      promised = call.row.sequence + 1
      leaves(promised)
      await call.stored(promised)
    }
  }
  return { eventId, body: () => (made ??= make()), stored }
}

/** The body of an event that may have left before a crash: under the same id and number. */
export function eventAgain(
  row: Readonly<CallRow>,
  { eventId, sequence }: { readonly eventId: string; readonly sequence: number },
  clock: Clock,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  return bodyOf(eventId, row, sequence, clock, event, fields)
}

/** The same for a call that may be over: the caller of this function has taken the sequence number. */
export function eventOfRow(
  row: Readonly<CallRow>,
  sequence: number,
  clock: Clock,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): CallEvent {
  const eventId = newId()
  return { eventId, event, body: bodyOf(eventId, row, sequence, clock, event, fields) }
}

function bodyOf(
  eventId: string,
  row: Readonly<CallRow>,
  sequence: number,
  clock: Clock,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  return JSON.stringify({
    event,
    callId: row.callId,
    eventId,
    sequence,
    timestamp: new Date(clock.now()).toISOString(),
    direction: row.direction,
    from: row.from,
    to: row.to,
    callerName: row.callerName,
    trunkId: row.trunkId,
    state: row.state,
    ...(row.externalRef === undefined ? {} : { externalRef: row.externalRef }),
    ...(row.params === undefined ? {} : { params: row.params }),
    ...fields,
  })
}

/** The fields of `call.ended`, which are also the end of the call's view in the API. */
export function endFields(call: Call): Record<string, unknown> {
  const row = call.row
  return {
    endReason: row.endReason,
    endedBy: row.endedBy,
    sipCode: row.sipCode,
    startedAt: isoTime(row.startedAt),
    answeredAt: isoTime(row.answeredAt),
    endedAt: isoTime(row.endedAt),
    ringSeconds: row.ringSeconds,
    talkSeconds: row.talkSeconds,
    answeredBy: row.answeredBy,
    documents: row.documents,
    recordings: row.recordings,
  }
}
