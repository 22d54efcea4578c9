/** Hours: calls go where the calendar says, or where somebody has set by hand. */
import type { Core, Ground } from '../../core.ts'
import { ApiError } from '../../base/errors.ts'
import { sectionsOf } from '../../config/edit.ts'
import type { Part } from '../../part.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Attendant } from '../codes/attendant.ts'
import { HoursDesk, type HoursDeskOptions } from './desk.ts'
import { Hours } from './hours.ts'
import { Overrides } from './overrides.ts'
import { hoursRoutes } from './routes.ts'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../schema/config.ts'
import type { HoursView } from '../../schema/extensions.ts'
import { wallOf } from './zone.ts'
import type { Features } from '../../routing/desks.ts'

/** The code that opens and closes the house by hand, for the rest of the day. */
interface HoursCodesOptions {
  readonly config: Pick<Config, 'hours' | 'site'>
  readonly hours: Pick<Hours, 'stateAt'>
  readonly overrides: Overrides
  readonly clock: Pick<Clock, 'now'>
}

const dayMs = 86_400_000
const states = { '1': 'open', '2': 'closed' } as const

function hoursCodes({ config, hours, overrides, clock, attendant }: HoursCodesOptions & { readonly attendant: Attendant }) {
  return {
    /** `position`: of the hours in the configuration, counted from 1; the first ones by default. */
    hoursOverride: async (call, _extension, position) => {
      const id = config.hours[Number(position === '' ? '1' : position) - 1]?.id
      const isOpen = (): boolean => id !== undefined && hours.stateAt(id, clock.now())?.open === true
      if (id === undefined) return attendant.say(call, 'noHours').then(() => null)
      const key = await attendant.ask(call, isOpen() ? 'isOpen' : 'isClosed')
      if (key === '1' || key === '2') await overrides.set(id, { state: states[key], until: endOfDay(config.site.timeZone, clock.now()) })
      else if (key === '3') await overrides.set(id, null)
      else return null
      call.note('state', `hours ${id}: ${key === '3' ? 'by the calendar' : `${states[key]} by hand`}`)
      await attendant.say(call, key === '3' ? 'byCalendar' : isOpen() ? 'openToday' : 'closedToday')
      return null
    },
  } satisfies Partial<Features>
}

/** A house that was closed by hand and forgotten opens by itself the next day. */
function endOfDay(timeZone: string, now: number): number {
  const wall = wallOf(timeZone)
  const midnight = (Math.floor((now + wall.offsetAt(now)) / dayMs) + 1) * dayMs
  // Where the clock is put forward at midnight that time does not come.
  return wall.instantsOf(midnight)[0] ?? wall.instantsOf(midnight + 3_600_000)[0] ?? now + dayMs
}

export interface HoursPart extends Part {
  readonly hours: Hours
  /** What is set by hand. */
  readonly overrides: Overrides
  readonly list: () => readonly HoursView[]
}

export interface HoursPartOptions {
  readonly routing: Pick<Routing, 'destinations' | 'features' | 'takers'>
  readonly attendant: Attendant
}

export function hoursPart(
  { config, store, clock, configuration }: Pick<Ground, 'config' | 'store' | 'clock'> & Pick<Core, 'configuration'>,
  { routing, attendant }: HoursPartOptions,
): HoursPart {
  const { destinations, features, takers } = routing
  const overrides = new Overrides({ store, clock })
  const hours = new Hours({ config, clock, destinations, overrides })
  takers.add('hours', (call, { id }, request) => hours.take(call, id, request))
  features.addAll(hoursCodes({ config, hours, overrides, clock, attendant }))
  const sections = configuration === undefined ? undefined : sectionsOf({ desk: configuration.desk, clock })
  const write: HoursDeskOptions['write'] = async (id, times, by) => {
    if (sections === undefined) throw new ApiError('not_supported', 'This box has no configuration that could be changed.')
    const withTimes = (one: unknown): unknown => ((one as { id?: unknown }).id === id ? { ...(one as object), ...times } : one)
    const change = ({ hours: all }: Readonly<Record<string, unknown>>) => ({ hours: (all as unknown[]).map(withTimes) })
    await sections.set(change, { by, note: `opening times of ${id}` })
  }
  const desk = new HoursDesk({ config, hours, overrides, clock, write })
  return {
    name: 'hours',
    hours,
    overrides,
    list: () => desk.list(),
    routes: hoursRoutes(desk),
    start: () => overrides.start(),
    stop: () => overrides.stop(),
  }
}
