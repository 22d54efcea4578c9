/** What everything stands on: the store and its disk, the event loop, the confinement of children, the daily ceilings. */
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { confinementState } from '../../drivers/confine.ts'
import { Ceilings } from '../ceilings/ceilings.ts'
import type { Calls } from '../calls/calls.ts'
import type { Timer } from '../base/clock.ts'
import { cleartextOf } from '../config/meaning.ts'
import type { Core } from '../core.ts'
import { ours, said } from '../base/for-log.ts'
import type { PartState } from '../base/health.ts'
import { limitRoutes } from '../ceilings/routes.ts'
import { logFault } from '../base/log.ts'
import type { CodedWarning, Part } from '../part.ts'
import { freeBytes } from '../store/disk.ts'
import { readUpgrade } from '../base/upgrade-notes.ts'
import { ceilingWarnings } from './ceiling-warnings.ts'
import { folderWarnings } from './folder-warnings.ts'
import type { PbxPart } from './pbx.ts'

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

/** What the box must know of its calls: those that live, and which of them go on while the daemon starts anew. */
export interface BoxHouse {
  readonly calls: Pick<Calls, 'live'>
  readonly house: Pick<PbxPart, 'outlives'>
}

/** `house`: not before the first beat. */
export function boxPart(core: Core, house: () => BoxHouse): BoxPart {
  const { config, store, clock, log } = core
  const ceilings = new Ceilings(core)
  const ceilingsNow = ceilingWarnings(ceilings, log)
  const delay = monitorEventLoopDelay({ resolution: 20 })
  let answered = clock.elapsed()
  /** Of the time between the last two beats, whoever looks meanwhile. */
  let longestMs = 0
  let timer: Timer | null = null
  const beat = (): void => {
    void comeBack(core, house())
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
    health: { store: () => storeState(core), stopping: () => ({ ok: !core.stopping, reason: core.stopping ? 'stopping' : '' }) },
    *warnings() {
      for (const { path, text, fix } of cleartextOf(config)) yield { code: `cleartext-${path.join('.')}`, severity: 'warning', text, fix }
      yield* storeWarnings(core, clock.elapsed() - answered)
      yield* diskWarnings(core)
      yield* folderWarnings(config)
      yield* logWarnings()
      yield* confinementWarnings()
      yield* busyWarnings(longestMs)
      yield* upgradeWarnings()
      yield* ceilingsNow()
    },
    figures: [{ name: 'pbx_store_bytes', help: 'Size of the store.', type: 'gauge', read: () => [[{}, store.health().bytes]] }],
    alive: () => clock.elapsed() - answered < (house().calls.live().length > 0 ? lostInCallsMs : lostMs),
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
async function comeBack(core: Core, { calls, house }: BoxHouse): Promise<void> {
  const { comeBack: back, again, log } = core
  if (
    back === null ||
    again === undefined ||
    calls.live().some((call) => house.outlives(call) !== 'now') ||
    !(await back()) ||
    core.stopping
  )
    return
  log.warn('the store can be opened again: restarting with it')
  again()
}

/** Work that the box has to be there for, by the first that it does not take. */
function storeState({ store }: Core): PartState {
  const { ok, reason, refused } = store.health()
  const required = refused.length === 0 || refused.includes('texts')
  return { ok, reason: ok ? '' : 'the disk is nearly full or broken', detail: reason, required }
}

function* storeWarnings({ config, store, comeBack: back }: Core, slowMs: number): Iterable<CodedWarning> {
  const { ok, reason } = store.health()
  const { dir } = config.storage
  const fix =
    back === null
      ? `free space there: du -xh ${dir} | sort -h | tail`
      : `check ${join(dir, 'store')}; to restore a backup, see docs/backup.md`
  if (!ok) yield { code: 'store', severity: 'error', text: reason, fix }
  if (slowMs >= lostMs)
    yield {
      code: 'store-slow',
      severity: 'error',
      text: `The disk has not answered for ${Math.round(slowMs / 1000)} s: nothing is stored`,
      fix: `check the disk of ${config.storage.dir}`,
    }
}

/** Before anything is refused: see store/sacrifice.ts; received faxes are below `fax.freeMegabytes`. */
function* diskWarnings({ config: { storage } }: Core): Iterable<CodedWarning> {
  const free = Math.floor(freeBytes(storage.dir) / 1_000_000)
  if (free >= lowMegabytes) return
  const severity = free < fullMegabytes ? 'error' : 'warning'
  const text = said`${free} MB are free on the disk of ${ours(storage.dir)}${severity === 'error' ? ': new work will soon be refused' : ''}`
  yield { code: 'disk-low', severity, text, fix: `free space there: du -xh ${storage.dir} | sort -h | tail` }
}

function* confinementWarnings(): Iterable<CodedWarning> {
  const { filtered, reason, fix } = confinementState()
  if (reason === '') return
  const lost = filtered
    ? 'the programs that read PDFs and speech could read other files of the daemon'
    : 'PDFs are not read, and speech programs are not confined'
  yield { code: 'confinement', severity: filtered ? 'warning' : 'error', text: `${reason}: ${lost}`, fix }
}

function* logWarnings(): Iterable<CodedWarning> {
  const fault = logFault()
  if (fault === '') return
  yield {
    code: 'log',
    severity: 'error',
    text: `Nothing can be written to the log: ${fault}`,
    fix: 'free space where standard output goes; df -h',
  }
}

/** Until the next upgrade: somebody believes that the box has another version. */
function* upgradeWarnings(): Iterable<CodedWarning> {
  const notes = readUpgrade()
  if (notes === null || !['refused', 'returning', 'returned'].includes(notes.phase)) return
  const { from, to, reason } = notes
  const what = ours(notes.phase === 'refused' ? 'was not started' : `did not come up, and ${from} was restored`)
  yield { code: 'upgrade-failed', severity: 'warning', text: said`pbxd ${ours(to)} ${what}: ${reason}`, fix: 'pbx upgrade --status' }
}

function* busyWarnings(longestMs: number): Iterable<CodedWarning> {
  if (longestMs <= busyMs) return
  const text = `the daemon was busy for ${Math.round(longestMs)} ms at a stretch`
  yield { code: 'event-loop', severity: 'notice', text, fix: 'pbx doctor' }
}
