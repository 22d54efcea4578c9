/** Files inside a PDF (ISO 32000-1, 7.11.4): their names, and what is in them. */
import { PageError } from './page-error.ts'
import type { Pdfium } from './pdfium-module.ts'

export interface Attachment {
  readonly name: string
  /** Decoded. Throws PageError where that cannot be done. */
  bytes(): Buffer
}

/** A name in a form fit for a sentence: strangers chose it. */
const shown = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 80) || '?'

/** How many there are, the nameless too. */
export function countAttachments(pdfium: Pdfium, document: number): number {
  return Math.max(0, pdfium.call('FPDFDoc_GetAttachmentCount', document))
}

/** The first `most`, in the order of the tree of names. */
export function attachmentsOf(pdfium: Pdfium, document: number, most: number): Attachment[] {
  return Array.from({ length: Math.min(most, countAttachments(pdfium, document)) }, (_, index) => {
    const handle = pdfium.call('FPDFDoc_GetAttachment', document, index)
    const name =
      handle === 0 ? '?' : shown(pdfium.textFrom((buffer, bytes) => pdfium.call('FPDFAttachment_GetName', handle, buffer, bytes)))
    return { name, bytes: () => read(pdfium, handle, name) }
  })
}

function read(pdfium: Pdfium, handle: number, name: string): Buffer {
  // Asking clears what an earlier file left behind.
  void pdfium.ranShort
  const unreadable = (cause?: unknown): PageError =>
    pdfium.ranShort
      ? new PageError('pdf_unreadable', `${name} in the PDF is too large to be read.`, { cause })
      : new PageError('pdf_unreadable', `${name} in the PDF cannot be read.`, { cause })
  if (handle === 0) throw unreadable()
  try {
    return pdfium.with(4, (length) => {
      const ask = (buffer: number, bytes: number): number => {
        pdfium.view().setUint32(length, 0, true)
        return pdfium.call('FPDFAttachment_GetFile', handle, buffer, bytes, length) === 0 ? 0 : pdfium.view().getUint32(length, true)
      }
      const bytes = ask(0, 0)
      if (bytes === 0) throw unreadable()
      return pdfium.with(bytes, (buffer) => {
        if (ask(buffer, bytes) !== bytes) throw unreadable()
        return Buffer.from(pdfium.bytes.slice(buffer, buffer + bytes))
      })
    })
  } catch (error) {
    throw error instanceof PageError ? error : unreadable(error)
  }
}
