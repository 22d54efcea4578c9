/** Rows of the history of calls. */
import type { CallOutcome, EndedBy, HistoryDirection } from '../schema/states.ts'

/** The call was taken there: by a rule, a menu, a person. */
export interface CallStepRow {
  at: number
  /** A destination, such as `menu:main` or `102`. */
  to: string
  /** null where the call ended there. */
  endedAt: number | null
  /** What became of it there, such as `answered` or `busy`; '' where the call ended there. */
  outcome: string
}

/** What somebody wrote down about a call. */
export interface NoteRow {
  noteId: string
  text: string
  authorUserId?: string
  authorExtension?: string
  createdAt: number
  /** Its origin: a person at this box, or a program. */
  origin: 'pbx' | 'crm'
}

/** The party that talked there went on to another one. */
export interface TransferRow {
  at: number
  /** Number, extension, or a destination such as `queue:nurses`. */
  to: string
  /** `route`, `forward`: an application did it. */
  kind: 'blind' | 'attended' | 'route' | 'forward'
}

/** A call that has ended, as people ask about it later. Key: its number in the feed of calls, 16 digits. */
export interface HistoryRow {
  callId: string
  direction: HistoryDirection
  outcome: CallOutcome
  from: string
  to: string
  callerName: string
  customerId?: string
  matchType?: 'exact' | 'suffix'
  /** '' for a call between phones of the house. */
  trunkId: string
  /** The extension of the house that talked or called; '' for none. */
  extension: string
  endpointId: string
  externalRef?: string
  startedAt: number
  /** A person took the call, or the box did where no person had a part in it. */
  answeredAt: number | null
  endedAt: number
  ringSeconds: number
  talkSeconds: number
  holdSeconds?: number
  transfers?: TransferRow[]
  voicemailId?: string
  /** Q.850. */
  hangupCause?: number
  endedBy: EndedBy
  sipCode: number
  steps: CallStepRow[]
  /** The parties it was connected with, in their order. */
  legs: { to: string; trunkId: string; startedAt: number; answeredAt: number | null; endedAt: number | null; sipCode: number }[]
  recordings: string[]
  /** Absent for calls stored before there were revisions: 1. */
  rev?: number
  /** User of the CRM who took the call. */
  userId?: string
  notes?: NoteRow[]
  /** What has become of the report to the CRM; absent where none was configured. */
  crmSync?: 'pending' | 'synced' | 'dead'
  /** What the CRM calls its entry of this call. */
  crmLogId?: string
  /** A call of another system, which reported it. */
  outside?: true
}
