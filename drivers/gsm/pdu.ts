/**
 * Texts to the network and status reports from it, by node-pdu; texts from the network in deliver.ts. The only file that
 * knows node-pdu. Of its SUBMIT only the framing is used: it splits, numbers and chooses alphabets wrongly (accents become
 * UCS-2, a pair of surrogates is cut, `00` inside a number loses digits, a section sign becomes a space), and forgets the
 * format of the validity period the first time a PDU is written; so septets, parts, types and formats are made here.
 */
import { parse, Report, Submit, utils } from 'node-pdu'
import type { SmsEncoding, SmsReport } from '../sms.ts'
import { encodeGsm } from '../gsm-alphabet.ts'
import { messageType, PduError, readDeliver, readHex, type Deliver, packSeptets } from './deliver.ts'

export { PduError }

export interface SubmitOptions {
  /** E.164 with +, or a short code. */
  readonly to: string
  readonly text: string
  readonly encoding: SmsEncoding
  /** Absent for a text in one part. */
  readonly part?: { readonly reference: number; readonly total: number; readonly index: number }
  readonly validitySeconds: number
  readonly report: boolean
}

export interface EncodedSubmit {
  readonly hex: string
  /** Octets without the service centre's address: the argument of AT+CMGS. */
  readonly length: number
}

/** SMS-SUBMIT, the service centre left to the SIM. The text must fit: see the parts of OutboundText. */
export function encodeSubmit(options: SubmitOptions): EncodedSubmit {
  const { to, text, encoding, part, validitySeconds, report } = options
  const { DCS, Data, Header, Helper, Part, PDUType, SCA, SCAType, SubmitType, VP } = utils
  const address = new SCA(true, { type: new SCAType(to.startsWith('+') ? 0x91 : 0x81) })
  address.setPhone(to.replaceAll(/[^0-9*#]/g, ''), false)
  const wide = encoding === 'UCS-2'
  const encoded = wide ? Helper.encode16Bit(text) : encode7Bit(text, part === undefined ? 0 : headerFillBits)
  // Of the reference 8 bits are sent: with 16, parts of 153 and 67 characters would not fit.
  const header =
    part === undefined
      ? undefined
      : new Header([{ type: Header.IE_CONCAT_8BIT_REF, dataHex: hexOf([part.reference & 255, part.total, part.index]) }])
  const size = encoded.length + (header === undefined ? 0 : wide ? headerOctets : headerSeptets)
  if (size > (wide ? 140 : 160)) throw new PduError('The part is too long')
  const hex = new Submit(address, new Data({ data: text, size, parts: [new Part(encoded.result, size, text, header)], isUnicode: wide }), {
    type: new SubmitType({
      userDataHeader: header === undefined ? 0 : 1,
      statusReportRequest: report ? 1 : 0,
      validityPeriodFormat: PDUType.VPF_RELATIVE,
    }),
    dataCodingScheme: new DCS({ textAlphabet: wide ? DCS.ALPHABET_UCS2 : DCS.ALPHABET_DEFAULT }),
    validityPeriod: new VP({ interval: Math.max(300, Math.floor(validitySeconds)) }),
  }).toString()
  return { hex, length: hex.length / 2 - 1 }
}

const headerOctets = 6
const headerSeptets = 7
const headerFillBits = headerSeptets * 7 - headerOctets * 8
const hexOf = (octets: Iterable<number>): string =>
  Buffer.from([...octets])
    .toString('hex')
    .toUpperCase()

function encode7Bit(text: string, fillBits: number): { readonly length: number; readonly result: string } {
  const septets = encodeGsm(text)
  return { length: septets.length, result: hexOf(packSeptets(septets, fillBits)) }
}

export interface StatusReport {
  readonly kind: 'report'
  readonly report: SmsReport
  /** When the network took the text, milliseconds since the epoch. */
  readonly takenAt: number | null
}

/** What a modem hands over (AT+CMGL, +CMT, +CDS): hexadecimal, the service centre's address in front. Throws PduError. */
export function decodePdu(hex: string, now: number): Deliver | StatusReport {
  const bytes = readHex(hex)
  const type = messageType(bytes)
  if (type === 0) return readDeliver(bytes)
  if (type !== 2) throw new PduError('The PDU is neither a text nor a report')
  const read = readReport(hex.trim())
  const number = read.address.phone ?? ''
  const to = read.address.type.type === utils.SCAType.TYPE_INTERNATIONAL ? `+${number}` : number
  const time = ({ time }: { readonly time: number }): number | null => (Number.isFinite(time) ? time * 1000 : null)
  const at = time(read.discharge) ?? now
  return {
    kind: 'report',
    report: { reference: String(read.reference), to, ...reportState(read.status), at },
    takenAt: time(read.dateTime),
  }
}

function readReport(hex: string): Report {
  let read
  try {
    read = parse(hex)
  } catch (error) {
    throw new PduError(error instanceof Error ? error.message : String(error))
  }
  if (!(read instanceof Report) || !Number.isInteger(read.status)) throw new PduError('The status report is too short')
  return read
}

const causes: Readonly<Record<number, string>> = {
  0x40: 'The remote procedure failed',
  0x41: 'The destination is incompatible',
  0x42: 'The recipient rejected the connection',
  0x43: 'The recipient cannot be reached',
  0x44: 'The quality of service is not available',
  0x45: 'There is no such recipient, or the network has no interworking',
  0x47: 'The text was deleted by its sender',
  0x48: 'The text was deleted by the service centre',
  0x49: 'The text does not exist at the service centre',
}

/** TP-Status (23.040 9.2.3.15). */
function reportState(status: number): { readonly state: SmsReport['state']; readonly text: string } {
  if (status === 0x00 || status === 0x02) return { state: 'delivered', text: '' }
  if (status === 0x01) return { state: 'buffered', text: 'The network passed the text on, but cannot confirm that it arrived' }
  if (status >= 0x20 && status < 0x40) return { state: 'buffered', text: 'The recipient cannot be reached now; the network keeps trying' }
  if (status === 0x46) return { state: 'expired', text: 'The network gave up: the text reached the end of its validity' }
  if (status >= 0x60 && status < 0x80) return { state: 'failed', text: `The network gave up trying (status ${status})` }
  return { state: 'failed', text: causes[status] ?? `The network could not deliver the text (status ${status})` }
}
