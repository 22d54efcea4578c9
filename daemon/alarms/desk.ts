/** What people ask of alarms: the list of rules and addresses, a test message, and acknowledgement. */
import { boxEventView } from '../box-events/box-events.ts'
import { isoTime } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { AlarmsView, AlarmTestView } from '../schema/alarms.ts'
import type { Alarms, AlarmsOptions } from './alarms.ts'
import { IANAZone } from 'luxon'
import { addressees } from '../base/notice-ways.ts'
import type { Config } from '../schema/config.ts'
import { alarmWays } from '../schema/alarm-ways.ts'
import { isOpenOn, readCalendar } from '../schema/opening.ts'
import { severities } from '../schema/states.ts'
import type { BoxEventRow } from '../store/tables.ts'

/** Which event a rule is about, whom it notifies, and when. Pure. */
const dayMs = 86_400_000
const minuteMs = 60_000

export type AlarmRule = Config['alarms'][number]

export interface Addressee {
  /** A key of `notify`. */
  readonly way: string
  readonly to: string
}

export function fits(
  rule: Pick<AlarmRule, 'events' | 'severity'>,
  { kind, code, severity }: Pick<BoxEventRow, 'kind' | 'code' | 'severity'>,
): boolean {
  return (
    severities.indexOf(severity) >= severities.indexOf(rule.severity) &&
    rule.events.some((wanted) => (wanted.endsWith('*') ? code.startsWith(wanted.slice(0, -1)) : wanted === code || wanted === kind))
  )
}

export function addresseesOf({ notify }: Pick<AlarmRule, 'notify'>): Addressee[] {
  return addressees(notify).toSorted((a, b) => alarmWays.indexOf(a.way) - alarmWays.indexOf(b.way))
}

/** Whether people are notified at that moment. @param at milliseconds since the epoch; @param zone IANA name of one that exists */
export function tellsAt({ hours }: Pick<AlarmRule, 'hours'>, at: number, zone: string): boolean {
  if (hours === undefined) return true
  const local = at + IANAZone.create(zone).offset(at) * minuteMs
  const day = Math.floor(local / dayMs)
  return isOpenOn(readCalendar(hours, []), day, Math.floor((local - day * dayMs) / minuteMs))
}

/** As the rows of alarms keep it. */
export const leftOf = ({ way, to }: Addressee): string => `${way} ${to}`

export function addresseeOf(left: string): Addressee {
  const space = left.indexOf(' ')
  return { way: left.slice(0, space), to: left.slice(space + 1) }
}

export type AlarmDeskOptions = Pick<AlarmsOptions, 'rules' | 'timeZone' | 'events' | 'clock' | 'ways'> & {
  readonly alarms: Pick<Alarms, 'rows'>
}

export class AlarmDesk {
  readonly #options: AlarmDeskOptions

  constructor(options: AlarmDeskOptions) {
    this.#options = options
  }

  view(): AlarmsView {
    const { rules, timeZone, events, clock, alarms } = this.#options
    return {
      rules: rules.map((rule) => {
        const { id, severity } = rule
        return { id, events: rule.events, severity, now: tellsAt(rule, clock.now(), timeZone), notify: addresseesOf(rule) }
      }),
      alarms: alarms.rows().flatMap(({ rule, eventId, times, toldAt, dueAt }) => {
        const event = events.get(eventId)
        if (event === undefined) return []
        const nextAt = event.acknowledgedAt !== null && event.until === null ? null : dueAt
        return [{ rule, event: boxEventView(event), times, toldAt: isoTime(toldAt), nextAt: isoTime(nextAt) }]
      }),
    }
  }

  /** Sends a test message to everybody in these rules. Throws ApiError not_found. */
  async test(only?: string): Promise<AlarmTestView> {
    const { rules, ways } = this.#options
    const chosen = rules.filter(({ id }) => only === undefined || id === only)
    if (only !== undefined && chosen.length === 0)
      throw new ApiError(
        'not_found',
        `There is no rule ${only} in alarms; the configuration ${rules.length === 0 ? 'has none' : `has ${rules.map(({ id }) => id).join(', ')}`}.`,
      )
    const all = chosen.flatMap((rule) => addresseesOf(rule).map((addressee) => ({ rule: rule.id, ...addressee })))
    return Promise.all(
      all.map(async ({ rule, way, to }) => {
        try {
          await ways[way]!.tell({ rule, news: 'test', events: [], to }, () => undefined)
          return { rule, way, to, ok: true, error: '' }
        } catch (error) {
          return { rule, way, to, ok: false, error: (error as Error).message }
        }
      }),
    )
  }

  /** How many of those that last were not in anybody's hands. `record` runs in the transaction. Throws ApiError not_found. */
  acknowledge(eventId: string | undefined, by: string, record: (about: string) => void): Promise<number> {
    const { events } = this.#options
    if (eventId !== undefined && events.get(eventId) === undefined)
      throw new ApiError('not_found', 'There is no such event: see "pbx events".')
    const ids = eventId === undefined ? events.lasting().map((event) => event.eventId) : [eventId]
    return events.acknowledge(ids, by, () => record(eventId ?? 'all'))
  }
}
