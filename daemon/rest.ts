/** Memory at rest: what a start leaves behind is some 15 MB, which the runtime would keep until it is short of memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

const afterMs = 5000

/** Gives it back once the start is over. It takes a tenth of a second, so nobody may be on the telephone: `busy` is asked first. */
export function restOnce(busy: () => boolean): void {
  setTimeout(() => {
    if (busy()) return restOnce(busy)
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as Collect
    setFlagsFromString('--no-expose-gc')
    // What was compiled for the start alone goes too; at other times it is kept for six collections.
    setFlagsFromString('--bytecode-old-age=1')
    setFlagsFromString('--flush-baseline-code')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    setFlagsFromString('--no-flush-baseline-code')
    setFlagsFromString('--bytecode-old-age=6')
  }, afterMs).unref()
}
