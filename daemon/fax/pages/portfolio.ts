/**
 * What of a PDF is the document: its pages, or, in a portfolio (ISO 32000-1, 12.3.5), whose pages are a wrapper, the files inside. Those
 * are faxed only where that was asked for, all of them or none.
 */
import { warningWords } from './child-protocol.ts'
import { PageError } from './page-error.ts'
import { isCutOff, isPdf } from './pdf-bounds.ts'
import { openPdf, type Pdf } from './pdfium.ts'

/** What becomes of a portfolio: it is refused, or each PDF inside is faxed. */
export type PortfolioChoice = 'refuse' | 'files'

export interface Part {
  readonly pdf: Pdf
  /** Of a file inside a portfolio; '' for a PDF that is none. */
  readonly name: string
}

/** Files and names that fit in one sentence. */
const mostTold = 5

const listed = (names: readonly string[]): string => names.slice(0, mostTold).join(', ') + (names.length > mostTold ? ', ...' : '')

export function tooManyPages(pages: number, mostPages: number): PageError {
  return new PageError('pdf_too_many_pages', `The PDF has ${pages} pages; ${mostPages} can be sent at once. Send it in parts.`)
}

/** Does `work` for a part; an error in a file inside a portfolio is reported with its name. */
export async function about<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (name === '' || !(error instanceof PageError)) throw error
    throw new PageError(error.code, `${name} in the portfolio: ${error.message}`, { cause: error })
  }
}

function checkWhole(pdf: Pdf, bytes: Buffer): void {
  if (pdf.pages < 1) throw new PageError('pdf_unreadable', 'The PDF has no pages.')
  if (isCutOff(bytes)) throw new PageError('pdf_unreadable', 'The PDF is cut off: its end is missing.')
}

/** By name, as people count: 2 comes before 10. The order in the file is that of keys that nobody sees. */
const byName = new Intl.Collator('en', { numeric: true })

async function inside(wrapper: Pdf, mostPages: number): Promise<Part[]> {
  // Each has a page at least.
  if (wrapper.attachmentCount > mostPages) throw tooManyPages(wrapper.attachmentCount, mostPages)
  const files = wrapper
    .attached(mostPages)
    .toSorted((a, b) => byName.compare(a.name, b.name))
    .map((file) => ({ name: file.name, bytes: file.bytes() }))
  if (files.length === 0) throw new PageError('pdf_unreadable', 'The PDF is a portfolio without any file inside.')
  const strange = files.filter(({ bytes }) => !isPdf(bytes)).map(({ name }) => name)
  if (strange.length > 0) {
    throw new PageError('pdf_unreadable', `The portfolio holds files that are not PDFs (${listed(strange)}); print them to PDFs first.`)
  }
  const parts: Part[] = []
  for (const { name, bytes } of files) {
    const pdf = await about(name, async () => {
      const opened = await openPdf(bytes)
      if (opened.isPortfolio) throw new PageError('pdf_unreadable', 'It is a portfolio itself; send its files one by one.')
      checkWhole(opened, bytes)
      return opened
    })
    parts.push({ pdf, name })
  }
  return parts
}

/** The parts of the document in the order they are faxed in. Throws PageError. */
export async function partsOf(bytes: Buffer, mostPages: number, portfolio: PortfolioChoice): Promise<Part[]> {
  const pdf = await openPdf(bytes)
  if (pdf.isPortfolio && portfolio === 'refuse') {
    const { attachments } = pdf
    const names = attachments.length === 0 ? '' : ` (${listed(attachments)})`
    throw new PageError(
      'pdf_unreadable',
      `The PDF is a portfolio, a wrapper around other files${names}; send each of them separately, or request all of them.`,
    )
  }
  checkWhole(pdf, bytes)
  const parts = pdf.isPortfolio ? await inside(pdf, mostPages) : [{ pdf, name: '' }]
  const pages = parts.reduce((sum, part) => sum + part.pdf.pages, 0)
  if (pages > mostPages) throw tooManyPages(pages, mostPages)
  return parts
}

/** Sentences about what of the parts is not faxed, and in which order they are. */
export function partWarnings(parts: readonly Part[]): string[] {
  const names = parts.map(({ name }) => name).filter((name) => name !== '')
  const warnings = names.length === 0 ? [] : [`${warningWords.order}: ${names.join(', ')}.`]
  for (const { pdf, name } of parts) {
    const { attachments } = pdf
    if (attachments.length === 0) continue
    warnings.push(`${warningWords.attached} ${name === '' ? 'the PDF' : name} are not faxed: ${listed(attachments)}.`)
  }
  return warnings
}
