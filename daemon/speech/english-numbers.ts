/** Dates, times, money and quantities in English words. */
import { cardinal, dateWords, digitWords, monthNumber, ordinal, timeOfDay, year } from './number-words.ts'

/** `m`: the groups of the match. A rule that answers null leaves the text alone. British English writes the day first. */
export type Rule = readonly [pattern: RegExp, words: (m: readonly string[], british: boolean) => string | null]

const monthPattern =
  '(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?'
const dayPattern = '(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)'
const dayNames: Readonly<Record<string, string>> = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
}
const dayName = (short: string): string => dayNames[short.slice(0, 3)]!

export const dateRules: readonly Rule[] = [
  // A stamp of a machine: seconds and offset say nothing to a caller.
  [/(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, (m) => `${m[1]!} at ${m[2]!}`],
  [/\b(\d{4})-(\d{2})-(\d{2})\b(?!-)/g, (m) => dateWords(Number(m[1]), Number(m[2]), Number(m[3]))],
  // Mon-Fri; "Sat" and "Sun" are words of their own unless a date or a full stop follows.
  [
    new RegExp(`\\b${dayPattern}\\.?\\s*[-–]\\s*${dayPattern}\\b\\.?(?=(\\s*$)|)`, 'g'),
    (m) => `${dayName(m[1]!)} to ${dayName(m[2]!)}${m[3] === undefined ? '' : '.'}`,
  ],
  [
    new RegExp(`\\b${dayPattern}(?:\\.,?(?=\\s)|,(?=\\s)|(?=\\s(?:${monthPattern} )?\\d))`, 'g'),
    (m) => `${dayName(m[1]!)}${m[0]!.endsWith(',') ? ',' : ''}`,
  ],
  // 03/05/2026, 3/5/26: the month comes first, except in British English.
  [/(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?![\d/])/g, (m, british) => slashed(m[1]!, m[2]!, fullYear(m[3]!), british)],
  // 11/23 is a date where it can be nothing else, 4/5 behind a word that goes before dates.
  [
    /\b((?:[Oo]n|[Bb]y|[Uu]ntil|[Ss]ince|[Bb]efore|[Aa]fter|[Tt]hrough|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?) )(\d{1,2})\/(\d{1,2})(?![\d/])/g,
    (m, british) => prefixed(m[1]!, slashed(m[2]!, m[3]!, null, british)),
  ],
  [
    /(?<![\d/.])(\d{1,2})\/(\d{1,2})(?![\d/])/g,
    (m, british) => (Number(british ? m[1] : m[2]) > 12 ? slashed(m[1]!, m[2]!, null, british) : null),
  ],
  [
    new RegExp(`\\b${monthPattern} (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?\\b(?![:.]\\d)`, 'g'),
    (m) => dateWords(m[3] === undefined ? null : Number(m[3]), monthNumber(m[1]!)!, Number(m[2])),
  ],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?${monthPattern}(?: (\\d{4}))?\\b`, 'g'),
    (m) => dateWords(m[3] === undefined ? null : Number(m[3]), monthNumber(m[2]!)!, Number(m[1])),
  ],
  [new RegExp(`\\b${monthPattern} (\\d{4})\\b`, 'g'), (m) => dateWords(Number(m[2]), monthNumber(m[1]!)!, null)],
]

// $1,250.00; a full stop behind it ends the sentence.
const amount = '\\s?(\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.(\\d{1,2}))?(?![\\d,]*\\d)(?!\\.\\d)'
const currencies = [
  ['\\$', 'dollar', 'cent', 'cents'],
  ['£', 'pound', 'penny', 'pence'],
  ['€', 'euro', 'cent', 'cents'],
] as const

export const moneyRules: readonly Rule[] = [
  [/([$£€]\s?[\d.,]*\d)\s*[-–]\s*(?=[$£€])/g, (m) => `${m[1]!} to `],
  ...currencies.flatMap(([sign, unit, part, parts]): Rule[] => [
    [new RegExp(`${sign}\\s?(\\d+(?:\\.\\d+)?) (thousand|million|billion)\\b`, 'g'), (m) => `${m[1]!} ${m[2]!} ${unit}s`],
    [new RegExp(sign + amount, 'g'), (m) => money(m, unit, part, parts)],
  ]),
  [/(?<=\w)\s?\/\s?(mo|month|day|wk|week|yr|year|hr|hour|visit|person|night)\b/g, (m) => ` per ${periods[m[1]!] ?? m[1]!}`],
]
const periods: Readonly<Record<string, string>> = { mo: 'month', wk: 'week', yr: 'year', hr: 'hour' }

const clock = '(\\d{1,2}(?::\\d{2})?)'

export const timeRules: readonly Rule[] = [
  // "p.m." loses its stops; the last one stays where it ends the sentence as well.
  [/(?<=\d ?)([AaPp])\.[Mm]\.(?=\s+[A-Z]|\s*$)/g, (m) => `${m[1]!}m.`],
  [/(?<=\d ?)([AaPp])\.[Mm]\.?/g, (m) => `${m[1]!}m`],
  // 3-5 pm, 9am-5pm, 14:00-15:30
  [
    new RegExp(`\\b${clock}\\s?([ap]m)?\\s*[-–,]\\s*${clock}\\s?([ap]m)\\b`, 'gi'),
    (m) => (m[0]!.includes(',') ? null : `${m[1]!} ${m[2] ?? ''} to ${m[3]!} ${m[4]!}`),
  ],
  [/\b(\d{1,2}:\d{2})\s*[-–]\s*(?=\d{1,2}:\d{2}\b)/g, (m) => `${m[1]!} to `],
  [/\b(\d{1,2}):(\d{2})(?::\d{2})?(?:\s?([ap])m\b)?Z?(?!\d)/gi, (m, british) => time(Number(m[1]), Number(m[2]), half(m[3]), british)],
  [/\b(\d{1,2})\s?([ap])m\b/gi, (m, british) => time(Number(m[1]), 0, half(m[2]), british)],
  [/\b24\/7\b/g, () => 'twenty-four seven'],
]

const fractions: Readonly<Record<string, string>> = {
  '1/2': 'a half',
  '1/3': 'a third',
  '2/3': 'two thirds',
  '1/4': 'a quarter',
  '3/4': 'three quarters',
  '½': 'a half',
  '¼': 'a quarter',
  '¾': 'three quarters',
}
const countable =
  '(?:(?:minute|min|hour|hr|day|week|month|year|time|pill|tablet|capsule|drop|dose|mile|people|person|patient|page|visit|pound|lb|mg|ml|mcg|kg|oz)s?|percent)\\b|%'

export const numberRules: readonly Rule[] = [
  [
    /\b([Bb]etween|[Ff]rom|[Aa]ges?|[Aa]ged|[Aa]bout|[Pp]ages?|[Pp]ress) (\d{1,3})\s?[-–]\s?(\d{1,3})\b(?!-)/g,
    (m) => `${m[1]!} ${m[2]!} ${/^b/i.test(m[1]!) ? 'and' : 'to'} ${m[3]!}`,
  ],
  [/(?<![\w/])(\d+) ?(1\/2|1\/3|2\/3|1\/4|3\/4|[½¼¾])(?![\w/])/g, (m) => `${m[1]!} and ${fractions[m[2]!]!}`],
  [/(?<![\w/])(1\/2|1\/3|2\/3|1\/4|3\/4|[½¼¾])(?![\w/])/g, (m) => fractions[m[1]!]!.replace(/^a /, 'one ')],
  [/(?<![\w/.])(\d{1,4})\/(\d{1,4})(?![\w/])/g, (m) => `${m[1]!} over ${m[2]!}`],
  [new RegExp(`(?<![\\w.-])(\\d{1,4})\\s?[-–]\\s?(?=\\d{1,4}\\s?(?:${countable}))`, 'g'), (m) => `${m[1]!} to `],
  [/(?<=^|\s)-(?=\d)/g, () => 'minus '],
  [/\b(\d+)(?:st|nd|rd|th)\b/g, (m) => (m[1]!.length > 9 ? null : ordinal(Number(m[1])))],
  [/(?<![\w.,/$#-])(1[89]\d\d|20\d\d)(?![\w/]|[,.:-]\d)/g, (m) => year(Number(m[1]))],
  [
    /(?<![\w.,])(\d{1,3}(?:,\d{3})+)(?:\.(\d{1,9}))?(?![\w,]*\d)/g,
    (m) => cardinal(Number(m[1]!.replaceAll(',', ''))) + (m[2] === undefined ? '' : ` point ${digitWords(m[2])}`),
  ],
  [/(?<![\w.])(\d{1,9})\.(\d{1,9})(?![\w]|\.\d)/g, (m) => `${cardinal(Number(m[1]))} point ${digitWords(m[2]!)}`],
  // Long runs, leading zeros and groups joined by dashes are identifiers, not quantities.
  [/(?<!\w)\d+(?:-\d+)+(?!\w)/g, (m) => m[0]!.split('-').map(digitWords).join(', ')],
  [/(?<!\w)(?:0\d+|\d{7,})(?!\w)/g, (m) => digitWords(m[0]!)],
  [/(?<!\w)\d{1,6}(?!\w)/g, (m) => cardinal(Number(m[0]))],
]

function slashed(first: string, second: string, yearNumber: number | null, british: boolean): string | null {
  return dateWords(yearNumber, Number(british ? second : first), Number(british ? first : second))
}

/** Two digits are of this century up to 49: a date of birth is rarely ahead of us by more. */
function fullYear(digits: string): number {
  const value = Number(digits)
  return digits.length === 4 ? value : value < 50 ? 2000 + value : 1900 + value
}

function prefixed(words: string, rest: string | null): string | null {
  return rest === null ? null : words + rest
}

function money(match: readonly string[], unit: string, part: string, parts: string): string {
  const whole = Number(match[1]!.replaceAll(',', ''))
  const cents = Number((match[2] ?? '').padEnd(2, '0'))
  const main = `${cardinal(whole)} ${unit}${whole === 1 ? '' : 's'}`
  const rest = `${cardinal(cents)} ${cents === 1 ? part : parts}`
  if (cents === 0) return main
  return whole === 0 ? rest : `${main} and ${rest}`
}

function half(letter: string | undefined): string {
  return letter === undefined ? '' : `${letter.toLowerCase()}m`
}

/** Americans say a time of the 24-hour clock by the other one. */
function time(hour: number, minute: number, part: string, british: boolean): string | null {
  if (hour > 23 || minute > 59 || (part !== '' && (hour < 1 || hour > 12))) return null
  if (part !== '' || british || (hour > 0 && hour <= 12)) return timeOfDay(hour, minute, part)
  return timeOfDay(hour % 12 === 0 ? 12 : hour % 12, minute, hour < 12 ? 'am' : 'pm')
}
