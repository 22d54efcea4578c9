/**
 * PDFs whose pages are not the document: forms that only their maker's reader can show (XFA) are refused, portfolios are named. And what
 * PDFium does not say of a PDF: how large its units are, and whether it saw all of each page.
 */
import { checkContent, type Asked } from './content-check.ts'
import { PageError } from './page-error.ts'
import { PdfFile } from './pdf-file.ts'
import type { Pdfium } from './pdfium-module.ts'

export interface Structure {
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
export function readStructure(pdfium: Pdfium, document: number, bytes: Buffer, firstPage: () => string): Structure {
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
