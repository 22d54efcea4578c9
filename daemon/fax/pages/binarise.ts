/** From shades to black and white, for a receiver that knows no other: tiles of text by threshold, photographs by a clustered-dot screen. */
import { createBitmap, type Bitmap, type Gray } from './bitmap.ts'
import { levelShades } from './fills.ts'
import { keepMarks } from './marks.ts'
import { drawOutlines } from './outlines.ts'
import { paperOf } from './tile.ts'
import { cleanPaper, planTiles, tileWidth, withAround, type TilePlan } from './tiles.ts'

/**
 * A clustered dot of 6 x 6 (6 x 3 at standard resolution) that fills its columns one after another from the middle. T.6 codes a
 * run that lies under one like it in a bit: the same photograph with a round dot of 4 x 4 needs three times the bytes and shows
 * fewer shades.
 */
const cell = 6
const columns = [5, 3, 1, 0, 2, 4]
/** Four cells, two by two, differ by a quarter of a shade each: what is even over some cells has four times their shades. */
const cells = 2
const quarters = [0, 2, 3, 1]
/**
 * Rows after which the columns stand half a cell aside. A reader of text takes those of a quarter of an inch for rules, and leaves out the
 * words of the whole page with them.
 */
const columnRows = 30

/** Dots darker than the entry of their place in the four cells are black: as many as the shade asks for. */
function screen(rows: number, paper: number, aside: number): Uint8Array {
  const across = cell * cells
  const shades = cell * rows
  return Uint8Array.from({ length: across * rows * cells }, (_, place) => {
    const x = (place + aside) % across
    const y = Math.floor(place / across)
    const rank = (columns[x % cell] as number) * rows + (y % rows)
    const quarter = quarters[Math.floor(y / rows) * cells + Math.floor(x / cell)] as number
    return Math.round(paper * (1 - (rank + 0.125 + quarter * 0.25) / shades))
  })
}

/** `fine` at 196 rows an inch, else 98, where cells and tiles have half the rows. */
export function binarise(drawn: Gray, fine: boolean): Bitmap {
  const tileRows = fine ? 32 : 16
  const paper = paperOf(drawn)
  const levelled = paper < cleanPaper ? undefined : levelShades(drawn, paper, fine)
  const gray = levelled?.gray ?? drawn
  const plan = planTiles(gray, tileRows, paper)
  const screenRows = fine ? 6 : 3
  const screens = [0, cell / 2].map((aside) => screen(screenRows, plan.paper, aside))
  const bitmap = createBitmap(gray.width, gray.rows)
  const { data } = gray
  const quads = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2)
  for (let y = 0; y < gray.rows; y++) {
    const tileRow = Math.floor(y / plan.tileRows) * plan.across
    const screenOf = screens[Math.floor(y / (fine ? columnRows : columnRows / 2)) % 2] as Uint8Array
    const cellRow = (y % (screenRows * cells)) * cell * cells
    const row = y * gray.width
    const out = y * bitmap.stride
    for (let tile = 0; tile < plan.across; tile++) {
      const threshold = plan.thresholds[tileRow + tile] as number
      const from = tile * tileWidth
      const to = Math.min(from + tileWidth, gray.width)
      for (let byte = from; byte < to; byte += 8) {
        const quad = (row + byte) >> 2
        if (quads[quad] === 0xffffffff && quads[quad + 1] === 0xffffffff) continue
        let bits = 0
        for (let x = byte; x < byte + 8; x++) {
          const limit = threshold === 0 ? (screenOf[cellRow + (x % (cell * cells))] as number) : threshold
          bits = (bits << 1) | ((data[row + x] as number) < limit ? 1 : 0)
        }
        bitmap.data[out + (byte >> 3)] = bits
      }
    }
  }
  keepMarks(gray, bitmap, plan)
  if (plan.paper >= cleanPaper) drawOutlines(drawn, bitmap, levelled === undefined ? plan : withLevelled(plan, levelled.runs, gray.width))
  return bitmap
}

/** Shades that were brought to paper have their outlines, too. */
function withLevelled(plan: TilePlan, runs: readonly { readonly from: number; readonly to: number }[], width: number): TilePlan {
  const shaded = Array.from(plan.shaded, (own) => own !== 0)
  for (const { from, to } of runs) {
    const row = Math.floor(from / width)
    const tiles = Math.floor(row / plan.tileRows) * plan.across - (row * width) / tileWidth
    for (let at = from; at < to; at += tileWidth) shaded[Math.floor(tiles + at / tileWidth)] = true
    shaded[Math.floor(tiles + (to - 1) / tileWidth)] = true
  }
  return { ...plan, shaded: withAround(shaded, plan.across) }
}
