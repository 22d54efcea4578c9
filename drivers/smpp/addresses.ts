/** Numbers and names as SMPP addresses: type of number and numbering plan (SMPP 3.4, 5.2.5 and 5.2.6). */

export interface SmppAddress {
  readonly ton: number
  readonly npi: number
  readonly address: string
}

const international = 1
const networkSpecific = 3
const alphanumeric = 5
const isdn = 1
const longestShortCode = 8

/** '' asks the service for the account's own sender. */
export function addressOf(text: string): SmppAddress {
  const digits = text.replaceAll(/[\s()./-]/g, '')
  if (/^\+\d+$/.test(digits)) return { ton: international, npi: isdn, address: digits.slice(1) }
  if (digits === '') return { ton: 0, npi: 0, address: '' }
  if (!/^\d+$/.test(digits)) return { ton: alphanumeric, npi: 0, address: text.slice(0, 11) }
  return digits.length <= longestShortCode ? { ton: networkSpecific, npi: 0, address: digits } : { ton: 0, npi: isdn, address: digits }
}

/** With + where the service says that it is an international number. */
export function numberOf(ton: unknown, address: unknown): string {
  const text = typeof address === 'string' ? address : ''
  return ton === international && /^\d+$/.test(text) ? `+${text}` : text
}
