/** What people ask of alarms: the list of rules and addresses, a test message, and acknowledgement. */
import { boxEventView } from '../box-events/view.ts'
import { isoTime } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { AlarmsView, AlarmTestView } from '../schema/alarms.ts'
import type { Alarms, AlarmsOptions } from './alarms.ts'
import { addresseesOf, tellsAt } from './rules.ts'

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
