/** What the live stream needs to know of the house: the state of each thing, as the lists have it. */
import type { BoxEventView } from '../schema/box-events.ts'
import type { BoxState } from '../schema/desk.ts'
import type { KeptLists } from '../schema/shown-list.ts'
import type { CallRecordView } from '../schema/history.ts'
import type { QueueView } from '../schema/queues.ts'
import type { HelpCallView, WorkItemView } from '../schema/work.ts'
import type { CallRow } from '../store/tables.ts'

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
}
