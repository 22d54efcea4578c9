/**
 * The throw-away program that reads PDFs of strangers and draws them as fax pages: started by daemon/fax/pages with limits of
 * memory and time, without network and without files but those it is given. The task comes as JSON on standard input.
 */
import { readFileSync, writeSync } from 'node:fs'
import type { ChildReport, ChildTask, Outcome } from '../fax/pages/child-protocol.ts'
import type { Tell } from '../fax/pages/draw-pages.ts'
import { PageError } from '../fax/pages/page-error.ts'

/** The tasks of the confined child, each with the code that it needs and no more: a picture has no time to load PDFium. */
async function outcomeOf(task: ChildTask, tell: Tell): Promise<Outcome> {
  switch (task.task) {
    case 'pictures':
      return (await import('../fax/pages/picture.ts')).drawPictures(task)
    case 'receipt':
      return (await import('../fax/pages/receipt.ts')).drawReceipt(task)
    default:
      return (await import('../fax/pages/draw-pages.ts')).readPdf(task, tell)
  }
}

async function runTask(task: ChildTask, tell: Tell): Promise<void> {
  try {
    tell({ report: 'done', ...(await outcomeOf(task, tell)) })
  } catch (error) {
    if (error instanceof PageError) tell({ report: 'failed', code: error.code, message: error.message })
    else if (error instanceof Error && 'syscall' in error) tell({ report: 'failed', code: 'internal', message: error.message })
    else tell({ report: 'failed', code: 'pdf_unreadable', message: 'The PDF cannot be drawn; it is probably damaged.' })
  }
}

const task = JSON.parse(readFileSync(0, 'utf8')) as ChildTask
const tell = (report: ChildReport): void => void writeSync(1, `${JSON.stringify(report)}\n`)
tell({ report: 'started' })
await runTask(task, tell)
process.exit(0)
