/** Decoder of ITU-T T.6 (MMR, "Group 4"). Data of strangers: never reads or writes outside, and ends. */
import { createBitmap, type Bitmap } from './bitmap.ts'
import { longestCode, runCodes } from './t6-encode.ts'

/** By colour: for the next 13 bits, run * 16 + length of the code; 0 where no code begins so. */
const lookUp = runCodes.map((codes) => {
  const table = new Int32Array(1 << longestCode)
  for (const code of codes) {
    const spare = longestCode - code.length
    table.fill(code.run * 16 + code.length, code.bits << spare, (code.bits + 1) << spare)
  }
  return table
}) as [Int32Array, Int32Array]

/** For the next 7 bits: (shift of vertical mode + 3) * 8 + length; pass and horizontal as 8 and 9 for the shift. */
const pass = 8
const horizontal = 9
const modes = new Int32Array(128)
for (const [bits, length, mode] of [
  [0b1, 1, 3],
  [0b011, 3, 4],
  [0b010, 3, 2],
  [0b000011, 6, 5],
  [0b000010, 6, 1],
  [0b0000011, 7, 6],
  [0b0000010, 7, 0],
  [0b0001, 4, pass],
  [0b001, 3, horizontal],
] as const) {
  modes.fill(mode * 8 + length, bits << (7 - length), (bits + 1) << (7 - length))
}

export class BitReader {
  readonly #bytes: Uint8Array
  #bit = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get ended(): boolean {
    return this.#bit > this.#bytes.length * 8
  }

  /** The next `length` bits (at most 24), zeros after the end. */
  peek(length: number): number {
    const byte = this.#bit >> 3
    const bytes = this.#bytes
    const word = ((bytes[byte] ?? 0) << 24) | ((bytes[byte + 1] ?? 0) << 16) | ((bytes[byte + 2] ?? 0) << 8) | (bytes[byte + 3] ?? 0)
    return (word << (this.#bit & 7)) >>> (32 - length)
  }

  skip(length: number): void {
    this.#bit += length
  }

  /** To the beginning of a byte. */
  align(): void {
    this.#bit = (this.#bit + 7) & ~7
  }

  /** Length of a run of the colour; -1 when no such code is there. */
  run(colour: 0 | 1): number {
    let total = 0
    for (;;) {
      const found = lookUp[colour][this.peek(longestCode)] as number
      if (found === 0 || this.ended) return -1
      this.skip(found & 15)
      const run = found >> 4
      total += run
      if (run < 64) return total
      if (total > 1 << 20) return -1
    }
  }
}

/** Reads one row's changes; false when the data are broken or have ended. */
export function decodeRow(reader: BitReader, reference: Int32Array, current: Int32Array, width: number): boolean {
  let a0 = -1
  let colour: 0 | 1 = 0
  let count = 0
  let above = 0
  while (a0 < width) {
    if (reader.ended) return false
    while ((reference[above] as number) <= a0 && (reference[above] as number) < width) above += 2
    const b1 = reference[above] as number
    const found = modes[reader.peek(7)] as number
    if (found === 0) return false
    reader.skip(found & 7)
    const mode = found >> 3
    if (mode === pass) {
      a0 = b1 < width ? (reference[above + 1] as number) : width
    } else if (mode === horizontal) {
      const first = reader.run(colour)
      const second = first < 0 ? -1 : reader.run(colour === 0 ? 1 : 0)
      if (second < 0) return false
      const a1 = Math.max(a0, 0) + first
      const a2 = a1 + second
      if (a2 > width) return false
      // A run of no pixels changes nothing: such a pair of changes is left out.
      if (count > 0 && current[count - 1] === a1) count--
      else current[count++] = a1
      if (count > 0 && current[count - 1] === a2) count--
      else current[count++] = a2
      a0 = a2
    } else {
      const a1 = b1 + mode - 3
      if (a1 > width || a1 < 0 || a1 < a0 || (a1 === a0 && a1 < width)) return false
      current[count++] = a1
      a0 = a1
      colour = colour === 0 ? 1 : 0
      above = above > 0 ? above - 1 : 1
    }
    if (count > width + 2) return false
  }
  current[count] = current[count + 1] = current[count + 2] = width
  return true
}

function paint(bitmap: Bitmap, row: number, changes: Int32Array): void {
  const start = row * bitmap.stride
  for (let index = 0; (changes[index] as number) < bitmap.width; index += 2) {
    const from = changes[index] as number
    const to = changes[index + 1] as number
    for (let place = from; place < to; place++) bitmap.data[start + (place >> 3)]! |= 0x80 >> (place & 7)
  }
}

/** At most `rows` rows; `decoded` is the number that were whole, the rest are white. Bits highest first. */
export function decodeT6(bytes: Uint8Array, width: number, rows: number): { bitmap: Bitmap; decoded: number } {
  const bitmap = createBitmap(width, rows)
  const reader = new BitReader(bytes)
  let reference = new Int32Array(width + 8).fill(width)
  let current = new Int32Array(width + 8)
  for (let row = 0; row < rows; row++) {
    if (!decodeRow(reader, reference, current, width)) return { bitmap, decoded: row }
    paint(bitmap, row, current)
    const swap = reference
    reference = current
    current = swap
  }
  return { bitmap, decoded: rows }
}
