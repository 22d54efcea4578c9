/**
 * The members every event of a call carries. The sequence is taken when an event is made, so that control and status events of
 * one call count up together without a gap; the same bytes go out on every attempt.
 */
import { isoTime, type Clock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import type { CallEvent, CallEventContent } from '../schema/events.ts'
import type { CallRow } from '../store/tables.ts'
import type { Call } from './call.ts'

/** An event that may yet not be sent: it takes its number when it is. */
export interface LaterEvent {
  readonly eventId: string
  /** The same on every call. */
  readonly made: () => CallEvent
  /** To be waited for before `made` is asked for: it is known on the disk that the event leaves. */
  readonly stored: () => Promise<void>
}

export interface LaterOptions {
  readonly eventId?: string
  /** false: it stays in this program, and takes no number that others would miss. */
  readonly numbered?: boolean
  /** Called with the event's number when it is sent; before that, with the number that it will have. */
  readonly leaves?: (sequence: number) => void
}

export function callEvent(call: Call, clock: Clock, content: CallEventContent): CallEvent {
  return eventOfRow(call.row, call.nextSequence(), clock, content)
}

/** The same for an event that is only made when it is certain to leave, so that no number is missing. */
export function laterEvent(
  call: Call,
  clock: Clock,
  content: CallEventContent,
  { eventId = newId(), numbered = true, leaves = () => undefined }: LaterOptions = {},
): LaterEvent {
  let event: CallEvent | null = null
  const make = () => {
    const sequence = numbered ? call.nextSequence() : call.row.sequence
    leaves(sequence)
    return eventAgain(call.row, { eventId, sequence }, clock, content)
  }
  const stored = async (): Promise<void> => {
    // Another event may take the number meanwhile.
    for (let promised = 0; event === null && promised !== call.row.sequence + 1;) {
      promised = call.row.sequence + 1
      leaves(promised)
      await call.stored(promised)
    }
  }
  return { eventId, made: () => (event ??= make()), stored }
}

/** The same for a call that may have ended: the caller of this function has taken the sequence number. */
export function eventOfRow(row: Readonly<CallRow>, sequence: number, clock: Clock, content: CallEventContent): CallEvent {
  return eventAgain(row, { eventId: newId(), sequence }, clock, content)
}

/** An event that may have left before a crash: under the same id and number. Members in the order in which a person reads them. */
export function eventAgain(
  row: Readonly<CallRow>,
  { eventId, sequence }: { readonly eventId: string; readonly sequence: number },
  clock: Clock,
  { event, fields }: CallEventContent,
): CallEvent {
  const made = {
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
  }
  // That the fields are those of the name is what `CallEventContent` says; a spread forgets which belongs to which.
  return made as CallEvent
}

/** The fields of `call.ended`, for a call that has ended. */
export function endFields({ row }: Call): CallEventContent<'call.ended'>['fields'] {
  return {
    endReason: row.endReason ?? 'failed',
    endedBy: row.endedBy ?? 'system',
    sipCode: row.sipCode,
    startedAt: isoTime(row.startedAt),
    answeredAt: isoTime(row.answeredAt),
    endedAt: isoTime(row.endedAt ?? row.createdAt),
    ringSeconds: row.ringSeconds,
    talkSeconds: row.talkSeconds,
    answeredBy: row.answeredBy,
    documents: row.documents,
    recordings: row.recordings,
  }
}
