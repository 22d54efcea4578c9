/** The hours of the house: which of them are open now, and where they send a call. */
import { derived } from '../../base/derived.ts'
import type { Call } from '../../calls/call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Destinations, TakeRequest } from '../../routing/destinations.ts'
import type { Taken } from '../../routing/taken.ts'
import type { Config } from '../../schema/config.ts'
import type { HoursConfig } from '../../schema/config/pbx-hours.ts'
import { isOpen, nextChange, openingOf, type Opening } from './opening.ts'
import type { Overrides } from './overrides.ts'

export interface HoursOptions {
  readonly config: Pick<Config, 'hours' | 'site'>
  readonly clock: Pick<Clock, 'now'>
  readonly destinations: Destinations
  readonly overrides: Pick<Overrides, 'at'>
}

export interface HoursState {
  readonly open: boolean
  /** When that changes, in milliseconds since the epoch; null where it does not within a year. */
  readonly until: number | null
  /** Where calls go. */
  readonly destination: string
  /** For a trace. */
  readonly text: string
}

export class Hours {
  readonly #options: HoursOptions
  readonly #all: () => ReadonlyMap<string, { readonly settings: HoursConfig; readonly opening: Opening }>

  constructor(options: HoursOptions) {
    this.#options = options
    const { config } = options
    const { hours, site } = config
    this.#all = derived(
      config,
      () => new Map(hours.map((settings) => [settings.id, { settings, opening: openingOf(settings, site.timeZone) }])),
    )
  }

  /** @param at milliseconds since the epoch */
  stateAt(id: string, at: number): HoursState | null {
    const found = this.#all().get(id)
    if (found === undefined) return null
    const { opening, settings } = found
    const set = this.#options.overrides.at(id, at)
    const open = set === null ? isOpen(opening, at) : set.state === 'open'
    const until = set === null ? nextChange(opening, at) : set.until === null ? null : endOf(opening, open, set.until)
    const destination = open ? settings.whenOpen : settings.whenClosed
    const shown = until === null ? '' : ` until ${opening.wall.show(until)}`
    const how = set === null ? '' : ' by hand'
    return { open, until, destination, text: `hours ${id}: ${open ? 'open' : 'closed'}${how}${shown}, on to ${destination}` }
  }

  /** Sends the call on to where these hours lead now. */
  async take(call: Call, id: string, request: TakeRequest): Promise<Taken> {
    const { clock, destinations } = this.#options
    const state = this.stateAt(id, clock.now())
    if (state === null) return { outcome: 'failed', sipCode: 0, text: `there are no hours ${id}` }
    call.note('state', state.text)
    return destinations.send(call, state.destination, request)
  }
}

/** When it changes, where the calendar decides again from `until` on: then, or later where the calendar says the same. */
function endOf(opening: Opening, open: boolean, until: number): number | null {
  return isOpen(opening, until) === open ? nextChange(opening, until) : until
}
