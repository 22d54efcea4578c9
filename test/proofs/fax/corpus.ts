/**
 * The rasteriser against Ghostscript's, poppler's and MuPDF's, page by page: words that tesseract reads, lines and boxes that are kept, how like the
 * print a picture is, bytes on the wire (T.6, by the same encoder). Programs that are not installed are left out.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binarise } from '../../../daemon/fax/pages/binarise.ts'
import type { Bitmap, Gray } from '../../../daemon/fax/pages/bitmap.ts'
import { shadesOf } from '../../../daemon/fax/pages/draw-pages.ts'
import { placePage } from '../../../daemon/fax/pages/geometry.ts'
import { openPdf } from '../../../daemon/fax/pages/pdfium.ts'
import { encodeT6 } from '../../../daemon/fax/pages/t6-encode.ts'
import { colours } from './corpus-colours.ts'
import { corpus, type CorpusPage, type Segment } from './corpus-pages.ts'
import { drawnBy, peers } from './peers.ts'
import { compareWords, wordsRead, type Compared } from './reading.ts'
import { table } from './study.ts'

interface Score {
  bytes: number
  words?: number
  /** Shares of 1; undefined where the page has none of it. */
  strokes?: number
  likeness?: number
}

const isBlack = ({ data, stride, width, rows }: Bitmap, x: number, y: number): boolean =>
  x >= 0 && y >= 0 && x < width && y < rows && ((data[y * stride + (x >> 3)] as number) & (0x80 >> (x & 7))) !== 0

/** A stroke is kept when nine tenths of its length have black within a dot of it. */
function isKept(bitmap: Bitmap, [x0, y0, x1, y1]: Segment): boolean {
  const [sx, sy] = [bitmap.width / 612, bitmap.rows / 792]
  const steps = Math.ceil(Math.hypot(x1 - x0, y1 - y0) * 2)
  let black = 0
  for (let step = 0; step <= steps; step++) {
    const x = Math.round((x0 + ((x1 - x0) * step) / steps) * sx)
    const y = Math.round((792 - y0 - ((y1 - y0) * step) / steps) * sy)
    const across = x0 === x1
    if ([-2, -1, 0, 1].some((by) => isBlack(bitmap, across ? x + by : x, across ? y : y + by))) black++
  }
  return black >= (steps + 1) * 0.9
}

/** Structural similarity (Wang and others, 2004) of the darkness of cells of 8 x 8 dots, over windows of 4 x 4 cells. */
function likeness(
  bitmap: Bitmap,
  print: { dots: Uint8Array; width: number; rows: number },
  box: readonly [number, number, number, number],
): number {
  const cells = 48
  const mean = (of: (x: number, y: number) => number, width: number, rows: number): Float64Array =>
    Float64Array.from({ length: cells * cells }, (_, cell) => {
      const edge = (index: number, from: number, to: number, scale: number): number =>
        Math.round((from + ((to - from) * index) / cells) * scale)
      const [column, row] = [cell % cells, Math.floor(cell / cells)]
      const left = edge(column, box[0], box[2], width / 612)
      const right = edge(column + 1, box[0], box[2], width / 612)
      const top = edge(row, 792 - box[3], 792 - box[1], rows / 792)
      const bottom = edge(row + 1, 792 - box[3], 792 - box[1], rows / 792)
      let sum = 0
      for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) sum += of(x, y)
      return sum / ((right - left) * (bottom - top))
    })
  const a = mean((x, y) => (isBlack(bitmap, x, y) ? 0 : 255), bitmap.width, bitmap.rows)
  const b = mean((x, y) => print.dots[y * print.width + x] as number, print.width, print.rows)
  let total = 0
  let windows = 0
  for (let row = 0; row + 4 <= cells; row += 2) {
    for (let column = 0; column + 4 <= cells; column += 2) {
      const places = Array.from({ length: 16 }, (_, at) => (row + (at >> 2)) * cells + column + (at & 3))
      const average = (of: (at: number) => number): number => places.reduce((sum, at) => sum + of(at), 0) / 16
      const [ma, mb] = [average((at) => a[at]!), average((at) => b[at]!)]
      const va = average((at) => (a[at]! - ma) ** 2)
      const vb = average((at) => (b[at]! - mb) ** 2)
      const both = average((at) => (a[at]! - ma) * (b[at]! - mb))
      total += ((2 * ma * mb + 6.5) * (2 * both + 58.5)) / ((ma ** 2 + mb ** 2 + 6.5) * (va + vb + 58.5))
      windows++
    }
  }
  return total / windows
}

/** All that is counted of one raster of a page but words. `gray`: the page in shades. */
function scoreOf(bitmap: Bitmap, page: CorpusPage, gray: Gray): Score {
  const { strokes, picture } = page
  return {
    bytes: encodeT6(bitmap).length,
    ...(strokes.length === 0 ? {} : { strokes: strokes.filter((stroke) => isKept(bitmap, stroke)).length / strokes.length }),
    ...(picture === undefined ? {} : { likeness: likeness(bitmap, { dots: gray.data, width: gray.width, rows: gray.rows }, picture) }),
  }
}

interface Page {
  readonly page: CorpusPage
  readonly scores: Readonly<Record<string, Score>>
  readonly words: Compared | undefined
}

async function judge(page: CorpusPage, folder: string): Promise<Page> {
  const pdf = join(folder, 'page.pdf')
  writeFileSync(pdf, page.pdf)
  const opened = (await openPdf(page.pdf)).page(0)
  const place = placePage(opened.width, opened.height)[0]!
  const gray = shadesOf(opened, 0, place)
  opened.close()
  const ours = binarise(gray, true)
  const drawn = new Map<string, Bitmap>()
  for (const peer of peers) {
    const bitmap = await drawnBy(peer, pdf, 1, folder)
    if (bitmap !== undefined) drawn.set(peer.name, bitmap)
  }
  const scores: Record<string, Score> = { ours: scoreOf(ours, page, gray) }
  for (const [name, bitmap] of drawn) {
    const score = scoreOf(bitmap, page, gray)
    if (page.words.length > 0) score.words = await wordsRead([bitmap], page.words)
    scores[name] = score
  }
  const words = page.words.length === 0 ? undefined : await compareWords({ sheets: [ours], alone: [ours] }, page.words, async () => drawn)
  if (words !== undefined) scores['ours']!.words = words.ours
  return { page, scores, words }
}

/** Where a page misses what is asked of it: as good as the best of the others, and bytes. */
function faultsOf({ page, scores, words }: Page): string[] {
  const { ours, ...rest } = scores
  if (ours === undefined) return []
  const best = (of: 'strokes' | 'likeness'): number => Math.max(0, ...Object.values(rest).map((score) => score[of] ?? 0))
  const faults: string[] = []
  if (words?.verdict === 'worse') faults.push(`words ${words.ours} of ${words.best}`)
  if (ours.strokes !== undefined && ours.strokes < best('strokes'))
    faults.push(`strokes ${percent(ours.strokes)} of ${percent(best('strokes'))}`)
  if (ours.likeness !== undefined && ours.likeness < best('likeness'))
    faults.push(`likeness ${tenths(ours.likeness)} of ${tenths(best('likeness'))}`)
  const ghostscript = rest['Ghostscript']?.bytes
  const most = page.kind === 'scan' ? 0.5 : page.kind === 'text' ? 1.1 : Infinity
  if (ghostscript !== undefined && ours.bytes > ghostscript * most)
    faults.push(`bytes ${(ours.bytes / ghostscript).toFixed(2)} of Ghostscript's`)
  return faults
}

const percent = (share: number | undefined): string => (share === undefined ? '-' : `${Math.round(share * 100)}`)
const tenths = (share: number): string => (share * 100).toFixed(1)
const names = ['ours', 'Ghostscript', 'poppler', 'MuPDF']

export async function compare(options: { json: boolean; only?: string }): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-corpus-'))
  const judged: Page[] = []
  try {
    for (const page of [...colours(), ...(await corpus())]) {
      if (options.only !== undefined && !page.name.includes(options.only)) continue
      judged.push(await judge(page, folder))
      process.stderr.write(`${judged.length}: ${page.name}\n`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (options.json) process.stdout.write(`${JSON.stringify(judged.map(({ page: { name, kind }, scores }) => ({ name, kind, scores })))}\n`)
  else {
    const cell = (scores: Page['scores'], of: (score: Score) => string): string =>
      names.map((name) => (scores[name] === undefined ? '-' : of(scores[name]))).join(' ')
    const rows = judged.map((each) => [
      each.page.name,
      each.page.words.length === 0 ? '-' : String(each.page.words.length),
      cell(each.scores, (score) => (score.words === undefined ? '-' : String(Math.round(score.words)))),
      cell(each.scores, (score) => percent(score.strokes)),
      cell(each.scores, (score) => percent(score.likeness)),
      cell(each.scores, (score) => (score.bytes / 1000).toFixed(1)),
      faultsOf(each).join('; '),
    ])
    process.stdout.write(
      `ours, Ghostscript, poppler, MuPDF:\n${table([['page', 'words', 'read', 'strokes %', 'likeness %', 'kB', 'short of'], ...rows])}\n`,
    )
  }
  const short = judged.filter((each) => faultsOf(each).length > 0).length
  process.stdout.write(`${judged.length} pages, ${judged.length - short} as good as the best of the others and short enough\n`)
  return 0
}
