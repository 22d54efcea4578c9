/** Parties of a vCard file, as telephones and address books write them: versions 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350). */
import { createHash } from 'node:crypto'
import ICAL from 'ical.js'
import { numberOfUri } from '../number-uri.ts'
import type { ImportEntry } from './import.ts'

type Property = [name: string, parameters: Record<string, string | string[]>, type: string, ...values: unknown[]]

/** @throws Error in words for a person, where it is no such file */
export function partiesOfVcard(text: string): ImportEntry[] {
  const cards = text.split(/^(?=BEGIN:VCARD\s*$)/im).filter((part) => /^BEGIN:VCARD/i.test(part))
  if (cards.length === 0) throw new Error('there is no BEGIN:VCARD in it')
  return cards.map((card, index) => {
    const row = index + 1
    try {
      return { row, party: partyOf(propertiesOf(card)) }
    } catch (error) {
      return { row, error: (error as Error).message }
    }
  })
}

function propertiesOf(card: string): Property[] {
  // A parameter without a name is one of 2.1: TEL;CELL:...
  const typed = card.replaceAll(/^((?:item\d+\.)?)(TEL|EMAIL)((?:;[^:;=]+)+):/gim, (_, group: string, name: string, types: string) =>
    `${name}${types.replaceAll(';', ';TYPE=')}:`.replace(group, ''),
  )
  const [, properties] = ICAL.parse(typed.replaceAll(/^item\d+\./gim, '')) as [string, Property[]]
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
