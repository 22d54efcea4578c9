/** The place of the daemon among the programs of its machine. */
import { setPriority } from 'node:os'
import type { Log } from './log.ts'

/** Next to an upload, a page that is drawn and a backup, an event loop of ordinary rank waits tens of milliseconds for a processor. */
const nice = -10

/** Callers wait for the loop: it goes before what is not said to be as urgent. Needs root or `LimitNICE`; works without. */
export function goFirst(log: Log): void {
  try {
    setPriority(nice)
  } catch (error) {
    log.debug({ err: error }, 'the system gives the daemon no higher priority')
  }
}
