/** The content of a deliver_sm or data_sm: where it is, and the user data header in front of it. */
import { readUserDataHeader, type UserDataHeader } from '../user-data-header.ts'
import type { Pdu } from './codec.ts'

const withHeader = 0x40

/** The text of a message, wherever it is. */
export function contentOf(pdu: Pdu): Buffer {
  const { short_message: short, message_payload: payload } = pdu
  if (Buffer.isBuffer(short) && short.length > 0) return short
  return Buffer.isBuffer(payload) ? payload : Buffer.alloc(0)
}

export interface Content {
  readonly header: UserDataHeader
  readonly bytes: Buffer
}

export function headedContentOf(pdu: Pdu): Content {
  const content = contentOf(pdu)
  const headed = (Number(pdu.esm_class ?? 0) & withHeader) !== 0 && content.length > 0
  const end = headed ? Math.min(content.length, content[0]! + 1) : 0
  return { header: readUserDataHeader(content.subarray(1, Math.max(1, end))), bytes: content.subarray(end) }
}
