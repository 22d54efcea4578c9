/** PDFium as WebAssembly: opens a PDF, says how large its pages are and draws them in shades. Only the limited child comes here. */
import { PDFiumLibrary, type PDFiumDocument, type PDFiumPage } from '@hyzyla/pdfium'
import { PageError } from './page-error.ts'

let memoryRefused = false

interface WasmMemory {
  grow(pages: number): number
}

/** PDFium leaves out what it has no memory for and says nothing: a page without its picture must not pass for the page. */
function watchMemory(): void {
  const memory = (globalThis as unknown as { WebAssembly: { Memory: { prototype: WasmMemory } } }).WebAssembly.Memory.prototype
  const grow = memory.grow
  memory.grow = function (pages) {
    try {
      return grow.call(this, pages)
    } catch (error) {
      memoryRefused = true
      throw error
    }
  }
}

/** The library tells its errors apart by text alone. */
function openError(error: unknown): PageError {
  const text = error instanceof Error ? error.message : ''
  if (text.startsWith('Password required')) {
    return new PageError('pdf_encrypted', 'The PDF is protected by a password; send it without one.')
  }
  if (text.startsWith('Unsupported security')) {
    return new PageError('pdf_encrypted', 'The PDF is protected in a way that cannot be read; send it without protection.')
  }
  return new PageError('pdf_unreadable', 'The PDF is damaged: it cannot be opened.', { cause: error })
}

export interface PdfPage {
  /** Points, as a reader sees the page. */
  readonly width: number
  readonly height: number
  /** Shades on white, `width` dots by `rows` whatever the shape of the page; annotations and form fields as they print. Once. */
  draw(width: number, rows: number): Promise<Uint8Array>
}

export interface Pdf {
  readonly pages: number
  /** Counts from 0. */
  page(index: number): PdfPage
  /** Text of a page, as far as it has any. */
  text(index: number): string
}

async function draw(page: PDFiumPage, width: number, rows: number): Promise<Uint8Array> {
  memoryRefused = false
  let drawn: Uint8Array
  try {
    drawn = (await page.render({ render: 'bitmap', colorSpace: 'Gray', scale: 1, width, height: rows, renderFormFields: true })).data
  } catch (error) {
    if (memoryRefused) throw tooLarge()
    throw new PageError('pdf_unreadable', `Page ${page.number + 1} of the PDF cannot be drawn.`, { cause: error })
  }
  if (memoryRefused) throw tooLarge()
  return drawn
}

export function tooLarge(): PageError {
  return new PageError('pdf_unreadable', 'The PDF needs too much memory to draw, such as a picture of giant size.')
}

function load(document: PDFiumDocument, index: number): PDFiumPage & { readonly size: { originalWidth: number; originalHeight: number } } {
  const page = document.getPage(index)
  const size = page.getOriginalSize()
  if (!(size.originalWidth > 0) || !(size.originalHeight > 0)) {
    throw new PageError('pdf_unreadable', `The PDF is damaged: page ${index + 1} cannot be read.`)
  }
  return Object.assign(page, { size })
}

async function start(): Promise<PDFiumLibrary> {
  watchMemory()
  return PDFiumLibrary.init()
}

let started: Promise<PDFiumLibrary> | undefined

export async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  started ??= start()
  const library = await started
  const document = await library.loadDocument(bytes).catch((error: unknown) => Promise.reject(openError(error)))
  return {
    pages: document.getPageCount(),
    page: (index) => {
      const page = load(document, index)
      return {
        width: page.size.originalWidth,
        height: page.size.originalHeight,
        draw: (width, rows) => draw(page, width, rows),
      }
    },
    text: (index) => load(document, index).getText(),
  }
}
