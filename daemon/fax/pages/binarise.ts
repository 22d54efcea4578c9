/** From shades to black and white, for a receiver that knows no other: tiles of text by threshold, photographs by a clustered-dot screen. */
import { createBitmap, type Bitmap } from './bitmap.ts'
import type { Gray } from './gray.ts'
import { planTiles, tileWidth } from './tiles.ts'

/**
 * A clustered dot of 6 x 6 (6 x 3 at standard resolution) that fills its columns one after another from the middle. T.6 codes a
 * run that lies under one like it in a bit: the same photograph with a round dot of 4 x 4 needs three times the bytes and shows
 * fewer shades.
 */
const cell = 6
const columns = [5, 3, 1, 0, 2, 4]
/** Printed dots spread: what is lighter or darker is left out, and the shades between are made lighter. */
const white = 232
const black = 24

/** Dots darker than the entry of their place in the cell are black. */
function screen(rows: number, paper: number): Uint8Array {
  return Uint8Array.from({ length: cell * rows }, (_, place) => {
    const rank = (columns[place % cell] as number) * rows + Math.floor(place / cell)
    return Math.round(((black + (white - black) * (1 - (rank + 0.5) / (cell * rows)) ** 1.25) * paper) / 255)
  })
}

/** `fine` at 196 rows an inch, else 98, where cells and tiles have half the rows. */
export function binarise(gray: Gray, fine: boolean): Bitmap {
  const plan = planTiles(gray, fine ? 32 : 16)
  const screenRows = fine ? 6 : 3
  const screenOf = screen(screenRows, plan.paper)
  const bitmap = createBitmap(gray.width, gray.rows)
  const { data } = gray
  for (let y = 0; y < gray.rows; y++) {
    const tileRow = Math.floor(y / plan.tileRows) * plan.across
    const cellRow = (y % screenRows) * cell
    const row = y * gray.width
    const out = y * bitmap.stride
    for (let tile = 0; tile < plan.across; tile++) {
      const threshold = plan.thresholds[tileRow + tile] as number
      const from = tile * tileWidth
      const to = Math.min(from + tileWidth, gray.width)
      for (let byte = from; byte < to; byte += 8) {
        let bits = 0
        for (let x = byte; x < byte + 8; x++) {
          const limit = threshold === 0 ? (screenOf[cellRow + (x % cell)] as number) : threshold
          bits = (bits << 1) | ((data[row + x] as number) < limit ? 1 : 0)
        }
        bitmap.data[out + (byte >> 3)] = bits
      }
    }
  }
  return bitmap
}
