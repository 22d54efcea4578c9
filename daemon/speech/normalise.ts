/**
 * English text as it is to be read aloud, once, before any engine: telephone numbers digit by digit, times, dates,
 * money, percentages and abbreviations in words. Other languages are left to their engine.
 */
import { cardinal, dateWords, digitWords, monthNumber, ordinal, timeOfDay, year } from './number-words.ts'

type Rule = readonly [pattern: RegExp, words: (groups: readonly string[], british: boolean) => string | null]

const monthPattern =
  '(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?'

/** In this order: what is found first is not looked at again as a mere number. A rule that answers null leaves the text alone. */
const rules: readonly Rule[] = [
  // 2026-03-05, also with a time behind it.
  [/\b(\d{4})-(\d{2})-(\d{2})(?=\b(?![-\d])|T\d)/g, (m) => dateWords(Number(m[1]), Number(m[2]), Number(m[3]))],
  [/(?<=[a-z])T(?=\d{2}:\d{2})/g, () => ' at '],
  // 03/05/2026: the month comes first, except in British English.
  [
    /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g,
    (m, british) => dateWords(Number(m[3]), Number(british ? m[2] : m[1]), Number(british ? m[1] : m[2])),
  ],
  [
    new RegExp(`\\b${monthPattern} (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?\\b`, 'g'),
    (m) => dateWords(m[3] === undefined ? null : Number(m[3]), monthNumber(m[1]!)!, Number(m[2])),
  ],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?${monthPattern}(?: (\\d{4}))?\\b`, 'g'),
    (m) => dateWords(m[3] === undefined ? null : Number(m[3]), monthNumber(m[2]!)!, Number(m[1])),
  ],
  [new RegExp(`\\b${monthPattern} (\\d{4})\\b`, 'g'), (m) => dateWords(Number(m[2]), monthNumber(m[1]!)!, null)],
  // $1,250.00; a full stop behind it ends the sentence.
  [/\$\s?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{2}))?(?![\d,]*\d)/g, (m) => money(m, 'dollar', 'cent')],
  [/£\s?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{2}))?(?![\d,]*\d)/g, (m) => money(m, 'pound', 'penny')],
  [/€\s?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{2}))?(?![\d,]*\d)/g, (m) => money(m, 'euro', 'cent')],
  // "p.m." loses its stops; the last one stays where it ends the sentence as well.
  [/(?<=\d ?)([AaPp])\.[Mm]\.(?=\s+[A-Z]|\s*$)/g, (m) => `${m[1]!}m.`],
  [/(?<=\d ?)([AaPp])\.[Mm]\.?/g, (m) => `${m[1]!}m`],
  [/\b(\d{1,2}):(\d{2})(?::\d{2})?(?:\s?([ap])m\b)?Z?(?!\d)/gi, (m) => time(Number(m[1]), Number(m[2]), half(m[3]))],
  [/\b(\d{1,2})\s?([ap])m\b/gi, (m) => time(Number(m[1]), 0, half(m[2]))],
  // Telephone numbers: international, national, local.
  [/(?<![\w.])\+\d[\d ().-]{6,18}\d\b/g, (m) => telephoneWords(m[0]!)],
  [/(?<![\w.])(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b/g, (m) => telephoneWords(m[0]!)],
  [/(?<![\w.-])\d{3}-\d{4}\b(?!-)/g, (m) => telephoneWords(m[0]!)],
  [/\b([\w.+-]+)@([\w-]+(?:\.[\w-]+)+)\b/g, (m) => `${m[1]!.replaceAll('.', ' dot ')} at ${m[2]!.replaceAll('.', ' dot ')}`],
  [/\b(?:https?:\/\/)?(?:www\.)([\w-]+(?:\.[\w-]+)+)\b/g, (m) => `w w w dot ${m[1]!.replaceAll('.', ' dot ')}`],
  // Abbreviations. "Dr." before a name is a doctor, behind one a street; "St." likewise.
  [/\b(?<=[A-Za-z0-9] )(Dr|St)\.(?=\s*(?:$|[,;.!?]|[a-z0-9#]|(?:Apt|Suite|Ste|Unit)\b))/g, (m) => (m[1] === 'Dr' ? 'Drive' : 'Street')],
  [/\bDr\.?(?= [A-Z])/g, () => 'Doctor'],
  [/\bSt\.(?= [A-Z])/g, () => 'Saint'],
  [
    /\b(Mr|Mrs|Ms|Prof|Ave|Blvd|Rd|Ln|Apt|Ste|Dept|Ext|ext|appt|Appt|approx|vs|etc|Jr|Sr|Inc)\.(?=(\s+[A-Z]|\s*$)?)/g,
    (m) => abbreviation(m[1]!, m[2]),
  ],
  [/\b[Ee]\.g\.,?/g, () => 'for example'],
  [/\b[Ii]\.e\.,?/g, () => 'that is'],
  [/\bNo\.\s?(?=\d)/g, () => 'number '],
  [/(?<!\w)#\s?(?=\d)/g, () => 'number '],
  [/(\d)\s?(mg|ml|kg|lbs?|hrs?|mins?|cm)\b\.?/g, (m) => `${m[1]!} ${units[m[2]!]!}`],
  [/(\d)\s?%/g, (m) => `${m[1]!} percent`],
  [/\s&\s/g, () => ' and '],
  [/\b(\d+)(?:st|nd|rd|th)\b/g, (m) => (m[1]!.length > 9 ? null : ordinal(Number(m[1])))],
  [/\b([Ii]n|[Ss]ince|[Yy]ear|[Uu]ntil) (1[89]\d\d|20\d\d)\b(?![,.:]\d)/g, (m) => `${m[1]!} ${year(Number(m[2]))}`],
  [/(?<![\w.])(\d{1,3}(?:,\d{3})+)(?![\w,]*\d)/g, (m) => cardinal(Number(m[1]!.replaceAll(',', '')))],
  [/(?<![\w.])(\d{1,9})\.(\d{1,9})(?![\w]|\.\d)/g, (m) => `${cardinal(Number(m[1]))} point ${digitWords(m[2]!)}`],
  // Long runs, leading zeros and groups joined by dashes are identifiers, not quantities.
  [/(?<!\w)\d+(?:-\d+)+(?!\w)/g, (m) => m[0]!.split('-').map(digitWords).join(', ')],
  [/(?<!\w)(?:0\d+|\d{7,})(?!\w)/g, (m) => digitWords(m[0]!)],
  [/(?<!\w)\d{1,6}(?!\w)/g, (m) => cardinal(Number(m[0]))],
]

const units: Readonly<Record<string, string>> = {
  mg: 'milligrams',
  ml: 'milliliters',
  kg: 'kilograms',
  lb: 'pounds',
  lbs: 'pounds',
  hr: 'hours',
  hrs: 'hours',
  min: 'minutes',
  mins: 'minutes',
  cm: 'centimeters',
}

const abbreviations: Readonly<Record<string, string>> = {
  Mr: 'Mister',
  Mrs: 'Missus',
  Ms: 'Miz',
  Prof: 'Professor',
  Ave: 'Avenue',
  Blvd: 'Boulevard',
  Rd: 'Road',
  Ln: 'Lane',
  Apt: 'Apartment',
  Ste: 'Suite',
  Dept: 'Department',
  Ext: 'Extension',
  ext: 'extension',
  appt: 'appointment',
  Appt: 'Appointment',
  approx: 'approximately',
  vs: 'versus',
  etc: 'et cetera',
  Jr: 'Junior',
  Sr: 'Senior',
  Inc: 'Incorporated',
}

/** Abbreviations that always stand before something: their stop never ends a sentence. */
const leading = new Set(['Mr', 'Mrs', 'Ms', 'Prof', 'Apt', 'Ste', 'Ext', 'ext', 'vs', 'approx'])

/** Text in any language: control characters and runs of white space gone. */
export function tidy(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Co}\p{Cs}\u200B-\u200F\uFEFF]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** @param language BCP 47; text that is not English comes back tidied only */
export function normalise(text: string, language: string): string {
  const tidied = tidy(text)
  const tag = language.toLowerCase()
  if (tag !== 'en' && !tag.startsWith('en-')) return tidied
  const british = tag !== 'en' && tag !== 'en-us' && tag !== 'en-ca'
  let result = tidied.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replaceAll('…', '. ')
  for (const [pattern, words] of rules) {
    result = result.replace(pattern, (...match: string[]) => words(match, british) ?? match[0]!)
  }
  return result.replace(/ {2,}/g, ' ').trim()
}

/** Digits in the groups they were written in, or in those of North America, with a breath between. */
export function telephoneWords(written: string): string {
  const groups = written.match(/\d+/g) ?? []
  const digits = groups.join('')
  const plus = written.trim().startsWith('+') ? 'plus ' : ''
  const cut = groups.length > 1 ? groups : groupDigits(digits)
  return plus + cut.map(digitWords).join(', ')
}

function groupDigits(digits: string): string[] {
  if (digits.length === 7) return [digits.slice(0, 3), digits.slice(3)]
  if (digits.length === 10) return [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
  if (digits.length === 11 && digits.startsWith('1')) return ['1', digits.slice(1, 4), digits.slice(4, 7), digits.slice(7)]
  return digits.match(/\d{1,3}(?=(?:\d{3})*$)|\d{3}/g) ?? [digits]
}

function money(match: readonly string[], unit: string, part: string): string {
  const whole = Number(match[1]!.replaceAll(',', ''))
  const cents = Number(match[2] ?? 0)
  const main = `${cardinal(whole)} ${unit}${whole === 1 ? '' : 's'}`
  const plural = part === 'penny' ? 'pence' : `${part}s`
  const rest = `${cardinal(cents)} ${cents === 1 ? part : plural}`
  if (cents === 0) return main
  return whole === 0 ? rest : `${main} and ${rest}`
}

function half(letter: string | undefined): string {
  return letter === undefined ? '' : `${letter.toLowerCase()}m`
}

function time(hour: number, minute: number, part: string): string | null {
  if (hour > 23 || minute > 59 || (part !== '' && (hour < 1 || hour > 12))) return null
  return timeOfDay(hour, minute, part)
}

function abbreviation(short: string, behind: string | undefined): string {
  const words = abbreviations[short]!
  return behind !== undefined && !leading.has(short) ? `${words}.` : words
}
