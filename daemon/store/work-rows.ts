/** Rows of what people of the house have to do, and of calls for help that somebody has to look after. */
import type { RowIndex } from './row-index.ts'
import type { WorkKind } from '../schema/work.ts'

/** Who or what has done it. */
export interface WorkClosing {
  by: 'person' | 'call'
  /** Login of the person, or extension of the phone that talked; '' where none is known. */
  name: string
  personId?: string
  callId?: string
  at: number
}

/** The last call of somebody whose calls nobody took, or the call in which somebody asked to be called back. */
export interface WorkCall {
  callId: string
  /** E.164; '' where it was withheld. */
  number: string
  callerName: string
  customerId?: string
  /** Queue in which the caller waited; '' for none. */
  queue: string
  /** Extensions that rang. */
  rang: string[]
  ringSeconds: number
  at: number
  /** The box has tried to call back, and nobody was there. */
  givenUp?: true
}

/** Something to do. Key: kind, `/`, id. */
export interface WorkRow {
  kind: WorkKind
  /** Of the item in the inbox; of a missed call or a callback, the callId of the first call. */
  id: string
  rev: number
  state: 'open' | 'done'
  /** personId. */
  owner: string | null
  note: string
  /** When it came. */
  at: number
  /** How often: calls of one number since the first that nobody took. */
  times: number
  closed: WorkClosing | null
  /** Mailbox of a voicemail. */
  mailbox?: string
  /** Of an item of the inbox: its key in the feed. */
  seq?: number
  /** Of missed calls and callbacks. */
  call?: WorkCall
}

/** Open ones are read by every desk, done ones by a sweep. */
export const workIndex: RowIndex<WorkRow> = { pending: ({ state }) => state === 'open', endedAt: ({ closed, at }) => closed?.at ?? at }

/** A phone of the house called for help. Key: callId. */
export interface HelpCallRow {
  callId: string
  number: string
  extension: string
  name: string
  /** Where the phone is. */
  location: string
  at: number
  /** It could be put through by no trunk. */
  lost: boolean
  /** Somebody has looked after it. */
  closed: { at: number; name: string } | null
}

export const helpCallIndex: RowIndex<HelpCallRow> = {
  pending: ({ closed }) => closed === null,
  endedAt: ({ closed, at }) => closed?.at ?? at,
}
