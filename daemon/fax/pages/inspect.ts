/** First look at a PDF, before it is accepted for sending: it is one, it can be read, and it is not too long. */
import { openSync, closeSync, readSync } from 'node:fs'
import { runLimited } from './limited-child.ts'
import { PageError } from './page-error.ts'

export interface InspectOptions {
  /** Pages the PDF may have: 200 less one for a cover page. */
  readonly mostPages?: number
  readonly milliseconds?: number
  readonly signal?: AbortSignal
}

export const mostFaxPages = 200
const inspectMilliseconds = 10_000

/** ISO 32000 asks for the header within the first 1,024 bytes. */
export function isPdf(start: Uint8Array): boolean {
  return Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, 1024)).includes('%PDF-')
}

/** Throws PageError when the file at `path` is no PDF at all. */
export function checkHeader(path: string): void {
  const start = Buffer.alloc(1024)
  const file = openSync(path, 'r')
  try {
    const got = readSync(file, start, 0, start.length, 0)
    if (!isPdf(start.subarray(0, got))) throw new PageError('pdf_unreadable', 'This is not a PDF file.')
  } finally {
    closeSync(file)
  }
}

/** Number of pages of the PDF at `path`. Throws PageError. */
export async function inspectPdf(path: string, options: InspectOptions = {}): Promise<{ pages: number }> {
  checkHeader(path)
  const milliseconds = options.milliseconds ?? inspectMilliseconds
  const pages = await runLimited(
    { task: 'inspect', pdf: path, mostPages: options.mostPages ?? mostFaxPages },
    {
      limits: { pageMilliseconds: milliseconds, totalMilliseconds: milliseconds },
      readable: [path],
      writable: [],
      signal: options.signal,
    },
  )
  return { pages }
}
