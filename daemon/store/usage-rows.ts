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
