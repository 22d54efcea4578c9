/**
 * The PDU codec: the only user of the package `smpp`, of which no session is used, for that one neither limits what is
 * unanswered nor notices a dead link. Bytes of messages pass untouched: the package's conversion of texts takes
 * unknown alphabets for known ones.
 */
import { createRequire } from 'node:module'

/** Fields of SMPP 3.4 clause 4 and 5 by their name there; TLVs of unknown tag by number. */
export interface Pdu {
  readonly command: string
  readonly command_id: number
  readonly command_status: number
  readonly sequence_number: number
  readonly [field: string]: unknown
}

type Fields = Readonly<Record<string, string | number | Buffer>>

interface Package {
  PDU: {
    new (command: string | Buffer, fields?: Fields): Pdu & { toBuffer(): Buffer }
    maxLength: number
  }
  types: { tlv: { buffer: object } }
  commands: Record<string, { params?: Record<string, { type: { size(value: unknown): number } }> }>
  addTLV(name: string, definition: object): void
}

const smpp = createRequire(import.meta.url)('smpp') as Package

/** Longest PDU that is taken: a message_payload may have 64 KiB (5.3.2.32). */
export const largestPdu = 70_000
export const headLength = 16

smpp.PDU.maxLength = largestPdu
// Its own definition reads on until a zero byte, past the end of the value where a service leaves that byte out.
smpp.addTLV('receipted_message_id', { id: 0x001e, type: smpp.types.tlv.buffer })

class RawPdu extends smpp.PDU {
  /** What the package calls to convert texts and times. */
  _filter(): void {}
}

export function encode(command: string, sequence: number, fields: Fields = {}, status = 0): Buffer {
  return new RawPdu(command, { ...fields, sequence_number: sequence, command_status: status }).toBuffer()
}

/**
 * @param frame one whole PDU
 * @throws Error where the body is not what the command says
 */
export function decode(frame: Buffer): Pdu {
  const pdu = new RawPdu(frame)
  if (messages.includes(pdu.command)) checkBody(pdu, frame)
  return pdu
}

/** What carries texts; answers may be shorter than the standard says, and often are. */
const messages: readonly string[] = ['deliver_sm', 'data_sm']

/** The package takes a body that is too short for its fields, and would hand on half a text. */
function checkBody(pdu: Pdu, frame: Buffer): void {
  let at = headLength
  for (const [name, { type }] of Object.entries(smpp.commands[pdu.command]?.params ?? {})) {
    const value = pdu[name]
    if (value === undefined || (Buffer.isBuffer(value) && frame[at] !== value.length)) throw new Error(`${name} is not whole`)
    at += type.size(value)
  }
  while (at + 4 <= frame.length) at += 4 + frame.readUInt16BE(at + 2)
  if (at > frame.length) throw new Error('the body is cut off')
}

/** The head alone, for a PDU whose body cannot be read. */
export function head(frame: Buffer): { id: number; sequence: number } {
  return { id: frame.readUInt32BE(4), sequence: frame.readUInt32BE(12) }
}

export const isResponse = (id: number): boolean => id >= 0x80000000
