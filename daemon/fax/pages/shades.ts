/**
 * Even shades under words: cells of tables, bars, watermarks. One shade of many dots was drawn, not photographed. Each is found by its runs, and
 * judged by the strokes that stand on it.
 */
import type { Gray } from './gray.ts'

/** Dots of a row that a shade has at least, and of a whole one; it may run evenly from one shade to another. */
const leastRun = 6
const leastDots = 600
/** Of a piece that strokes cut off a shade, and how far beyond its box one may lie. */
const leastPiece = 30
const besidePiece = 8
/** Mean length of its runs from which on one without strokes follows others of its shade; letters are thinner. */
const leastMean = 16
const steepest = 2
const ink = 40
/** Widest stroke, widest thing on a shade that is looked at, and dots in which the shade shows between two, in a row. */
const widestStroke = 20
const widestGap = 96
const leastAlike = 3
/** How far from its shade a stroke is, and how many of its rows make words. */
export const contrast = 40
const leastCrossings = 12
export const bandBits = 5
const bands = 256 >> bandBits
const boxShare = 0.8
const oddShare = 0.05
/** Strokes to the runs of a shade that words cut. */
const strokesShare = 0.1

/** Runs of even dots, from row to row. */
interface Runs {
  readonly from: number[]
  readonly to: number[]
  readonly row: number[]
  /** First run of each row, and one more. */
  readonly rows: Int32Array
  /** Another run of the same shade; itself for one of each. */
  readonly of: number[]
}

export interface Shade {
  dots: number
  runs: number
  /** Runs that end in another brightness. */
  odd: number
  /** In the middle of its longest run. */
  level: number
  longest: number
  left: number
  right: number
  readonly top: number
  bottom: number
  /** By brightness: rows of strokes that are darker and lighter. */
  readonly dark: Int32Array
  readonly light: Int32Array
  /** Dots between its runs. */
  between: number
}

/** A run of a shade that is looked at; `from` and `to` are dots of the page. */
export interface Kept {
  readonly root: number
  readonly shade: Shade
  readonly row: number
  readonly from: number
  readonly to: number
}

/** What becomes of a shade: true paper, false ink. */
type Verdicts = readonly boolean[]

function rootOf(of: number[], run: number): number {
  let at = run
  while (of[at] !== at) at = of[at] = of[of[at] as number] as number
  return at
}

function findRuns({ width, rows, data }: Gray, palest: number): Runs {
  const runs: Runs = { from: [], to: [], row: [], rows: new Int32Array(rows + 1), of: [] }
  const quads = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2)
  for (let y = 0; y < rows; y++) {
    runs.rows[y] = runs.from.length
    const row = y * width
    for (let x = 0; x + leastRun <= width;) {
      if ((x & 3) === 0 && quads[(row + x) >> 2] === 0xffffffff) {
        x += 4
        continue
      }
      const first = data[row + x] as number
      const end = first > palest || first < ink ? x + 1 : endOfRun(data, row + x, row + width) - row
      if (end - x >= leastRun) {
        const run = runs.from.length
        runs.from.push(x)
        runs.to.push(end)
        runs.row.push(y)
        runs.of.push(run)
      }
      x = end
    }
    if (y > 0) joinRows(runs, y, data, width)
  }
  runs.rows[rows] = runs.from.length
  return runs
}

/** Where dots that are the same, or go up or down in small steps, end. */
function endOfRun(data: Uint8Array, start: number, limit: number): number {
  let direction = 0
  let before = data[start] as number
  let at = start + 1
  for (; at < limit; at++) {
    const value = data[at] as number
    if (value === before) continue
    const up = value > before ? 1 : -1
    if (Math.abs(value - before) > steepest || direction === -up) break
    direction = up
    before = value
  }
  return at
}

function joinRows({ from, to, rows, of }: Runs, y: number, data: Uint8Array, width: number): void {
  let above = rows[y - 1] as number
  const aboveEnd = rows[y] as number
  for (let run = aboveEnd; run < from.length; run++) {
    while (above < aboveEnd && (to[above] as number) <= (from[run] as number)) above++
    for (let other = above; other < aboveEnd && (from[other] as number) < (to[run] as number); other++) {
      const x = Math.max(from[run] as number, from[other] as number)
      if (Math.abs((data[y * width + x] as number) - (data[(y - 1) * width + x] as number)) > steepest) continue
      const [a, b] = [rootOf(of, run), rootOf(of, other)]
      of[Math.max(a, b)] = Math.min(a, b)
    }
  }
}

/** Whether there is any shade at all, by every fourth row: pages of text have none, and are most. */
function hasShade({ width, rows, data }: Gray, palest: number): boolean {
  for (let y = 0; y < rows; y += 4) {
    for (let at = y * width; at + leastMean < (y + 1) * width; at += leastMean >> 1) {
      const value = data[at] as number
      if (value > palest || value < ink || Math.abs((data[at + (leastMean >> 1)] as number) - value) > leastMean) continue
      if (endOfRun(data, at, (y + 1) * width) - at >= leastMean) return true
    }
  }
  return false
}

/** Dots of each shade, by its first run. */
function countDots({ from, to, of }: Runs): Int32Array {
  const dots = new Int32Array(from.length)
  for (let run = 0; run < from.length; run++) dots[rootOf(of, run)]! += (to[run] as number) - (from[run] as number)
  return dots
}

/** The runs of the shades that are wanted, by their number of dots, with the shade of each. */
function collect({ data, width }: Gray, runs: Runs, wanted: (root: number) => boolean): { kept: Kept[]; shades: Map<number, Shade> } {
  const shades = new Map<number, Shade>()
  const kept: Kept[] = []
  for (let run = 0; run < runs.from.length; run++) {
    const root = rootOf(runs.of, run)
    if (!wanted(root)) continue
    const [left, right, y] = [runs.from[run] as number, runs.to[run] as number, runs.row[run] as number]
    let shade = shades.get(root)
    if (shade === undefined) {
      const none = { dots: 0, runs: 0, between: 0, odd: 0, level: 0, longest: 0, bottom: y }
      shade = { ...none, left, right, top: y, dark: new Int32Array(bands), light: new Int32Array(bands) }
      shades.set(root, shade)
    }
    shade.dots += right - left
    shade.runs++
    if (right - left > shade.longest) {
      shade.longest = right - left
      shade.level = data[y * width + ((left + right) >> 1)] as number
    }
    shade.left = Math.min(shade.left, left)
    shade.right = Math.max(shade.right, right)
    shade.bottom = y
    kept.push({ root, shade, row: y, from: y * width + left, to: y * width + right })
  }
  for (const { shade, from, to } of kept) if (differs(data, from, shade) || differs(data, to - 1, shade)) shade.odd++
  return { kept, shades }
}

const differs = (data: Uint8Array, at: number, { level }: Shade): boolean => Math.abs((data[at] as number) - level) > 2 * steepest

/** Whether what is between a run and the next stands on their shade: it shows through again and again, as between letters. */
export function isGap(data: Uint8Array, one: Kept | undefined, next: Kept | undefined): boolean {
  if (one === undefined || next === undefined || one.root !== next.root || one.row !== next.row) return false
  const level = data[one.to - 1] as number
  let since = one.to
  let alike = 0
  for (let at = one.to; at < next.from; at++) {
    alike = Math.abs((data[at] as number) - level) <= steepest ? alike + 1 : 0
    if (alike >= leastAlike) since = at
    else if (at - since > widestGap) return false
  }
  return true
}

function countStrokes({ data }: Gray, kept: readonly Kept[]): void {
  kept.forEach((one, index) => {
    const next = kept[index + 1]
    if (next === undefined || !isGap(data, one, next)) return
    const { shade, to: from } = one
    const to = next.from
    const level = data[from - 1] as number
    shade.between += to - from
    let dark = 0
    let light = 0
    for (let at = from; at <= to; at++) {
      const value = data[at] as number
      if (at < to && value < level - contrast) dark++
      else {
        if (dark > 0 && dark <= widestStroke) shade.dark[level >> bandBits]!++
        dark = 0
      }
      if (at < to && value > level + contrast) light++
      else {
        if (light > 0 && light <= widestStroke) shade.light[level >> bandBits]!++
        light = 0
      }
    }
  })
}

/** By brightness; undefined where no strokes are on it. What is light between the arms of a letter is paper. */
function verdictsOf(shade: Shade): Verdicts | undefined {
  const { dark } = shade
  const light = isBox(shade) ? shade.light : new Int32Array(bands)
  const clear = [...dark.keys()].filter((band) => Math.max(dark[band] as number, light[band] as number) >= leastCrossings)
  if (clear.length === 0) return undefined
  return Array.from(dark, (_, band) => {
    const nearest = clear.reduce((best, other) => (Math.abs(other - band) < Math.abs(best - band) ? other : best))
    return (dark[nearest] as number) >= (light[nearest] as number)
  })
}

const isLarge = ({ dots, top, bottom }: Shade, leastRows: number): boolean => dots >= leastDots && bottom - top >= leastRows
/** Its rim is softened, and a few of its runs go out into that. */
export const isEven = ({ odd, runs }: Shade): boolean => odd <= runs * oddShare
export const isBox = ({ dots, between, left, right, top, bottom }: Shade): boolean =>
  dots + between >= (right - left) * (bottom + 1 - top) * boxShare

/**
 * What words are put on: one shade of any form, or a box that runs from one shade to another. Other forms that do are a drawing, and what is
 * cut by far more than strokes is a photograph.
 */
function isGround(shade: Shade, leastRows: number): boolean {
  if (!isLarge(shade, leastRows) || isEven(shade)) return isLarge(shade, leastRows)
  const strokes = [...shade.dark, ...shade.light].reduce((sum, count) => sum + count, 0)
  return isBox(shade) && strokes >= shade.runs * strokesShare
}

/** Whether the strokes upon it have cut it off the other; the whole of which has the same brightness. */
function isPieceOf(piece: Shade, whole: Shade): boolean {
  if (piece.level !== whole.level) return false
  const across = piece.left >= whole.left - besidePiece && piece.right <= whole.right + besidePiece
  return across && piece.top >= whole.top - besidePiece && piece.bottom <= whole.bottom + besidePiece
}

export interface Verdict {
  /** Itself, or what it is a piece of. */
  readonly root: number
  readonly verdicts: Verdicts
}

/** Of each shade that has strokes, of pieces of it, and of those without that are like one that has. */
function judge(shades: ReadonlyMap<number, Shade>, leastRows: number): Map<number, Verdict> {
  const judged = new Map<number, Verdict>()
  const wholes: { shade: Shade; verdict: Verdict }[] = []
  for (const [root, shade] of shades) {
    const verdicts = isGround(shade, leastRows) ? verdictsOf(shade) : undefined
    if (verdicts === undefined) continue
    judged.set(root, { root, verdicts })
    if (isEven(shade)) wholes.push({ shade, verdict: { root, verdicts } })
  }
  const alike = new Map(wholes.map(({ shade, verdict }) => [shade.level, verdict.verdicts]))
  for (const [root, shade] of shades) {
    const like = alike.get(shade.level)
    if (like === undefined || judged.has(root) || !isEven(shade)) continue
    const whole = wholes.find((one) => isPieceOf(shade, one.shade))
    if (whole !== undefined) judged.set(root, whole.verdict)
    else if (isLarge(shade, leastRows) && shade.dots >= shade.runs * leastMean) judged.set(root, { root, verdicts: like })
  }
  return judged
}

export interface FoundShades {
  /** Runs of the shades that are judged, each with what it is, or is a piece of. */
  readonly own: readonly Kept[]
  readonly shades: ReadonlyMap<number, Shade>
  readonly judged: ReadonlyMap<number, Verdict>
}

/** Undefined where no shade has strokes on it. `paper`: its brightness. */
export function findShades(gray: Gray, paper: number, fine: boolean): FoundShades | undefined {
  if (!hasShade(gray, paper - 8)) return undefined
  const runs = findRuns(gray, paper - 8)
  const dots = countDots(runs)
  const leastRows = fine ? 8 : 4
  const large = collect(gray, runs, (root) => (dots[root] as number) >= leastDots)
  countStrokes(
    gray,
    large.kept.filter(({ shade }) => isLarge(shade, leastRows)),
  )
  if (![...large.shades.values()].some((shade) => isGround(shade, leastRows) && verdictsOf(shade) !== undefined)) return undefined
  const { kept, shades } = collect(gray, runs, (root) => (dots[root] as number) >= leastPiece)
  for (const [root, shade] of large.shades) shades.set(root, shade)
  const judged = judge(shades, leastRows)
  const own = kept.flatMap((one) => {
    const root = judged.get(one.root)?.root
    return root === undefined ? [] : [{ ...one, root, shade: shades.get(root)! }]
  })
  return { own, shades, judged }
}
