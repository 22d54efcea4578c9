/**
 * Outlines of shaded boxes whose shade becomes paper, so that text on it can be read: without them a table loses its rows, a card its
 * shape and a highlighted line its mark. A rule that the box covers by half is under its outline.
 */
import type { Bitmap, Gray } from './bitmap.ts'
import { tileWidth, type TilePlan } from './tiles.ts'

/** Least step from paper to shade. */
const leastStep = 14
/** What is even, on both sides of an edge, as far as this many dots from it. */
const far = 4
const even = 3
/** Where nothing is black: an outline that touches letters, as that of a highlighter's mark would, is read as a part of them. */
const clear = [0, -1, 1, -2, 2, -4, 4, -6, 6, -8, 8]
/** Shortest level side in dots, 6 mm; an upright one has the height of a tile, 4 mm. */
const shortest = 48

/** Side of a box: dots of one row or one column. */
type Side = readonly [x0: number, y0: number, x1: number, y1: number]

/** Dots one behind the other, along a row or a column. */
interface Line {
  readonly first: number
  readonly step: number
  /** To the next dot across it. */
  readonly cross: number
  readonly length: number
  /** Length of a tile along it, its first tile, and the step to the next. */
  readonly tile: number
  readonly firstTile: number
  readonly nextTile: number
}

/** Blackens the outermost dots of such boxes in `bitmap`, but not where a screen of dots shows a shade. For pages that were never scanned. */
export function drawOutlines(gray: Gray, bitmap: Bitmap, plan: TilePlan): void {
  const { width, rows, data } = gray
  const { across, tileRows, shaded, thresholds } = plan
  const ink = bitmap.data
  const palest = plan.paper - leastStep / 2
  // The lines of a fax are a multiple of eight.
  const isBlack = (at: number): boolean => ((ink[at >> 3] as number) & (0x80 >> (at & 7))) !== 0
  const isScreen = (at: number): boolean => {
    const y = Math.floor(at / width)
    return thresholds[Math.floor(y / tileRows) * across + Math.floor((at - y * width) / tileWidth)] === 0
  }
  const isEdge = (at: number, cross: number): boolean => {
    const before = data[at - far * cross] as number
    const after = data[at + far * cross] as number
    const middle = (before + after) / 2
    if (Math.abs(before - after) < leastStep || (data[at] as number) > middle) return false
    if ((data[before > after ? at - cross : at + cross] as number) <= middle) return false
    if (Math.abs(before - (data[at - 2 * cross] as number)) > even || Math.abs(after - (data[at + 2 * cross] as number)) > even)
      return false
    for (const by of clear) if (isBlack(at + by * cross)) return false
    return !isScreen(at - far * cross) && !isScreen(at + far * cross)
  }
  /** Runs [from, to) of at least `least` dots that are an edge, black ones among them: text that crosses it. */
  const runs = ({ first, step, cross, length, tile, firstTile, nextTile }: Line, least: number): [number, number][] => {
    const found: [number, number][] = []
    let from = -1
    let edges = 0
    for (let at = 0; at <= length; at++) {
      if (from < 0 && at % tile === 0) {
        const one = firstTile + (at / tile) * nextTile
        // No edge is within a tile that is screened.
        if (shaded[one] !== 1 || thresholds[one] === 0) {
          at += tile - 1
          continue
        }
      }
      const dot = first + at * step
      const edge = at < length && (data[dot] as number) <= palest && isEdge(dot, cross)
      if (edge || (from >= 0 && at < length && isBlack(dot))) {
        if (from < 0) from = at
        if (edge) edges++
        continue
      }
      if (from >= 0 && at - from >= least && edges * 2 >= at - from) found.push([from, at])
      from = -1
      edges = 0
    }
    return found
  }
  const sides: Side[] = []
  for (let y = far; y < rows - far; y++) {
    const firstTile = Math.floor(y / tileRows) * across
    if (!shaded.subarray(firstTile, firstTile + across).includes(1)) continue
    const row: Line = { first: y * width, step: 1, cross: width, length: width, tile: tileWidth, firstTile, nextTile: 1 }
    for (const [from, to] of runs(row, shortest)) sides.push([from, y, to, y + 1])
  }
  for (let x = far; x < width - far; x++) {
    const firstTile = Math.floor(x / tileWidth)
    const column: Line = { first: x, step: width, cross: 1, length: rows, tile: tileRows, firstTile, nextTile: across }
    for (const [from, to] of runs(column, tileRows)) sides.push([x, from, x + 1, to])
  }
  for (const [x0, y0, x1, y1] of sides) {
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) bitmap.data[y * bitmap.stride + (x >> 3)]! |= 0x80 >> (x & 7)
  }
}
