/** One reading of the box, for all who look: browsers ask often, and a look at everything costs half a second on a small machine. */
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os'
import type { DriverHealth } from '../../drivers/line.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import { readFailed, readUpgrade } from '../base/upgrade-notes.ts'
import { boxEventView, type BoxEvents } from '../box-events/box-events.ts'
import type { BackupView } from '../schema/backup.ts'
import type { Config } from '../schema/config.ts'
import type { HealthDetails, HealthView, UpgradeView, VerdictView, LineHistoryView, CertificateView } from '../schema/health.ts'
import type { StatusView } from '../schema/operation.ts'
import { severities } from '../schema/states.ts'
import type { BoxEventRow } from '../store/tables.ts'
import type { DiskUse } from './disk-use.ts'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

const dayMs = 86_400_000

/** The certificate of the web port, as its file has it; null where there is none, or none that can be read. */
function certificateOf(file: string | undefined, now: number): CertificateView | null {
  if (file === undefined) return null
  try {
    const leaf = new X509Certificate(readFileSync(file))
    const until = Date.parse(leaf.validTo)
    return {
      ...{ subject: oneLine(leaf.subject), issuer: oneLine(leaf.issuer), names: namesOf(leaf), fingerprint: leaf.fingerprint256 },
      ...{ validFrom: isoTime(Date.parse(leaf.validFrom)), validTo: isoTime(until), daysLeft: Math.floor((until - now) / dayMs) },
      selfSigned: leaf.checkIssued(leaf),
    }
  } catch {
    return null
  }
}

const oneLine = (name: string): string => name.replaceAll('\n', ', ')

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName.split(', ').flatMap((name) => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? [])
}

// When each line was down, from the history of the box.

/** Rows read at once, and at most. */
const page = 500
const mostRows = 5000
/** A fault that began so long before may have ended in the time that is looked at. */
const longestMs = 60 * 86_400_000

type Outage = LineHistoryView['outages'][number]

/** Of these lines since a moment (milliseconds since the epoch), oldest first. `daemon` as an id: pbxd did not run. */
export function outagesSince(events: Pick<BoxEvents, 'list' | 'lasting'>, lines: readonly string[], since: number): LineHistoryView[] {
  const found = new Map<string, BoxEventRow[]>(lines.map((id) => [id, []]))
  const away: BoxEventRow[] = []
  for (const row of eventsSince(events, since)) {
    if (row.kind === 'daemon') away.push(row)
    else found.get(row.code.replace(/^(line|phone|sms)-/, ''))?.push(row)
  }
  const outages = (rows: readonly BoxEventRow[]): Outage[] => rows.toSorted((a, b) => a.since - b.since).map((row) => outageOf(row, since))
  return [...found].map(([id, rows]) => ({ id, since: isoTime(since), outages: outages(rows), unknown: outages(away) }))
}

function outageOf({ since, until, severity, text }: BoxEventRow, from: number): Outage {
  return { since: isoTime(Math.max(since, from)), until: isoTime(until), severity, text }
}

function* eventsSince(events: Pick<BoxEvents, 'list' | 'lasting'>, since: number): Iterable<BoxEventRow> {
  for (const kind of ['line', 'daemon'] as const) {
    let cursor: string | undefined
    const seen = new Set<string>()
    const reaches = (row: BoxEventRow): boolean => (row.until ?? Infinity) > since && !seen.has(row.eventId)
    for (const row of events.lasting()) {
      if (row.kind !== kind) continue
      yield row
      seen.add(row.eventId)
    }
    for (let read = 0; read < mostRows; read += page) {
      const { rows, next } = events.list({ limit: page, kind, cursor })
      for (const row of rows) if (reaches(row)) yield row
      const last = rows.at(-1)
      if (next === null || last === undefined || last.since < since - longestMs) break
      cursor = next
    }
  }
}

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
      ...(seen.pair === undefined ? {} : { pair: seen.pair }),
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
