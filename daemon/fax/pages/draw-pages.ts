/** The child's work: looks a PDF over, or draws its pages as fax pages at both resolutions. */
import { readFileSync } from 'node:fs'
import { binarise } from './binarise.ts'
import type { ChildReport, ChildTask } from './child-protocol.ts'
import type { CoverContent } from './cover.ts'
import { placePage } from './geometry.ts'
import { halveRows, layOnSheet } from './gray.ts'
import { PageError } from './page-error.ts'
import { openPdf, type Pdf } from './pdfium.ts'
import { encodeT6 } from './t6-encode.ts'
import { dotsDown } from './tiff.ts'
import { TiffWriter } from './tiff-write.ts'

export type Tell = (report: ChildReport) => void

/** PDFium mends what is cut off as well as it can, and shows the rest as if it were all: a fax of half a letter. */
function checkEnd(bytes: Buffer): void {
  const linearised = /\/Linearized\b[^>]*\/L\s+(\d+)/.exec(bytes.toString('latin1', 0, 2048))
  if (!bytes.includes('%%EOF') || (linearised !== null && Number(linearised[1]) > bytes.length)) {
    throw new PageError('pdf_unreadable', 'The PDF is cut off: its end is missing.')
  }
}

/** A form that only one maker's reader can fill in has one page that says so, and nothing else. */
function checkForm(pdf: Pdf): void {
  if (pdf.pages === 1 && /If this message is not eventually replaced/i.test(pdf.text(0))) {
    throw new PageError('pdf_unreadable', 'The PDF is a form that only its own reader can show (XFA); print it to a PDF first.')
  }
}

async function open(path: string, mostPages: number): Promise<Pdf> {
  const bytes = readFileSync(path)
  const pdf = await openPdf(bytes)
  if (pdf.pages < 1) throw new PageError('pdf_unreadable', 'The PDF has no pages.')
  if (pdf.pages > mostPages) {
    throw new PageError('pdf_too_many_pages', `The PDF has ${pdf.pages} pages; ${mostPages} can be sent at once.`)
  }
  checkEnd(bytes)
  checkForm(pdf)
  return pdf
}

async function inspect(task: Extract<ChildTask, { task: 'inspect' }>): Promise<number> {
  const pdf = await open(task.pdf, task.mostPages)
  for (let page = 0; page < pdf.pages; page++) pdf.page(page)
  return pdf.pages
}

/** What writes PDFs is loaded for those that have a cover only. */
async function cover(content: CoverContent, pages: number): Promise<Pdf> {
  const { coverPdf } = await import('./cover.ts')
  return openPdf(await coverPdf(content, pages))
}

async function render(task: Extract<ChildTask, { task: 'render' }>, tell: Tell): Promise<number> {
  const sent = await open(task.pdf, task.mostPages - (task.cover === null ? 0 : 1))
  const documents = task.cover === null ? [sent] : [await cover(task.cover, sent.pages + 1), sent]
  const pages = documents.reduce((sum, pdf) => sum + pdf.pages, 0)
  const fine = new TiffWriter(task.fine, { pages, dotsDown: dotsDown.fine })
  const standard = new TiffWriter(task.standard, { pages, dotsDown: dotsDown.standard })
  for (const pdf of documents) {
    for (let index = 0; index < pdf.pages; index++) {
      const began = performance.now()
      const page = pdf.page(index)
      const place = placePage(page.width, page.height)
      const drawn = await (place.turned ? page.draw(place.rows, place.width) : page.draw(place.width, place.rows))
      const gray = layOnSheet(drawn, place)
      const strip = encodeT6(binarise(gray, true))
      fine.add({ width: gray.width, rows: gray.rows, strip })
      const half = halveRows(gray)
      const halfStrip = encodeT6(binarise(half, false))
      standard.add({ width: half.width, rows: half.rows, strip: halfStrip })
      const milliseconds = Math.round(performance.now() - began)
      tell({ report: 'page', fine: strip.length, standard: halfStrip.length, rows: gray.rows, milliseconds })
    }
  }
  fine.close()
  standard.close()
  return pages
}

export async function runTask(task: ChildTask, tell: Tell): Promise<void> {
  try {
    const pages = task.task === 'inspect' ? await inspect(task) : await render(task, tell)
    tell({ report: 'done', pages })
  } catch (error) {
    if (error instanceof PageError) tell({ report: 'failed', code: error.code, message: error.message })
    else if (error instanceof Error && 'syscall' in error) tell({ report: 'failed', code: 'internal', message: error.message })
    else tell({ report: 'failed', code: 'pdf_unreadable', message: 'The PDF cannot be drawn; it is probably damaged.' })
  }
}
