/** What is wrong with what everything stands on: the store and its disk, the log, the confinement of children, the event loop, an upgrade. */
import { join, dirname } from 'node:path'
import { confinementState } from '../../drivers/confine.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning, PartState } from '../base/health.ts'
import { logFault } from '../base/log.ts'
import { readUpgrade } from '../base/upgrade-notes.ts'
import type { Config } from '../schema/config.ts'
import { freeBytes, foldersBelow } from '../store/disk.ts'
import type { Store } from '../store/store.ts'
import { accessSync, constants, statSync } from 'node:fs'

/** Folders that the daemon writes into and cannot: what is lost by it is found out at the next fax, recording or prompt otherwise. */
function* folderWarnings({ storage, control }: Config): Iterable<CodedWarning> {
  for (const dir of [storage.dir, ...foldersBelow(storage.dir), dirname(control.socket)]) {
    const reason = whyClosed(dir)
    if (reason === '') continue
    yield {
      code: `folder-${dir}`,
      severity: 'error',
      text: `The folder ${dir} cannot be written (${reason}): what belongs there is refused; calls continue`,
      fix: `ls -ld ${dir}; findmnt -T ${dir}`,
    }
  }
}

/** '' where it can be written; a missing folder is made by the part that needs it. */
function whyClosed(dir: string): string {
  try {
    if (!statSync(dir).isDirectory()) return 'ENOTDIR'
    accessSync(dir, constants.W_OK | constants.X_OK)
    return ''
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? '' : code
  }
}

export interface BoxFacts {
  readonly config: Config
  readonly store: Store
  /** The store is a stand-in. */
  readonly standsIn: boolean
  /** How long the disk has not answered (ms). */
  readonly slowMs: number
  /** How long the event loop was held up (ms). */
  readonly busyMs: number
}

/** Free space below which a person is warned, and below which work is refused soon. */
const lowMegabytes = 1000
const fullMegabytes = 100
const lostMs = 15_000
const mostBusyMs = 500

export function* boxWarnings({ config, store, standsIn, slowMs, busyMs }: BoxFacts): Iterable<CodedWarning> {
  yield* storeWarnings(config, store, standsIn)
  yield* slowWarnings(config, slowMs)
  yield* diskWarnings(config)
  yield* folderWarnings(config)
  yield* logWarnings()
  yield* confinementWarnings()
  yield* busyWarnings(busyMs)
  yield* upgradeWarnings()
}

/** Work that the box has to be there for, by the first that it does not take. */
export function storeState(store: Store): PartState {
  const { ok, reason, refused } = store.health()
  const required = refused.length === 0 || refused.includes('texts')
  return { ok, reason: ok ? '' : 'the disk is nearly full or broken', detail: reason, required }
}

function* storeWarnings({ storage: { dir } }: Config, store: Store, standsIn: boolean): Iterable<CodedWarning> {
  const { ok, reason } = store.health()
  if (ok) return
  const fix = standsIn
    ? `check ${join(dir, 'store')}; to restore a backup, see docs/backup.md`
    : `free space there: du -xh ${dir} | sort -h | tail`
  yield { code: 'store', kind: 'disk', severity: 'error', text: reason, fix }
}

function* slowWarnings({ storage: { dir } }: Config, slowMs: number): Iterable<CodedWarning> {
  if (slowMs < lostMs) return
  const text = `The disk has not answered for ${Math.round(slowMs / 1000)} s: nothing is stored`
  yield { code: 'store-slow', kind: 'disk', severity: 'error', text, fix: `check the disk of ${dir}` }
}

/** Before anything is refused: see store/sacrifice.ts; received faxes are below `fax.freeMegabytes`. */
function* diskWarnings({ storage }: Config): Iterable<CodedWarning> {
  const free = Math.floor(freeBytes(storage.dir) / 1_000_000)
  if (free >= lowMegabytes) return
  const severity = free < fullMegabytes ? 'error' : 'warning'
  const text = said`${free} MB are free on the disk of ${ours(storage.dir)}${severity === 'error' ? ': new work will soon be refused' : ''}`
  yield { code: 'disk-low', kind: 'disk', severity, text, fix: `free space there: du -xh ${storage.dir} | sort -h | tail` }
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
  if (longestMs <= mostBusyMs) return
  const text = `the daemon was busy for ${Math.round(longestMs)} ms at a stretch`
  yield { code: 'event-loop', severity: 'notice', text, fix: 'pbx doctor' }
}
