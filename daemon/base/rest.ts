/**
 * Memory at rest: what a start leaves behind is some 15 MB, and what a busy hour does is more, which the runtime would keep until it is short of
 * memory. It is given back when nobody is on the telephone, for that takes a tenth of a second.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { setPriority } from 'node:os'
import type { Log } from './log.ts'

// The place of the daemon among the programs of its machine.

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

type Collect = () => void

const startMs = 5000
const lookMs = 10_000
/** So often in a row nobody was there: the next call does not come a moment later. */
const quietLooks = 2
/** Less is not worth it. */
const grownBy = 1.08

/** Returns the memory once the start has ended, and whenever there is more. `busy` is asked first. */
export function rest(busy: () => boolean): void {
  setTimeout(() => {
    if (busy()) return rest(busy)
    const collect = collector()
    // What was compiled for the start alone goes too; at other times it is kept for six collections.
    setFlagsFromString('--bytecode-old-age=1')
    setFlagsFromString('--flush-baseline-code')
    collect()
    setFlagsFromString('--no-flush-baseline-code')
    setFlagsFromString('--bytecode-old-age=6')
    restAgain(busy, collect)
  }, startMs).unref()
}

function restAgain(busy: () => boolean, collect: Collect): void {
  let rested = process.memoryUsage.rss()
  let quiet = 0
  setInterval(() => {
    quiet = busy() ? 0 : quiet + 1
    if (quiet < quietLooks || process.memoryUsage.rss() < rested * grownBy) return
    collect()
    rested = process.memoryUsage.rss()
  }, lookMs).unref()
}

function collector(): Collect {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void
  setFlagsFromString('--no-expose-gc')
  return () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
