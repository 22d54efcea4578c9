/** The hours as clients outside the daemon see them, and opening or closing them by hand. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isoTime, type Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import type { Config } from '../../schema/config.ts'
import type { HoursChange, HoursView, OpeningTimes, OpeningTimesChange, OpeningTimesView } from '../../schema/extensions.ts'
import type { Hours } from './hours.ts'
import type { Overrides } from './overrides.ts'
import { specialAt } from './opening.ts'
import { wallOf } from './zone.ts'

export interface HoursDeskOptions {
  readonly config: Pick<Config, 'hours' | 'site'>
  readonly hours: Hours
  readonly overrides: Overrides
  readonly clock: Pick<Clock, 'now'>
  /** Sets opening times in the configuration, and resolves when they are in use. Throws ApiError. */
  readonly write: (id: string, times: Partial<OpeningTimes>, by: string) => Promise<void>
}

const dayMs = 86_400_000

export class HoursDesk {
  readonly #options: HoursDeskOptions

  constructor(options: HoursDeskOptions) {
    this.#options = options
  }

  list(): readonly HoursView[] {
    return this.#options.config.hours.map(({ id }) => this.#view(id))
  }

  /** `record` runs in the transaction. Throws ApiError: not_found, validation_failed. */
  async change(id: string, { state, until }: HoursChange, record: () => void): Promise<HoursView> {
    const { config, overrides } = this.#options
    if (!config.hours.some((hours) => hours.id === id)) throw new ApiError('not_found', `There are no hours ${id}.`)
    if (state === 'auto') await overrides.set(id, null, record)
    else await overrides.set(id, { state, until: until === undefined ? null : this.#instant(until) }, record)
    return this.#view(id)
  }

  /** Throws ApiError not_found. */
  times(id: string): OpeningTimesView {
    const hours = this.#options.config.hours.find((one) => one.id === id)
    if (hours === undefined) throw new ApiError('not_found', `There are no hours ${id}.`)
    const { open, closedOn, special } = hours
    const times = structuredClone({ open, closedOn, special })
    return { id, base: createHash('sha256').update(JSON.stringify(times)).digest('hex').slice(0, 16), times }
  }

  /** Throws ApiError: not_found, validation_failed, changed_meanwhile with the `current` ones, and what a change of the configuration throws. */
  async setTimes(id: string, { base, times }: OpeningTimesChange, by: string): Promise<OpeningTimesView> {
    const current = this.times(id)
    if (base !== undefined && base !== current.base)
      throw new ApiError('changed_meanwhile', 'Somebody else has changed these opening times meanwhile.', { extra: { current } })
    const names = ['open', 'closedOn', 'special'] as const
    const changed = names.filter((name) => !isDeepStrictEqual(times[name], current.times[name])).map((name) => [name, times[name]] as const)
    if (changed.length > 0) await this.#options.write(id, Object.fromEntries(changed), by)
    return this.times(id)
  }

  #view(id: string): HoursView {
    const { config, hours, overrides, clock } = this.#options
    const now = clock.now()
    const special = specialAt(config.hours.find((one) => one.id === id)!.special, now, config.site.timeZone)
    const { open, until, destination } = hours.stateAt(id, now)!
    const set = overrides.at(id, now)
    const time = (at: number | null | undefined): string | null => (at == null ? null : isoTime(at))
    return { id, open, until: time(until), destination, special, override: set?.state ?? null, overrideUntil: time(set?.until) }
  }

  /** A time of the clock on the wall, today or else tomorrow; a date and time of that clock; or an instant with its zone. */
  #instant(text: string): number {
    const { config, clock } = this.#options
    const wall = wallOf(config.site.timeZone)
    const now = clock.now()
    const midnight = Math.floor((now + wall.offsetAt(now)) / dayMs) * dayMs
    const time = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
    const local = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN
    const shown = time === null ? [local] : [0, dayMs].map((day) => midnight + day + (Number(time[1]) * 60 + Number(time[2])) * 60_000)
    const instants = Number.isNaN(shown[0]) ? [Date.parse(text)] : shown.flatMap((at) => wall.instantsOf(at))
    const found = instants.find((at) => at > now)
    if (found === undefined)
      throw new ApiError('validation_failed', `"${text}" is not a time in the future; write 18:00 or 2026-12-24T18:00.`)
    return found
  }
}
