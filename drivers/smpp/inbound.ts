/** A deliver_sm or data_sm that carries a text (SMPP 3.4, 4.6.1 and 4.7.1), or one part of a text. */
import type { InboundText } from '../sms.ts'
import { readCoded } from '../sms-content.ts'
import { partOf, waitingBesides, waitingByCoding, type Waiting } from '../user-data-header.ts'
import { numberOf, headedContentOf } from './addresses.ts'
import { alphabetOf, type DefaultAlphabet } from './alphabet.ts'
import type { Pdu } from './codec.ts'

/** @param own number of the trunk, for a service that does not name the recipient */
export function readText(pdu: Pdu, own: string, byDefault: DefaultAlphabet): InboundText {
  const { header, bytes } = headedContentOf(pdu)
  const coded = { alphabet: alphabetIn(pdu, byDefault, header), bytes }
  const sender = numberOf(pdu.source_addr_ton, pdu.source_addr)
  const { body, encoding, from = sender } = readCoded(coded, sender)
  const part = header.part ?? partOfTlvs(pdu)
  return {
    from: part === null ? from : sender,
    to: recipient(pdu, own),
    body,
    encoding,
    sentAt: null,
    providerId: '',
    ...(part === null ? {} : { part, coded }),
    ...waitingBesides(body, header.waiting ?? waitingByTlvs(pdu) ?? waitingByCoding(Number(pdu.data_coding ?? 0))),
  }
}

/** A port addresses a program; a text that a person can read is read all the same. */
function alphabetIn(pdu: Pdu, byDefault: DefaultAlphabet, { port, languages }: ReturnType<typeof headedContentOf>['header']): string {
  const alphabet = alphabetOf(Number(pdu.data_coding ?? 0), byDefault, languages)
  const addressed = port ?? (typeof pdu.dest_port === 'number' ? pdu.dest_port : 0)
  return addressed !== 0 && alphabet === 'binary' ? `port ${addressed}` : alphabet
}

function recipient(pdu: Pdu, own: string): string {
  const to = numberOf(pdu.dest_addr_ton, pdu.destination_addr)
  const digits = (number: string): string => number.replaceAll(/\D/g, '')
  return to === '' || (digits(to) !== '' && digits(to) === digits(own)) ? own : to
}

function waitingByTlvs(pdu: Pdu): Waiting | null {
  const { ms_msg_wait_facilities: facilities, number_of_messages: count } = pdu
  if (typeof facilities !== 'number') return null
  return { kind: facilities & 3, count: (facilities & 0x80) === 0 ? 0 : typeof count === 'number' ? count : null }
}

function partOfTlvs(pdu: Pdu): NonNullable<InboundText['part']> | null {
  const { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: index } = pdu
  if (typeof reference !== 'number' || typeof total !== 'number' || typeof index !== 'number') return null
  return partOf(reference, total, index)
}
