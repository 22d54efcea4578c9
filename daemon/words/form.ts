/** Pieces that the phrases of several languages are made of. */

/** A moment in the time zone in which people read or hear it. */
export interface LocalTime {
  readonly at: Date
  /** IANA name. */
  readonly zone: string
  readonly hour: number
  readonly minute: number
}

/** Sentences that are there, with a space between. */
export function sentences(...all: readonly string[]): string {
  return all.filter((text) => text !== '').join(' ')
}

/** Each digit a word, with a breath between the groups. */
export function spelled(national: string): string {
  return (national.match(/\d+/g) ?? []).map((group) => [...group].join(' ')).join(', ')
}

export function day(language: string, { at, zone }: LocalTime): string {
  return new Intl.DateTimeFormat(language, { weekday: 'long', month: 'long', day: 'numeric', timeZone: zone }).format(at)
}

/** Such as `Sun 1 Mar, 14:05`, of the clock on the wall. `at`: milliseconds since the epoch. */
export function clockTime(language: string, at: number, timeZone: string): string {
  const form = { timeZone, weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  // A narrow space would make a text message one of 70 characters a part.
  return new Date(at).toLocaleString(language, form).replaceAll(/\s/g, ' ')
}
