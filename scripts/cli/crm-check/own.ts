/** What a trial of a CRM has of its own, so that nothing of anybody is touched. */
import { randomBytes } from 'node:crypto'

/** Of those that are given to nobody: 555-01xx. */
export const ownNumber = '+12025550147'
export const mark = 'Written by a test (pbx crm check); you can delete it.'
export const ownRef = 'pbx-crm-check'
export const unknownCustomer = `pbx-check-${randomBytes(6).toString('hex')}`

/** As those of the box: a time of long ago in front. */
export function ownCallId(): string {
  return `CA00000000000070008000${randomBytes(6).toString('hex')}`
}

/** Seconds, as the contract writes times. */
export function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
