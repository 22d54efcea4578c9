/** A page of dots in fewer dots and shades between: each new dot has the share of black of the place that it stands for. */
import { changesOf, type Bitmap } from './bitmap.ts'
import type { Gray } from './gray.ts'

/** Adds the black of a row to the dots of `line`, as a share of each dot's width. */
function addRow(bitmap: Bitmap, row: number, changes: Int32Array, line: Float32Array, scale: number): void {
  const count = changesOf(bitmap, row, changes)
  for (let index = 0; index < count; index += 2) {
    const from = (changes[index] as number) * scale
    const to = Math.min(changes[index + 1] as number, bitmap.width) * scale
    const first = Math.floor(from)
    const last = Math.min(Math.floor(to), line.length - 1)
    if (first === last) {
      line[first]! += to - from
      continue
    }
    line[first]! += first + 1 - from
    for (let dot = first + 1; dot < last; dot++) line[dot]! += 1
    line[last]! += to - last
  }
}

export function shrink(bitmap: Bitmap, width: number, rows: number): Gray {
  const data = new Uint8Array(width * rows)
  const changes = new Int32Array(bitmap.width + 8)
  const across = width / bitmap.width
  const down = rows / bitmap.rows
  const black = new Float32Array(width * (rows + 1))
  const line = new Float32Array(width)
  for (let row = 0; row < bitmap.rows; row++) {
    line.fill(0)
    addRow(bitmap, row, changes, line, across)
    // A row of the page lies on one row of the picture, or on more where they are lower.
    const top = row * down
    const bottom = (row + 1) * down
    for (let to = Math.floor(top); to < bottom && to < rows; to++) {
      const share = Math.min(bottom, to + 1) - Math.max(top, to)
      for (let dot = 0; dot < width; dot++) black[to * width + dot]! += (line[dot] as number) * share
    }
  }
  for (let place = 0; place < data.length; place++) data[place] = 255 - Math.round(255 * Math.min(1, black[place] as number))
  return { width, rows, data }
}
