/** One part of a text as a submit_sm (SMPP 3.4, 4.4.1). */
import type { OutboundText } from '../sms.ts'
import { addressOf } from './addresses.ts'
import { dataCodings, encodeText, type DefaultAlphabet } from './alphabet.ts'

/** At most so many at once; the others wait in order. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** False where the signal came first. */
  take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const mine = (): void => {
        signal.removeEventListener('abort', gone)
        resolve(true)
      }
      const gone = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(mine), 1)
        resolve(false)
      }
      signal.addEventListener('abort', gone, { once: true })
      this.#waiting.push(mine)
    })
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

const withHeader = 0x40
const finalReceipt = 1

/** @param index of the part, from 0 */
export function submission(
  text: OutboundText,
  index: number,
  { receipts, alphabet = 'gsm' }: { readonly receipts: boolean; readonly alphabet?: DefaultAlphabet },
): Record<string, string | number | Buffer> {
  const source = addressOf(text.from)
  const destination = addressOf(text.to)
  const content = encodeText(text.segments[index]!, text.encoding, alphabet)
  const inParts = text.segments.length > 1
  return {
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: source.address,
    dest_addr_ton: destination.ton,
    dest_addr_npi: destination.npi,
    destination_addr: destination.address,
    esm_class: inParts ? withHeader : 0,
    validity_period: relativeTime(text.validitySeconds),
    registered_delivery: receipts ? finalReceipt : 0,
    data_coding: dataCodings[text.encoding],
    short_message: inParts ? Buffer.concat([partHeader(text, index), content]) : content,
  }
}

/**
 * The user data header of a part (3GPP TS 23.040, 9.2.3.24.1). Its reference has 8 bits: 16 would take one more byte,
 * which parts of 153 and 67 characters do not leave.
 */
function partHeader(text: OutboundText, index: number): Buffer {
  return Buffer.from([5, 0, 3, text.reference & 0xff, text.segments.length, index + 1])
}

/** YYMMDDhhmmss000R (7.1.1.2); a month at most. */
function relativeTime(seconds: number): string {
  const whole = Math.max(1, Math.min(Math.round(seconds), 30 * 86_400))
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `0000${two(whole / 86_400)}${two((whole / 3600) % 24)}${two((whole / 60) % 60)}${two(whole % 60)}000R`
}
