/** What people are told: one line, a text in lines, a text message, a sentence for the telephone. */
import type { BoxEventRow } from '../store/tables.ts'

/** `lasts`: something is the matter; `ended`: it is over; `test`: nothing is. */
export type News = 'lasts' | 'ended' | 'test'

export interface Told {
  readonly rule: string
  readonly news: News
  readonly events: readonly Readonly<BoxEventRow>[]
}

export interface Site {
  readonly name: string
  readonly timeZone: string
}

/** A text message of two parts at most. */
const longestBrief = 300

export function subjectOf({ rule, news, events }: Told, { name }: Site): string {
  if (news === 'test') return `[${name}] Test of the alarm ${rule}`
  const first = events[0]?.text ?? ''
  const more = events.length > 1 ? ` (and ${events.length - 1} more)` : ''
  return shortened(`[${name}] ${news === 'ended' ? 'Over: ' : worst(events)}${first}${more}`, 150)
}

export function textOf(told: Told, site: Site): string {
  const { rule, news, events } = told
  if (news === 'test')
    return [
      `This is a test of the alarm ${rule} of the telephone system of ${site.name}.`,
      'Nothing is the matter, nothing is to be done.',
      '',
    ].join('\n')
  const blocks = events.map((event) =>
    [
      event.text,
      `  Severity: ${event.severity}`,
      `  Since:    ${timeOf(event.since, site)}`,
      ...(event.until === null ? [] : [`  Until:    ${timeOf(event.until, site)}`]),
      ...(event.until === null && event.fix !== '' ? [`  Mend:     ${event.fix}`] : []),
    ].join('\n'),
  )
  const hand = news === 'lasts' ? ['', 'Whoever takes it in hand: "pbx alarms ack" on the box. Nobody is told again then.'] : []
  return [`Telephone system of ${site.name}:`, '', blocks.join('\n\n'), ...hand, '', `Rule of alarms: ${rule}`, ''].join('\n')
}

export function briefOf({ rule, news, events }: Told, site: Site): string {
  if (news === 'test') return `${site.name}: test of the alarm ${rule}. Nothing is the matter.`
  const facts = events.map(
    ({ text, since, until }) => `${text} (${until === null ? `since ${timeOf(since, site)}` : `until ${timeOf(until, site)}`})`,
  )
  return shortened(`${site.name}, telephones: ${news === 'ended' ? 'OVER: ' : ''}${facts.join('; ')}`, longestBrief)
}

/** Heard by somebody who is woken up: what it is, once, in whole sentences. */
export function spokenOf({ rule, news, events }: Told, { name }: Site): string {
  const hello = `This is the telephone system of ${name}.`
  if (news === 'test') return `${hello} This is a test of the alarm ${rule}. Nothing is the matter.`
  if (events.length === 0) return `${hello} Nothing is the matter any more.`
  const facts = events.slice(0, 3).map(({ text }) => `${text}.`)
  const more = events.length > 3 ? [`There are ${events.length - 3} more.`] : []
  return [hello, events.length === 1 ? 'Something is the matter.' : `${events.length} things are the matter.`, ...facts, ...more].join(' ')
}

function worst(events: readonly Pick<BoxEventRow, 'severity'>[]): string {
  return events.some(({ severity }) => severity === 'error') ? 'FAULT: ' : ''
}

/** `Mon 2 Mar, 14:05`, of the clock on the wall of the site. */
function timeOf(at: number, { timeZone }: Site): string {
  return new Date(at).toLocaleString('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`
}
