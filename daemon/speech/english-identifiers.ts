/** Numbers that are names: telephone numbers, codes, rooms, addresses in the net. They are read by the digit. */
import { cardinal, digitWords } from './number-words.ts'
import type { Rule } from './english-numbers.ts'

const dotted = (text: string): string => text.replaceAll('.', ' dot ')

const places: Readonly<Record<string, string>> = { a: 'Apartment', r: 'Room', s: 'Suite' }

export const identifierRules: readonly Rule[] = [
  [
    /\bhttps?:\/\/(?:www\.)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?(\/[\w./-]*\w)?\/?(?:[?#]\S*\w)?/g,
    (m) => `${dotted(m[1]!)}${(m[2] ?? '').replaceAll('/', ' slash ')}`,
  ],
  [/\bwww\.([\w-]+(?:\.[\w-]+)+)\b/g, (m) => `w w w dot ${dotted(m[1]!)}`],
  [
    /\b([\w.+-]+)@([\w-]+(?:\.[\w-]+)+)\b/g,
    (m) => `${dotted(m[1]!).replaceAll('_', ' underscore ').replaceAll('+', ' plus ')} at ${dotted(m[2]!)}`,
  ],
  // Telephone numbers: with letters, international, national, local.
  [/\b1-(8\d\d)-([A-Z]{4,10})\b/g, (m) => `one, ${tollFree(m[1]!)}, ${m[2]!.toLowerCase()}`],
  [/(?<![\w.])\+\d[\d ().-]{6,18}\d\b/g, (m) => telephoneWords(m[0]!)],
  [/(?<![\w.])(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b/g, (m) => telephoneWords(m[0]!)],
  [/(?<![\w.-])\d{3}-\d{4}\b(?!-)/g, (m) => telephoneWords(m[0]!)],
  [/(?<!\w)[2-9]\d{9}(?!\w)/g, (m) => telephoneWords(m[0]!)],
  [/,?\s+(?:[Ee]xt(?:ension)?\.?\s?|x)(\d{1,6})\b/g, (m) => ` extension ${digitWords(m[1]!)}`],
  // Short numbers that are dialled, codes that are typed.
  [/\b([Dd]ial|[Cc]all|[Tt]ext) (\d{3,6})\b(?![-.,]\d)/g, (m) => `${m[1]!} ${digitWords(m[2]!)}`],
  [
    /\b((?:[Cc]ode|PIN|[Pp]asscode|[Pp]assword|ID|[Nn]umber|ZIP|[Zz]ip|[Aa]ccount|[Cc]laim|[Rr]eference|MRN|SSN|ending(?: in)?)(?: (?:code|number))?(?: is|:)?\s#?)(\d{3,})\b(?![-,.:]\d)/g,
    (m) => `${m[1]!.replace('#', 'number ')}${digitWords(m[2]!)}`,
  ],
  [/\b([A-Z]{2}) (\d{5})(?:-(\d{4}))?\b/g, (m) => `${m[1]!} ${digitWords(m[2]!)}${m[3] === undefined ? '' : `, ${digitWords(m[3])}`}`],
  [/\b([A-Z]{1,5})-(\d{3,})\b/g, (m) => `${[...m[1]!].join(' ')} ${digitWords(m[2]!)}`],
  [/\b([A-Za-z]{1,6})-(\d{1,2})\b(?!-)/g, (m) => `${m[1]!} ${m[2]!}`],
  [
    /\b((?:[Rr]oom|[Rr]m\.?|[Ss]uite|[Ss]te\.?|[Uu]nit|[Aa]pt\.?|[Aa]partment|[Ww]ard|[Bb]ed|[Gg]ate|[Ff]light|[Hh]ighway|[Rr]oute) #?)(\d{3,4})\b(?![-,.:]\d)/g,
    (m) => `${m[1]!.replace(/^(?:Apt|apt|Rm|rm|Ste|ste)\.?/, (short) => places[short.slice(0, 1).toLowerCase()]!)}${roomWords(m[2]!)}`,
  ],
  [/(?<!\w)(\d)-(\d)-(\d)(?!\w|-)/g, (m) => `${digitWords(m[1]! + m[2]! + m[3]!)}`],
]

/** Digits in the groups they were written in, or in those of North America, with a breath between. */
export function telephoneWords(written: string): string {
  const groups = written.match(/\d+/g) ?? []
  const digits = groups.join('')
  const plus = written.trim().startsWith('+') ? 'plus ' : ''
  const cut = groups.length > 1 ? groups : groupDigits(digits)
  const words = cut.map((group, index) => (index === 1 && cut[0] === '1' ? tollFree(group) : digitWords(group)))
  return plus + words.join(', ')
}

/** 1-800 is "one, eight hundred". */
function tollFree(group: string): string {
  return group === '800' ? 'eight hundred' : digitWords(group)
}

function groupDigits(digits: string): string[] {
  if (digits.length === 7) return [digits.slice(0, 3), digits.slice(3)]
  if (digits.length === 10) return [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
  if (digits.length === 11 && digits.startsWith('1')) return ['1', digits.slice(1, 4), digits.slice(4, 7), digits.slice(7)]
  const first = digits.slice(0, digits.length % 3)
  return [...(first === '' ? [] : [first]), ...(digits.slice(first.length).match(/\d{3}/g) ?? [])]
}

/** As a room is called: 101 one oh one, 200 two hundred, 1250 twelve fifty. */
function roomWords(digits: string): string {
  const hundreds = cardinal(Number(digits.slice(0, -2)))
  const rest = digits.slice(-2)
  if (digits.startsWith('0')) return digitWords(digits)
  if (rest === '00') return cardinal(Number(digits))
  return `${hundreds} ${rest.startsWith('0') ? `oh ${cardinal(Number(rest))}` : cardinal(Number(rest))}`
}
