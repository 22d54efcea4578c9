/** Encoder of ITU-T T.6 (MMR, "Group 4"): a page as one block that ends with EOFB. */
import { changesOf, type Bitmap } from './bitmap.ts'

/** Code tables of ITU-T T.4 (tables 2, 3a and 3b): run lengths of white and black as binary text, shortest first by length of run. */

const whiteTerminating =
  '00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011 0100111 0001100 ' +
  '0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 00011010 00011011 00010010 00010011 ' +
  '00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 00101100 00101101 00000100 00000101 00001010 00001011 ' +
  '01010010 01010011 01010100 01010101 00100100 00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100'

const whiteMakeUp =
  '11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 011010011 ' +
  '011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011 010011000 010011001 010011010 011000 010011011'

const blackTerminating =
  '0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 0000010111 0000011000 ' +
  '0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 00000011000 000011001010 000011001011 ' +
  '000011001100 000011001101 000001101000 000001101001 000001101010 000001101011 000011010010 000011010011 000011010100 ' +
  '000011010101 000011010110 000011010111 000001101100 000001101101 000011011010 000011011011 000001010100 000001010101 ' +
  '000001010110 000001010111 000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 ' +
  '000000100111 000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111'

const blackMakeUp =
  '0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 0000001101101 ' +
  '0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 0000001110101 0000001110110 ' +
  '0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 0000001011011 0000001100100 0000001100101'

const extendedMakeUp =
  '00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111 000000011100 ' +
  '000000011101 000000011110 000000011111'

/** The longest run one make-up code can say; longer runs repeat it. */
const longestMakeUp = 2560
export const longestCode = 13

interface Code {
  readonly bits: number
  readonly length: number
  readonly run: number
}

function codes(text: string, firstRun: number, step: number): Code[] {
  return text.split(' ').map((digits, index) => ({ bits: parseInt(digits, 2), length: digits.length, run: firstRun + index * step }))
}

/** By colour (0 white, 1 black): codes of the runs 0..63, then those of 64, 128, ... 2560. */
export const runCodes: readonly [readonly Code[], readonly Code[]] = [
  [...codes(whiteTerminating, 0, 1), ...codes(whiteMakeUp, 64, 64), ...codes(extendedMakeUp, 1792, 64)],
  [...codes(blackTerminating, 0, 1), ...codes(blackMakeUp, 64, 64), ...codes(extendedMakeUp, 1792, 64)],
]

/** Bits and lengths of the codes, apart, as arrays of small integers: read a million times a page. */
const bitsOf = runCodes.map((codes) => Int32Array.from(codes, (code) => code.bits)) as [Int32Array, Int32Array]
const lengthOf = runCodes.map((codes) => Int32Array.from(codes, (code) => code.length)) as [Int32Array, Int32Array]

/** Vertical mode: code and length for a1 - b1 = -3 ... 3 (table 1 of T.6). */
const verticalBits = Int32Array.of(0b0000010, 0b000010, 0b010, 0b1, 0b011, 0b000011, 0b0000011)
const verticalLength = Int32Array.of(7, 6, 3, 1, 3, 6, 7)

class BitWriter {
  #bytes: Uint8Array
  #at = 0
  #held = 0
  #count = 0

  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes)
  }

  /** The lowest `length` bits, at most 13. */
  put(bits: number, length: number): void {
    this.#held = (this.#held << length) | bits
    this.#count += length
    while (this.#count >= 8) {
      this.#count -= 8
      this.#bytes[this.#at++] = this.#held >> this.#count
    }
    this.#held &= 0xff
  }

  putRun(colour: 0 | 1, run: number): void {
    const bits = bitsOf[colour]
    const length = lengthOf[colour]
    let left = run
    while (left >= longestMakeUp + 64) {
      this.put(bits[103] as number, length[103] as number)
      left -= longestMakeUp
    }
    if (left >= 64) {
      const makeUp = 63 + (left >> 6)
      this.put(bits[makeUp] as number, length[makeUp] as number)
    }
    this.put(bits[left & 63] as number, length[left & 63] as number)
  }

  /** Makes room for a row: at worst a code of 13 bits and a mode of 3 for every pixel. */
  reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const more = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + bytes))
    more.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = more
  }

  finish(): Uint8Array {
    if (this.#count > 0) this.put(0, 8 - this.#count)
    return this.#bytes.slice(0, this.#at)
  }
}

function encodeRow(writer: BitWriter, reference: Int32Array, current: Int32Array, width: number): void {
  let a0 = -1
  let colour: 0 | 1 = 0
  let next = 0
  /** Index of b1: the first change of the reference row right of a0, to the colour opposite to the one that runs. */
  let above = 0
  while (a0 < width) {
    const a1 = current[next] as number
    while ((reference[above] as number) <= a0 && (reference[above] as number) < width) above += 2
    const b1 = reference[above] as number
    const b2 = b1 < width ? (reference[above + 1] as number) : width
    if (b2 < a1) {
      writer.put(0b0001, 4)
      a0 = b2
      continue
    }
    const shift = a1 - b1
    if (shift >= -3 && shift <= 3) {
      writer.put(verticalBits[shift + 3] as number, verticalLength[shift + 3] as number)
      a0 = a1
      next++
      colour = colour === 0 ? 1 : 0
      above = above > 0 ? above - 1 : 1
    } else {
      const a2 = a1 < width ? (current[next + 1] as number) : width
      writer.put(0b001, 3)
      writer.putRun(colour, a1 - Math.max(a0, 0))
      writer.putRun(colour === 0 ? 1 : 0, a2 - a1)
      a0 = a2
      next += 2
    }
  }
}

/** Bits are packed from the highest down (FillOrder 1). */
export function encodeT6(bitmap: Bitmap): Uint8Array {
  const { width, rows } = bitmap
  const writer = new BitWriter(16384)
  let reference = new Int32Array(width + 4).fill(width)
  let current = new Int32Array(width + 4)
  for (let row = 0; row < rows; row++) {
    writer.reserve(width * 2 + 16)
    changesOf(bitmap, row, current)
    encodeRow(writer, reference, current, width)
    const swap = reference
    reference = current
    current = swap
  }
  writer.put(1, 12)
  writer.put(1, 12)
  return writer.finish()
}
