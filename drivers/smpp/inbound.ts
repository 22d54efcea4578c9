/** A deliver_sm or data_sm that carries a text (SMPP 3.4, 4.6.1 and 4.7.1), or one part of a text. */
import type { InboundText } from '../sms.ts'
import { numberOf } from './addresses.ts'
import { decodeText } from './alphabet.ts'
import type { Pdu } from './codec.ts'
import { contentOf } from './receipts.ts'

const withHeader = 0x40

type Part = NonNullable<InboundText['part']>

/** @param own number of the trunk, for a service that does not name the recipient */
export function readText(pdu: Pdu, own: string): InboundText {
  const content = contentOf(pdu)
  const headed = (Number(pdu.esm_class ?? 0) & withHeader) !== 0 && content.length > 0
  const headerEnd = headed ? Math.min(content.length, content[0]! + 1) : 0
  const { body, encoding } = decodeText(content.subarray(headerEnd), Number(pdu.data_coding ?? 0))
  const part = (headed ? partOfHeader(content.subarray(1, headerEnd)) : null) ?? partOfTlvs(pdu)
  return {
    from: numberOf(pdu.source_addr_ton, pdu.source_addr),
    to: recipient(pdu, own),
    body,
    encoding,
    sentAt: null,
    providerId: '',
    ...(part === null ? {} : { part }),
  }
}

function recipient(pdu: Pdu, own: string): string {
  const to = numberOf(pdu.dest_addr_ton, pdu.destination_addr)
  const digits = (number: string): string => number.replaceAll(/\D/g, '')
  return to === '' || (digits(to) !== '' && digits(to) === digits(own)) ? own : to
}

/** Elements 00 and 08 of a user data header (3GPP TS 23.040, 9.2.3.24): the reference has 8 or 16 bits. */
function partOfHeader(header: Buffer): Part | null {
  for (let at = 0; at + 2 <= header.length; at += 2 + header[at + 1]!) {
    const value = header.subarray(at + 2, at + 2 + header[at + 1]!)
    if (header[at] === 0x00 && value.length === 3) return part(value[0]!, value[1]!, value[2]!)
    if (header[at] === 0x08 && value.length === 4) return part(value.readUInt16BE(0), value[2]!, value[3]!)
  }
  return null
}

function partOfTlvs(pdu: Pdu): Part | null {
  const { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: index } = pdu
  if (typeof reference !== 'number' || typeof total !== 'number' || typeof index !== 'number') return null
  return part(reference, total, index)
}

/** What cannot be a part is a text of its own. */
function part(reference: number, total: number, index: number): Part | null {
  return total > 1 && index >= 1 && index <= total ? { reference, total, index } : null
}
