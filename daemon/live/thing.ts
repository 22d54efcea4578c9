/** A thing of the live stream, and its state as readers of one audience get it. */
import type { LiveTopic } from '../schema/live.ts'
import type { BoxEventView } from '../schema/box-events.ts'
import type { BoxState } from '../schema/desk.ts'
import type { KeptLists } from '../schema/shown-list.ts'
import type { CallRecordView } from '../schema/history.ts'
import type { QueueView } from '../schema/queues.ts'
import type { HelpCallView, WorkItemView } from '../schema/work.ts'
import type { CallRow } from '../store/tables.ts'

// What the live stream needs to know of the house: the state of each thing, as the lists have it.

/** Undefined where there is no such thing any more. */
type Found<T> = T | undefined

export interface InMailbox<T> {
  readonly item: T
  /** Of a voicemail. */
  readonly mailbox?: string
}

export interface LiveThings {
  readonly calls: {
    get(callId: string): Found<CallRecordView>
    /** Of a call that lives, what is shown of it. */
    shown(row: CallRow): object | 'ended' | 'waits'
  }
  readonly work: (kind: string, id: string) => Found<InMailbox<WorkItemView>>
  readonly emergency: (callId: string) => Found<HelpCallView>
  readonly queues: () => readonly QueueView[]
  readonly lists: KeptLists
  /** `kind`: fax, text, voicemail. */
  readonly inbox: (kind: string, id: string) => Found<InMailbox<object>>
  readonly faxes: { get(faxId: string): Found<object>; watchAll(tell: (faxId: string) => void): void }
  /** `kind`: in, out. */
  readonly texts: (kind: string, id: string) => Found<object>
  readonly reminders: (reminderId: string) => Found<object>
  readonly box: () => BoxState
  /** Until when a technician reads as a manager, and when it was locked. */
  readonly session: (sessionId: string) => Found<{ readonly lockedAt: string | null; readonly glassUntil: string | null }>
  readonly event: (eventId: string) => Found<BoxEventView>
  /** One that fetches its settings. */
  readonly phone: (phoneId: string) => Found<{ readonly extension: string; readonly fetchedAt: string | null }>
}

export interface Thing {
  readonly topic: LiveTopic
  /** '' where the topic has one kind. */
  readonly kind: string
  readonly id: string
}

/** `masked`: a technician, who sees states and masked numbers, and no name or text of a patient. */
export type Audience = 'whole' | 'masked'

/** Where a thing belongs to somebody: only readers with that mailbox, or of that session, get it. */
export interface Place {
  readonly mailbox?: string
  readonly sessionId?: string
}

export interface State extends Place {
  readonly whole: object
  /** null: not for that audience. */
  readonly masked: object | null
}

/** null: there is no such thing any more. */
export type Source = (id: string, kind: string) => State | null
export type Sources = Map<LiveTopic, Source>

/** What is written for one event. */
export interface Piece extends Place {
  readonly text: string
}

/** null where nobody of that audience may see it. */
export function textOf(sources: Sources, { topic, kind, id }: Thing, audience: Audience, eventId: string): Piece | null {
  const state = sources.get(topic)?.(id, kind) ?? null
  const shown = state === null ? { gone: true } : state[audience]
  if (shown === null) return null
  const data = JSON.stringify({ ...shown, topic, id, ...(kind === '' ? {} : { kind }) })
  const { mailbox, sessionId } = state ?? {}
  return {
    text: `id: ${eventId}\nevent: ${topic}\ndata: ${data}\n\n`,
    ...(mailbox === undefined ? {} : { mailbox }),
    ...(sessionId === undefined ? {} : { sessionId }),
  }
}
