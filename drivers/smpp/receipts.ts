/**
 * Delivery receipts (SMPP 3.4, 5.2.12 and appendix B): as TLVs, or as a text. What the service marks as a receipt is one; a text that it does not
 * mark is one where it reads so and names a text that this box has sent.
 */
import type { SmsReport } from '../sms.ts'
import { numberOf, headedContentOf } from './addresses.ts'
import { decodeText } from './alphabet.ts'
import type { Pdu } from './codec.ts'
import { readReceiptText, type ReceiptText } from './receipt-text.ts'

type State = SmsReport['state']

/** By message_state (5.2.28). UNKNOWN is no verdict: what becomes of the text may be reported later. */
const states: Readonly<Record<number, readonly [state: State, text: string]>> = {
  1: ['buffered', 'the network is still trying'],
  2: ['delivered', ''],
  3: ['expired', 'the network gave up: the phone could not be reached in time'],
  4: ['failed', 'the network deleted the message'],
  5: ['failed', 'the network could not deliver the message'],
  6: ['buffered', 'the network has the message'],
  7: ['buffered', 'the network does not know what became of the message'],
  8: ['failed', 'the network rejected the message'],
}

const messageType = 0x3c
const receiptTypes: readonly number[] = [0x04, 0x20]

export interface Receipt {
  /** The service says that it is one; otherwise it is one where the box knows an id of it. */
  readonly marked: boolean
  /** As the service writes them, the likeliest first; none where it names no text. */
  readonly ids: readonly string[]
  /** Without its `reference`; null where it says no state. */
  readonly report: Omit<SmsReport, 'reference'> | null
}

/** Null for a text. */
export function readReceipt(pdu: Pdu, now: number): Receipt | null {
  const tlv = Buffer.isBuffer(pdu.receipted_message_id) ? pdu.receipted_message_id.toString('latin1').replace(/\0.*$/s, '').trim() : ''
  const marked = receiptTypes.includes(Number(pdu.esm_class ?? 0) & messageType) || Buffer.isBuffer(pdu.receipted_message_id)
  const text = textOf(pdu)
  if (!marked && (text === null || text.id === '' || text.state === undefined)) return null
  const row = states[Number(pdu.message_state ?? 0)] ?? states[text?.state ?? 0]
  return {
    marked,
    ids: [tlv, text?.id ?? ''].filter((id, at, ids) => id !== '' && ids.indexOf(id) === at),
    report: row === undefined ? null : reportOf(pdu, row, text?.error ?? '', now),
  }
}

function reportOf(pdu: Pdu, [state, text]: readonly [State, string], error: string, at: number): Omit<SmsReport, 'reference'> {
  const code = networkError(pdu.network_error_code) ?? error
  return {
    to: numberOf(pdu.source_addr_ton, pdu.source_addr),
    state,
    text: state === 'delivered' || code === '' ? text : `${text} (error ${code})`,
    at,
  }
}

/** Of the readings of its bytes the one that says most: data_coding is what a service gets wrong first. */
function textOf(pdu: Pdu): ReceiptText | null {
  const { bytes } = headedContentOf(pdu)
  if (bytes.length === 0) return null
  const readings = [Number(pdu.data_coding ?? 0), 3, 8].map((coding) => readReceiptText(decodeText(bytes, coding).body))
  const whole = readings.find((one) => one !== null && one.id !== '' && one.state !== undefined)
  return whole ?? readings.find((one) => one !== null) ?? null
}

/** network_error_code (5.3.2.31): a byte for the kind of network, two for the code. */
function networkError(value: unknown): string | undefined {
  return Buffer.isBuffer(value) && value.length === 3 && value.readUInt16BE(1) !== 0 ? String(value.readUInt16BE(1)) : undefined
}
