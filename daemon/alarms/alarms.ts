/**
 * Alarms: each event that matches a rule is reported to everybody the rule names, once it has lasted for a while. It is repeated until it
 * has ended or somebody has acknowledged it, and reported once more when it has ended. Pending notifications are on the disk, and leave it
 * in the transaction that hands them to the way to that person: a crash of the daemon loses none. Events that are due together are reported
 * together.
 */
import type { BoxEvents } from '../box-events/box-events.ts'
import type { Clock } from '../base/clock.ts'
import { UnderWay } from '../jobs/keep.ts'
import type { Log } from '../base/log.ts'
import { NoticeRefused } from '../base/notice-ways.ts'
import type { Store } from '../store/store.ts'
import type { AlarmRow, BoxEventRow } from '../store/tables.ts'
import { type AlarmRule, addresseeOf, fits, tellsAt, type Addressee, addresseesOf, leftOf } from './desk.ts'
import type { Told } from './words.ts'

/** One event and one rule that fits it: what is sent next, and when. Pure. */
type Rule = Pick<AlarmRule, 'id' | 'afterSeconds' | 'repeatMinutes' | 'ended' | 'notify'>
type Event = Pick<BoxEventRow, 'eventId' | 'since' | 'until' | 'acknowledgedAt'>

/** `moment`: it had ended when it was noticed, and is reported once. */
export function newAlarm(event: Event, rule: Rule, now: number, moment: boolean): AlarmRow {
  const dueAt = moment ? now : now + rule.afterSeconds * 1000
  return { eventId: event.eventId, rule: rule.id, news: moment ? 'ended' : 'lasts', dueAt, times: 0, left: [], toldAt: null }
}

/** What has become of it; null where nothing follows and the row can go. */
export function settled(row: AlarmRow, event: Event | undefined, rule: Rule | undefined, now: number): AlarmRow | null {
  if (event === undefined || rule === undefined) return null
  // Notifications are being sent.
  if (row.left.length > 0) return row
  if (row.news === 'ended') return row.dueAt === null ? null : row
  if (event.until !== null) return row.toldAt === null || !rule.ended ? null : { ...row, news: 'ended', dueAt: now }
  return event.acknowledgedAt === null || row.dueAt === null ? row : { ...row, dueAt: null }
}

/** Everybody is to be notified now. Nobody is called for what has ended. */
export function begun(row: AlarmRow, rule: Rule): AlarmRow {
  const all = addresseesOf(rule).filter(({ way }) => row.news === 'lasts' || way !== 'call' || row.toldAt === null)
  return { ...row, dueAt: null, times: row.times + 1, left: all.map(leftOf) }
}

/** One person was notified, or cannot be. */
export function toldOne(row: AlarmRow, left: string, rule: Rule, now: number): AlarmRow {
  const others = row.left.filter((other) => other !== left)
  if (others.length > 0) return { ...row, left: others, toldAt: now }
  const again = row.news === 'lasts' && rule.repeatMinutes > 0 ? now + rule.repeatMinutes * 60_000 : null
  return { ...row, left: [], toldAt: now, dueAt: again }
}

/** How one kind of address is notified. */
export interface AlarmWay {
  /** Resolves when it is durable; `alongside` runs in the same transaction. Rejects with NoticeRefused where it is of no use to try again. */
  tell(told: Told & { readonly to: string }, alongside: () => void): Promise<void>
}

export interface AlarmsOptions {
  readonly rules: readonly AlarmRule[]
  readonly timeZone: string
  readonly events: BoxEvents
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** By their keys under `notify`, all of them. */
  readonly ways: Readonly<Record<string, AlarmWay>>
  /** Somebody cannot be notified, or can be again (`reason` ''). */
  readonly untold: (rule: string, to: Addressee, reason: string) => void
}

interface Fresh {
  readonly event: Readonly<BoxEventRow>
  readonly moment: boolean
}

const retryMs = 60_000

export class Alarms {
  readonly #options: AlarmsOptions
  readonly #underWay: UnderWay
  /** Not looked at by a rule yet. */
  #fresh: Fresh[] = []
  /** Who is being notified, and who could not be until that time: rule, a space, address. */
  readonly #telling = new Set<string>()
  readonly #notBefore = new Map<string, number>()
  #turning = false
  #stopped = false

  constructor(options: AlarmsOptions) {
    this.#options = options
    this.#underWay = new UnderWay((err) => options.log.error({ err }, 'an alarm failed'))
    options.events.watch((event, change) => {
      if (change === 'began' || change === 'moment') this.#fresh.push({ event, moment: change === 'moment' })
    })
  }

  /** Events that began before this start, under rules that may be new. */
  start(): void {
    this.#fresh.push(...this.#options.events.lasting().map((event) => ({ event, moment: false })))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#underWay.lastWord(this.#options.clock)
  }

  /** The clock was set: what is due is as far away as it was. */
  async stepped(stepMs: number): Promise<void> {
    const { store } = this.#options
    await store.transaction(() => {
      for (const row of this.rows()) if (row.dueAt !== null) store.tables.alarms.put(keyOf(row), { ...row, dueAt: row.dueAt + stepMs })
    })
  }

  rows(): AlarmRow[] {
    return Array.from(this.#options.store.tables.alarms.range(), ({ value }) => value)
  }

  /** Does what is due; asked for every few seconds. */
  look(): void {
    if (this.#turning || this.#stopped || (this.#fresh.length === 0 && this.rows().length === 0)) return
    this.#turning = true
    void this.#underWay.track(this.#turn().finally(() => (this.#turning = false)))
  }

  async #turn(): Promise<void> {
    const { store, log } = this.#options
    const fresh = this.#fresh
    this.#fresh = []
    try {
      await store.transaction(() => this.#advance(fresh))
    } catch (error) {
      this.#fresh.unshift(...fresh)
      return log.debug({ err: error }, 'alarms wait for the disk')
    }
    for (const [key, rows] of this.#due()) {
      if (this.#telling.has(key)) continue
      this.#telling.add(key)
      void this.#underWay.track(this.#tell(key, rows).finally(() => this.#telling.delete(key)))
    }
  }

  /** Inside a transaction. */
  #advance(fresh: readonly Fresh[]): void {
    const { rules, events, store, clock, timeZone } = this.#options
    const { alarms } = store.tables
    const now = clock.now()
    for (const { event, moment } of fresh) {
      for (const rule of rules.filter((one) => fits(one, event))) {
        const key = keyOf({ eventId: event.eventId, rule: rule.id })
        if (alarms.get(key) === undefined) alarms.put(key, newAlarm(event, rule, now, moment))
      }
    }
    for (const row of this.rows()) {
      const rule = this.#ruleOf(row)
      const next = settled(row, events.get(row.eventId), rule, now)
      if (next === null || rule === undefined) {
        alarms.remove(keyOf(row))
        continue
      }
      const due = next.left.length === 0 && next.dueAt !== null && next.dueAt <= now && tellsAt(rule, now, timeZone)
      const after = due ? begun(next, rule) : next
      if (after !== row) alarms.put(keyOf(row), after)
    }
  }

  /** What is to be sent now, by rule, news and address. */
  #due(): Map<string, AlarmRow[]> {
    const now = this.#options.clock.elapsed()
    const due = new Map<string, AlarmRow[]>()
    for (const row of this.rows())
      for (const left of row.left) {
        const key = `${row.rule} ${row.news} ${left}`
        if ((this.#notBefore.get(key) ?? 0) <= now) due.set(key, [...(due.get(key) ?? []), row])
      }
    return due
  }

  async #tell(key: string, rows: readonly AlarmRow[]): Promise<void> {
    const { events, ways, log, clock, store, untold } = this.#options
    const [{ rule, news }] = rows as [AlarmRow]
    const left = key.slice(`${rule} ${news} `.length)
    const addressee = addresseeOf(left)
    const about = rows.flatMap(({ eventId }) => events.get(eventId) ?? [])
    try {
      await ways[addressee.way]!.tell({ rule, news, events: about, to: addressee.to }, () => this.#told(rows, left, true))
      this.#notBefore.delete(key)
      untold(rule, addressee, '')
      log.info({ rule, way: addressee.way, boxEvents: about.map(({ code }) => code) }, 'an alarm was sent')
    } catch (error) {
      const reason = (error as Error).message
      untold(rule, addressee, reason)
      if (error instanceof NoticeRefused) {
        log.error({ err: error, rule, way: addressee.way }, 'an alarm could not be sent')
        return void (await store.transaction(() => this.#told(rows, left, false)))
      }
      log.warn({ err: error, rule, way: addressee.way }, 'an alarm has to wait')
      this.#notBefore.set(key, clock.elapsed() + retryMs)
    }
  }

  /** Inside a transaction. `truly`: not that it cannot be. */
  #told(rows: readonly AlarmRow[], left: string, truly: boolean): void {
    const { events, store, clock } = this.#options
    const { alarms } = store.tables
    const now = clock.now()
    for (const { eventId, rule: id } of rows) {
      const key = keyOf({ eventId, rule: id })
      const row = alarms.get(key)
      const rule = row === undefined ? undefined : this.#ruleOf(row)
      if (row === undefined || rule === undefined) continue
      alarms.put(key, toldOne(row, left, rule, now))
      if (truly) events.told(eventId, { at: now, rule: id, ...addresseeOf(left) })
    }
  }

  #ruleOf({ rule }: Pick<AlarmRow, 'rule'>): AlarmRule | undefined {
    return this.#options.rules.find(({ id }) => id === rule)
  }
}

function keyOf({ eventId, rule }: Pick<AlarmRow, 'eventId' | 'rule'>): string {
  return `${eventId} ${rule}`
}
