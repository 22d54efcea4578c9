/**
 * PDFs whose pages are not the document: forms that only their maker's reader can show (XFA) are refused, portfolios are told. And what
 * PDFium does not tell of a PDF: how large its units are.
 */
import { PageError } from './page-error.ts'
import type { Pdfium } from './pdfium-module.ts'

export interface Structure {
  /** `/Collection` in the catalog: its pages are a wrapper around other files. */
  readonly isPortfolio: boolean
  /** `/UserUnit` of each page, as far as one has any: its units are so many times 1/72 inch (ISO 32000-1, table 30). */
  readonly units: ReadonlyMap<number, number>
}

/** FORMTYPE_XFA_FULL: `/XFA` in the form and `/NeedsRendering` in the catalog. */
const wholeFormIsXfa = 2
/** FPDF_REMOVE_SECURITY: written anew and without a password. */
const plainCopy = 3

/** A form that only one maker's reader can fill in; older ones are known by the sentence on their only page. */
function checkForm(pdfium: Pdfium, document: number, firstPage: () => string): void {
  const isXfa = pdfium.call('FPDF_GetFormType', document) === wholeFormIsXfa
  const isNotice = pdfium.call('FPDF_GetPageCount', document) === 1 && /If this message is not eventually replaced/i.test(firstPage())
  if (!isXfa && !isNotice) return
  throw new PageError('pdf_unreadable', 'The PDF is a form that only its own reader can show (XFA); print it to a PDF first.')
}

const names = ['/Collection', '/UserUnit'] as const

/** What the names of interest can be read in: the file itself, or a copy without protection where they may be packed (ISO 32000-1, 7.5.7). */
function readable(pdfium: Pdfium, document: number, bytes: Buffer): Buffer | undefined {
  const says = (file: Buffer): boolean => names.some((name) => file.includes(name))
  if (!says(bytes) && !bytes.includes('/ObjStm')) return undefined
  const copy = pdfium.copyOf(document, plainCopy)
  return says(copy) ? copy : undefined
}

/** Throws PageError. `firstPage`: its text. */
export async function readStructure(pdfium: Pdfium, document: number, bytes: Buffer, firstPage: () => string): Promise<Structure> {
  checkForm(pdfium, document, firstPage)
  const file = readable(pdfium, document, bytes)
  const units = new Map<number, number>()
  if (file === undefined) return { isPortfolio: false, units }
  const { PDFDocument, PDFName, PDFNumber } = (await import('pdf-lib')).default
  const read = await PDFDocument.load(file, { updateMetadata: false }).catch((error: unknown) => {
    throw new PageError('pdf_unreadable', 'The PDF is damaged: its structure cannot be read.', { cause: error })
  })
  read.getPages().forEach((page, index) => {
    const unit = page.node.lookup(PDFName.of('UserUnit'))
    if (unit instanceof PDFNumber && unit.asNumber() > 0) units.set(index, unit.asNumber())
  })
  return { isPortfolio: read.catalog.lookup(PDFName.of('Collection')) !== undefined, units }
}
