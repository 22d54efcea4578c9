/**
 * The words of a notification: one line, a text in lines, a text message, sentences for the telephone. The text of a fault exists in English
 * only; everything around it is in the language of the site.
 */
import type { BoxEventRow } from '../store/tables.ts'
import { words, type Said } from '../words/words.ts'

/** `lasts`: something is wrong; `ended`: it has ended; `test`: nothing is wrong. */
export type News = 'lasts' | 'ended' | 'test'

export interface Told {
  readonly rule: string
  readonly news: News
  readonly events: readonly Readonly<BoxEventRow>[]
}

export interface Site {
  readonly name: string
  readonly timeZone: string
  /** BCP 47. */
  readonly language: string
}

/** A text message of two parts at most. */
const longestBrief = 300
const mostSaid = 3

export function subjectOf({ rule, news, events }: Told, { name, language }: Site): string {
  const { alarms } = words(language)
  if (news === 'test') return `[${name}] ${alarms.test(rule)}`
  const first = `${events[0]?.text ?? ''}${events.length > 1 ? alarms.more(events.length - 1) : ''}`
  const isFault = events.some(({ severity }) => severity === 'error')
  return shortened(`[${name}] ${news === 'ended' ? alarms.over(first) : isFault ? alarms.fault(first) : first}`, 150)
}

export function textOf({ rule, news, events }: Told, { name, timeZone, language }: Site): string {
  const { alarms } = words(language)
  if (news === 'test') return [alarms.testText(rule, name), alarms.nothingToDo, ''].join('\n')
  const labels = [alarms.severity, alarms.since, alarms.until, alarms.fix]
  const width = Math.max(...labels.map((label) => label.length)) + 1
  const line = (label: string, text: string): string => `  ${label.padEnd(width)}${text}`
  const blocks = events.map(({ text, severity, since, until, fix }) =>
    [
      text,
      line(alarms.severity, alarms.severities[severity]),
      line(alarms.since, alarms.time(since, timeZone)),
      ...(until === null ? [] : [line(alarms.until, alarms.time(until, timeZone))]),
      ...(until === null && fix !== '' ? [line(alarms.fix, fix)] : []),
    ].join('\n'),
  )
  return [alarms.head(name), '', blocks.join('\n\n'), ...(news === 'lasts' ? ['', alarms.hand] : []), '', alarms.rule(rule), ''].join('\n')
}

export function briefOf({ rule, news, events }: Told, { name, timeZone, language }: Site): string {
  const { alarms } = words(language)
  if (news === 'test') return alarms.testBrief(rule, name)
  const faults = events
    .map(({ text, since, until }) =>
      until === null ? alarms.sinceTime(text, alarms.time(since, timeZone)) : alarms.untilTime(text, alarms.time(until, timeZone)),
    )
    .join('; ')
  return shortened(alarms.brief(name, news === 'ended' ? alarms.overBrief(faults) : faults), longestBrief)
}

/** Heard by somebody who is woken up: what it is, once, in whole sentences, with what is to be done at the end. */
export function spokenOf({ rule, news, events }: Told, site: Site, question: string): readonly Said[] {
  const { alarms, language, tag } = words(site.language)
  const own = (...texts: readonly string[]): Said => ({ text: texts.join(' '), language })
  const hello = alarms.hello(site.name)
  if (news === 'test') return [own(hello, alarms.saidTest(rule), question)]
  if (events.length === 0) return [own(hello, alarms.saidEnd, question)]
  const faults = events.slice(0, mostSaid).map(({ text }) => `${text}.`)
  const more = events.length - mostSaid
  const before = [hello, alarms.saidFaults(events.length)]
  const after = [...(more > 0 ? [alarms.saidMore(more)] : []), question]
  const english = words()
  return tag === english.tag
    ? [own(...before, ...faults, ...after)]
    : [own(...before), { text: faults.join(' '), language: english.language }, own(...after)]
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`
}
