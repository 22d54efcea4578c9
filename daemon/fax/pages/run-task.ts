/** The tasks of the confined child, each with the code that it needs and no more: a picture has no time to load PDFium. */
import type { ChildTask, Outcome } from './child-protocol.ts'
import type { Tell } from './draw-pages.ts'
import { PageError } from './page-error.ts'

async function outcomeOf(task: ChildTask, tell: Tell): Promise<Outcome> {
  switch (task.task) {
    case 'pictures':
      return (await import('./picture.ts')).drawPictures(task)
    case 'receipt':
      return (await import('./receipt.ts')).drawReceipt(task)
    default:
      return (await import('./draw-pages.ts')).readPdf(task, tell)
  }
}

export async function runTask(task: ChildTask, tell: Tell): Promise<void> {
  try {
    tell({ report: 'done', ...(await outcomeOf(task, tell)) })
  } catch (error) {
    if (error instanceof PageError) tell({ report: 'failed', code: error.code, message: error.message })
    else if (error instanceof Error && 'syscall' in error) tell({ report: 'failed', code: 'internal', message: error.message })
    else tell({ report: 'failed', code: 'pdf_unreadable', message: 'The PDF cannot be drawn; it is probably damaged.' })
  }
}
