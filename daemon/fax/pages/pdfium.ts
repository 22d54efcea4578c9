/** PDFs by PDFium: opens one, says how large its pages are, what is wrong with them, and draws them in shades. Only the limited child comes here. */
import { drawMissingNotes, notesForScreen } from './annotations.ts'
import { attachmentsOf, countAttachments, type Attachment } from './attachments.ts'
import { offerFallback } from './fallback-font.ts'
import { PageError } from './page-error.ts'
import { Pdfium } from './pdfium-module.ts'
import { missingOnPage, missingText, notSeen, replacedFonts, type DrawnPage } from './page-content.ts'
import { repairPictures } from './pictures.ts'
import { type Asked, checkContent } from './content-check.ts'
import { PdfFile } from './pdf-file.ts'

/**
 * PDFs whose pages are not the document: forms that only their maker's reader can show (XFA) are refused, portfolios are named. And what
 * PDFium does not say of a PDF: how large its units are, and whether it saw all of each page.
 */
interface Structure {
  /** `/Collection` in the catalog: its pages are a wrapper around other files. */
  readonly isPortfolio: boolean
  readonly pages: readonly Asked[]
  /** The document as PDFium can draw the whole of it, where it could not as it came. */
  readonly repaired: Buffer | undefined
}

/** FORMTYPE_XFA_FULL: `/XFA` in the form and `/NeedsRendering` in the catalog. */
const wholeFormIsXfa = 2
/** FPDF_REMOVE_SECURITY: a new copy without a password. */
const plainCopy = 3

/** A form that only one maker's reader can fill in; older ones are known by the sentence on their only page. */
function checkForm(pdfium: Pdfium, document: number, firstPage: () => string): void {
  const isXfa = pdfium.call('FPDF_GetFormType', document) === wholeFormIsXfa
  const isNotice = pdfium.call('FPDF_GetPageCount', document) === 1 && /If this message is not eventually replaced/i.test(firstPage())
  if (!isXfa && !isNotice) return
  throw new PageError('pdf_unreadable', 'The PDF is a form that only its own reader can show (XFA); print it to a PDF first.')
}

/** `bytes`: the file as it came; `firstPage`: its text. Throws PageError. */
function readStructure(pdfium: Pdfium, document: number, bytes: Buffer, firstPage: () => string): Structure {
  checkForm(pdfium, document, firstPage)
  const { pages, repaired, root } = checkContent(read(pdfium, document), bytes)
  return { isPortfolio: root.has('Collection'), pages, repaired }
}

function read(pdfium: Pdfium, document: number): PdfFile {
  try {
    return new PdfFile(pdfium.copyOf(document, plainCopy))
  } catch (error) {
    throw new PageError('pdf_unreadable', 'The PDF is damaged: its structure cannot be read.', { cause: error })
  }
}

/** FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY. */
const passwordNeeded = 4
const unknownProtection = 5

/** FPDF_ANNOT, FPDF_GRAYSCALE, FPDF_PRINTING: as it prints, with its annotations. */
const withAnnotations = 0x01
const asItPrints = 0x08 | 0x800

/** FPDFBitmap_Gray: a byte a dot. */
const grayBitmap = 1

/** Files inside whose names are asked for. */
const mostNamed = 100

export interface Window {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly rows: number
}

export interface PdfPage {
  /** Points, as a reader sees the page (`/Rotate` and `/UserUnit` applied). */
  readonly width: number
  readonly height: number
  /**
   * Shades on white of the page, drawn `width` dots by `rows` whatever its shape, or of the window cut out of that: as it prints,
   * with annotations and form fields. Throws PageError.
   */
  draw(width: number, rows: number, window?: Window): Uint8Array
  /** Fonts that text on the page is drawn with in place of its own, which are not in the PDF: their names. */
  replacedFonts(): string[]
  /** Notes on it that do not print. */
  notesForScreen(): number
  /** Its content does not end what it began. */
  readonly isOpen: boolean
  /** A sentence about pictures that end early, content that PDFium does not see, or text that no font at hand can show; undefined where all is well. */
  missingText(): string | undefined
  /** A sentence about text or pictures that left no ink on what `draw` gave for these numbers. */
  missing(drawn: DrawnPage): string | undefined
  text(): string
  /** Nothing can be asked after that. */
  close(): void
}

export interface Pdf {
  readonly pages: number
  /** Its pages are a wrapper around the files inside. */
  readonly isPortfolio: boolean
  /** Names of files inside that no page shows: the first hundred. */
  readonly attachments: readonly string[]
  readonly attachmentCount: number
  /** The first `most` of them. */
  attached(most: number): Attachment[]
  /** Counts from 0. Throws PageError. */
  page(index: number): PdfPage
  /** Text of a page, as far as it has any. */
  text(index: number): string
}

export function tooLarge(): PageError {
  return new PageError('pdf_unreadable', 'The PDF needs too much memory to draw, such as a picture of giant size.')
}

function openError(code: number): PageError {
  if (code === passwordNeeded) return new PageError('pdf_encrypted', 'The PDF is protected by a password; send it without one.')
  if (code === unknownProtection) {
    return new PageError('pdf_encrypted', 'The PDF is protected in a way that cannot be read; send it without protection.')
  }
  return new PageError('pdf_unreadable', 'The PDF is damaged: it cannot be opened.')
}

class OpenPage implements PdfPage {
  readonly width: number
  readonly height: number
  readonly #pdfium: Pdfium
  readonly #document: number
  readonly #page: number
  readonly #form: number
  readonly isOpen: boolean
  readonly #number: number
  readonly #asked: Asked | undefined
  #prepared = false

  constructor(pdfium: Pdfium, handles: { document: number; form: number; page: number }, index: number, asked: Asked | undefined) {
    const unit = asked?.unit ?? 1
    this.#asked = asked
    this.isOpen = asked?.isOpen ?? false
    this.#pdfium = pdfium
    this.#document = handles.document
    this.#form = handles.form
    this.#page = handles.page
    this.#number = index + 1
    this.width = handles.page === 0 ? 0 : pdfium.call('FPDF_GetPageWidthF', handles.page) * unit
    this.height = handles.page === 0 ? 0 : pdfium.call('FPDF_GetPageHeightF', handles.page) * unit
    if (!(this.width > 0) || !(this.height > 0)) {
      throw new PageError('pdf_unreadable', `The PDF is damaged: page ${this.#number} cannot be read.`)
    }
  }

  draw(width: number, rows: number, window: Window = { left: 0, top: 0, width, rows }): Uint8Array {
    const pdfium = this.#pdfium
    void pdfium.ranShort
    try {
      this.#prepare()
      const drawn = this.#draw(width, rows, window)
      if (pdfium.ranShort) throw tooLarge()
      return drawn
    } catch (error) {
      if (error instanceof PageError) throw error
      if (pdfium.ranShort) throw tooLarge()
      throw new PageError('pdf_unreadable', `Page ${this.#number} of the PDF cannot be drawn.`, { cause: error })
    }
  }

  #draw(width: number, rows: number, window: Window): Uint8Array {
    const pdfium = this.#pdfium
    const bytes = window.width * window.rows
    return pdfium.with(bytes, (dots) => {
      const bitmap = pdfium.call('FPDFBitmap_CreateEx', window.width, window.rows, grayBitmap, dots, window.width)
      const place = [-window.left, -window.top, width, rows, 0] as const
      pdfium.call('FPDFBitmap_FillRect', bitmap, 0, 0, window.width, window.rows, 0xffffffff)
      pdfium.call('FPDF_RenderPageBitmap', bitmap, this.#page, ...place, asItPrints | withAnnotations)
      pdfium.call('FPDF_FFLDraw', this.#form, bitmap, this.#page, ...place, asItPrints)
      pdfium.call('FPDFBitmap_Destroy', bitmap)
      return pdfium.bytes.slice(dots, dots + bytes)
    })
  }

  /** Before it is drawn for the first time: what PDFium would leave out. */
  #prepare(): void {
    if (this.#prepared) return
    this.#prepared = true
    const where = { document: this.#document, page: this.#page }
    drawMissingNotes(this.#pdfium, where, this.#form)
    repairPictures(this.#pdfium, where, this.#number)
    this.#pdfium.call('FORM_OnAfterLoadPage', this.#page, this.#form)
  }

  replacedFonts(): string[] {
    return replacedFonts(this.#pdfium, this.#page)
  }

  notesForScreen(): number {
    return notesForScreen(this.#pdfium, this.#page)
  }

  missingText(): string | undefined {
    const where = { document: this.#document, page: this.#page }
    if (this.#asked !== undefined) {
      const damaged = this.#asked.damagedPicture()
      if (damaged !== undefined) return `${damaged}; part of it would be missing.`
      const hidden = notSeen(this.#pdfium, this.#page, this.#asked)
      if (hidden !== undefined) return hidden
    }
    return missingText(this.#pdfium, where)
  }

  missing(drawn: DrawnPage): string | undefined {
    return missingOnPage(this.#pdfium, { document: this.#document, page: this.#page }, drawn)
  }

  text(): string {
    const pdfium = this.#pdfium
    const text = pdfium.call('FPDFText_LoadPage', this.#page)
    if (text === 0) return ''
    const count = Math.max(0, pdfium.call('FPDFText_CountChars', text))
    const read = pdfium.with((count + 1) * 2, (buffer) => {
      const length = pdfium.call('FPDFText_GetText', text, 0, count, buffer)
      return Buffer.from(pdfium.bytes.subarray(buffer, buffer + Math.max(0, length - 1) * 2)).toString('utf16le')
    })
    pdfium.call('FPDFText_ClosePage', text)
    return read
  }

  close(): void {
    if (this.#prepared) this.#pdfium.call('FORM_OnBeforeClosePage', this.#page, this.#form)
    this.#pdfium.call('FPDF_ClosePage', this.#page)
  }
}

class OpenPdf implements Pdf {
  readonly pages: number
  readonly #pdfium: Pdfium
  readonly #document: number
  readonly #form: number
  #structure: Structure = { isPortfolio: false, pages: [], repaired: undefined }

  private constructor(pdfium: Pdfium, document: number) {
    this.#pdfium = pdfium
    this.#document = document
    this.pages = pdfium.call('FPDF_GetPageCount', document)
    // FPDF_FORMFILLINFO, version 2, without any function.
    const info = pdfium.allocate(256)
    pdfium.bytes.fill(0, info, info + 256)
    pdfium.view().setUint32(info, 2, true)
    this.#form = pdfium.call('FPDFDOC_InitFormFillEnvironment', document, info)
  }

  static open(pdfium: Pdfium, bytes: Buffer): OpenPdf {
    // PDFium reads from it as long as it is open.
    const copy = pdfium.allocate(bytes.length)
    pdfium.bytes.set(bytes, copy)
    const document = pdfium.call('FPDF_LoadMemDocument', copy, bytes.length, 0)
    if (document === 0) throw openError(pdfium.call('FPDF_GetLastError'))
    const pdf = new OpenPdf(pdfium, document)
    const structure = readStructure(pdfium, document, bytes, () => pdf.text(0))
    if (structure.repaired !== undefined) return OpenPdf.open(pdfium, structure.repaired)
    pdf.#structure = structure
    return pdf
  }

  get isPortfolio(): boolean {
    return this.#structure.isPortfolio
  }

  get attachments(): readonly string[] {
    return this.attached(mostNamed).map(({ name }) => name)
  }

  get attachmentCount(): number {
    return countAttachments(this.#pdfium, this.#document)
  }

  attached(most: number): Attachment[] {
    return attachmentsOf(this.#pdfium, this.#document, most)
  }

  page(index: number): PdfPage {
    const page = this.#pdfium.call('FPDF_LoadPage', this.#document, index)
    const handles = { document: this.#document, form: this.#form, page }
    return new OpenPage(this.#pdfium, handles, index, this.#structure.pages[index])
  }

  text(index: number): string {
    const page = this.page(index)
    try {
      return page.text()
    } finally {
      page.close()
    }
  }
}

async function start(): Promise<Pdfium> {
  const pdfium = await Pdfium.start()
  offerFallback(pdfium)
  return pdfium
}

let started: Promise<Pdfium> | undefined

/** Throws PageError: it cannot be opened, or is one of those whose pages are not what it is about. */
export async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  started ??= start()
  return OpenPdf.open(await started, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
}
