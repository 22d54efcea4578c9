/** What became of the calls of a queue, a day and a member. On the disk a second later: the end of the daemon loses no more. */
import { type Clock, Alarm } from '../../base/clock.ts'
import { dayAt } from '../../base/day.ts'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'
import type { QueueDayRow, QueueMemberDay, QueueMoment } from '../../store/tables.ts'

export interface QueueFiguresOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** IANA. */
  readonly timeZone: string
}

const writeMs = 1000
const mostWaits = 2000
const hourMs = 3_600_000
/** By so many of those who were answered last is reckoned how long a caller will wait. */
const estimateBy = 20

export class QueueFigures {
  readonly #queue: string
  readonly #options: QueueFiguresOptions
  readonly #alarm: Alarm
  #today: QueueDayRow
  /** Seconds that those waited who were answered last. */
  #recent: number[]
  /** Over midnight, too: a row has one day. */
  #lately: readonly QueueMoment[]
  #dirty = false

  constructor(queue: string, options: QueueFiguresOptions) {
    this.#queue = queue
    this.#options = options
    this.#alarm = new Alarm(options.clock, () => void this.write())
    this.#today = this.on(this.#day())
    this.#recent = this.#today.waits.slice(-estimateBy)
    this.#lately = this.#today.lately ?? []
  }

  on(day: string): QueueDayRow {
    const kept = this.#options.store.tables.queueDays.get(`${this.#queue}/${day}`)
    return kept ?? { queue: this.#queue, day, offered: 0, answered: 0, abandoned: 0, sentOn: 0, waits: [], members: {} }
  }

  get today(): QueueDayRow {
    const day = this.#day()
    if (this.#today.day === day) return this.#today
    void this.write()
    return (this.#today = this.on(day))
  }

  /** Of the last 60 minutes. */
  get lastHour(): Readonly<Record<QueueMoment[1], number>> & { readonly waits: readonly number[] } {
    const from = this.#options.clock.now() - hourMs
    const moments = this.#lately.filter(([at]) => at > from)
    const count = (wanted: QueueMoment[1]): number => moments.filter(([, what]) => what === wanted).length
    return {
      ...{ offered: count('offered'), answered: count('answered'), abandoned: count('abandoned'), sentOn: count('sentOn') },
      waits: moments.flatMap(([, , waited]) => waited ?? []),
    }
  }

  offered(): void {
    this.#came('offered')
  }

  answered(member: string, waitedMs: number): void {
    const seconds = Math.round(waitedMs / 1000)
    this.#recent = [...this.#recent, seconds].slice(-estimateBy)
    this.#came('answered', seconds)
    this.#change((today) => void (today.waits = [...today.waits, seconds].slice(-mostWaits)))
    this.#member(member, (of) => void (of.answered += 1))
  }

  abandoned(): void {
    this.#came('abandoned')
  }

  sentOn(): void {
    this.#came('sentOn')
  }

  rung(member: string): void {
    this.#member(member, (of) => void (of.offered += 1))
  }

  missed(member: string): void {
    this.#member(member, (of) => void (of.missed += 1))
  }

  talked(member: string, ms: number): void {
    this.#member(member, (of) => void (of.talkSeconds += Math.round(ms / 1000)))
  }

  /** Seconds that a caller will wait, as half of those who were answered last did at most; null where none was. */
  estimate(): number | null {
    return quantile(this.#recent, 0.5)
  }

  async write(): Promise<void> {
    this.#alarm.cancel()
    if (!this.#dirty) return
    this.#dirty = false
    const { store, log } = this.#options
    const row = structuredClone(this.#today)
    await store
      .transaction(() => store.tables.queueDays.put(`${row.queue}/${row.day}`, row))
      .catch((error: unknown) => log.error({ err: error, queue: row.queue }, 'the figures of a queue could not be stored'))
  }

  #came(what: QueueMoment[1], waited?: number): void {
    const now = this.#options.clock.now()
    const moment: QueueMoment = waited === undefined ? [now, what] : [now, what, waited]
    this.#lately = [...this.#lately.filter(([at]) => at > now - hourMs), moment].slice(-mostWaits)
    this.#change((today) => {
      today[what] += 1
      today.lately = [...this.#lately]
    })
  }

  #member(member: string, change: (of: QueueMemberDay) => void): void {
    this.#change(({ members }) => change((members[member] ??= { offered: 0, answered: 0, missed: 0, talkSeconds: 0 })))
  }

  #change(change: (today: QueueDayRow) => void): void {
    change(this.today)
    this.#dirty = true
    this.#alarm.within(writeMs)
  }

  #day(): string {
    return dayAt(this.#options.clock.now(), this.#options.timeZone)
  }
}

/** The smallest value that a share of them does not exceed; null of none. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted.length === 0 ? null : sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!
}
