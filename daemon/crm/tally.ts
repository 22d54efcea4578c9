/** What went between the box and the CRM, counted by the hour, and when the CRM was away: kept for the figures that a practice looks at later. */
import { repeated, type Clock, type Repeated } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { CrmHourRow, CrmOutageRow } from '../store/tables.ts'
import type { LookedUp } from './asked.ts'

export interface TallyOptions {
  readonly store: Pick<Store, 'tables' | 'transaction'>
  readonly clock: Clock
  readonly log: Log
}

const hourMs = 3_600_000
const keptMs = 400 * 24 * hourMs
const writtenEveryMs = 5000
/** Upper bounds; what is above the last counts with it. */
export const lookupBounds = [5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 600, 700, 800, 1000]
export const delayBounds = [1, 2, 3, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800, 604_800, 1_209_600]

export class Tally {
  readonly #options: TallyOptions
  /** Of hours that changed since they were written. */
  readonly #fresh = new Map<string, CrmHourRow>()
  readonly #writing: Repeated
  #outage: string | null = null

  constructor(options: TallyOptions) {
    this.#options = options
    this.#writing = repeated(options.clock, { firstMs: writtenEveryMs, everyMs: writtenEveryMs }, () => this.write())
  }

  start(): void {
    this.#writing.start()
    // One that the last run did not see the end of: it is found out again.
    const { store, clock, log } = this.#options
    const open = [...store.tables.crmOutages.range()].filter(({ value }) => value.endedAt === null)
    if (open.length === 0) return
    const endedAt = clock.now()
    store
      .transaction(() => open.forEach(({ key, value }) => store.tables.crmOutages.put(key, { ...value, endedAt })))
      .catch((err: unknown) => log.error({ err }, 'the end of an outage of the CRM could not be noted'))
  }

  async stop(): Promise<void> {
    await this.#writing.stop()
    await this.write()
  }

  lookedUp({ source, ambiguous, timeout, failed, tookMs }: LookedUp): void {
    const hour = this.#hour()
    hour.lookups++
    if (source === 'crm') hour.crm++
    else if (source === 'local') hour.local++
    else hour.notFound++
    if (ambiguous) hour.ambiguous++
    if (timeout) hour.timeouts++
    if (failed) hour.failures++
    hour.lookupMs[bucketOf(lookupBounds, tookMs)]!++
  }

  delivered(delayMs: number): void {
    const hour = this.#hour()
    hour.delivered++
    hour.delaySeconds[bucketOf(delayBounds, delayMs / 1000)]!++
  }

  went(reason: string): void {
    this.#note(({ now }) => {
      this.#outage = keyOf(now)
      return { startedAt: now, endedAt: null, reason }
    })
  }

  /** The clock was set: an outage that lasts has lasted for as long as before. */
  stepped(stepMs: number): void {
    const key = this.#outage
    if (key === null) return
    this.#note(({ tables }) => {
      const row = tables.crmOutages.get(key)
      if (row === undefined) return null
      tables.crmOutages.remove(key)
      const startedAt = row.startedAt + stepMs
      this.#outage = keyOf(startedAt)
      return { ...row, startedAt }
    })
  }

  cameBack(): void {
    const key = this.#outage
    this.#outage = null
    this.#note(({ now, tables }) => {
      const row = key === null ? undefined : tables.crmOutages.get(key)
      return row === undefined ? null : { ...row, endedAt: now }
    })
  }

  /** Hours from `from` to `to` (ms), the oldest first. */
  hours(from: number, to: number): { readonly at: number; readonly row: CrmHourRow }[] {
    const rows = new Map(
      [...this.#options.store.tables.crmHours.range({ start: keyOf(from), end: keyOf(to) })].map(({ key, value }) => [key, value]),
    )
    for (const [key, row] of this.#fresh) if (key >= keyOf(from) && key < keyOf(to)) rows.set(key, row)
    return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, row]) => ({ at: Number(key), row }))
  }

  /** Those that reach into that time. */
  outages(from: number, to: number): CrmOutageRow[] {
    const rows = [...this.#options.store.tables.crmOutages.range()].map(({ value }) => value)
    return rows.filter(({ startedAt, endedAt }) => startedAt < to && (endedAt ?? Infinity) > from)
  }

  async write(): Promise<void> {
    if (this.#fresh.size === 0) return
    const { store, log } = this.#options
    const rows = [...this.#fresh].map(([key, row]) => [key, structuredClone(row)] as const)
    try {
      await store.transaction(() => rows.forEach(([key, row]) => store.tables.crmHours.put(key, row)))
      const now = keyOf(this.#hourOf(this.#options.clock.now()))
      for (const [key] of rows) if (key !== now) this.#fresh.delete(key)
    } catch (err) {
      log.error({ err }, 'the figures of the CRM could not be written; later again')
    }
  }

  async sweep(): Promise<number> {
    const { store, clock } = this.#options
    const { crmHours, crmOutages } = store.tables
    const end = keyOf(clock.now() - keptMs)
    const old = [crmHours, crmOutages].map((table) => [...table.range({ end })].map(({ key }) => key))
    const count = old.flat().length
    if (count > 0) await store.transaction(() => [crmHours, crmOutages].forEach((table, n) => old[n]!.forEach((key) => table.remove(key))))
    return count
  }

  #hour(): CrmHourRow {
    const key = keyOf(this.#hourOf(this.#options.clock.now()))
    const known = this.#fresh.get(key) ?? this.#options.store.tables.crmHours.get(key)
    const row = known ?? emptyHour()
    this.#fresh.set(key, row)
    return row
  }

  #hourOf(at: number): number {
    return at - (at % hourMs)
  }

  #note(row: (on: { readonly now: number; readonly tables: Pick<Store['tables'], 'crmOutages'> }) => CrmOutageRow | null): void {
    const { store, clock, log } = this.#options
    store
      .transaction(() => {
        const made = row({ now: clock.now(), tables: store.tables })
        if (made !== null) store.tables.crmOutages.put(keyOf(made.startedAt), made)
      })
      .catch((err: unknown) => log.error({ err }, 'an outage of the CRM could not be noted'))
  }
}

const zeros = (bounds: readonly number[]): number[] => Array.from({ length: bounds.length + 1 }, () => 0)

const emptyHour = (): CrmHourRow => ({
  lookups: 0,
  crm: 0,
  local: 0,
  notFound: 0,
  ambiguous: 0,
  timeouts: 0,
  failures: 0,
  lookupMs: zeros(lookupBounds),
  delivered: 0,
  delaySeconds: zeros(delayBounds),
})

const bucketOf = (bounds: readonly number[], value: number): number => {
  const at = bounds.findIndex((bound) => value <= bound)
  return at === -1 ? bounds.length : at
}

const keyOf = (at: number): string => String(Math.max(0, at)).padStart(16, '0')
