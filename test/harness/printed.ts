/** What a page of the console looks like on paper: how large its pictures are, in inches, and what is written there. */
import { decodePDFRawStream, PDFArray, PDFDict, PDFDocument, PDFName, PDFRawStream, type PDFPage } from 'pdf-lib'

export interface PrintedPage {
  /** Inches, across and down. */
  readonly sheet: readonly [number, number]
  /** Of each picture, in the order in which they are drawn. */
  readonly pictures: readonly (readonly [across: number, down: number])[]
}

type Matrix = readonly [number, number, number, number, number, number]

const pointsPerInch = 72

export async function printedPages(pdf: Uint8Array): Promise<PrintedPage[]> {
  const document = await PDFDocument.load(pdf)
  return document.getPages().map((page) => {
    const { width, height } = page.getSize()
    return { sheet: [width / pointsPerInch, height / pointsPerInch], pictures: picturesOf(page) }
  })
}

/** Of one page. */
export async function textOf(pdf: Buffer, page = 0): Promise<string> {
  const { openPdf } = await import('../../daemon/fax/pages/pdfium.ts')
  return (await openPdf(pdf)).page(page).text()
}

/** A picture is a square of one unit, of which the matrix that holds makes its place (ISO 32000-1, 8.9.5). */
function picturesOf(page: PDFPage): [number, number][] {
  const pictures = imagesOf(page)
  const found: [number, number][] = []
  const kept: Matrix[] = []
  let now: Matrix = [1, 0, 0, 1, 0, 0]
  let words: string[] = []
  for (const word of contentOf(page).split(/\s+/)) {
    if (!/^[A-Za-z*'"]+$/.test(word)) {
      words.push(word)
      continue
    }
    if (word === 'q') kept.push(now)
    if (word === 'Q') now = kept.pop() ?? now
    if (word === 'cm') now = times(words.slice(-6).map(Number) as unknown as Matrix, now)
    if (word === 'Do' && pictures.has(words.at(-1)?.slice(1) ?? ''))
      found.push([Math.hypot(now[0], now[1]) / pointsPerInch, Math.hypot(now[2], now[3]) / pointsPerInch])
    words = []
  }
  return found
}

function imagesOf(page: PDFPage): Set<string> {
  const objects = page.node.Resources()?.lookupMaybe(PDFName.of('XObject'), PDFDict)
  const names = (objects?.keys() ?? []).filter((name) => {
    const object = objects!.lookup(name)
    return object instanceof PDFRawStream && object.dict.get(PDFName.of('Subtype')) === PDFName.of('Image')
  })
  return new Set(names.map((name) => name.decodeText()))
}

function contentOf(page: PDFPage): string {
  const contents = page.node.Contents()
  const streams = contents instanceof PDFArray ? contents.asArray().map((ref) => page.doc.context.lookup(ref)) : [contents]
  return streams
    .map((stream) => (stream instanceof PDFRawStream ? Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1') : ''))
    .join('\n')
}

const times = ([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix => [
  ...([a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D] as const),
  ...([e * A + f * C + E, e * B + f * D + F] as const),
]
