/** The reader of PDFs: on an installed box a service of its own; else a child of the daemon. */
import { pagesSocket } from '../../base/services.ts'
import type { ChildTask, Outcome } from './child-protocol.ts'
import { runInThread } from './child-thread.ts'
import type { ChildOptions } from './limited-child.ts'
import { runInService } from './service-client.ts'

/** Runs the task to its end, in its turn. Throws PageError, or StarvedError, or the reason of the signal. */
export function runReader(task: ChildTask, options: ChildOptions): Promise<Outcome> {
  const socket = pagesSocket()
  return socket === undefined ? runInThread(task, options) : runInService(socket, task, options)
}
