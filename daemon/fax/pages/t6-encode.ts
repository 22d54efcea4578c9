/** Encoder of ITU-T T.6 (MMR, "Group 4"): a page as one block that ends with EOFB. */
import { changesOf, type Bitmap } from './bitmap.ts'
import { longestMakeUp, runCodes } from './t4-codes.ts'

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
