/** The network's side of 3GPP TS 23.040: reads SMS-SUBMIT, writes SMS-DELIVER and SMS-STATUS-REPORT. Owes nothing to the driver's codec. */
import { isGsm, pack, septetsOf, textOf, unpack } from './alphabet.ts'

export interface SimPart {
  readonly reference: number
  readonly total: number
  readonly index: number
  /** A reference of 8 bits, with fill bits behind its header. */
  readonly narrow?: boolean
}

export interface Submitted {
  readonly to: string
  readonly text: string
  readonly encoding: 'GSM-7' | 'UCS-2'
  readonly part: SimPart | null
  readonly wantsReport: boolean
  readonly validitySeconds: number | null
}

export interface Delivered {
  /** +digits, digits, or a name. */
  readonly from: string
  readonly text: string
  /** By default GSM-7 where the text fits it. */
  readonly encoding?: 'GSM-7' | 'UCS-2'
  readonly at: number
  readonly part?: SimPart
}

const centre = '07911326040000F0'
const hexOf = (octets: readonly number[]): string => octets.map((octet) => octet.toString(16).toUpperCase().padStart(2, '0')).join('')
const swapped = (number: number): number => ((number % 10) << 4) | Math.floor(number / 10)

/** Null where it is no proper SUBMIT of `length` octets. */
export function readSubmit(hex: string, length: number): Submitted | null {
  if (!/^([0-9A-F]{2})+$/i.test(hex)) return null
  const octets = [...Buffer.from(hex, 'hex')]
  octets.splice(0, 1 + octets[0]!)
  if (octets.length !== length || length < 8) return null
  const first = octets.shift()!
  octets.shift()
  if ((first & 3) !== 1) return null
  const digits = octets.shift()!
  const type = octets.shift()!
  const number = octets
    .splice(0, Math.ceil(digits / 2))
    .flatMap((octet) => ['0123456789*#abc'[octet & 15] ?? '', '0123456789*#abc'[octet >> 4] ?? ''])
  const to = ((type & 0x70) === 0x10 ? '+' : '') + number.join('')
  const [protocol, coding] = octets.splice(0, 2)
  const format = (first >> 3) & 3
  if (protocol !== 0 || (coding !== 0 && coding !== 8) || format === 1 || format === 3) return null
  const validitySeconds = format === 2 ? relative(octets.shift() ?? 0) : null
  const size = octets.shift() ?? -1
  const wide = coding === 8
  if (octets.length !== (wide ? size : Math.ceil((size * 7) / 8)) || octets.length > 140) return null
  const header = (first & 0x40) === 0 ? [] : octets.slice(0, 1 + octets[0]!)
  const fill = wide ? 0 : (7 - ((header.length * 8) % 7)) % 7
  const body = octets.slice(header.length)
  const text = wide ? Buffer.from(body).swap16().toString('utf16le') : textOf(unpack(body, size - Math.ceil((header.length * 8) / 7), fill))
  return { to, text, encoding: wide ? 'UCS-2' : 'GSM-7', part: partOf(header), wantsReport: (first & 0x20) !== 0, validitySeconds }
}

/** 9.2.3.12.1 */
function relative(value: number): number {
  if (value <= 143) return (value + 1) * 300
  if (value <= 167) return 43_200 + (value - 143) * 1800
  return value <= 196 ? (value - 166) * 86_400 : (value - 192) * 604_800
}

function partOf(header: readonly number[]): SimPart | null {
  if (header[1] === 8) return { reference: header[3]! * 256 + header[4]!, total: header[5]!, index: header[6]! }
  return header[1] === 0 ? { reference: header[3]!, total: header[4]!, index: header[5]!, narrow: true } : null
}

function address(number: string): number[] {
  if (!/^\+?[0-9*#]+$/.test(number)) {
    const septets = septetsOf(number)
    return [Math.ceil((septets.length * 7) / 4), 0xd0, ...pack(septets)]
  }
  const digits = number.replace('+', '')
  const nibbles = [...digits].map((digit) => '0123456789*#'.indexOf(digit))
  const octets = Array.from({ length: Math.ceil(digits.length / 2) }, (_, i) => nibbles[2 * i]! | ((nibbles[2 * i + 1] ?? 15) << 4))
  return [digits.length, number.startsWith('+') ? 0x91 : 0x81, ...octets]
}

/** In the zone two hours east of Greenwich. */
function timestamp(at: number): number[] {
  const local = new Date(at + 7_200_000)
  const parts = [
    local.getUTCFullYear() % 100,
    local.getUTCMonth() + 1,
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
    local.getUTCSeconds(),
  ]
  return [...parts, 8].map(swapped)
}

export function writeDeliver({ from, text, encoding = isGsm(text) ? 'GSM-7' : 'UCS-2', at, part }: Delivered): string {
  const wide = encoding === 'UCS-2'
  let header: number[] = []
  if (part !== undefined)
    header =
      part.narrow === true
        ? [5, 0, 3, part.reference & 255, part.total, part.index]
        : [6, 8, 4, part.reference >> 8, part.reference & 255, part.total, part.index]
  const septets = septetsOf(text)
  const fill = (7 - ((header.length * 8) % 7)) % 7
  const body = wide ? [...Buffer.from(text, 'utf16le').swap16()] : pack(septets, fill)
  const size = wide ? header.length + body.length : Math.ceil((header.length * 8) / 7) + septets.length
  return centre + hexOf([part === undefined ? 0x04 : 0x44, ...address(from), 0, wide ? 8 : 0, ...timestamp(at), size, ...header, ...body])
}

export function writeReport(reference: number, to: string, sentAt: number, at: number, status: number): string {
  return centre + hexOf([0x06, reference, ...address(to), ...timestamp(sentAt), ...timestamp(at), status])
}

/** Octets without the service centre's address, as modems count. */
export function pduLength(hex: string): number {
  return hex.length / 2 - 1 - Number.parseInt(hex.slice(0, 2), 16)
}
