/**
 * Public test files of other readers, page by page: what we draw against poppler, MuPDF and Ghostscript at the same resolution. A page is
 * worse where tesseract reads fewer of its words from ours than from the best of the three, or where parts that two of them draw are empty in
 * ours. Files that we refuse are listed with the reason.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binarise } from '../../../daemon/fax/pages/binarise.ts'
import type { Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { lookOver, shadesOf } from '../../../daemon/fax/pages/draw-pages.ts'
import { placePage, type Placement } from '../../../daemon/fax/pages/geometry.ts'
import { PageError } from '../../../daemon/fax/pages/page-error.ts'
import { openPdf } from '../../../daemon/fax/pages/pdfium.ts'
import { mupdf, others, readPbm } from '../bench/pages.ts'
import { wordsRead } from './corpus.ts'

export interface Judged {
  readonly file: string
  readonly refused?: string
  /** Parts of the page, of a hundredth each way, that two of the others have ink in and we have not. */
  readonly empty?: number
  /** Words read, of so many. */
  readonly words?: { readonly of: number; readonly ours: number; readonly best: number }
}

const parts = 100
const seconds = 20

/** Where on the sheet the page lies; the others draw the page alone. */
interface Place {
  readonly left: number
  readonly width: number
  readonly rows: number
}

function inkOf({ stride, data }: Bitmap, { left, width, rows }: Place): Uint32Array {
  const ink = new Uint32Array(parts * parts)
  for (let y = 0; y < rows; y++) {
    const row = Math.floor((y * parts) / rows) * parts
    for (let x = 0; x < width; x++) {
      const at = left + x
      if (((data[y * stride + (at >> 3)] as number) & (0x80 >> (at & 7))) !== 0) ink[row + Math.floor((x * parts) / width)]!++
    }
  }
  return ink
}

/** Ink of ours in the part, or in one beside it: the pages do not lie alike to the dot. */
function hasInk(ink: Uint32Array, part: number): boolean {
  for (const down of [-parts, 0, parts]) for (const across of [-1, 0, 1]) if ((ink[part + down + across] ?? 0) > 0) return true
  return false
}

async function ours(bytes: Buffer): Promise<{ own: Bitmap; place: Placement }> {
  await lookOver(bytes, 2000)
  const page = (await openPdf(bytes)).page(0)
  const place = placePage(page.width, page.height)[0]!
  const bitmap = binarise(shadesOf(page, 0, place), true)
  page.close()
  return { own: bitmap, place }
}

async function judge(file: string, name: string, folder: string): Promise<Judged> {
  let own: Bitmap
  let place: Placement
  try {
    ;({ own, place } = await ours(readFileSync(file)))
  } catch (error) {
    return { file: name, refused: error instanceof PageError ? error.message : String(error) }
  }
  const bitmaps: Bitmap[] = []
  for (const other of [...others, mupdf]) {
    const { path, arguments: words, result } = other.run(file, join(folder, other.name))
    rmSync(result, { force: true })
    if (spawnSync(path, words, { stdio: 'ignore', timeout: seconds * 1000 }).status !== 0) continue
    try {
      bitmaps.push(readPbm(result))
    } catch {
      // It drew nothing.
    }
  }
  // A page that lies across is turned, and one that is cut into sheets is on more than one.
  const isWhole = !place.turned && place.rows === place.wholeRows
  const grids = isWhole ? bitmaps.map((bitmap) => inkOf(bitmap, { ...bitmap, left: 0 })) : []
  const grid = inkOf(own, place)
  const empty = [...grid.keys()].filter(
    (part) => grids.filter((one) => (one[part] as number) > 8).length >= 2 && !hasInk(grid, part),
  ).length
  const text = spawnSync('pdftotext', ['-l', '1', file, '-'], { encoding: 'utf8', timeout: seconds * 1000 }).stdout ?? ''
  const all = text
    .split(/\s+/)
    .filter((word) => /^[a-z]{3,}$/i.test(word))
    .slice(0, 400)
  if (all.length < 3 || (process.env['PBXD_ALL_WORDS'] === undefined && empty === 0)) return { file: name, empty }
  const read = (bitmap: Bitmap): number => Math.round((wordsRead(bitmap, all, folder) ?? 0) * all.length)
  const words = { of: all.length, ours: read(own), best: Math.max(0, ...bitmaps.map(read)) }
  return { file: name, empty, words }
}

/** `folder` holds PDFs, at any depth; a line of JSON for each goes to `out`, and those that it has are left out. */
export async function publicFiles({ folder, out }: { folder?: string | undefined; out?: string | undefined }): Promise<number> {
  if (folder === undefined || out === undefined) return 2

  const work = mkdtempSync(join(tmpdir(), 'pbxd-public-'))
  const done = new Set<string>()
  try {
    for (const line of readFileSync(out, 'utf8').split('\n')) if (line !== '') done.add((JSON.parse(line) as Judged).file)
  } catch {
    // The first run.
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.pdf$/i.test(name))
  try {
    for (const name of files.toSorted()) {
      if (done.has(name)) continue
      const judged = await judge(join(folder, name), name, work)
      appendFileSync(out, `${JSON.stringify(judged)}\n`)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return 0
}
