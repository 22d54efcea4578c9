/**
 * Outlines of shaded boxes whose shade becomes paper, so that text on it can be read: without them a table loses its rows, a card its
 * shape and a highlighted line its mark. A rule that the box covers by half is under its outline.
 */
import type { Bitmap } from './bitmap.ts'
import type { Gray } from './gray.ts'
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

/** What lies along one row or one column of dots, which are counted from its beginning. */
interface Line {
  readonly length: number
  /** Length of a tile along it, and whether there is shade in that tile or next to it. */
  readonly tile: number
  isShaded(tile: number): boolean
  isEdge(at: number): boolean
  isBlack(at: number): boolean
}

/** Runs [from, to) of at least `least` dots that are an edge, black ones among them: text that crosses it. */
function runs({ length, tile, isShaded, isEdge, isBlack }: Line, least: number): [number, number][] {
  const found: [number, number][] = []
  let from = -1
  let edges = 0
  for (let at = 0; at <= length; at++) {
    if (from < 0 && at % tile === 0 && !isShaded(at / tile)) {
      at += tile - 1
      continue
    }
    const edge = at < length && isEdge(at)
    if (edge || (from >= 0 && at < length && isBlack(at))) {
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

/** Blackens the outermost dots of such boxes in `bitmap`, but not where a screen of dots shows a shade. For pages that were never scanned. */
export function drawOutlines(gray: Gray, bitmap: Bitmap, plan: TilePlan): void {
  const { width, rows, data } = gray
  const { across, tileRows } = plan
  const palest = plan.paper - leastStep / 2
  const isBlack = (at: number): boolean => {
    const x = at % width
    return ((bitmap.data[((at - x) / width) * bitmap.stride + (x >> 3)] as number) & (0x80 >> (x & 7))) !== 0
  }
  const isScreen = (at: number): boolean => {
    const x = at % width
    return plan.thresholds[Math.floor((at - x) / width / plan.tileRows) * plan.across + Math.floor(x / tileWidth)] === 0
  }
  /** `step`: to the next dot across the edge. */
  const isEdge = (at: number, step: number): boolean => {
    if ((data[at] as number) > palest) return false
    const before = data[at - far * step] as number
    const after = data[at + far * step] as number
    const middle = (before + after) / 2
    if (Math.abs(before - after) < leastStep || (data[at] as number) > middle) return false
    if ((data[before > after ? at - step : at + step] as number) <= middle) return false
    if (Math.abs(before - (data[at - 2 * step] as number)) > even || Math.abs(after - (data[at + 2 * step] as number)) > even) return false
    for (const by of clear) if (isBlack(at + by * step)) return false
    return !isScreen(at - far * step) && !isScreen(at + far * step)
  }
  const sides: Side[] = []
  for (let y = far; y < rows - far; y++) {
    const row = y * width
    const tiles = Math.floor(y / tileRows) * across
    if (!plan.shaded.subarray(tiles, tiles + across).includes(1)) continue
    const line: Line = {
      length: width,
      tile: tileWidth,
      isShaded: (tile) => plan.shaded[tiles + tile] === 1,
      isEdge: (x) => isEdge(row + x, width),
      isBlack: (x) => isBlack(row + x),
    }
    for (const [from, to] of runs(line, shortest)) sides.push([from, y, to, y + 1])
  }
  for (let x = far; x < width - far; x++) {
    const column = Math.floor(x / tileWidth)
    const line: Line = {
      length: rows,
      tile: tileRows,
      isShaded: (tile) => plan.shaded[tile * across + column] === 1,
      isEdge: (y) => isEdge(y * width + x, 1),
      isBlack: (y) => isBlack(y * width + x),
    }
    for (const [from, to] of runs(line, tileRows)) sides.push([x, from, x + 1, to])
  }
  for (const [x0, y0, x1, y1] of sides) {
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) bitmap.data[y * bitmap.stride + (x >> 3)]! |= 0x80 >> (x & 7)
  }
}
