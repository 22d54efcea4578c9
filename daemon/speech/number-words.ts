/** Numbers as English words. */

const small = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
]
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const scales = ['', ' thousand', ' million', ' billion', ' trillion']
const irregular: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

/** Whole numbers from 0 to below a thousand million million; larger ones digit by digit. */
export function cardinal(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 1e15) return digitWords(String(value))
  if (value === 0) return 'zero'
  const groups: string[] = []
  for (let rest = value, scale = 0; rest > 0; rest = Math.floor(rest / 1000), scale += 1) {
    const group = rest % 1000
    if (group > 0) groups.unshift(belowThousand(group) + scales[scale]!)
  }
  return groups.join(' ')
}

function belowThousand(value: number): string {
  const hundreds = value >= 100 ? `${small[Math.floor(value / 100)]!} hundred` : ''
  const rest = value % 100
  if (rest === 0) return hundreds
  const words = rest < 20 ? small[rest]! : tens[Math.floor(rest / 10)]! + (rest % 10 === 0 ? '' : `-${small[rest % 10]!}`)
  return hundreds === '' ? words : `${hundreds} ${words}`
}

export function ordinal(value: number): string {
  const words = cardinal(value)
  const [, head, last] = /^(.*?)([a-z]+)$/.exec(words) ?? ['', '', words]
  const ending = irregular[last!] ?? (last!.endsWith('y') ? `${last!.slice(0, -1)}ieth` : `${last!}th`)
  return `${head}${ending}`
}

/** As a year is read: 1999 nineteen ninety-nine, 2026 twenty twenty-six, 2005 two thousand five, 1905 nineteen oh five. */
export function year(value: number): string {
  const rest = value % 100
  if (value < 1000 || value > 9999 || (value >= 2000 && value < 2010)) return cardinal(value)
  const century = cardinal(Math.floor(value / 100))
  if (rest === 0) return value % 1000 === 0 ? cardinal(value) : `${century} hundred`
  return `${century} ${rest < 10 ? `oh ${small[rest]!}` : cardinal(rest)}`
}

export function digitWords(digits: string): string {
  return [...digits].flatMap((digit) => (/\d/.test(digit) ? small[Number(digit)]! : [])).join(' ')
}

/** A clock time; `half` is `am`, `pm` or '' for the 24-hour clock. */
export function timeOfDay(hour: number, minute: number, half: string): string {
  const minutes = minute === 0 ? (half === '' ? "o'clock" : '') : minute < 10 ? `oh ${small[minute]!}` : cardinal(minute)
  const spoken = half === '' && minute === 0 && (hour > 12 || hour === 0) ? `${cardinal(hour)} hundred` : `${cardinal(hour)} ${minutes}`
  // Single letters are read as letters by every engine.
  return `${spoken.trim()} ${half.toUpperCase().split('').join(' ')}`.trim()
}

/** Month 1-12; null where there is no such day. */
export function dateWords(yearNumber: number | null, month: number, day: number | null): string | null {
  const name = months[month - 1]
  if (name === undefined || (day !== null && (day < 1 || day > daysOf(month)))) return null
  const dayWords = day === null ? '' : ` ${ordinal(day)}`
  return yearNumber === null ? `${name}${dayWords}` : `${name}${dayWords}, ${year(yearNumber)}`
}

/** In a leap year. */
function daysOf(month: number): number {
  if (month === 2) return 29
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

export function monthNumber(name: string): number | null {
  const start = name.slice(0, 3).toLowerCase()
  const index = months.findIndex((month) => month.slice(0, 3).toLowerCase() === start)
  return index < 0 ? null : index + 1
}
