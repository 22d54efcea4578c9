/** How many rows data of ITU-T T.4 and T.6 have, in each of the forms that a PDF may use (ISO 32000-1, table 11). */
import { BitReader, decodeRow } from './t6-decode.ts'

export interface RowCoding {
  /** `/K`: below 0 T.6, 0 T.4 in one dimension, above in two. */
  readonly coding: number
  readonly width: number
  /** So many, at most, are counted. */
  readonly rows: number
  /** Each row begins with a byte. */
  readonly aligned: boolean
}

const mostDots = 200_000_000
const lineEnd = 12

/** One row of runs, from white on; false when the data are broken or have ended. */
function readRuns(reader: BitReader, current: Int32Array, width: number): boolean {
  let place = 0
  let count = 0
  for (let colour: 0 | 1 = 0; place < width; colour = colour === 0 ? 1 : 0) {
    const run = reader.run(colour)
    if (run < 0) return false
    place += run
    if (place > width) return false
    // A run of no dots changes nothing.
    if (run === 0 && count > 0) count--
    else current[count++] = place
  }
  current[count] = current[count + 1] = current[count + 2] = width
  return true
}

/** Skips an end of line, with any fill before it; whether there was one. */
function skipLineEnd(reader: BitReader): boolean {
  if (reader.peek(lineEnd) > 1) return false
  while (!reader.ended && reader.peek(1) === 0) reader.skip(1)
  if (reader.ended) return false
  reader.skip(1)
  return true
}

/** To the next end of line; whether there is one. */
function toLineEnd(reader: BitReader): boolean {
  while (!reader.ended && reader.peek(lineEnd) > 1) reader.skip(1)
  return !reader.ended
}

/** Undefined where they cannot be counted: the picture is too large, or uses what nobody writes. */
export function rowsOfT4(bytes: Uint8Array, { coding, width, rows, aligned }: RowCoding): number | undefined {
  if (width < 1 || width > 65_535 || width * rows > mostDots) return undefined
  const reader = new BitReader(bytes)
  let reference = new Int32Array(width + 8).fill(width)
  let current = new Int32Array(width + 8)
  for (let row = 0; row < rows; row++) {
    if (aligned) reader.align()
    let ends = 0
    while (coding >= 0 && ends < 6 && skipLineEnd(reader)) {
      ends++
      // In the return to control the bit for the kind of a row is 1.
      if (coding > 0 && reader.peek(lineEnd + 1) === (1 << lineEnd) + 1) reader.skip(1)
    }
    if (ends > 1) return row
    let flat = coding === 0
    if (coding > 0) {
      flat = reader.peek(1) === 1
      reader.skip(1)
    }
    if (flat ? !readRuns(reader, current, width) : !decodeRow(reader, reference, current, width)) {
      // In T.4 the next end of line is a new beginning.
      if (coding < 0 || !toLineEnd(reader)) return row
      current.set(reference)
    }
    const swap = reference
    reference = current
    current = swap
  }
  return rows
}
