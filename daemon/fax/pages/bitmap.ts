import type { Placement } from './geometry.ts'
import { faxWidth } from './tiff.ts'

/** A page in shades: one byte per dot, 0 black to 255 white. */
export interface Gray {
  readonly width: number
  readonly rows: number
  readonly data: Uint8Array
}

/** Lays what was drawn on its sheet. A page to be turned comes as it was drawn, `placement.rows` wide and `placement.width` high. */
export function layOnSheet(drawn: Uint8Array, placement: Placement): Gray {
  const { width, rows, left, sheetRows, turned } = placement
  const data = new Uint8Array(faxWidth * sheetRows).fill(255)
  for (let row = 0; row < rows; row++) {
    const to = row * faxWidth + left
    if (!turned) {
      data.set(drawn.subarray(row * width, (row + 1) * width), to)
      continue
    }
    // A quarter clockwise: what was the left edge is at the top, as printers do it.
    for (let dot = 0; dot < width; dot++) data[to + dot] = drawn[(width - 1 - dot) * rows + row] as number
  }
  return { width: faxWidth, rows: sheetRows, data }
}

/**
 * Half of the rows, for a receiver without fine resolution. The darker of two rows weighs more, so that a line of one row's
 * height does not fade away.
 */
export function halveRows(gray: Gray): Gray {
  const { width, data } = gray
  const rows = gray.rows >> 1
  const half = new Uint8Array(width * rows)
  for (let row = 0; row < rows; row++) {
    const upper = row * 2 * width
    for (let dot = 0; dot < width; dot++) {
      const a = data[upper + dot] as number
      const b = data[upper + width + dot] as number
      const less = a - b
      // Three of the darker and one of the other, without a branch: of a scan the next dot cannot be foretold.
      half[row * width + dot] = (a + 3 * b + 2 * (less & (less >> 31))) >> 2
    }
  }
  return { width, rows, data: half }
}

/** A page of two colours: rows of packed bits, the leftmost pixel in the highest bit, 1 is black. */

export interface Bitmap {
  readonly width: number
  readonly rows: number
  /** Bytes of one row. */
  readonly stride: number
  readonly data: Uint8Array
}

export function createBitmap(width: number, rows: number): Bitmap {
  const stride = (width + 7) >> 3
  return { width, rows, stride, data: new Uint8Array(stride * rows) }
}

/**
 * Writes the places where the colour of a row changes into `changes`, from left to right, starting from white: even entries
 * begin black, odd ones begin white. Three entries of the width follow the last. Gives their number without these.
 */
export function changesOf(bitmap: Bitmap, row: number, changes: Int32Array): number {
  const { width, stride, data } = bitmap
  let count = 0
  /** All bits are the colour that runs at the moment. */
  let running = 0
  const start = row * stride
  for (let byte = 0; byte < stride; byte++) {
    let different = (data[start + byte] as number) ^ running
    while (different !== 0) {
      const bit = Math.clz32(different) - 24
      const place = byte * 8 + bit
      if (place >= width) break
      changes[count++] = place
      running ^= 0xff
      different = (different ^ 0xff) & (0xff >> bit)
    }
  }
  changes[count] = changes[count + 1] = changes[count + 2] = width
  return count
}
