/**
 * Marks that are too pale for the threshold of the tiles they cross: hairlines and boxes of forms, stamps, pencil, small grey letters. Each
 * connected mark is kept whole or not at all, wherever the tiles end. A mark is narrow, has paper on both sides, and stands out of the
 * paper's grain; shaded boxes are wide, and the soft edges of black letters border on black.
 */
import type { Bitmap, Gray } from './bitmap.ts'
import { cleanPaper, tileWidth, type TilePlan } from './tiles.ts'

/** Paper without grain: what differs from it by so much was drawn. #ddd in a hairline between two dots is 17 darker than white. */
const cleanContrast = 12
/** On scanned paper, at least; and so many times its grain. */
const scanContrast = 26
const timesGrain = 5
/** Dots from edge to edge, about 6 points. */
const widest = 16
/** Extent in dots: what is smaller is dust. */
const leastClean = 3
const leastScan = 14
/** Share of the brightness of scanned paper below which a dot is black for certain. */
const clearlyBlack = 0.5
const mostMarks = 200_000
/**
 * A mark of a clean page that is paler than this share of paper, longer than so many dots, and lies at black with more than this share of its
 * sides, crosses words: the flourish that a program for signatures puts behind them. It is drawn in dots, so that the words stay letters.
 */
const palest = 0.8
const crossingExtent = 60
const crossingShare = 0.02

interface Paper {
  readonly contrast: number
  readonly least: number
}

/** How far its dots differ from their neighbours, as the median of a sample; 0 on a page that was never scanned. */
function judgePaper(gray: Gray, paper: number): Paper {
  const counts = new Uint32Array(64)
  let all = 0
  let grainy = 0
  for (let at = 0; at + 1 < gray.data.length; at += 13) {
    const [value, beside] = [gray.data[at] as number, gray.data[at + 1] as number]
    if (value < paper * 0.85 || beside < paper * 0.85) continue
    all++
    if (value < 255 && value > 225) grainy++
    counts[Math.min(63, Math.abs(value - beside))]!++
  }
  if (grainy < all * 0.03) return { contrast: cleanContrast, least: leastClean }
  let counted = 0
  let median = 0
  while (median < 63 && (counted += counts[median] as number) < all / 2) median++
  return { contrast: Math.max(scanContrast, Math.round(median * timesGrain)), least: leastScan }
}

const candidate = 1
const besideBlack = 2
const taken = 3

/**
 * Dots that black lies within two of, in both directions, eight in a byte: the lines of a fax are a multiple of eight. What is hardly darker
 * than the threshold is a mark that crosses it, not black.
 */
function nearBlack(gray: Gray, bitmap: Bitmap, weakest: number): Uint8Array {
  const { rows, stride, data } = bitmap
  const near = new Uint8Array(data.length)
  const across = new Uint8Array(stride)
  for (let y = 0; y < rows; y++) {
    let some = false
    for (let byte = 0; byte < stride; byte++) {
      const at = y * stride + byte
      const bits = data[at] === 0 ? 0 : darkerOf(gray, at * 8, data[at] as number, weakest)
      if (bits === 0) continue
      if (!some) across.fill(0)
      some = true
      const wide = (bits << 10) | (bits << 9) | (bits << 8) | (bits << 7) | (bits << 6)
      across[byte]! |= (wide >> 8) & 0xff
      if (byte > 0) across[byte - 1]! |= wide >> 16
      if (byte + 1 < stride) across[byte + 1]! |= wide & 0xff
    }
    if (!some) continue
    for (let row = Math.max(0, y - 2); row <= Math.min(rows - 1, y + 2); row++) {
      for (let byte = 0, to = row * stride; byte < stride; byte++) near[to + byte]! |= across[byte] as number
    }
  }
  return near
}

/** Those of eight black dots that are darker than `weakest`. */
function darkerOf({ data }: Gray, dot: number, bits: number, weakest: number): number {
  if (weakest === 255) return bits
  let darker = 0
  for (let bit = 0; bit < 8; bit++) if ((data[dot + bit] as number) < weakest) darker |= 0x80 >> bit
  return bits & darker
}

const isNear = (near: Uint8Array, dot: number): boolean => ((near[dot >> 3] as number) & (0x80 >> (dot & 7))) !== 0

const blacken = (bitmap: Bitmap, dot: number): void => {
  const x = dot % bitmap.width
  bitmap.data[Math.floor(dot / bitmap.width) * bitmap.stride + (x >> 3)]! |= 0x80 >> (x & 7)
}

/** One of four dots. */
const isDot = (dot: number, width: number): boolean => ((dot % width) & 1) === 0 && (Math.floor(dot / width) & 1) === 0

/** Blackens dots of `bitmap`, but not where a screen of dots shows a picture. */
export function keepMarks(gray: Gray, bitmap: Bitmap, plan: TilePlan): void {
  const { width, rows, data } = gray
  const { paper } = plan
  const { contrast, least } = judgePaper(gray, paper)
  const near = nearBlack(gray, bitmap, paper < cleanPaper ? paper * clearlyBlack : 255)
  const mask = new Uint8Array(width * rows)
  const quads = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2)
  for (let y = 0; y < rows; y++) {
    const tiles = Math.floor(y / plan.tileRows) * plan.across
    for (let tile = 0; tile < plan.across; tile++) {
      if (plan.thresholds[tiles + tile] === 0) continue
      const limit = (plan.backgrounds[tiles + tile] as number) - contrast
      const end = y * width + Math.min(width, (tile + 1) * tileWidth)
      for (let dot = y * width + tile * tileWidth; dot < end; dot++) {
        if ((dot & 3) === 0 && quads[dot >> 2] === 0xffffffff) dot += 3
        else if ((data[dot] as number) <= limit) mask[dot] = isNear(near, dot) ? besideBlack : candidate
      }
    }
  }
  const mark = new Int32Array(width * rows)
  let marks = 0
  for (let start = mask.indexOf(candidate); start >= 0; start = mask.indexOf(candidate, start + 1)) {
    if (++marks > mostMarks) return
    const { count, keep, level, crosses } = judgeMark(gray, mask, near, mark, start, least)
    if (!keep) continue
    if (crosses && paper >= cleanPaper && level > paper * palest) {
      for (let at = 0; at < count; at++) if (isDot(mark[at] as number, width)) blacken(bitmap, mark[at] as number)
      continue
    }
    // From the middle between the mark's own shade and paper on: its soft edges stay out. It goes on where it meets black.
    const own = (level + paper) / 2
    let end = count
    for (let at = 0; at < end; at++) {
      const dot = mark[at] as number
      if ((data[dot] as number) > Math.max(own, level)) continue
      blacken(bitmap, dot)
      const x = dot % width
      for (let dy = -width; dy <= width; dy += width) {
        for (let dx = -1; dx <= 1; dx++) {
          const other = dot + dy + dx
          if (x + dx < 0 || x + dx >= width || mask[other] !== besideBlack || (data[other] as number) > own) continue
          mask[other] = taken
          mark[end++] = other
        }
      }
    }
  }
}

/** Collects the dots connected with `start` into `mark`; `level` is a shade that the darker part of them has. */
function judgeMark(
  gray: Gray,
  mask: Uint8Array,
  near: Uint8Array,
  mark: Int32Array,
  start: number,
  least: number,
): { count: number; keep: boolean; level: number; crosses: boolean } {
  const { width, data } = gray
  const shades = new Uint32Array(32)
  let count = 1
  mark[0] = start
  mask[start] = taken
  let [left, right, top, bottom] = [width, 0, start, start]
  /** Sides of its dots that lie at paper, and at the surroundings of black. */
  let atPaper = 0
  let atBlack = 0
  for (let at = 0; at < count; at++) {
    const dot = mark[at] as number
    const x = dot % width
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, dot)
    bottom = Math.max(bottom, dot)
    shades[(data[dot] as number) >> 3]!++
    for (let dy = -width; dy <= width; dy += width) {
      for (let dx = -1; dx <= 1; dx++) {
        const other = dot + dy + dx
        if (x + dx < 0 || x + dx >= width || other < 0 || other >= mask.length) continue
        if (mask[other] === candidate) {
          mask[other] = taken
          mark[count++] = other
        } else if (dx === 0 || dy === 0) {
          if (isNear(near, other)) atBlack++
          else if (mask[other] === 0) atPaper++
        }
      }
    }
  }
  let counted = 0
  let bin = 0
  while (bin < 31 && (counted += shades[bin] as number) < count * 0.3) bin++
  const extent = Math.max(right - left, Math.floor(bottom / width) - Math.floor(top / width)) + 1
  const thickness = (2 * count) / Math.max(1, atPaper + atBlack)
  const keep = extent >= least && thickness <= widest && atPaper >= atBlack * 3
  const crosses = extent >= crossingExtent && atBlack > (atPaper + atBlack) * crossingShare
  return { count, keep, level: bin * 8 + 7, crosses }
}
