/** The thread in which children that read PDFs are started and followed, so that who starts them need not stand still: see child-thread.ts. */
import { parentPort } from 'node:worker_threads'
import type { ChildReport, ChildTask, Outcome } from './child-protocol.ts'
import { runLimited, StarvedError, type ChildOptions } from './limited-child.ts'
import { PageError, type PageErrorCode } from './page-error.ts'

export type ThreadOrder =
  | { readonly id: number; readonly task: ChildTask; readonly options: Pick<ChildOptions, 'limits' | 'pdf' | 'outputs'> }
  | { readonly id: number; readonly aborted: true }

export type ThreadAnswer =
  | { readonly id: number; readonly page: Extract<ChildReport, { report: 'page' }> }
  | { readonly id: number; readonly outcome: Outcome }
  /** `code`: of a PageError; null for a StarvedError; undefined for a fault of the program. */
  | { readonly id: number; readonly failed: { readonly code: PageErrorCode | null | undefined; readonly message: string } }

const running = new Map<number, AbortController>()
const tell = (answer: ThreadAnswer): void => parentPort?.postMessage(answer)

parentPort?.on('message', (order: ThreadOrder) => {
  const { id } = order
  if ('aborted' in order) return running.get(id)?.abort()
  const aborter = new AbortController()
  running.set(id, aborter)
  runLimited(order.task, { ...order.options, signal: aborter.signal, onPage: (page) => tell({ id, page }) })
    .then(
      (outcome) => tell({ id, outcome }),
      (error: unknown) => {
        const code = error instanceof PageError ? error.code : error instanceof StarvedError ? null : undefined
        tell({ id, failed: { code, message: error instanceof Error ? error.message : String(error) } })
      },
    )
    .finally(() => running.delete(id))
})
