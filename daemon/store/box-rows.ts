/** Rows about the box itself: what changed, and who was or is to be notified by alarms. Times are milliseconds since the epoch. */
import type { BoxEventKind } from '../schema/states.ts'
import type { RowIndex } from './row-index.ts'

/** Rows of the daily ceilings. */

export interface UsageCounts {
  /** Parts, as the provider bills them. */
  texts: number
  faxes: number
  /** Minutes begun of answered outbound calls, faxes and reminders among them. */
  callMinutes: number
  internationalMinutes: number
}

/** What was used in a day of the site. Key: `box`, or `token/` and its name. */
export interface UsageRow extends UsageCounts {
  /** The date in the site's time zone. */
  day: string
  /** When it was written: by the clock, and in seconds since the start `boot` of the machine. */
  at: number
  upSeconds: number
  boot: string
}

export interface ToldRow {
  at: number
  rule: string
  /** A key of `alarms[].notify`. */
  way: string
  to: string
}

/** Key: eventId. */
export interface BoxEventRow {
  eventId: string
  kind: BoxEventKind
  code: string
  severity: 'notice' | 'warning' | 'error'
  since: number
  /** null while it lasts. */
  until: number | null
  text: string
  fix: string
  acknowledgedAt: number | null
  acknowledgedBy: string
  told: ToldRow[]
}

export const boxEventIndex: RowIndex<BoxEventRow> = {
  pending: ({ until }) => until === null,
  endedAt: ({ until, since }) => until ?? since,
}

/** One event and one rule that fits it, from its beginning until its end has been reported. Key: eventId, a space, the rule. */
export interface AlarmRow {
  eventId: string
  rule: string
  /** What is sent about it next, or is being sent. */
  news: 'lasts' | 'ended'
  /** From when on; null where nothing follows but its end. */
  dueAt: number | null
  /** How many rounds of notifications have begun. */
  times: number
  /** Who is still to be notified this time: a way, a space, an address. */
  left: string[]
  /** When somebody was last notified; null for never. */
  toldAt: number | null
}
