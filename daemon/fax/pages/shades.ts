/**
 * Even shades under words: cells of tables, bars, watermarks. One shade of many dots was drawn, not photographed. Each is found by its runs, and
 * judged by the strokes that stand on it.
 */
import type { Gray } from './bitmap.ts'
import { countDots, findRuns, hasShade, leastMean, steepest, type Runs } from './shade-runs.ts'

/** Dots and rows that a shade has at least, at fine resolution. */
const leastDots = 600
const leastRowsFine = 8
/** Of a piece that strokes cut off a shade, and how far beyond its box one may lie. */
const leastPiece = 30
const besidePiece = 8
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
/**
 * Large letters and other drawings in one shade are ink: how much darker than paper they are, the mean width of their strokes, the share of
 * their runs that paper ends on both sides, and how far from a run it begins. A box or a disc of a shade stays one: it fills so much of its frame.
 */
const leastStep = 14
const widestLetter = 40
const onPaperShare = 0.8
const solidShare = 0.7
const besideRun = 3
const cleanPaper = 250
/** Strokes to the runs of a shade that words cut. */
const strokesShare = 0.1

export interface Shade {
  dots: number
  runs: number
  /** Runs that end in another brightness. */
  odd: number
  /** Runs that have paper on both sides. */
  onPaper: number
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

const allInk: Verdicts = new Array<boolean>(bands).fill(false)

/** The shades that have so many dots, by their first run. */
function describe({ data, width }: Gray, runs: Runs, dots: Int32Array, least: number): Map<number, Shade> {
  const { from, to, of, rows } = runs
  const shades = new Map<number, Shade>()
  const each = (use: (shade: Shade, start: number, end: number, y: number) => void): void => {
    for (let y = 0; y + 1 < rows.length; y++) {
      for (let run = rows[y] as number; run < (rows[y + 1] as number); run++) {
        const root = of[run] as number
        if ((dots[root] as number) < least) continue
        if (root === run && !shades.has(root)) shades.set(root, emptyShade(y))
        use(shades.get(root)!, from[run] as number, to[run] as number, y)
      }
    }
  }
  each((shade, start, end, y) => {
    shade.dots += end - start
    shade.runs++
    if (end - start > shade.longest) {
      shade.longest = end - start
      shade.level = data[(start + end) >> 1] as number
    }
    shade.left = Math.min(shade.left, start - y * width)
    shade.right = Math.max(shade.right, end - y * width)
    shade.bottom = y
  })
  each((shade, start, end) => {
    if (differs(data, start, shade) || differs(data, end - 1, shade)) shade.odd++
    if ((data[start - besideRun] ?? 255) >= cleanPaper && (data[end - 1 + besideRun] ?? 255) >= cleanPaper) shade.onPaper++
  })
  return shades
}

const emptyShade = (top: number): Shade => ({
  ...{ dots: 0, runs: 0, odd: 0, onPaper: 0, level: 0, longest: 0, left: Infinity, right: 0, top, bottom: top, between: 0 },
  ...{ dark: new Int32Array(bands), light: new Int32Array(bands) },
})

const differs = (data: Uint8Array, at: number, { level }: Shade): boolean => Math.abs((data[at] as number) - level) > 2 * steepest

/** Whether what is between a run and the next stands on their shade: it shows through again and again, as between letters. */
export function isGap(data: Uint8Array, one: Kept | undefined, next: Kept | undefined): boolean {
  if (one === undefined || next === undefined || one.root !== next.root || one.row !== next.row) return false
  return showsThrough(data, one.to, next.from)
}

function showsThrough(data: Uint8Array, from: number, to: number): boolean {
  const level = data[from - 1] as number
  let since = from
  let alike = 0
  for (let at = from; at < to; at++) {
    alike = Math.abs((data[at] as number) - level) <= steepest ? alike + 1 : 0
    if (alike >= leastAlike) since = at
    else if (at - since > widestGap) return false
  }
  return true
}

function countStrokes(data: Uint8Array, { from, to, of, rows }: Runs, shades: ReadonlyMap<number, Shade>): void {
  for (let y = 0; y + 1 < rows.length; y++) {
    let before = -1
    for (let run = rows[y] as number; run < (rows[y + 1] as number); run++) {
      const shade = shades.get(of[run] as number)
      if (shade === undefined) continue
      const [start, end] = [to[before] as number, from[run] as number]
      if (before >= 0 && of[before] === of[run] && showsThrough(data, start, end)) countBetween(data, start, end, shade)
      before = run
    }
  }
}

function countBetween(data: Uint8Array, from: number, to: number, shade: Shade): void {
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

const isLarge = ({ dots, top, bottom }: Shade, leastRows: number): boolean =>
  dots >= (leastDots / leastRowsFine) * leastRows && bottom - top >= leastRows
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

/** Words, arrows and the like, on paper and without any upon them: each part of them would be judged by itself, and be lost where it is pale. */
function isLetter(shade: Shade, paper: number, leastRows: number): boolean {
  const { dots, runs, level, left, right, top, bottom, onPaper, dark } = shade
  if (!isLarge(shade, leastRows) || !isEven(shade) || level > paper - leastStep) return false
  const isSolid = dots >= (right - left) * (bottom + 1 - top) * solidShare
  return !isSolid && dots <= runs * widestLetter && onPaper >= runs * onPaperShare && dark.every((count) => count === 0)
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

/** By brightness; undefined where neither strokes are on it nor it is one. */
function verdictsOn(shade: Shade, paper: number, leastRows: number): Verdicts | undefined {
  return (isGround(shade, leastRows) ? verdictsOf(shade) : undefined) ?? (isLetter(shade, paper, leastRows) ? allInk : undefined)
}

/** Of each shade that has strokes, of pieces of it, and of those without that are like one that has. */
function judge(shades: ReadonlyMap<number, Shade>, paper: number, leastRows: number): Map<number, Verdict> {
  const judged = new Map<number, Verdict>()
  const wholes: { shade: Shade; verdict: Verdict }[] = []
  for (const [root, shade] of shades) {
    const verdicts = verdictsOn(shade, paper, leastRows)
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

/** Undefined where no shade has strokes on it or is a stroke. `paper`: its brightness. */
export function findShades(gray: Gray, paper: number, fine: boolean): FoundShades | undefined {
  if (!hasShade(gray, paper - 8)) return undefined
  const runs = findRuns(gray, paper - 8)
  const dots = countDots(runs)
  const leastRows = fine ? leastRowsFine : leastRowsFine / 2
  const large = describe(gray, runs, dots, fine ? leastDots : leastDots / 2)
  countStrokes(gray.data, runs, new Map([...large].filter(([, shade]) => isLarge(shade, leastRows))))
  if (![...large.values()].some((shade) => verdictsOn(shade, paper, leastRows) !== undefined)) return undefined
  const shades = describe(gray, runs, dots, fine ? leastPiece : leastPiece / 2)
  for (const [root, shade] of large) shades.set(root, shade)
  const judged = judge(shades, paper, leastRows)
  const own: Kept[] = []
  for (let row = 0; row < gray.rows; row++) {
    for (let run = runs.rows[row] as number; run < (runs.rows[row + 1] as number); run++) {
      const root = judged.get(runs.of[run] as number)?.root
      if (root !== undefined) own.push({ root, shade: shades.get(root)!, row, from: runs.from[run] as number, to: runs.to[run] as number })
    }
  }
  return { own, shades, judged }
}
