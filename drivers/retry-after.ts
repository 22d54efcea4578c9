/** When a server wants to be asked again (RFC 9110, 10.2.3): seconds, or a date. */

/** Fractions are none of the standard; limiters that count in milliseconds write them. A proxy makes one header of two: the first counts. */
const seconds = /^(\d{1,12}(?:\.\d+)?)\s*(?:[,;].*)?$/
/** The three forms of a date (5.6.7), and ISO 8601. Date.parse would take `1.5` and `-1` for days of January 2001. */
const date = /^(?:[A-Za-z]{3,9},? .*\d{2}:\d{2}|\d{4}-\d{2}-\d{2}T)/
/** The oldest form names no zone, and is GMT. */
const withoutZone = /\d{2}:\d{2}:\d{2} \d{4}$/

/** Milliseconds from `nowMs` on, 0 for a date in the past; undefined where nothing is said, or what is said cannot be read. */
export function retryAfterMs(header: string | readonly string[] | undefined, nowMs: number): number | undefined {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim()
  if (text === undefined) return undefined
  const [, count] = seconds.exec(text) ?? []
  if (count !== undefined) return Math.ceil(Number(count) * 1000)
  if (!date.test(text)) return undefined
  const at = Date.parse(withoutZone.test(text) ? `${text} GMT` : text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
