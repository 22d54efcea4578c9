/** How the text inside `<say-as>` is read. In English in words; in other languages as far as signs alone allow. */
import { cardinal, dateWords, digitWords, ordinal, timeOfDay } from './number-words.ts'
import { telephoneWords } from './english-identifiers.ts'

/** Spoken text, or null where the way of reading is not known. */
export function sayAs(text: string, as: string, format: string, language: string): string | null {
  const english = /^en(-|$)/i.test(language)
  const value = text.trim()
  switch (as) {
    case 'digits':
      return english ? digitWords(value) : [...value.replace(/\D/g, '')].join(' ')
    case 'characters':
    case 'spell-out':
    case 'verbatim':
      return characters(value, english)
    case 'telephone':
      return english ? telephoneWords(value) : (value.match(/\d+/g) ?? []).map((group) => [...group].join(' ')).join(', ')
    case 'cardinal':
    case 'number':
      return english ? (wholeNumber(value) === null ? text : cardinal(wholeNumber(value)!)) : value.replaceAll(/[,\s]/g, '')
    case 'ordinal':
      return english && wholeNumber(value) !== null ? ordinal(wholeNumber(value)!) : text
    case 'date':
      return english ? (date(value, format) ?? text) : text
    case 'time':
      return english ? (time(value) ?? text) : text
    default:
      return null
  }
}

function wholeNumber(value: string): number | null {
  const match = /^(\d[\d,]*)(?:st|nd|rd|th)?$/.exec(value)
  return match === null ? null : Number(match[1]!.replaceAll(',', ''))
}

/** Letters with a pause between: engines read lone capitals by their names. */
function characters(value: string, english: boolean): string {
  const signs: Readonly<Record<string, string>> = {
    '.': 'dot',
    '-': 'dash',
    '@': 'at',
    _: 'underscore',
    '/': 'slash',
    '#': 'pound',
    '*': 'star',
    '+': 'plus',
  }
  return [...value]
    .flatMap((sign) => {
      if (/\s/.test(sign)) return []
      if (!english) return sign.toUpperCase()
      if (/\d/.test(sign)) return digitWords(sign)
      return signs[sign] ?? sign.toUpperCase()
    })
    .join(', ')
}

/** `format` of SSML: an order of d, m and y; without one, year first or month first as the digits show. */
function date(value: string, format: string): string | null {
  const parts = value.match(/\d+/g)?.map(Number) ?? []
  const order = /^[dmy]{1,3}$/.test(format) ? format : (value.match(/^\d{4}/) ? 'ymd' : 'mdy').slice(0, parts.length)
  if (parts.length !== order.length) return null
  const of = (letter: string): number | null => (order.includes(letter) ? parts[order.indexOf(letter)]! : null)
  const month = of('m')
  return month === null ? null : dateWords(of('y'), month, of('d'))
}

function time(value: string): string | null {
  const match = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*(?:([ap])\.?m\.?)?$/i.exec(value)
  if (match === null || Number(match[1]) > 23 || Number(match[2] ?? 0) > 59) return null
  return timeOfDay(Number(match[1]), Number(match[2] ?? 0), match[3] === undefined ? '' : `${match[3].toLowerCase()}m`)
}
