/**
 * What is in one tile of a page. A tile with few shades, or whose shades are only the smoothed edges of strokes, is `line`; many
 * shades without strong edges are `tone`; one even shade, with or without text on it, is `fill`.
 */
import type { Gray } from './bitmap.ts'

export const line = 0
export const fill = 1
export const tone = 2

/** Dots of a page; right and bottom are outside. */
export type Box = readonly [left: number, top: number, right: number, bottom: number]

export interface Tile {
  kind: number
  /** Brightness of the background in a `line` tile, of the shade in others. */
  level: number
  /** Brightness that a quarter of its dots have or exceed. */
  readonly background: number
  /** Even light shades, hardly darker than paper, are in it: what the bright parts of photographs are made of. */
  light: boolean
  /** Hardly any of it is as bright as paper. */
  bare: boolean
  /** Nothing in it is darker than faint strokes would be, but it is not empty. */
  pale: boolean
  /** Every dot of it is white: so are most tiles of a letter. */
  readonly white: boolean
  /** What is in it is black; what is lighter are the soft edges of that. */
  readonly black: boolean
}

/** Black dots of black strokes to those of their edges. */
const softEdges = 0.5

/** Share of the paper's brightness from which on strokes are faint. */
const faintest = 0.58

/** The brightness most of the bright dots of the page have: its paper. */
export function paperOf(gray: Gray): number {
  const counts = new Uint32Array(32)
  for (let index = 0; index < gray.data.length; index += 7) counts[(gray.data[index] as number) >> 3]!++
  let best = 31
  for (let bin = 31; bin >= 20; bin--) if ((counts[bin] as number) > (counts[best] as number)) best = bin
  return Math.min(255, best * 8 + 7)
}

function isWhite({ width, data }: Gray, [left, top, right, bottom]: Box): boolean {
  const quads = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2)
  for (let y = top; y < bottom; y++) {
    const end = (y * width + right) >> 2
    for (let quad = (y * width + left) >> 2; quad < end; quad++) if (quads[quad] !== 0xffffffff) return false
  }
  return true
}

/** Dots by brightness of the tile that is judged: a page has thousands. */
const scratch = new Uint32Array(256)

export function judgeTile(gray: Gray, box: Box, paper: number): Tile {
  if (isWhite(gray, box))
    return { kind: line, level: 255, background: 255, light: false, bare: false, pale: false, white: true, black: false }
  const { width, data } = gray
  const [left, top, right, bottom] = box
  const counts = scratch.fill(0)
  const even = new Uint32Array(16)
  const darkest = Math.floor(paper * 0.15)
  const lightest = Math.ceil(paper * 0.8)
  let evenMids = 0
  let edges = 0
  for (let y = top; y < bottom; y++) {
    const row = y * width
    const below = (y + 2 < gray.rows ? y + 2 : y - 2) * width
    for (let x = left; x < right; x++) {
      const value = data[row + x] as number
      counts[value]!++
      const beside = data[row + (x + 2 < width ? x + 2 : x - 2)] as number
      const change = Math.max(Math.abs(value - beside), Math.abs(value - (data[below + x] as number)))
      if (change >= 80) edges++
      else if (change < 40 && value > darkest && value < lightest) {
        evenMids++
        even[value >> 4]!++
      }
    }
  }
  const between = (from: number, to: number): number => {
    let sum = 0
    for (let value = from; value < to; value++) sum += counts[value] as number
    return sum
  }
  const mids = between(darkest + 1, lightest)
  const lights = between(lightest, Math.ceil(paper * 0.93))
  const whites = between(Math.ceil(paper * 0.97), 256)
  const darkBelow = Math.floor(paper * 0.25)
  const darkDots = between(0, darkBelow)
  const black = darkDots > 0 && darkDots >= between(darkBelow, Math.floor(paper * 0.6)) * softEdges
  const all = Array.from({ length: 16 }, (_, bin) => between(bin * 16, bin * 16 + 16))
  const dots = (right - left) * (bottom - top)
  let counted = 0
  let bright = 15
  while (bright > 0 && (counted += all[bright] as number) < dots / 4) bright--
  const background = Math.min(255, bright * 16 + 15)
  const light = lights >= dots * 0.12
  const bare = whites < dots * 0.1
  let dark = 0
  for (let bin = 0; bin < (paper * faintest) >> 4; bin++) dark += all[bin] as number
  const pale = lights + mids > 0 && dark < dots * 0.01
  if (evenMids < dots * 0.12 && mids < dots * 0.5)
    return { kind: line, level: Math.max(background, paper * 0.55), background, light, bare, pale, white: false, black }
  let shades = 0
  let most = 0
  for (let bin = 0; bin < 16; bin++) {
    if ((even[bin] as number) >= dots * 0.03) shades++
    if ((even[bin] as number) > (even[most] as number)) most = bin
  }
  const oneShade = shades <= 2 && (even[most] as number) + Math.max(even[most - 1] ?? 0, even[most + 1] ?? 0) >= evenMids * 0.8
  const textOnShade = edges >= dots * 0.08 && (all[bright] as number) + (all[bright - 1] ?? 0) >= dots * 0.4
  if (oneShade && evenMids >= mids * 0.4) return { kind: fill, level: most * 16 + 8, background, light, bare, pale, white: false, black }
  if (textOnShade) return { kind: fill, level: background, background, light, bare, pale, white: false, black }
  return { kind: tone, level: most * 16 + 8, background, light, bare, pale, white: false, black }
}

/** Counts short runs of dots that are clearly darker and clearly lighter than the shade they lie in: strokes of text. */
export function strokesIn(gray: Gray, [left, top, right, bottom]: Box, level: number): [dark: number, light: number] {
  const { data } = gray
  const darker = Math.ceil(level * 0.6)
  const lighter = Math.floor(level + (255 - level) * 0.5)
  let dark = 0
  let light = 0
  for (let y = top; y < bottom; y++) {
    const row = y * gray.width
    let run = 0
    let kind = 0
    let open = false
    for (let x = left; x < right; x++) {
      const value = data[row + x] as number
      const now = value < darker ? 1 : value > lighter ? 2 : 0
      if (now !== 0 && now === kind) {
        run++
        continue
      }
      if (now === 0 && kind !== 0 && open && run <= 16) {
        if (kind === 1) dark += run
        else light += run
      }
      open = kind === 0 && now !== 0 && x > left
      kind = now
      run = now === 0 ? 0 : 1
    }
  }
  return [dark, light]
}

/**
 * The threshold for a tile whose darkest dots are faint strokes on white paper, such as light gray letters, which the usual one
 * would lose or tear; 0 for any other tile. Strokes are narrow and have paper on both sides, shaded boxes are not.
 */
export function faintThreshold(gray: Gray, box: Box, paper: number): number {
  const [left, top, right, bottom] = box
  const { width, rows, data } = gray
  const counts = new Uint32Array(32)
  const shadeBelow = Math.ceil(paper * 0.93)
  let shaded = 0
  let narrow = 0
  for (let y = Math.max(0, top - 8); y < Math.min(rows, bottom + 8); y++) {
    let run = 0
    let open = false
    const end = y * width + Math.min(width, right + 40)
    for (let at = y * width + Math.max(0, left - 40); at < end; at++) {
      const value = data[at] as number
      if (value < shadeBelow) {
        counts[value >> 3]!++
        shaded++
        run++
        continue
      }
      if (open && run <= 40) narrow += run
      run = 0
      open = true
    }
  }
  let darker = 0
  let darkest = 0
  while (darkest < 31 && (darker += counts[darkest] as number) < shaded * 0.1) darkest++
  const level = darkest * 8 + 4
  if (shaded < 8 || narrow < shaded * 0.6 || level < paper * faintest || level > paper * 0.9) return 0
  return Math.round((level + paper) / 2)
}

/** Dots in a row and in a column that a shade must have to be one that marks lie on; `widest` of the marks. */
const tintSide = 16

/**
 * A light shade that is wide both ways, such as a highlighter's or a pale cell's: what marks in the tile have to stand out from. `paper`
 * where there is none.
 */
export function tintIn(gray: Gray, [left, top, right, bottom]: Box, paper: number): number {
  const { width, rows, data } = gray
  const counts = new Uint32Array(32)
  let all = 0
  const isSame = (value: number, x: number, y: number): boolean => Math.abs((data[y * width + x] as number) - value) <= 3
  for (let y = top; y < bottom; y += 2) {
    const down = y + tintSide < rows ? tintSide : -tintSide
    for (let x = left; x < right; x += 2) {
      all++
      const value = data[y * width + x] as number
      if (value > paper - 8 || value < paper * 0.8) continue
      const on = x + tintSide < width ? tintSide : -tintSide
      if (!isSame(value, x + on, y) || !isSame(value, x + on / 2, y) || !isSame(value, x, y + down) || !isSame(value, x, y + down / 2))
        continue
      counts[value >> 3]!++
    }
  }
  let most = 0
  for (let bin = 0; bin < 32; bin++) if ((counts[bin] as number) > (counts[most] as number)) most = bin
  return (counts[most] as number) < all * 0.04 ? paper : most * 8 + 4
}
