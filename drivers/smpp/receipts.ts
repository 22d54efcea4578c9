/**
 * Delivery receipts (SMPP 3.4, 5.2.12 and appendix B): as TLVs, or as a text that the standard only gives an example of.
 * Many services write the message's id in the receipt otherwise than in the answer to submit_sm, decimal here and
 * hexadecimal there; which way is learned from the ids that the trunk was given.
 */
import type { SmsReport } from '../sms.ts'
import { numberOf } from './addresses.ts'
import { decodeText } from './alphabet.ts'
import type { Pdu } from './codec.ts'

/** How a receipt writes the id that the answer gave. */
export type ReceiptIds = 'auto' | 'same' | 'decimal' | 'hexadecimal'

type State = SmsReport['state']

/** By message_state (5.2.28). */
const states: Readonly<Record<number, readonly [word: string, state: State, text: string]>> = {
  1: ['ENROUTE', 'buffered', 'the network is still trying'],
  2: ['DELIVRD', 'delivered', ''],
  3: ['EXPIRED', 'expired', 'the network gave up: the phone could not be reached in time'],
  4: ['DELETED', 'failed', 'the network deleted the message'],
  5: ['UNDELIV', 'failed', 'the network could not deliver the message'],
  6: ['ACCEPTD', 'buffered', 'the network has the message'],
  7: ['UNKNOWN', 'failed', 'the network does not know what became of the message'],
  8: ['REJECTD', 'failed', 'the network rejected the message'],
}

const messageType = 0x3c
const receiptTypes: readonly number[] = [0x04, 0x20]

export function isReceipt(pdu: Pdu): boolean {
  return receiptTypes.includes(Number(pdu.esm_class ?? 0) & messageType) || Buffer.isBuffer(pdu.receipted_message_id)
}

/** Null where it names no message or no state. */
export function readReceipt(pdu: Pdu, now: number): SmsReport | null {
  const bytes = contentOf(pdu)
  const { body } = decodeText(bytes, Number(pdu.data_coding ?? 0) === 8 ? 8 : 3)
  const field = (name: string): string | undefined => new RegExp(`\\b${name}:\\s*(\\S+)`, 'i').exec(body)?.[1]
  const tlv = Buffer.isBuffer(pdu.receipted_message_id) ? pdu.receipted_message_id.toString('latin1').replace(/\0.*$/s, '') : ''
  const reference = tlv === '' ? (field('id') ?? '') : tlv
  const word = field('stat')?.toUpperCase().slice(0, 7)
  const row = states[Number(pdu.message_state ?? 0)] ?? Object.values(states).find(([name]) => name === word)
  if (reference === '' || row === undefined) return null
  const [, state, text] = row
  const code = networkError(pdu.network_error_code) ?? errorOf(field('err'))
  return {
    reference,
    to: numberOf(pdu.source_addr_ton, pdu.source_addr),
    state,
    text: state === 'delivered' || code === undefined ? text : `${text} (error ${code})`,
    at: now,
  }
}

/** The text of a message, wherever it is. */
export function contentOf(pdu: Pdu): Buffer {
  const { short_message: short, message_payload: payload } = pdu
  if (Buffer.isBuffer(short) && short.length > 0) return short
  return Buffer.isBuffer(payload) ? payload : Buffer.alloc(0)
}

const errorOf = (text: string | undefined): string | undefined => (text === undefined || /^0*$/.test(text) ? undefined : text)

/** network_error_code (5.3.2.31): a byte for the kind of network, two for the code. */
function networkError(value: unknown): string | undefined {
  return Buffer.isBuffer(value) && value.length === 3 && value.readUInt16BE(1) !== 0 ? String(value.readUInt16BE(1)) : undefined
}

const toDecimal = (id: string): string | null => (/^[0-9a-f]{1,32}$/i.test(id) ? BigInt(`0x${id}`).toString(10) : null)
const toHexadecimal = (id: string): string | null => (/^\d{1,39}$/.test(id) ? BigInt(id).toString(16) : null)
/** Letter case and leading zeros differ too. */
const plain = (id: string): string => id.toLowerCase().replace(/^0+(?=.)/, '')

/** Ids that are remembered to compare with. */
const mostIds = 10_000

type Form = Exclude<ReceiptIds, 'auto'>

/** Finds the id as the answer to submit_sm wrote it. */
export class ReceiptIdBook {
  readonly #given = new Map<string, string>()
  readonly #forms: readonly Form[]
  /** The form that has been right so far. */
  #usual: Form

  constructor(form: ReceiptIds) {
    this.#forms = form === 'auto' ? ['same', 'decimal', 'hexadecimal'] : [form]
    this.#usual = form === 'auto' ? 'same' : form
  }

  remember(id: string): void {
    if (this.#given.size >= mostIds) this.#given.delete(this.#given.keys().next().value!)
    this.#given.set(plain(id), id)
  }

  knows(receipt: string): boolean {
    return this.#matches(receipt).length > 0
  }

  /** As the answer wrote it where that is known; otherwise, for a text of before the last start, in the usual form. */
  find(receipt: string): string {
    const found = this.#matches(receipt)
    const match = found.find(({ form }) => form === this.#usual) ?? found[0]
    if (match === undefined) return inForm(receipt, this.#usual) ?? receipt
    // Two forms that both lead to a text teach nothing.
    if (found.length === 1) this.#usual = match.form
    return match.given
  }

  #matches(receipt: string): { form: Form; given: string }[] {
    return this.#forms.flatMap((form) => {
      const id = inForm(receipt, form)
      const given = id === null ? undefined : this.#given.get(plain(id))
      return given === undefined ? [] : [{ form, given }]
    })
  }
}

/** The id of the answer, were the receipt's written in this form; null where it cannot be. */
function inForm(receipt: string, form: Form): string | null {
  if (form === 'decimal') return toHexadecimal(receipt)
  return form === 'hexadecimal' ? toDecimal(receipt) : receipt
}
