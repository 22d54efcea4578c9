/** SRTP with AES_CM_128_HMAC_SHA1_80 (RFC 3711) by hand: what a far end does with the key that it named in its description. */
import { createCipheriv, createHmac } from 'node:crypto'

const tagLength = 10

function stream(key: Buffer, counter: Buffer, length: number): Buffer {
  return createCipheriv('aes-128-ctr', key, counter).update(Buffer.alloc(length))
}

export class Srtp {
  readonly #key: Buffer
  readonly #salt: Buffer
  readonly #authentication: Buffer
  /** What stands before the tag of each packet: the name of the key (section 3.1). */
  readonly #name: Buffer

  /** `inline`: master key and salt, 30 bytes, in base64 (RFC 4568 section 6.1). */
  constructor(inline: string, name: Buffer = Buffer.alloc(0)) {
    const whole = Buffer.from(inline, 'base64')
    const derived = (label: number, length: number): Buffer => {
      const counter = Buffer.concat([whole.subarray(16, 30), Buffer.alloc(2)])
      counter[7]! ^= label
      return stream(whole.subarray(0, 16), counter, length)
    }
    this.#key = derived(0, 16)
    this.#authentication = derived(1, 20)
    this.#salt = derived(2, 14)
    this.#name = name
  }

  #tag(packet: Buffer): Buffer {
    return createHmac('sha1', this.#authentication).update(packet).update(Buffer.alloc(4)).digest().subarray(0, tagLength)
  }

  /** Of a packet with a header of 12 bytes, before its sequence number has come around. */
  protect(packet: Buffer): Buffer {
    const counter = Buffer.concat([this.#salt, Buffer.alloc(2)])
    for (let n = 0; n < 4; n++) counter[4 + n]! ^= packet[8 + n]!
    for (let n = 0; n < 2; n++) counter[12 + n]! ^= packet[2 + n]!
    const enciphered = Buffer.from(packet)
    stream(this.#key, counter, packet.length - 12).forEach((byte, n) => (enciphered[12 + n]! ^= byte))
    return Buffer.concat([enciphered, this.#name, this.#tag(enciphered)])
  }

  /** Whether the packet is of who has this key. */
  proves(packet: Buffer): boolean {
    return packet.length > 12 + tagLength && this.#tag(packet.subarray(0, -tagLength)).equals(packet.subarray(-tagLength))
  }
}
