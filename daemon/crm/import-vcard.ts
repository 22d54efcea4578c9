/** Parties of a vCard file, as telephones and address books write them. */
import { quoted } from '../base/for-log.ts'
import { createHash } from 'node:crypto'
import { fromWindows1252 } from '../../drivers/foreign-json.ts'
import { numberOfUri } from '../numbers/number-uri.ts'
import { phoneLabel } from './import-columns.ts'
import type { ImportEntry, ImportFile, RowWarning } from './import-look.ts'
import { decoded, decodeFile, isPlausible, utf16Of } from './import-text.ts'
import { cardsOf, type VcardLine, type VcardText } from './vcard-lines.ts'

/** How letters are read that are neither UTF-8 nor what their line says. */
type Fallback = (bytes: Uint8Array) => string | null

/** Of no use here, or not of the person. */
const silent = /^(?:X-.*|VERSION|BEGIN|END|REV|PRODID|PHOTO|LOGO|SOUND|KEY|SORT-STRING|CLASS|LABEL|CATEGORIES|MAILER|AGENT|SOURCE|PROFILE)$/

/** `charset`: of the content type; '' for none. Throws Error in words for a person, where it is no such file. */
export function partiesOfVcard(file: Uint8Array, charset = ''): ImportFile {
  const bytes =
    utf16Of(file) === null ? Buffer.from(file.buffer, file.byteOffset, file.byteLength) : Buffer.from(decodeFile(file, charset).text)
  const reader = fallbackOf(bytes, charset)
  const cards = cardsOf(bytes.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, ''))
  if (cards.length === 0) throw new Error('it has no BEGIN:VCARD')
  const entries = cards.map((card, index): ImportEntry => {
    const row = index + 1
    try {
      return { row, ...partyOf(card, reader) }
    } catch (error) {
      return { row, error: (error as Error).message }
    }
  })
  return { entries, warnings: [...unread(cards)] }
}

function fallbackOf(bytes: Uint8Array, charset: string): Fallback {
  let plausible: boolean | undefined
  return (some) => {
    const named = charset === '' ? null : decoded(some, charset)
    if (named !== null) return named
    plausible ??= isPlausible(fromWindows1252(bytes) ?? '\0')
    return plausible ? fromWindows1252(some) : null
  }
}

function* unread(cards: readonly VcardText[]): Iterable<RowWarning> {
  const names = new Map<string, number>()
  cards.forEach((card, index) => {
    for (const name of card.unread) if (!silent.test(name) && names.size < 50 && !names.has(name)) names.set(name, index + 1)
  })
  if (names.size > 0) yield { row: [...names.values()][0]!, warning: `these fields are ignored: ${[...names.keys()].join(', ')}` }
}

function partyOf(card: VcardText, fallback: Fallback) {
  const { lines, isWhole, fault } = card
  if (fault !== undefined) throw new Error(fault)
  const warnings: string[] = isWhole ? [] : ['the card has no END:VCARD: the file may be incomplete']
  const values = (name: string) => lines.filter((line) => line.name === name).map((line) => partsOf(line, fallback, warnings))
  const first = (name: string): string => {
    const [one = [], ...more] = values(name).map((parts) => parts.filter((part) => part !== ''))
    for (const parts of more)
      if (parts.join(' ') !== one.join(' ')) warnings.push(`a second ${name} is ignored: ${quoted(parts.join(' ').slice(0, 100))}`)
    return one.join(name === 'ORG' ? ', ' : ' ')
  }
  const company = first('ORG')
  const [written, composed] = [first('FN'), nameOf(values('N')[0] ?? [])]
  const name = written || composed || company
  if (name === '') throw new Error('there is no name (FN)')
  const phones = lines.filter((line) => line.name === 'TEL').map((line) => phoneOf(line, card, fallback, warnings))
  const email = first('EMAIL')
  const isCompany = first('X-ABSHOWAS').toUpperCase() === 'COMPANY' || (written === '' && composed === '')
  const kind = first('KIND').toLowerCase()
  if (kind === 'group') throw new Error('this is a group of cards, not a person')
  return {
    party: {
      id: idOf(first('UID').replace(/^urn:uuid:/i, ''), name, phones[0]?.number ?? ''),
      kind: kind === 'org' || (isCompany && company !== '') ? 'organization' : 'person',
      name,
      phones,
      ...(email === '' ? {} : { email: email.replace(/^mailto:/i, '') }),
      ...(company === '' || company === name ? {} : { company }),
    },
    warnings,
  }
}

/** Family, given, further names, prefix, suffix: in the order of speech. */
function nameOf([family = '', given = '', more = '', prefix = '', suffix = '']: readonly string[]): string {
  const name = [prefix, given, more, family].filter((part) => part !== '').join(' ')
  return suffix === '' || name === '' ? name : `${name}, ${suffix}`
}

function phoneOf(line: VcardLine, { lines }: VcardText, fallback: Fallback, warnings: string[]) {
  const types = (line.parameters.get('TYPE') ?? []).join(' ').toLowerCase()
  const label = lines.find(({ group, name }) => name === 'X-ABLABEL' && group !== '' && group === line.group)
  const words =
    label === undefined
      ? ''
      : partsOf(label, fallback, warnings)
          .join(' ')
          .replaceAll(/[_$!<>]/g, ' ')
  const own = phoneLabel(types.replaceAll(/\b(?:voice|pref|internet|msg|video|text)\b/g, ' '))
  const known = own === null || own === 'other' ? phoneLabel(words) : own
  const isFirst = /\bpref\b/.test(types) || line.parameters.get('PREF')?.[0] === '1'
  return {
    number: partsOf(line, fallback, warnings, false).join(''),
    label: known ?? 'other',
    ...(isFirst ? { primary: true } : {}),
  }
}

/** Programs write any text as UID: one that cannot be an id stands for one. */
function idOf(uid: string, name: string, number: string): string {
  if (uid !== '' && /^[ -.0-~]{1,128}$/.test(uid)) return uid
  const of = uid === '' ? `${name}\0${numberOfUri(number)}` : uid
  return `vcard:${createHash('sha256').update(of).digest('hex').slice(0, 32)}`
}

/** The value, in the parts that semicolons make of N and ORG. Throws Error in words where its letters cannot be read. */
function partsOf({ name, parameters, value }: VcardLine, fallback: Fallback, warnings: string[], mayWarn = true): string[] {
  const encoding = (parameters.get('ENCODING')?.[0] ?? '').toUpperCase()
  const charset = parameters.get('CHARSET')?.[0] ?? ''
  const raw = name === 'N' || name === 'ORG' ? splitEscaped(value) : [value]
  return raw.map((part) => {
    const bytes = bytesOf(part, encoding)
    const escapes = /2022/.test(charset) ? decoded(bytes, charset) : null
    const certain = escapes ?? decoded(bytes, 'utf-8') ?? (charset === '' ? null : decoded(bytes, charset))
    const text = certain ?? fallback(bytes)
    if (text === null) throw new Error(`the letters of ${name} are neither UTF-8 nor ${charset || 'Windows-1252'}: give the charset`)
    if (certain === null && mayWarn)
      warnings.push(`${quoted(text.slice(0, 60))} was read as Windows-1252, or in the charset of the content type`)
    return unescaped(text).trim()
  })
}

function bytesOf(part: string, encoding: string): Uint8Array {
  if (encoding === 'B' || encoding === 'BASE64') return Buffer.from(part, 'base64')
  const bytes =
    encoding === 'QUOTED-PRINTABLE'
      ? part.replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : part
  return Buffer.from(bytes, 'latin1')
}

/** At semicolons without a backslash in front. */
function splitEscaped(value: string): string[] {
  const parts = ['']
  for (const piece of value.match(/\\[^]|[^\\;]+|[;\\]/g) ?? []) {
    if (piece === ';') parts.push('')
    else parts.push(parts.pop()! + piece)
  }
  return parts
}

/** A line end within a name is a space. */
const unescaped = (text: string): string => text.replaceAll(/\\([nN,;:\\])/g, (_, letter: string) => (/n/i.test(letter) ? ' ' : letter))
