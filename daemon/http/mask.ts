/**
 * What a technician sees of what concerns patients: that there is something, its states and times, and telephone numbers with their last
 * digits. Names, words and documents are left out.
 */
import { ApiError } from '../base/errors.ts'
import { maskNumber } from '../base/log.ts'
import type { PersonAtDoor, Principal } from './route.ts'

type Role = PersonAtDoor['roles'][number]

/** Members that name a patient, or repeat what a patient said. */
const personal: ReadonlySet<string> = new Set([
  ...['callerName', 'customerName', 'customerId', 'customer', 'externalRef', 'matchType', 'card', 'notes', 'note', 'transcript'],
  ...['body', 'text', 'words', 'mediaUrl', 'media', 'recording', 'recordings', 'voicemailId', 'remoteStationId', 'remoteId', 'subject'],
  ...['serviceName', 'staffName', 'cover', 'params'],
])

/** Seven digits and more, written as people write numbers; times and ids have letters, and a day is none. */
const looksLikeNumber = /^(?!\d{4}-\d{2}-\d{2}$)\+?[\d\s().-]*$/
const digits = (text: string): number => text.replaceAll(/\D/g, '').length

/** Of JSON. */
export function masked(value: unknown): unknown {
  if (typeof value === 'string') return looksLikeNumber.test(value) && digits(value) > 6 ? maskNumber(value) : value
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (personal.has(name) ? [] : [[name, masked(member)]])))
}

const seeing: readonly Role[] = ['desk', 'manager']

/** Whether patients are to be masked for the reader: a person who is a technician alone. */
export function seesMasked(token: Principal | null): boolean {
  return token?.person !== undefined && !token.person.roles.some((role) => seeing.includes(role))
}

/** The same body, or what a technician sees of it. */
export function shownTo<T>(token: Principal | null, body: T): T {
  return seesMasked(token) ? (masked(body) as T) : body
}

/** The record of a call as the reader sees it: recordings, and their words, are for managers and programs. */
export function callShownTo<T extends { readonly recordings: readonly string[] }>(token: Principal | null, record: T): T {
  if (token?.person === undefined || token.person.roles.includes('manager')) return record
  const { recording: _, ...rest } = record as T & { readonly recording?: unknown }
  return shownTo(token, { ...rest, recordings: [] }) as unknown as T
}

/** Whether the reader may hear what is in the mailbox: managers and programs all, the desk its own, a technician none. */
export function hearsMailbox(token: Principal | null, ext: string): boolean {
  const person = token?.person
  if (person === undefined) return token?.reach == null || token.reach.mailboxes.includes(ext)
  return person.roles.includes('manager') || (person.roles.includes('desk') && person.mailboxes.includes(ext))
}

/** Whether a person may change what belongs to an extension: the own one, and a manager's of all. Throws ApiError `role_denied`. */
export function mustOwnExtension(token: Principal | null, extension: string, alsoRole?: Role): void {
  const person = token?.person
  if (person === undefined || person.roles.includes('manager') || person.extension === extension) return
  if (alsoRole !== undefined && person.roles.includes(alsoRole)) return
  throw new ApiError('role_denied', 'Only the own extension is open to this role.')
}
