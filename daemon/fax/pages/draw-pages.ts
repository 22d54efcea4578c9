/** The child's work: looks a PDF over, or draws its pages as fax pages at both resolutions. */
import { readFileSync } from 'node:fs'
import { binarise } from './binarise.ts'
import { childFiles, warningWords, type ChildReport, type ChildTask, type Outcome } from './child-protocol.ts'
import type { CoverContent } from './cover.ts'
import { drawnPart, placePage, type Placement } from './geometry.ts'
import { halveRows, layOnSheet, type Gray } from './bitmap.ts'
import { PageError } from './page-error.ts'
import { openPdf, type Pdf, type PdfPage } from './pdfium.ts'
import { about, partsOf, partWarnings, tooManyPages, type Part, type PortfolioChoice } from './portfolio.ts'
import { encodeT6 } from './t6-encode.ts'
import { dotsDown } from './tiff.ts'
import { TiffWriter } from './tiff-write.ts'

export type Tell = (report: ChildReport) => void

function checkCount(pages: number, mostPages: number): void {
  if (pages > mostPages) throw tooManyPages(pages, mostPages)
}

/** A PDF of a thousand odd pages is described in a few sentences. */
const mostWarnings = 20

function warningsOf(page: PdfPage, sheets: number): string[] {
  const fonts = page.replacedFonts()
  const warnings: string[] = []
  if (fonts.length > 0) warnings.push(`${warningWords.fonts} (${fonts.slice(0, 3).join(', ')}).`)
  if (page.notesForScreen() > 0) warnings.push(`${warningWords.notes}.`)
  if (page.isOpen) warnings.push(`${warningWords.open}.`)
  if (sheets > 1) warnings.push(`${warningWords.sheets} ${sheets} sheets.`)
  return warnings
}

/** What is said of a PDF before it is accepted. Throws PageError. */
export async function lookOver(bytes: Buffer, mostPages: number, portfolio: PortfolioChoice = 'refuse'): Promise<Outcome> {
  const parts = await partsOf(bytes, mostPages, portfolio)
  const warnings = partWarnings(parts)
  let sheets = 0
  const look = ({ pdf, name }: Part): void => {
    for (let index = 0; index < pdf.pages; index++) {
      const page = pdf.page(index)
      const missing = page.missingText()
      if (missing !== undefined) throw new PageError('pdf_unreadable', `Page ${index + 1} of the PDF ${missing}`)
      const cut = placePage(page.width, page.height).length
      const where = name === '' ? `Page ${index + 1}` : `${name}, page ${index + 1}`
      warnings.push(...warningsOf(page, cut).map((warning) => `${where}: ${warning}`))
      sheets += cut
      checkCount(sheets, mostPages)
      page.close()
    }
  }
  for (const part of parts) await about(part.name, () => look(part))
  return { pages: sheets, warnings: warnings.slice(0, mostWarnings) }
}

/** What writes PDFs is loaded for those that have a cover only. */
async function cover(content: CoverContent, pages: number): Promise<Pdf> {
  const { coverPdf } = await import('./cover.ts')
  return openPdf(await coverPdf(content, pages))
}

interface Files {
  readonly fine: TiffWriter
  readonly standard: TiffWriter
}

/** A sheet of a page in shades. Throws PageError where it does not show all that the page has. `index`: of the page, for the sentence. */
export function shadesOf(page: PdfPage, index: number, place: Placement): Gray {
  const { width, rows, window } = drawnPart(place)
  const drawn = page.draw(width, rows, window)
  const missing = page.missing({ width, rows, left: window.left, top: window.top, across: window.width, down: window.rows, dots: drawn })
  if (missing !== undefined) throw new PageError('pdf_unreadable', `Page ${index + 1} of the PDF ${missing}`)
  return layOnSheet(drawn, place)
}

function drawSheet(page: PdfPage, index: number, place: Placement, files: Files, tell: Tell): void {
  const began = performance.now()
  const gray = shadesOf(page, index, place)
  const strip = encodeT6(binarise(gray, true))
  files.fine.add({ width: gray.width, rows: gray.rows, strip })
  const half = halveRows(gray)
  const halfStrip = encodeT6(binarise(half, false))
  files.standard.add({ width: half.width, rows: half.rows, strip: halfStrip })
  const milliseconds = Math.round(performance.now() - began)
  tell({ report: 'page', fine: strip.length, standard: halfStrip.length, rows: gray.rows, milliseconds })
}

/** The sheets of each page, which come after `before` others. */
function placesOf(pdf: Pdf, before: number, mostPages: number): Placement[][] {
  let sheets = before
  return Array.from({ length: pdf.pages }, (_, index) => {
    const page = pdf.page(index)
    const places = placePage(page.width, page.height)
    page.close()
    checkCount((sheets += places.length), mostPages)
    return places
  })
}

async function render(task: Extract<ChildTask, { task: 'render' }>, tell: Tell): Promise<Outcome> {
  const mostPages = task.mostPages - (task.cover === null ? 0 : 1)
  const documents: (Part & { places: Placement[][] })[] = []
  let pages = 0
  const add = async (part: Part): Promise<void> => {
    const places = await about(part.name, () => placesOf(part.pdf, pages, mostPages))
    documents.push({ ...part, places })
    pages += places.flat().length
  }
  for (const part of await partsOf(readFileSync(childFiles.document), mostPages, task.portfolio)) await add(part)
  if (task.cover !== null) {
    const pdf = await cover(task.cover, pages + 1)
    documents.unshift({ pdf, name: '', places: placesOf(pdf, 0, 1) })
    pages++
  }
  const files = {
    fine: new TiffWriter(childFiles.fine, { pages, dotsDown: dotsDown.fine }),
    standard: new TiffWriter(childFiles.standard, { pages, dotsDown: dotsDown.standard }),
  }
  for (const { pdf, name, places } of documents) {
    await about(name, () =>
      places.forEach((sheetsOfPage, index) => {
        const page = pdf.page(index)
        for (const place of sheetsOfPage) drawSheet(page, index, place, files, tell)
        page.close()
      }),
    )
  }
  files.fine.close()
  files.standard.close()
  return { pages, warnings: [] }
}

export function readPdf(task: Extract<ChildTask, { task: 'inspect' | 'render' }>, tell: Tell): Promise<Outcome> {
  return task.task === 'inspect' ? lookOver(readFileSync(childFiles.document), task.mostPages, task.portfolio) : render(task, tell)
}
