/**
 * Daily ceilings: how many texts, faxes and call minutes the box and each access token may use in a day of the site. What is
 * counted is on the disk in the transaction of the deed, so that no crash and no restart gives a thief a new day.
 */
import { uptime } from 'node:os'
import { bootId, type Clock } from '../base/clock.ts'
import { dayAt, msToNextDay } from '../base/day.ts'
import { ApiError } from '../base/errors.ts'
import type { Config } from '../schema/config.ts'
import type { LimitView } from '../schema/limits.ts'
import type { Store } from '../store/store.ts'
import type { UsageCounts, UsageRow } from '../store/tables.ts'

export type { UsageCounts } from '../store/tables.ts'
export type Counted = keyof UsageCounts

export const counted: readonly Counted[] = ['texts', 'faxes', 'callMinutes', 'internationalMinutes']

const nouns: Readonly<Record<Counted, string>> = {
  texts: 'parts of texts',
  faxes: 'faxes',
  callMinutes: 'call minutes',
  internationalMinutes: 'minutes of international calls',
}

/** Time that no clock step moves, as long as the machine runs. */
export interface BootClock {
  /** Seconds since the machine was started. */
  uptime(): number
  /** Another one after each start of the machine. */
  readonly boot: string
}

export interface CeilingsOptions {
  readonly config: Pick<Config, 'limits' | 'site'>
  readonly store: Store
  readonly clock: Clock
  readonly bootClock?: BootClock
}

/** Of a day of the site, on both clocks. */
class Moment {
  readonly day: string
  readonly at: number
  readonly #clock: BootClock

  constructor(day: string, at: number, clock: BootClock) {
    this.day = day
    this.at = at
    this.#clock = clock
  }

  /** Asking the system costs more than all the rest, and is seldom needed. */
  get upSeconds(): number {
    return this.#clock.uptime()
  }

  get boot(): string {
    return this.#clock.boot
  }
}

const boxKey = 'box'
const tokenKey = (name: string): string => `token/${name}`
/** Clocks are set right by seconds every day; more than this is a step. */
const stepMs = 300_000
const none: UsageCounts = { texts: 0, faxes: 0, callMinutes: 0, internationalMinutes: 0 }

/** Holds nothing by itself: any number of these serve one store. */
export class Ceilings {
  readonly #options: CeilingsOptions
  readonly #bootClock: BootClock

  constructor(options: CeilingsOptions) {
    this.#options = options
    this.#bootClock = options.bootClock ?? systemBootClock
  }

  /** Inside a store transaction: counts, or throws ApiError `daily_limit` and counts nothing. `token`: '' for the box's own work. */
  take(token: string, more: Partial<UsageCounts>): void {
    const rows = this.#rows(token)
    for (const [key, row] of rows) {
      const refused = this.#over(key, row, more)
      if (refused !== null) throw refused
    }
    this.#put(rows, more)
  }

  /** Inside a store transaction: counts what has happened anyway, such as another minute of a call. */
  add(token: string, more: Partial<UsageCounts>): void {
    this.#put(this.#rows(token), more)
  }

  /** Why so much more would be too much today, or null. `ofToken`: how much more of it is the token's. */
  refusal(token: string, more: Partial<UsageCounts>, ofToken = more): ApiError | null {
    const moment = this.#moment()
    const ofBox = this.#over(boxKey, this.#used(boxKey, moment), more)
    if (ofBox !== null || token === '') return ofBox
    const key = tokenKey(token)
    return this.#over(key, this.#used(key, moment), ofToken)
  }

  #rows(token: string): [string, UsageRow][] {
    const moment = this.#moment()
    return keysOf(token).map((key) => [key, this.#row(key, moment)])
  }

  #put(rows: readonly (readonly [string, UsageRow])[], more: Partial<UsageCounts>): void {
    for (const [key, row] of rows) {
      for (const what of counted) row[what] += more[what] ?? 0
      this.#options.store.tables.usage.put(key, row)
    }
  }

  #over(key: string, used: UsageCounts, more: Partial<UsageCounts>): ApiError | null {
    const { clock, config } = this.#options
    for (const what of counted) {
      const much = more[what] ?? 0
      if (much === 0) continue
      const most = this.#most(key, what)
      if (used[what] + much <= most) continue
      const whose = key === boxKey ? 'the telephone system' : `the token "${key.slice(tokenKey('').length)}"`
      const text = `The daily limit of ${whose} is ${most} ${nouns[what]}; ${used[what]} were used today.`
      const retryAfterSeconds = Math.ceil(msToNextDay(clock.now(), config.site.timeZone) / 1000)
      return new ApiError('daily_limit', text, { retryAfterSeconds, extra: { limit: what, most, used: used[what] } })
    }
    return null
  }

  /** The box first, then the tokens that did something today. */
  view(): LimitView[] {
    const { usage } = this.#options.store.tables
    const moment = this.#moment()
    const tokens = [...usage.range()].filter(({ key, value }) => key !== boxKey && value.day === moment.day).map(({ key }) => key)
    return [boxKey, ...tokens].flatMap((key) => {
      const row = this.#used(key, moment)
      const of = key === boxKey ? 'box' : 'token'
      const name = of === 'box' ? '' : key.slice(tokenKey('').length)
      return counted.map((what): LimitView => ({ of, name, what, used: row[what], most: this.#most(key, what) }))
    })
  }

  /**
   * To be called every few seconds: writes down that the clock was set, so that the next midnight is judged from there on. Without
   * it a row that nobody writes, because its ceiling is reached, would wait for ever for the hours that were taken back.
   */
  async carry(): Promise<void> {
    const { store } = this.#options
    const moment = this.#moment()
    const disturbed = [...store.tables.usage.range()].filter(({ value }) => value.day !== moment.day || stepped(value, moment))
    if (disturbed.length === 0) return
    await store.transaction(() => {
      for (const { key } of disturbed) store.tables.usage.put(key, this.#row(key, moment))
    })
  }

  /** Inside a store transaction: resets today's use, for one token or for everybody. False where the token used nothing. */
  reset(token?: string): boolean {
    const { usage } = this.#options.store.tables
    const keys = token === undefined ? [...usage.range()].map(({ key }) => key) : [tokenKey(token)].filter((key) => usage.get(key))
    const moment = this.#moment()
    for (const key of keys) usage.put(key, { ...this.#row(key, moment), ...none })
    return keys.length > 0 || token === undefined
  }

  #most(key: string, what: Counted): number {
    const { perDay } = this.#options.config.limits
    return key === boxKey ? perDay[what] : (perDay.tokens[key.slice(tokenKey('').length)]?.[what] ?? perDay.perToken[what])
  }

  #moment(): Moment {
    const { clock, config } = this.#options
    const at = clock.now()
    return new Moment(dayAt(at, config.site.timeZone), at, this.#bootClock)
  }

  /**
   * What counts now. A new day begins with nothing used when the date has moved on by itself; when the clock was set
   * (the wall moved without the time since the start of the machine) the counts stay, and end with that day.
   */
  #used(key: string, moment: Moment): UsageCounts {
    const before = this.#options.store.tables.usage.get(key)
    return before === undefined || (moment.day > before.day && !stepped(before, moment)) ? none : before
  }

  #row(key: string, moment: Moment): UsageRow {
    const { texts, faxes, callMinutes, internationalMinutes } = this.#used(key, moment)
    const { day, at, upSeconds, boot } = moment
    return { texts, faxes, callMinutes, internationalMinutes, day, at, upSeconds, boot }
  }
}

/** Whether the wall clock moved otherwise than the time since the start of the machine. */
function stepped(before: UsageRow, now: Moment): boolean {
  return before.boot === now.boot && Math.abs(now.at - before.at - (now.upSeconds - before.upSeconds) * 1000) > stepMs
}

function keysOf(token: string): readonly string[] {
  return token === '' ? [boxKey] : [boxKey, tokenKey(token)]
}

const systemBootClock: BootClock = { uptime, boot: bootId() }
