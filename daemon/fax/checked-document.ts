/** What is said of a document that cannot be faxed, in the words of the interface. */
import type { Base64Fault } from '../base/base64.ts'
import { ApiError } from '../base/errors.ts'
import { isPdf, PageError, StarvedError } from './pages/pages.ts'

/** Throws ApiError: validation_failed, attachment_too_large, pdf_unreadable. */
export function checkedPdf(pdf: Uint8Array | Base64Fault, mostBytes: number): Uint8Array {
  const refused = (message: string): ApiError =>
    new ApiError('validation_failed', `"pdfBase64" ${message}.`, { details: [{ path: '/pdfBase64', message }] })
  if (pdf === 'empty') throw refused('must not be empty')
  if (pdf === 'not-base64') throw refused('must be Base64')
  if (pdf === 'too-large' || pdf.length > mostBytes) {
    throw new ApiError('attachment_too_large', `The PDF is larger than the ${mostBytes} bytes allowed.`, {
      extra: { limitBytes: mostBytes },
    })
  }
  if (!isPdf(pdf)) throw new ApiError('pdf_unreadable', 'This is not a PDF file.')
  return pdf
}

/** What is thrown to the client for what went wrong with a document, its reader or the disk. */
export function documentFault(cause: unknown): unknown {
  if (cause instanceof PageError && cause.code !== 'internal') return new ApiError(cause.code, cause.message, { cause })
  if (cause instanceof StarvedError) return new ApiError('overloaded', cause.message, { retryAfterSeconds: 30, cause })
  if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') return cause
  return new ApiError('storage_full', 'The storage is full: free some space on the disk.', { retryAfterSeconds: 30, cause })
}
