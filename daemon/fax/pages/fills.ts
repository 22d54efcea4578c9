/**
 * Brings shades under words to paper and ink before anything else is decided: a shade becomes white under darker strokes and black under lighter
 * ones, the whole of it alike, and the strokes keep their distance from it. A shade without strokes stays as it is.
 */
import type { Gray } from './bitmap.ts'
import { bandBits, contrast, findShades, isBox, isEven, isGap, type Kept, type Shade, type Verdict } from './shades.ts'

/** Dots of paper in a row that end what stands across the edge of a shade. */
const besideEdge = 48
/** Dots by which a line of letters can set back the end of a shade. */
const besideLetters = 12
/** Light strokes on a shade that becomes paper are as thin as letters, or are no letters: an empty box stays empty. */
const thinLetters = 14
const contourStep = 14
/** Dots on each side of a contour that are without a stroke, about the width of two letters of 11 points; and the rows that are looked at. */
const clearAcross = 40
const clearDown = [0, -4, 4, -8, 8, -12, 12]

/** A dot next to a shade, as it would be if the shade were paper or ink. */
function besides(value: number, level: number, asPaper: boolean): number {
  if (asPaper) return value >= level ? 255 : Math.round((value * 255) / level)
  return value <= level ? 0 : Math.round(((value - level) * 255) / (255 - level))
}

class Levelling {
  readonly #from: Gray
  readonly #to: Uint8Array
  readonly #judged: ReadonlyMap<number, Verdict>
  readonly #tallest: number
  readonly #clearDown: readonly number[]

  constructor(gray: Gray, judged: ReadonlyMap<number, Verdict>, fine: boolean) {
    this.#from = gray
    this.#to = gray.data.slice()
    this.#judged = judged
    this.#tallest = fine ? thinLetters : thinLetters >> 1
    this.#clearDown = fine ? clearDown : clearDown.map((rows) => rows / 2)
  }

  get gray(): Gray {
    return { ...this.#from, data: this.#to }
  }

  run(root: number, start: number, end: number, shade: Shade): void {
    const { data } = this.#from
    const verdicts = this.#judged.get(root)!.verdicts
    const contour = !isBox(shade)
    for (let at = start; at < end; at++) {
      const asPaper = verdicts[(data[at] as number) >> bandBits] as boolean
      this.#to[at] = asPaper ? (contour && this.#isContour(at) ? 0 : 255) : 0
    }
  }

  /**
   * At the rim of a shade, on the side of paper, and not near a stroke: it would be read as a part of a letter, or as a mark next to it.
   */
  #isContour(at: number): boolean {
    const { data, width } = this.#from
    const level = data[at] as number
    const rim = [1, -1, width, -width].some((step) => (data[at + 2 * step] ?? 0) > level + contourStep)
    if (!rim) return false
    for (const down of this.#clearDown) {
      const row = at + down * width
      for (let by = 0; by <= clearAcross; by++) {
        if ((data[row + by] ?? 255) < level - contrast || (data[row - by] ?? 255) < level - contrast) return false
      }
    }
    return true
  }

  /** What stands on the shade from `start` to `end`, between two runs of it. `isWhole`: it is a box. */
  between(root: number, start: number, end: number, isWhole: boolean): void {
    const { data } = this.#from
    const level = data[start - 1] as number
    const asPaper = this.#judged.get(root)!.verdicts[level >> bandBits] as boolean
    let darker = 0
    let lighter = 0
    for (let at = start; at < end; at++) {
      if ((data[at] as number) < level - contrast) darker++
      else if ((data[at] as number) > level + contrast) lighter++
    }
    // Strokes of the other kind alone: they are ink, or paper, as well.
    const turned = isWhole && (asPaper ? lighter > 0 && darker === 0 : darker > 0 && lighter === 0)
    for (let at = start; at < end; at++) {
      const value = data[at] as number
      const own = turned && this.#isThin(at, level, asPaper) ? 255 - besides(value, level, !asPaper) : besides(value, level, asPaper)
      this.#to[at] = own
    }
  }

  #isThin(at: number, level: number, lighter: boolean): boolean {
    const { width } = this.#from
    if (this.#extent(at, 1, level, lighter) <= thinLetters) return true
    // Where two strokes meet, it is thin aslant.
    return [width, width + 1, width - 1].some((step) => this.#extent(at, step, level, lighter) <= this.#tallest)
  }

  #extent(at: number, step: number, level: number, lighter: boolean): number {
    const { data } = this.#from
    const other = (place: number): boolean => {
      const value = data[place]
      return value !== undefined && (lighter ? value > level + contrast / 2 : value < level - contrast / 2)
    }
    let length = 1
    for (const way of [step, -step]) for (let place = at + way; length <= thinLetters + 1 && other(place); place += way) length++
    return length
  }

  /** What of a shade is too narrow for a run, between letters that stand across its edge or cut it in two. */
  rest(root: number, { level, left, right, top, bottom }: Shade): void {
    const { data, width, rows } = this.#from
    const becomes = (this.#judged.get(root)!.verdicts[level >> bandBits] as boolean) ? 255 : 0
    for (let y = Math.max(0, top - besideLetters); y <= Math.min(rows - 1, bottom + besideLetters); y++) {
      const end = y * width + Math.min(width, right + besideLetters)
      for (let at = y * width + Math.max(0, left - besideLetters); at < end; at++) {
        if (Math.abs((data[at] as number) - level) <= 1 && this.#to[at] === data[at]) this.#to[at] = becomes
      }
    }
  }

  /** What stands across the edge of the shade, up to paper or another shade. */
  edge(root: number, start: number, step: number, limit: number): void {
    const { data } = this.#from
    const level = data[start - step] as number
    const asPaper = this.#judged.get(root)!.verdicts[level >> bandBits] as boolean
    let paper = 0
    for (let at = start, count = 0; at !== limit && count < besideEdge && paper < 4; at += step, count++) {
      const value = data[at] as number
      paper = value >= 250 ? paper + 1 : 0
      // It goes on between letters.
      if (Math.abs(value - level) <= 1) count = 0
      this.#to[at] = asPaper || count < 2 ? besides(value, level, asPaper) : value
    }
  }
}

export interface Levelled {
  readonly gray: Gray
  /** Where a shade was that is not there any more: the dots of each run. */
  readonly runs: readonly { readonly from: number; readonly to: number }[]
}

/** For pages that were never scanned; undefined where no shade has strokes on it. `paper`: its brightness. */
export function levelShades(gray: Gray, paper: number, fine: boolean): Levelled | undefined {
  const found = findShades(gray, paper, fine)
  if (found === undefined) return undefined
  const { own, shades, judged } = found
  const levelling = new Levelling(gray, judged, fine)
  const { width } = gray
  own.forEach((one, index) => {
    const { root, shade, row, from, to } = one
    const beside = (other: Kept | undefined): Kept | undefined => (other?.row === row ? other : undefined)
    const [before, next] = [beside(own[index - 1]), beside(own[index + 1])]
    levelling.run(root, from, to, shade)
    // Two have a half each of what is between them.
    if (next !== undefined && isGap(gray.data, one, next)) levelling.between(root, to, next.from, isBox(shade))
    else levelling.edge(root, to, 1, next === undefined ? (row + 1) * width : to + ((next.from - to) >> 1))
    if (isGap(gray.data, before, one)) return
    levelling.edge(root, from - 1, -1, before === undefined ? row * width - 1 : from - 1 - ((from - before.to) >> 1))
  })
  for (const [root, shade] of shades) if (judged.get(root)?.root === root && isEven(shade) && !isBox(shade)) levelling.rest(root, shade)
  return { gray: levelling.gray, runs: own }
}
