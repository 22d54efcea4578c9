/** Parties of a vCard file, as telephones and address books write them: versions 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350). */
import { createHash } from 'node:crypto'
import ICAL from 'ical.js'
import { numberOfUri } from '../number-uri.ts'
import type { ImportEntry } from './import-look.ts'

type Property = [name: string, parameters: Record<string, string | string[]>, type: string, ...values: unknown[]]

/** What is read of a card: the others, pictures above all, are not looked at. */
const read = /^(?:BEGIN|END|VERSION|FN|N|ORG|TEL|EMAIL|UID|KIND)[;:]/i
/** More lines of these than any card has, and a longer one. */
const [mostLines, longestLine] = [200, 2000]
const folded = /\r?\n[ \t]/g
const lineEnd = /\r?\n/
const group = /^item\d+\./i
/** A parameter without a name is one of 2.1: TEL;CELL:... */
const untyped = /^(TEL|EMAIL)((?:;[^:;=]+)+):/i

/** @throws Error in words for a person, where it is no such file */
export function partiesOfVcard(text: string): ImportEntry[] {
  const cards = cardsOf(text)
  if (cards.length === 0) throw new Error('there is no BEGIN:VCARD in it')
  return cards.map((lines, index) => {
    const row = index + 1
    try {
      return { row, party: partyOf(propertiesOf(lines)) }
    } catch (error) {
      return { row, error: (error as Error).message }
    }
  })
}

/** The lines of each that are read; what stands in front of the first one is left out. */
function cardsOf(text: string): string[][] {
  const cards: string[][] = []
  for (const line of text.replaceAll(folded, '').split(lineEnd)) {
    if (/^BEGIN:VCARD\s*$/i.test(line)) cards.push([])
    const bare = line.replace(group, '')
    if (read.test(bare)) cards.at(-1)?.push(bare)
  }
  return cards
}

function propertiesOf(lines: readonly string[]): Property[] {
  if (lines.length > mostLines) throw new Error(`the card has more than ${mostLines} lines of names and numbers`)
  if (lines.some(({ length }) => length > longestLine)) throw new Error(`a line of the card has more than ${longestLine} characters`)
  const typed = lines.map((line) => line.replace(untyped, (_, name: string, types: string) => `${name}${types.replaceAll(';', ';TYPE=')}:`))
  const [, properties] = ICAL.parse(typed.join('\r\n')) as [string, Property[]]
  return properties
}

function partyOf(properties: readonly Property[]) {
  const all = (name: string) => properties.filter(([one]) => one === name)
  const first = (name: string): string => {
    const value = all(name)[0]?.[3]
    return (Array.isArray(value) ? value.filter(Boolean).join(' ') : String(value ?? '')).trim()
  }
  const company = first('org')
  const name = first('fn') || first('n').trim() || company
  if (name === '') throw new Error('there is no name (FN)')
  const phones = all('tel').map(([, parameters, , value]) => ({
    number: numberOfUri(String(value)),
    label: labelOf([parameters['type'] ?? []].flat().join(' ').toLowerCase()),
  }))
  const given = first('uid').replace(/^urn:uuid:/i, '')
  const id =
    given ||
    `vcard:${createHash('sha256')
      .update(`${name}\0${phones[0]?.number ?? ''}`)
      .digest('hex')
      .slice(0, 32)}`
  const email = first('email')
  return {
    id,
    kind: first('kind').toLowerCase() === 'org' || (first('fn') === '' && company !== '') ? 'organization' : 'person',
    name,
    phones,
    ...(email === '' ? {} : { email }),
    ...(company === '' || company === name ? {} : { company }),
  }
}

function labelOf(types: string): string {
  if (types.includes('fax')) return 'fax'
  if (types.includes('cell')) return 'mobile'
  if (types.includes('work')) return 'work'
  return types.includes('home') ? 'home' : 'other'
}
