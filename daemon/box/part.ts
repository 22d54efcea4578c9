/** What everything stands on: the store and its disk, the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Timer } from '../base/clock.ts'
import type { Call } from '../calls/call.ts'
import type { Calls, Outlives } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import { boxWarnings, storeState } from './warnings.ts'

export interface BoxPart extends Part {
  /** Whether the store still answers: the watchdog asks. A full disk is answered too and is no reason to be restarted. */
  alive(): boolean
}

export interface BoxPartOptions {
  readonly calls: Pick<Calls, 'live'>
  /** Whether a call continues while the daemon restarts. */
  readonly outlives: (call: Call) => Outlives
}

const beatMs = 5000
const firstBeatMs = 1000
const lostMs = 15_000
/** Calls do without the disk: while there are any, one that takes its time ends none of them. */
const lostInCallsMs = 300_000

export function boxPart(core: Core, house: BoxPartOptions): BoxPart {
  const { config, store, clock } = core
  const { calls } = house
  const delay = monitorEventLoopDelay({ resolution: 20 })
  let answered = clock.elapsed()
  /** The longest delay of the event loop between the last two beats, the same for every reader. */
  let longestMs = 0
  let timer: Timer | null = null
  const beat = (): void => {
    void comeBack(core, house)
    store
      .transaction(() => store.tables.meta.put('heartbeat', clock.now()))
      .catch(() => undefined)
      .finally(() => (answered = clock.elapsed()))
    longestMs = delay.max / 1e6
    delay.reset()
    timer = clock.after(beatMs, beat)
  }
  return {
    name: 'box',
    health: { store: () => storeState(store), stopping: () => ({ ok: !core.stopping, reason: core.stopping ? 'stopping' : '' }) },
    warnings: () => boxWarnings({ config, store, standsIn: core.comeBack !== null, slowMs: clock.elapsed() - answered, busyMs: longestMs }),
    figures: [
      { name: 'pbx_store_bytes', help: 'Size of the store.', type: 'gauge', read: () => [[{}, store.health().bytes]] },
      {
        name: 'pbx_box_info',
        help: 'Always 1: which of several boxes this is (box.id), and its version.',
        type: 'gauge',
        read: () => [[{ box: config.box.id ?? '', version: core.version }, 1]],
      },
    ],
    alive: () => clock.elapsed() - answered < (calls.live().length > 0 ? lostInCallsMs : lostMs),
    start() {
      delay.enable()
      timer = clock.after(firstBeatMs, beat)
    },
    async stop() {
      timer?.cancel()
      delay.disable()
      await store.close()
    },
  }
}

/** A stand-in gives way to the store once that can be opened, and nobody is cut off by it. */
async function comeBack(core: Core, { calls, outlives }: BoxPartOptions): Promise<void> {
  const { comeBack: back, again, log } = core
  if (back === null || again === undefined || calls.live().some((call) => outlives(call) !== 'now') || !(await back()) || core.stopping)
    return
  log.warn('the store can be opened again: restarting with it')
  again()
}
