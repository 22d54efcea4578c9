import { isHouseKind, type HouseDestination } from './house-numbers.ts'

/** Internal destinations as the configuration and the verbs write them. */
export type Destination =
  | { kind: 'endpoint'; id: string }
  | { kind: 'group'; id: string }
  | { kind: 'queue'; id: string }
  | { kind: 'menu'; id: string }
  | { kind: 'hours'; id: string }
  | { kind: 'voicemail'; extension: string }
  /** A number outside, in E.164. */
  | { kind: 'external'; number: string }
  /** Extensions, and what else phones reach by a number inside the house. */
  | HouseDestination
  /** An extension of another site, or what phones dial to take a call that rings there. */
  | { kind: 'remote'; number: string }
  | { kind: 'fax' }
  | { kind: 'hangup' }

/** For texts that show a person what to write. */
export const destinationForms =
  'endpoint:ID, the number of an extension, group:ID, queue:ID, menu:ID, hours:ID, voicemail:EXT, external:+NUMBER, fax or hangup'

/** Reads what `destinationForms` names; undefined for anything else. */
export function parseDestination(text: string): Destination | undefined {
  if (text === 'fax' || text === 'hangup') return { kind: text }
  const [, house = '', number = ''] = /^([a-z]+):(\d*)$/.exec(text) ?? []
  if (isHouseKind(house)) return { kind: house, number }
  if (/^remote:\*?\d{1,15}$/.test(text)) return { kind: 'remote', number: text.slice(7) }
  if (/^\d{1,15}$/.test(text)) return { kind: 'extension', number: text }
  if (/^external:\+[1-9]\d{5,14}$/.test(text)) return { kind: 'external', number: text.slice(9) }
  const match = /^(endpoint|group|queue|menu|hours|voicemail):([A-Za-z0-9][A-Za-z0-9_.-]{0,63})$/.exec(text)
  if (match === null) return undefined
  const kind = match[1] as 'endpoint' | 'group' | 'queue' | 'menu' | 'hours' | 'voicemail'
  const id = match[2]!
  return kind === 'voicemail' ? { kind, extension: id } : { kind, id }
}

/** As it is written. */
export function destinationText(destination: Destination): string {
  switch (destination.kind) {
    case 'fax':
    case 'hangup':
      return destination.kind
    case 'extension':
      return destination.number
    case 'voicemail':
      return `voicemail:${destination.extension}`
    default:
      return `${destination.kind}:${'id' in destination ? destination.id : destination.number}`
  }
}
