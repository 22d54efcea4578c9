/** Pages of a fax as pictures for people: at the full width the very dots, as the fax machine prints them, else in shades between. */
import { fstatSync, readFileSync, readSync, writeSync } from 'node:fs'
import { createBitmap, type Bitmap, changesOf, type Gray } from './bitmap.ts'
import { childFiles, type ChildTask, type Outcome } from './child-protocol.ts'
import { headerRows } from './header-line.ts'
import { PageError } from './page-error.ts'
import { pngOfDots, pngOfShades } from './png.ts'
import { receivedSheet, type FaxSheet } from './received-read.ts'
import { decodeT6 } from './t6-decode.ts'
import { compression, dotsAcross, dotsDown, faxWidth } from './tiff.ts'
import { readTiff } from './tiff-read.ts'

// A page of dots in fewer dots and shades between: each new dot has the share of black of the place that it stands for.

/** Adds the black of a row to the dots of `line`, as a share of each dot's width. */
function addRow(bitmap: Bitmap, row: number, changes: Int32Array, line: Float32Array, scale: number): void {
  const count = changesOf(bitmap, row, changes)
  for (let index = 0; index < count; index += 2) {
    const from = (changes[index] as number) * scale
    const to = Math.min(changes[index + 1] as number, bitmap.width) * scale
    const first = Math.floor(from)
    const last = Math.min(Math.floor(to), line.length - 1)
    if (first === last) {
      line[first]! += to - from
      continue
    }
    line[first]! += first + 1 - from
    for (let dot = first + 1; dot < last; dot++) line[dot]! += 1
    line[last]! += to - last
  }
}

function shrink(bitmap: Bitmap, width: number, rows: number): Gray {
  const data = new Uint8Array(width * rows)
  const changes = new Int32Array(bitmap.width + 8)
  const across = width / bitmap.width
  const down = rows / bitmap.rows
  const black = new Float32Array(width * (rows + 1))
  const line = new Float32Array(width)
  for (let row = 0; row < bitmap.rows; row++) {
    line.fill(0)
    addRow(bitmap, row, changes, line, across)
    // A row of the page lies on one row of the picture, or on more where they are lower.
    const top = row * down
    const bottom = (row + 1) * down
    for (let to = Math.floor(top); to < bottom && to < rows; to++) {
      const share = Math.min(bottom, to + 1) - Math.max(top, to)
      for (let dot = 0; dot < width; dot++) black[to * width + dot]! += (line[dot] as number) * share
    }
  }
  for (let place = 0; place < data.length; place++) data[place] = 255 - Math.round(255 * Math.min(1, black[place] as number))
  return { width, rows, data }
}

export interface WantedPicture {
  /** From 1. */
  readonly page: number
  /** Dots across, at most `faxWidth`. */
  readonly width: number
  /** Drawn above the page, as it goes with it; null on a page that came in with its own. */
  readonly header: string | null
}

const missing = (page: number): PageError => new PageError('pdf_unreadable', `Page ${page} of the fax cannot be read.`)

function isTiff(file: number): boolean {
  const start = Buffer.alloc(4)
  readSync(file, start, 0, 4, 0)
  return start.toString('latin1', 0, 2) === 'II' || start.toString('latin1', 0, 2) === 'MM'
}

/** Of a file that this program has written. */
function tiffSheets(file: number): (page: number) => FaxSheet {
  const { pages } = readTiff(file, fstatSync(file).size)
  return (number) => {
    const page = pages[number - 1]
    const [strip] = page?.strips ?? []
    if (page?.compression !== compression.group4 || strip === undefined || page.strips.length > 1) throw missing(number)
    const bytes = Buffer.alloc(strip.bytes)
    readSync(file, bytes, 0, strip.bytes, strip.offset)
    return { bitmap: decodeT6(bytes, page.width, page.rows).bitmap, down: page.down }
  }
}

/** In any other coding than what spandsp writes, a page is drawn by PDFium. */
async function drawnSheet(pdf: Buffer, number: number): Promise<FaxSheet> {
  const { openPdf } = await import('./pdfium.ts')
  const document = await openPdf(pdf)
  if (number > document.pages) throw missing(number)
  const page = document.page(number - 1)
  const rows = Math.min(30_000, Math.max(1, Math.round((page.height / page.width) * (faxWidth / dotsAcross) * dotsDown.fine)))
  const shades = page.draw(faxWidth, rows)
  page.close()
  const bitmap = createBitmap(faxWidth, rows)
  shades.forEach((shade, dot) => {
    const x = dot % faxWidth
    if (shade < 128) bitmap.data[Math.floor(dot / faxWidth) * bitmap.stride + (x >> 3)]! |= 0x80 >> (x & 7)
  })
  return { bitmap, down: dotsDown.fine }
}

/** The pages of descriptor `file`. */
export function sheetsOf(file: number): (page: number) => FaxSheet | Promise<FaxSheet> {
  if (isTiff(file)) return tiffSheets(file)
  const pdf = readFileSync(file)
  return (page) => receivedSheet(pdf, page) ?? drawnSheet(pdf, page)
}

function below(header: Bitmap, page: Bitmap): Bitmap {
  return { ...page, rows: header.rows + page.rows, data: Buffer.concat([header.data, page.data]) }
}

export function pictureOf({ bitmap, down }: FaxSheet, { width, header }: WantedPicture): Buffer {
  const whole = header === null ? bitmap : below(headerRows(header, bitmap.width, down), bitmap)
  // Dots of 204 x 196 to the inch, whatever the page was sent with.
  const repeated = Math.max(1, Math.round(dotsDown.fine / down))
  const share = width / whole.width
  const size = { across: dotsAcross * share, down: dotsDown.fine * share }
  if (width >= whole.width) return pngOfDots(whole, repeated, { across: dotsAcross, down: dotsDown.fine })
  return pngOfShades(shrink(whole, width, Math.max(1, Math.round(whole.rows * repeated * share))), size)
}

export async function drawPictures({ wanted }: Extract<ChildTask, { task: 'pictures' }>): Promise<Outcome> {
  const sheetOf = sheetsOf(childFiles.document)
  const sizes: number[] = []
  for (const one of wanted) {
    const png = pictureOf(await sheetOf(one.page), one)
    writeSync(childFiles.only, png)
    sizes.push(png.length)
  }
  return { pages: wanted.length, warnings: [], sizes }
}
