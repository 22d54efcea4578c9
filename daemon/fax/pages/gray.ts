/** A page in shades: one byte per dot, 0 black to 255 white. */
import type { Placement } from './geometry.ts'
import { faxWidth } from './tiff.ts'

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
