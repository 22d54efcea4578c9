/** What a zone's clocks show: the header line of a fax has the site's time, and spandsp knows no IANA names. */

/** Minutes east of Greenwich that a zone's clocks show at that moment; 0 for a zone that is not known. */
export function utcOffsetMinutes(timeZone: string, at: Date): number {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
    const match = /GMT([+-])(\d\d):(\d\d)/.exec(parts.find((part) => part.type === 'timeZoneName')?.value ?? '')
    if (match === null) return 0
    return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]))
  } catch {
    return 0
  }
}
