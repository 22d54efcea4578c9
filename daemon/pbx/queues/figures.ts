/** What became of the calls of a queue, a day and a member. On the disk a second later: the end of the daemon loses no more. */
import { type Clock, Alarm } from '../../base/clock.ts'
import { dayAt } from '../../base/day.ts'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'
import type { QueueDayRow, QueueMemberDay } from '../../store/tables.ts'

export interface QueueFiguresOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** IANA. */
  readonly timeZone: string
}

const writeMs = 1000
const mostWaits = 2000
/** By so many of those who were answered last is reckoned how long a caller will wait. */
const estimateBy = 20

export class QueueFigures {
  readonly #queue: string
  readonly #options: QueueFiguresOptions
  readonly #alarm: Alarm
  #today: QueueDayRow
  /** Seconds that those waited who were answered last. */
  #recent: number[]
  #dirty = false

  constructor(queue: string, options: QueueFiguresOptions) {
    this.#queue = queue
    this.#options = options
    this.#alarm = new Alarm(options.clock, () => void this.write())
    this.#today = this.on(this.#day())
    this.#recent = this.#today.waits.slice(-estimateBy)
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

  offered(): void {
    this.#change((today) => void (today.offered += 1))
  }

  answered(member: string, waitedMs: number): void {
    const seconds = Math.round(waitedMs / 1000)
    this.#recent = [...this.#recent, seconds].slice(-estimateBy)
    this.#change((today) => {
      today.answered += 1
      today.waits = [...today.waits, seconds].slice(-mostWaits)
    })
    this.#member(member, (of) => void (of.answered += 1))
  }

  abandoned(): void {
    this.#change((today) => void (today.abandoned += 1))
  }

  sentOn(): void {
    this.#change((today) => void (today.sentOn += 1))
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
    this.#alarm.stop()
    if (!this.#dirty) return
    this.#dirty = false
    const { store, log } = this.#options
    const row = structuredClone(this.#today)
    await store
      .transaction(() => store.tables.queueDays.put(`${row.queue}/${row.day}`, row))
      .catch((error: unknown) => log.error({ err: error, queue: row.queue }, 'the figures of a queue could not be stored'))
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
