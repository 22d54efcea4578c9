/**
 * The history of the box: what was the matter with it, from when until when. A fault that outlives a restart of the daemon is one event.
 * What happens is in memory at once and on the disk as soon as it takes something: a full disk is itself an event.
 */
import { type Clock, isoTime } from '../base/clock.ts'
import { forLog, ours } from '../base/for-log.ts'
import { newId } from '../base/ids.ts'
import { newest, type Page } from '../jobs/newest.ts'
import type { Log } from '../base/log.ts'
import type { Sample } from '../base/metrics.ts'
import type { BoxEventKind } from '../schema/states.ts'
import { removeEnded } from '../store/remove-old.ts'
import type { Store } from '../store/store.ts'
import type { BoxEventRow } from '../store/tables.ts'
import type { ToldRow } from '../store/box-rows.ts'
import type { Condition } from './conditions.ts'
import type { BoxEventView } from '../schema/box-events.ts'

/** An event of the box as it is shown. */
export function boxEventView({ since, until, acknowledgedAt, told, ...row }: Readonly<BoxEventRow>): BoxEventView {
  return {
    ...row,
    since: isoTime(since),
    until: isoTime(until),
    acknowledgedAt: isoTime(acknowledgedAt),
    told: told.map(({ at, ...one }) => ({ ...one, at: isoTime(at) })),
  }
}

export interface BoxEventsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly keepDays: number
}

/** `moment`: it had ended when it was noticed. */
export type Change = 'began' | 'moment' | 'ended' | 'changed'
export type Watcher = (event: Readonly<BoxEventRow>, change: Change) => void

export interface BoxEventQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly kind?: BoxEventKind | undefined
  readonly code?: string | undefined
  /** Those that last alone. */
  readonly lasting?: boolean | undefined
}

/** Lines register, phones come back: what is missing in the first moments is no news. */
const settleMs = 10_000
const dayMs = 86_400_000
const mostTold = 20

export class BoxEvents {
  readonly #options: BoxEventsOptions
  /** Those that last, by code. */
  readonly #lasting = new Map<string, BoxEventRow>()
  /** What the disk does not have yet, by id. */
  readonly #unwritten = new Map<string, BoxEventRow>()
  readonly #watchers = new Set<Watcher>()
  /** How many began, by kind and severity. */
  readonly #begun = new Map<string, number>()
  readonly #startedAt: number
  #writing = false
  #written: Promise<void> = Promise.resolve()

  constructor(options: BoxEventsOptions) {
    this.#options = options
    this.#startedAt = options.clock.elapsed()
    for (const { value } of options.store.tables.boxEvents.pending()) this.#lasting.set(value.code, value)
  }

  /** What is the matter now: what is new begins, what is not there any more has ended. */
  look(conditions: readonly Condition[]): void {
    const { clock } = this.#options
    if (clock.elapsed() - this.#startedAt >= settleMs) {
      const now = clock.now()
      const codes = new Set(conditions.map(({ code }) => code))
      for (const [code, row] of [...this.#lasting]) if (!codes.has(code)) this.#end(row, now)
      for (const condition of conditions) this.#see(condition, now)
    }
    void this.#write()
  }

  /** Something that ended at once, or between `since` and now. */
  note({ since, ...told }: Omit<Condition, 'since'> & { readonly since?: number }): void {
    const now = this.#options.clock.now()
    this.#begin({ ...told, since: since ?? now }, now)
    void this.#write()
  }

  /** Those that last, the one that began last first. */
  lasting(): readonly Readonly<BoxEventRow>[] {
    return [...this.#lasting.values()].toSorted((a, b) => b.since - a.since)
  }

  get(eventId: string): Readonly<BoxEventRow> | undefined {
    const inMemory = this.lasting().find((row) => row.eventId === eventId) ?? this.#unwritten.get(eventId)
    return inMemory ?? this.#options.store.tables.boxEvents.get(eventId)
  }

  /** Newest first. */
  list({ limit, cursor, kind, code, lasting }: BoxEventQuery): Page<BoxEventRow> {
    const lives = new Map([...this.#unwritten.values(), ...this.#lasting.values()].map((row) => [row.eventId, row]))
    return newest(this.#options.store.tables.boxEvents, {
      limit,
      cursor,
      current: (key) => lives.get(key),
      fits: (row) =>
        (kind === undefined || row.kind === kind) && (code === undefined || row.code === code) && (lasting !== true || row.until === null),
    })
  }

  /** Somebody takes these in hand; how many. `alongside` runs in the transaction. */
  async acknowledge(eventIds: readonly string[], by: string, alongside: () => void = () => undefined): Promise<number> {
    const { store, clock } = this.#options
    const rows = eventIds.flatMap((id) => this.get(id) ?? []).filter(({ acknowledgedAt }) => acknowledgedAt === null)
    const changed = rows.map((row): BoxEventRow => ({ ...row, acknowledgedAt: clock.now(), acknowledgedBy: by }))
    await store.transaction(() => {
      for (const row of changed) store.tables.boxEvents.put(row.eventId, row)
      alongside()
    })
    for (const row of changed) this.#changed(row)
    return changed.length
  }

  /** Inside a transaction: somebody was notified of it. */
  told(eventId: string, told: ToldRow): void {
    const { store } = this.#options
    const row = this.get(eventId)
    if (row === undefined) return
    const now = { ...row, told: [...this.#toldOf(row), told].slice(-mostTold) }
    store.tables.boxEvents.put(eventId, now)
    store.afterCommit(() => this.#changed({ ...(this.get(eventId) ?? now), told: now.told }))
  }

  /** The clock was set: what lasts has lasted for as long as before. */
  stepped(stepMs: number): void {
    for (const row of this.#lasting.values()) {
      row.since += stepMs
      this.#unwritten.set(row.eventId, row)
    }
  }

  /** Calls the watcher on each change until the returned function is called. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  begun(): Sample[] {
    return Array.from(this.#begun, ([key, count]) => [labelsOf(key), count])
  }

  lastingCounts(): Sample[] {
    const counts = new Map<string, number>()
    for (const row of this.#lasting.values()) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1)
    return Array.from(counts, ([key, count]) => [labelsOf(key), count])
  }

  sweep(): Promise<number> {
    const { store, clock, keepDays } = this.#options
    return removeEnded(store, store.tables.boxEvents, clock.now() - keepDays * dayMs)
  }

  /** What happened is on the disk, where it takes something. */
  async stop(): Promise<void> {
    await this.#write()
  }

  #see(condition: Condition, now: number): void {
    const row = this.#lasting.get(condition.code)
    if (row !== undefined && row.severity === condition.severity) {
      // Texts count what happens: the disk has the first and the last one.
      row.text = forLog(condition.text)
      row.fix = condition.fix
      return
    }
    if (row !== undefined) this.#end(row, now)
    this.#begin({ ...condition, since: row === undefined ? condition.since : now }, null)
  }

  #begin({ kind, code, severity, text, fix, since }: Condition, until: number | null): void {
    const { log } = this.#options
    const eventId = newId()
    const told = { kind, code, severity, since, until, text: forLog(text), fix }
    const row: BoxEventRow = { eventId, ...told, acknowledgedAt: null, acknowledgedBy: '', told: [] }
    if (until === null) this.#lasting.set(code, row)
    this.#unwritten.set(eventId, row)
    this.#begun.set(keyOf(row), (this.#begun.get(keyOf(row)) ?? 0) + 1)
    const level = severity === 'error' ? 'error' : severity === 'warning' ? 'warn' : 'info'
    log[level]({ boxEvent: code, kind, fix: ours(fix) }, '%s', ours(row.text))
    this.#tell(row, until === null ? 'began' : 'moment')
  }

  #end(row: BoxEventRow, now: number): void {
    this.#lasting.delete(row.code)
    const over = { ...row, until: Math.max(now, row.since) }
    this.#unwritten.set(row.eventId, over)
    const seconds = Math.round((over.until - over.since) / 1000)
    this.#options.log.info({ boxEvent: row.code, kind: row.kind, seconds }, '%s', ours(`over: ${row.text}`))
    this.#tell(over, 'ended')
  }

  #changed(row: BoxEventRow): void {
    if (row.until === null && this.#lasting.get(row.code)?.eventId === row.eventId) this.#lasting.set(row.code, row)
    if (this.#unwritten.has(row.eventId)) this.#unwritten.set(row.eventId, row)
    this.#tell(row, 'changed')
  }

  #tell(row: BoxEventRow, change: Change): void {
    for (const watcher of this.#watchers) watcher(row, change)
  }

  /** Inside a transaction: those of transactions that are not durable yet among them. */
  #toldOf({ eventId, told }: BoxEventRow): ToldRow[] {
    return this.#options.store.tables.boxEvents.get(eventId)?.told ?? told
  }

  /** What the disk does not have yet; what comes meanwhile follows. */
  #write(): Promise<void> {
    if (!this.#writing && this.#unwritten.size > 0) {
      this.#writing = true
      this.#written = this.#writeAll().finally(() => (this.#writing = false))
    }
    return this.#written
  }

  async #writeAll(): Promise<void> {
    const { store, log } = this.#options
    while (this.#unwritten.size > 0) {
      const rows = [...this.#unwritten.values()]
      try {
        await store.transaction(() => {
          for (const row of rows) store.tables.boxEvents.put(row.eventId, { ...row, told: this.#toldOf(row) })
        })
      } catch (error) {
        return log.debug({ err: error }, 'events of the box are not on the disk yet')
      }
      for (const row of rows) if (this.#unwritten.get(row.eventId) === row) this.#unwritten.delete(row.eventId)
    }
  }
}

const keyOf = ({ kind, severity }: Pick<BoxEventRow, 'kind' | 'severity'>): string => `${kind} ${severity}`

function labelsOf(key: string): Record<string, string> {
  const [kind = '', severity = ''] = key.split(' ')
  return { kind, severity }
}
