/**
 * Has children that read PDFs started by a thread of its own, which lives while there are some. Node stands still while it starts a
 * child, for its memory is copied and the child has to begin its program: some 10 ms, on a busy machine a multiple, in which no caller's
 * key would be heard.
 */
import { SHARE_ENV } from 'node:worker_threads'
import { codeFile } from '../../../drivers/code.ts'
import { RestingThread } from '../../base/resting-thread.ts'
import type { ChildTask, Outcome } from './child-protocol.ts'
import type { ThreadAnswer, ThreadOrder } from './child-worker.ts'
import { StarvedError, type ChildOptions } from './limited-child.ts'
import { PageError } from './page-error.ts'

interface Waiting {
  readonly options: ChildOptions
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

const waiting = new Map<number, Waiting>()
const thread = new RestingThread<ThreadAnswer>({
  file: codeFile('daemon/fax/pages/child-worker'),
  worker: { resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }, env: SHARE_ENV },
  answered,
  lost: () => {
    for (const { reject } of waiting.values()) reject(new StarvedError())
  },
})
let last = 0

/** Runs the task to its end, in its turn. Throws PageError, or StarvedError, or the reason of the signal. */
export async function runInThread(task: ChildTask, options: ChildOptions): Promise<Outcome> {
  const { limits, pdf, outputs, signal } = options
  signal?.throwIfAborted()
  const worker = thread.wake()
  const id = (last += 1)
  const tell = (order: ThreadOrder): void => worker.postMessage(order)
  const aborted = (): void => tell({ id, aborted: true })
  signal?.addEventListener('abort', aborted, { once: true })
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  waiting.set(id, { options, resolve, reject })
  worker.ref()
  tell({ id, task, options: { limits, pdf, ...(outputs === undefined ? {} : { outputs }) } })
  try {
    return await promise
  } finally {
    signal?.removeEventListener('abort', aborted)
    waiting.delete(id)
    // Children end with the thread that started them: it goes when there are none.
    if (waiting.size === 0) {
      worker.unref()
      thread.rest()
    }
  }
}

function answered(answer: ThreadAnswer): void {
  const one = waiting.get(answer.id)
  if (one === undefined) return
  if ('page' in answer) return one.options.onPage?.(answer.page)
  if ('outcome' in answer) return one.resolve(answer.outcome)
  const { code, message } = answer.failed
  const error = code === undefined ? new Error(message) : code === null ? new StarvedError(message) : new PageError(code, message)
  one.reject(one.options.signal?.aborted === true ? one.options.signal.reason : error)
}
