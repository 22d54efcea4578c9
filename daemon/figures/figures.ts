/**
 * Figures of the house by the hour. Each is written in the transaction of what it counts, so that none is lost and none counts twice; no
 * list is read for it. A fault in counting is logged, and what was to be counted stands.
 */
import { setImmediate as breath } from 'node:timers/promises'
import { DateTime } from 'luxon'
import type { Clock } from '../base/clock.ts'
import { spared, type Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import { added, type Counts } from './counts.ts'

/** `extensions`: calls by the extension of the house. */
export const seriesNames = ['calls', 'extensions', 'queues', 'faxes', 'texts', 'reminders'] as const
export type Series = (typeof seriesNames)[number]

/** The name under which all of a series is counted. */
export const everything = ''

export interface FiguresOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** IANA. */
  readonly timeZone: string
}

export interface Hour {
  /** When it began, milliseconds since the epoch. */
  readonly at: number
  readonly counts: ReadonlyMap<string, Counts>
}

const hourMs = 3_600_000
/** By this much clocks on the wall differ, and at its multiples of UTC they are set. */
const quarterMs = 900_000
export const keepDays = 730
const keepMs = keepDays * 24 * hourMs
/** Rows read or removed between two turns of the event loop. */
const batch = 500
/** Names in one hour; programs may report calls of any extension. */
const mostNames = 500
const begun = 'figuresSince'

export class Figures {
  readonly #options: FiguresOptions
  /** The last quarter that was asked for, and the hour it is in: luxon takes longer than the rest of the counting. */
  #last = { quarter: NaN, hour: NaN }

  constructor(options: FiguresOptions) {
    this.#options = options
  }

  /** Counting begins. */
  async start(): Promise<void> {
    const { store, clock } = this.#options
    if (this.#begun() > clock.now()) await store.transaction(() => store.tables.meta.put(begun, clock.now()))
  }

  /** Inside the transaction of a deed, which it never undoes. */
  count(work: () => void): void {
    spared(this.#options.log, 'something could not be counted in the figures', work)()
  }

  /** Inside a transaction: that much more at this moment (milliseconds since the epoch), by name. */
  add(series: Series, at: number, counts: ReadonlyMap<string, Counts>): void {
    if (counts.size === 0) return
    const { figures } = this.#options.store.tables
    const key = keyOf(series, this.hourOf(at))
    const row = new Map(Object.entries(figures.get(key)?.counts ?? {}))
    for (const [name, more] of counts) {
      const kept = row.has(name) || row.size < mostNames ? name : everything
      row.set(kept, added(row.get(kept) ?? {}, more))
    }
    figures.put(key, { counts: Object.fromEntries(row) })
  }

  /** Inside a transaction: one that was counted as `before` at this moment counts as `after`. Nothing where it was not counted. */
  move(series: Series, at: number, before: string, after: string): void {
    const counted = this.countedAt(series, at)[before] ?? 0
    if (counted > 0) this.add(series, at, new Map([[everything, { [before]: -1, [after]: 1 }]]))
  }

  /** What that hour has of all. */
  countedAt(series: Series, at: number): Counts {
    return this.#options.store.tables.figures.get(keyOf(series, this.hourOf(at)))?.counts[everything] ?? {}
  }

  /** Since when there are figures, milliseconds since the epoch. */
  since(): number {
    const { store, clock } = this.#options
    const oldest = seriesNames.flatMap((series) =>
      [...store.tables.figures.range({ ...rangeOf(series), limit: 1 })].map(({ key }) => momentOf(key)),
    )
    return Math.max(clock.now() - keepMs, Math.min(this.#begun(), clock.now(), ...oldest))
  }

  /** Hours that began in that time, the oldest first. */
  async *hours(series: Series, from: number, to: number): AsyncIterable<Hour> {
    const { figures } = this.#options.store.tables
    const end = keyOf(series, to)
    for (let start = keyOf(series, from); ;) {
      const rows = [...figures.range({ start, end, limit: batch })]
      for (const { key, value } of rows) yield { at: momentOf(key), counts: new Map(Object.entries(value.counts)) }
      if (rows.length < batch) return
      start = `${rows.at(-1)!.key}!`
      await breath()
    }
  }

  /** Beginning of the hour by the clock on the wall, which is not everywhere that of UTC. */
  hourOf(at: number): number {
    const quarter = Math.floor(at / quarterMs)
    if (quarter !== this.#last.quarter) {
      const offsetMs = DateTime.fromMillis(at, { zone: this.#options.timeZone }).offset * 60_000
      this.#last = { quarter, hour: at - ((((at + offsetMs) % hourMs) + hourMs) % hourMs) }
    }
    return this.#last.hour
  }

  /** Removes what is past its time; how many. */
  async sweep(): Promise<number> {
    const { store, clock } = this.#options
    let removed = 0
    for (const series of seriesNames) {
      for (;;) {
        const old = [...store.tables.figures.range({ ...rangeOf(series), end: keyOf(series, clock.now() - keepMs), limit: batch })]
        if (old.length > 0) await store.transaction(() => old.forEach(({ key }) => store.tables.figures.remove(key)))
        removed += old.length
        if (old.length < batch) break
      }
    }
    return removed
  }

  #begun(): number {
    const kept = this.#options.store.tables.meta.get(begun)
    return typeof kept === 'number' ? kept : Infinity
  }
}

const keyOf = (series: Series, at: number): string => `${series}/${String(Math.max(0, at)).padStart(16, '0')}`
const momentOf = (key: string): number => Number(key.slice(key.indexOf('/') + 1))
const rangeOf = (series: Series) => ({ start: `${series}/`, end: `${series}0` })
