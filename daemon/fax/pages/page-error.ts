/** Why a PDF cannot be faxed: a code of the HTTP interface and a sentence for people. */

export type PageErrorCode = 'pdf_encrypted' | 'pdf_unreadable' | 'pdf_too_many_pages' | 'internal'

export class PageError extends Error {
  readonly code: PageErrorCode

  constructor(code: PageErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'PageError'
    this.code = code
  }
}
