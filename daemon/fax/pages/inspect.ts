/** First look at a PDF, before it is accepted for sending: it is one, it can be read, and it is not too long. */
import { openSync, closeSync, readSync } from 'node:fs'
import { PageError } from './page-error.ts'
import { isPdf } from './pdf-bounds.ts'
import type { PortfolioChoice } from './portfolio.ts'
import { pagesSocket } from '../../base/services.ts'
import type { ChildTask, Outcome } from './child-protocol.ts'
import { runInThread } from './child-thread.ts'
import type { ChildOptions } from './limited-child.ts'
import { runInService } from './service-client.ts'

// The reader of PDFs: on an installed box a service of its own; else a child of the daemon.

/** Runs the task to its end, in its turn. Throws PageError, or StarvedError, or the reason of the signal. */
export function runReader(task: ChildTask, options: ChildOptions): Promise<Outcome> {
  const socket = pagesSocket()
  return socket === undefined ? runInThread(task, options) : runInService(socket, task, options)
}

export interface InspectOptions {
  /** Pages the PDF may have: 200 less one for a cover page. */
  readonly mostPages?: number
  /** Default: `refuse`. */
  readonly portfolio?: PortfolioChoice | undefined
  readonly milliseconds?: number
  readonly signal?: AbortSignal
}

export const mostFaxPages = 200
const inspectMilliseconds = 10_000

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

/** Number of sheets that the PDF at `path` becomes, and sentences about what will not be as it is in the PDF. Throws PageError. */
export async function inspectPdf(path: string, options: InspectOptions = {}): Promise<{ pages: number; warnings: readonly string[] }> {
  checkHeader(path)
  const milliseconds = options.milliseconds ?? inspectMilliseconds
  return runReader(
    { task: 'inspect', mostPages: options.mostPages ?? mostFaxPages, portfolio: options.portfolio ?? 'refuse' },
    {
      limits: { pageMilliseconds: milliseconds, totalMilliseconds: milliseconds },
      pdf: path,
      signal: options.signal,
    },
  )
}
