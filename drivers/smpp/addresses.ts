import { readUserDataHeader, type UserDataHeader } from '../user-data-header.ts'
import type { Pdu } from './codec.ts'

/** The content of a deliver_sm or data_sm: where it is, and the user data header in front of it. */
const withHeader = 0x40

/** The text of a message, wherever it is. */
export function contentOf(pdu: Pdu): Buffer {
  const { short_message: short, message_payload: payload } = pdu
  if (Buffer.isBuffer(short) && short.length > 0) return short
  return Buffer.isBuffer(payload) ? payload : Buffer.alloc(0)
}

interface Content {
  readonly header: UserDataHeader
  readonly bytes: Buffer
}

export function headedContentOf(pdu: Pdu): Content {
  const content = contentOf(pdu)
  const headed = (Number(pdu.esm_class ?? 0) & withHeader) !== 0 && content.length > 0
  const end = headed ? Math.min(content.length, content[0]! + 1) : 0
  return { header: readUserDataHeader(content.subarray(1, Math.max(1, end))), bytes: content.subarray(end) }
}

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
