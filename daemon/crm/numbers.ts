/** How numbers of the directory are kept, and looked for. */
import { soughtNumber } from '../numbers/numbers.ts'
import { readWritten } from '../numbers/written-number.ts'
import type { PartyPhone } from '../store/tables.ts'
import { readableName } from '../base/person-name.ts'

/** Names as phones show them. */
const longest = 80

/** On one line, in the order of speech, and no longer than a display. */
export function printable(name: string): string {
  return readableName(name)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '')
}

/** Names of a withheld number, in addition to ''. */
const withheld = new Set(['anonymous', 'unknown', 'restricted', 'private', 'withheld', 'unavailable'])
/** A shorter one fits too many. */
const leastSuffix = 7
const suffixDigits = 9
const mostDigits = 15

export function isWithheld(number: string): boolean {
  return number === '' || withheld.has(number.toLowerCase())
}

/** E.164 where the plan of `country` makes one of it, else its digits; null where they are too few, or too many, to identify anybody. */
export function partyNumber(raw: string, country: string): string | null {
  const { e164, kind } = soughtNumber(raw, country)
  if (e164 !== null) return e164
  const { number } = readWritten(raw)
  const digits = number.replaceAll(/\D/g, '')
  return kind !== 'invalid' || !/^\+?\d+$/.test(number) || digits.length < leastSuffix || digits.length > mostDigits ? null : digits
}

/** Of a list of numbers: what is none, or was read otherwise than it was written. `path`: of the number in the list, such as `/0/number`. */
export interface PhoneNotes {
  wrong(words: string, path: string): void
  warn(words: string, path: string): void
}

export const mostPhones = 20

/** As they are kept, each once: a cell may have several. Notes each that cannot be found again by the number of a caller. */
export function phonesOf(given: readonly PartyPhone[], country: string, notes: PhoneNotes): PartyPhone[] {
  const phones = new Map<string, PartyPhone>()
  given.forEach((phone, index) => {
    const path = `/${index}/number`
    const { numbers, warnings, errors } = numbersIn(phone.number, country)
    for (const words of errors) notes.wrong(words, path)
    for (const words of warnings) notes.warn(words, path)
    for (const { number, extension } of numbers) {
      const key = `${number} ${extension}`
      const before = phones.get(key)
      if (before !== undefined && before.label !== phone.label)
        notes.warn(`${quoted(phone.number)} is given twice and kept as ${before.label}`, path)
      if (before === undefined) phones.set(key, { ...phone, number, ...(extension === '' ? {} : { extension }) })
    }
  })
  const all = [...phones.values()]
  if (all.length > mostPhones) notes.wrong(`has ${all.length} numbers: the first ${mostPhones} are kept`, '')
  return all.slice(0, mostPhones)
}

interface Numbers {
  readonly numbers: readonly { readonly number: string; readonly extension: string }[]
  readonly warnings: readonly string[]
  readonly errors: readonly string[]
}

const rounded = /^[+-]?\d+(?:[.,]\d+)?\s*E\s*\+?\d+$/i
const decimal = /^(\+?\d{7,15})[.,]0{1,2}$/
const between = /\s*(?:[;,|\n\r\\/]|:::|\s(?:or|and|y|o|oder|und|ou|et|&)\s)\s*/i
const run = /\+?[\d(][\d\s().\-/]{5,}\d/g
const quoted = (text: string): string => `"${text.slice(0, 60)}"`

/** What somebody wrote into one cell for numbers. */
function numbersIn(cell: string, country: string): Numbers {
  const text = cell
    .trim()
    .replace(/^=?["'’`]+|["'’`]+$/g, '')
    .trim()
  if (rounded.test(text))
    return none(`${quoted(cell)} was rounded by a spreadsheet and lost its last digits: format the column as text and export it again`)
  const whole = decimal.exec(text)?.[1]
  if (whole !== undefined) return { ...single(whole, country, cell), warnings: [`${quoted(cell)} was read as ${whole}`] }
  const one = readOne(text, country)
  if (one?.sure === true) return { numbers: [one], warnings: [], errors: [] }
  const parts = text.split(between).filter((part) => part !== '')
  const several = parts.map((part) => readOne(part, country))
  if (parts.length > 1 && several.some((found) => found?.sure === true)) {
    const numbers = several.filter((found) => found?.sure === true)
    const errors = parts
      .filter((_, at) => several[at]?.sure !== true)
      .map((part) => `${quoted(part)} of ${quoted(cell)} is not a number: ignored`)
    return {
      numbers: numbers as Numbers['numbers'],
      warnings: [`${quoted(cell)} has ${numbers.length} ${numbers.length === 1 ? 'number' : 'numbers, each of which is kept'}`],
      errors,
    }
  }
  return one === null ? amongWords(text, cell, country) : single(text, country, cell)
}

/** `sure`: a number of a numbering plan, so a caller's number can match it. */
function readOne(text: string, country: string): { number: string; extension: string; sure: boolean } | null {
  const number = partyNumber(text, country)
  return number === null ? null : { number, extension: readWritten(text).extension, sure: number.startsWith('+') }
}

function single(text: string, country: string, cell: string): Numbers {
  const one = readOne(text, country)
  if (one === null) return none(`${quoted(cell)} is not a number: ignored`)
  const short = !one.sure && one.number.length < suffixDigits
  return {
    numbers: [one],
    warnings: short ? [`${quoted(cell)} has no area code: calls from this number cannot be matched to it`] : [],
    errors: [],
  }
}

function amongWords(text: string, cell: string, country: string): Numbers {
  const found = (text.match(run) ?? []).flatMap((part) => inRow(part, country))
  if (found.length === 0 || found.some((one) => one?.sure !== true)) return none(`${quoted(cell)} is not a number: ignored`)
  const numbers = found as Numbers['numbers']
  return {
    numbers,
    warnings: [`${quoted(cell)} was read as ${numbers.map(({ number }) => number).join(', ')}: the words are ignored`],
    errors: [],
  }
}

/** One number, or two with nothing but a space between. */
function inRow(text: string, country: string): ReturnType<typeof readOne>[] {
  const one = readOne(text, country)
  if (one?.sure === true) return [one]
  const words = text.split(/\s+/)
  for (let at = 1; at < words.length; at++) {
    const both = [words.slice(0, at), words.slice(at)].map((part) => readOne(part.join(' '), country))
    if (both.every((found) => found?.sure === true)) return both
  }
  return [one]
}

const none = (words: string): Numbers => ({ numbers: [], warnings: [], errors: [words] })

/** Under which a number is kept: itself, or its end where its country is not known. */
export function numberKey(number: string): string {
  return number.startsWith('+') ? number : suffixKey(number)
}

/** Under which a number without a country fits this one; null where it is too short. */
export function suffixKeyOf(number: string): string | null {
  const digits = number.replaceAll(/\D/g, '')
  return digits.length < leastSuffix ? null : suffixKey(digits)
}

const suffixKey = (digits: string): string => `~${digits.slice(-suffixDigits)}`
