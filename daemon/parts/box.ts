/** What everything stands on: the store and its disk, the event loop, the confinement of children, the daily ceilings. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { confinementState } from '../../drivers/confine.ts'
import { Ceilings } from '../ceilings/ceilings.ts'
import type { Timer } from '../clock.ts'
import { cleartextOf } from '../config/meaning.ts'
import type { Core } from '../core.ts'
import { forLog } from '../for-log.ts'
import { limitRoutes } from '../http/routes/limits.ts'
import type { CodedWarning, Part } from '../part.ts'
import { freeBytes } from '../store/disk.ts'
import { readUpgrade } from '../upgrade-notes.ts'
import { ceilingWarnings } from './ceiling-warnings.ts'

export interface BoxPart extends Part {
  /** Whether the store still answers: the watchdog asks. A full disk is answered too and is no reason to be restarted. */
  alive(): boolean
}

const beatMs = 5000
const firstBeatMs = 1000
const lostMs = 15_000
/** Calls do without the disk: while there are any, one that takes its time ends none of them. */
const lostInCallsMs = 300_000
const busyMs = 500
/** Free space below which a person is told, and below which work is refused soon. */
const lowMegabytes = 1000
const fullMegabytes = 100

/** `calls`: how many live. */
export function boxPart(core: Core, calls: () => number): BoxPart {
  const { config, store, clock, log } = core
  const ceilings = new Ceilings(core)
  const ceilingsNow = ceilingWarnings(ceilings, log)
  const delay = monitorEventLoopDelay({ resolution: 20 })
  let answered = clock.elapsed()
  /** Of the time between the last two beats, whoever looks meanwhile. */
  let longestMs = 0
  let timer: Timer | null = null
  const beat = (): void => {
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
    routes: limitRoutes({ ceilings, store }),
    health: { store: () => store.health(), stopping: () => ({ ok: !core.stopping, reason: core.stopping ? 'stopping' : '' }) },
    *warnings() {
      for (const { path, text, fix } of cleartextOf(config)) yield { code: `cleartext-${path.join('.')}`, severity: 'warning', text, fix }
      yield* storeWarnings(core, clock.elapsed() - answered)
      yield* diskWarnings(core)
      yield* confinementWarnings()
      yield* busyWarnings(longestMs)
      yield* upgradeWarnings()
      yield* ceilingsNow()
    },
    figures: [{ name: 'pbx_store_bytes', help: 'Size of the store.', type: 'gauge', read: () => [[{}, store.health().bytes]] }],
    alive: () => clock.elapsed() - answered < (calls() > 0 ? lostInCallsMs : lostMs),
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

function* storeWarnings({ config, store }: Core, slowMs: number): Iterable<CodedWarning> {
  const { ok, reason } = store.health()
  if (!ok) yield { code: 'store', severity: 'error', text: reason, fix: 'pbx doctor' }
  if (slowMs >= lostMs)
    yield {
      code: 'store-slow',
      severity: 'error',
      text: `The disk has not answered for ${Math.round(slowMs / 1000)} s: nothing is stored`,
      fix: `look at the disk of ${config.storage.dir}`,
    }
}

/** Before anything is refused: the store refuses below 16 MiB, faxes below `fax.freeMegabytes`. */
function* diskWarnings({ config: { storage } }: Core): Iterable<CodedWarning> {
  const free = Math.floor(freeBytes(storage.dir) / 1_000_000)
  if (free >= lowMegabytes) return
  const severity = free < fullMegabytes ? 'error' : 'warning'
  const text = `${free} MB are free on the disk of ${storage.dir}${severity === 'error' ? ': new work is soon refused' : ''}`
  yield { code: 'disk-low', severity, text, fix: `free space there: du -xh ${storage.dir} | sort -h | tail` }
}

function* confinementWarnings(): Iterable<CodedWarning> {
  const { filtered, reason, fix } = confinementState()
  if (reason === '') return
  const lost = filtered
    ? 'what reads PDFs and speech could read other files of the daemon'
    : 'PDFs are not read, and speech programs are not confined'
  yield { code: 'confinement', severity: filtered ? 'warning' : 'error', text: `${reason}: ${lost}`, fix }
}

/** Until the next upgrade: somebody believes that the box has another version. */
function* upgradeWarnings(): Iterable<CodedWarning> {
  const notes = readUpgrade()
  if (notes === null || !['refused', 'returning', 'returned'].includes(notes.phase)) return
  const { from, to, reason } = notes
  const what = notes.phase === 'refused' ? 'was not started' : `did not come up, and ${from} came back`
  yield { code: 'upgrade-failed', severity: 'warning', text: `pbxd ${to} ${what}: ${forLog(reason)}`, fix: 'pbx upgrade --status' }
}

function* busyWarnings(longestMs: number): Iterable<CodedWarning> {
  if (longestMs <= busyMs) return
  const text = `the daemon was busy for ${Math.round(longestMs)} ms at a stretch`
  yield { code: 'event-loop', severity: 'notice', text, fix: 'pbx doctor' }
}
