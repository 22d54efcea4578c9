/** One reading of the box, for all who look: browsers ask often, and a look at everything costs half a second on a small machine. */
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os'
import type { DriverHealth } from '../../drivers/line.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import { readFailed, readUpgrade } from '../base/upgrade-notes.ts'
import { boxEventView, type BoxEvents } from '../box-events/box-events.ts'
import type { BackupView } from '../schema/backup.ts'
import type { Config } from '../schema/config.ts'
import type { HealthDetails, HealthView, UpgradeView, VerdictView } from '../schema/health.ts'
import type { StatusView } from '../schema/operation.ts'
import { severities } from '../schema/states.ts'
import type { BoxEventRow } from '../store/tables.ts'
import { certificateOf } from './certificate.ts'
import type { DiskUse } from './disk-use.ts'
import { outagesSince } from './outages.ts'

export interface HealthSources {
  readonly config: Config
  readonly version: string
  readonly clock: Clock
  readonly disk: Pick<DiskUse, 'now'>
  readonly events: Pick<BoxEvents, 'list' | 'lasting' | 'watch'>
  readonly status: () => Promise<StatusView>
  readonly backup: () => BackupView
  readonly engine: () => DriverHealth
  readonly clockTrusted: () => boolean
  readonly callsToday: () => Promise<HealthDetails['calls']['today']>
}

const freshMs = 5000
const stripMs = 7 * 86_400_000

export class HealthReading {
  readonly #sources: HealthSources
  #last: { readonly at: number; readonly view: Promise<HealthView> } | undefined

  constructor(sources: HealthSources) {
    this.#sources = sources
    // A page reads again when something has begun or ended: a reading from before would say that it has not.
    sources.events.watch(() => (this.#last = undefined))
  }

  now(): Promise<HealthView> {
    const at = this.#sources.clock.elapsed()
    if (this.#last !== undefined && at - this.#last.at < freshMs) return this.#last.view
    const view = this.#read()
    const reading = (this.#last = { at, view })
    // What failed is no reading.
    view.catch(() => (this.#last = this.#last === reading ? undefined : this.#last))
    return view
  }

  async #read(): Promise<HealthView> {
    const { config, version, clock, disk, events, status, backup, engine, clockTrusted, callsToday } = this.#sources
    const [seen, use, today] = await Promise.all([status(), disk.now(), callsToday()])
    const now = clock.now()
    const lasting = events.lasting()
    const lines = seen.lines.filter(({ kind }) => kind !== 'extension')
    const phones = seen.lines.filter(({ kind }) => kind === 'extension')
    const history = new Map(
      outagesSince(
        events,
        lines.map(({ id }) => id),
        now - stripMs,
      ).map((one) => [one.id, one]),
    )
    const { ok, reason, facts } = engine()
    const spoken = seen.parts.find(({ name }) => name === 'speech')
    const [one = 0, five = 0, fifteen = 0] = loadavg()
    return {
      asOf: isoTime(now),
      verdict: verdictOf(lasting),
      events: lasting.map(boxEventView),
      lines: lines.map((line) => ({ ...line, outages: history.get(line.id)?.outages ?? [], unknown: history.get(line.id)?.unknown ?? [] })),
      phones: {
        registered: phones.filter((phone) => phone.ok).length,
        away: phones.filter((phone) => !phone.ok).map(({ id, state, since }) => ({ id, state, since })),
      },
      calls: { ...seen.calls, today },
      ...{ parts: seen.parts, queues: seen.queues, startedAt: seen.startedAt },
      disk: { ...use, dir: config.storage.dir, measuredAt: isoTime(use.measuredAt), fullAt: isoTime(use.fullAt) },
      backup: { ...backup(), configured: config.backup.recoveryKey !== undefined },
      clock: { ...seen.clock, trusted: clockTrusted() },
      certificate: certificateOf(config.http.tls?.cert, now),
      upgrade: upgradeOf(version),
      memory: { ...seen.memory, totalBytes: totalmem(), freeBytes: freemem() },
      load: { one, five, fifteen, processors: availableParallelism() },
      engine: { ok, reason, facts },
      speech: { ok: spoken?.ok ?? true, text: spoken?.reason ?? '' },
    }
  }
}

export function upgradeOf(version: string): UpgradeView {
  return { version, last: readUpgrade(), failed: readFailed() }
}

/** What is worth knowing is no fault. */
export function verdictOf(lasting: readonly Readonly<BoxEventRow>[]): VerdictView {
  const faults = lasting.filter(({ severity }) => severity !== 'notice').toSorted((a, b) => rank(b) - rank(a))
  const [worst] = faults
  if (worst === undefined) {
    const severity = lasting.length === 0 ? 'ok' : 'notice'
    return { ok: true, severity, faults: 0, code: '', text: 'All is well.' }
  }
  const more = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`
  return { ok: false, severity: worst.severity, faults: faults.length, code: worst.code, text: `${worst.text}${more}` }
}

const rank = ({ severity }: Pick<BoxEventRow, 'severity'>): number => severities.indexOf(severity)
