/** Which event a rule is about, whom it notifies, and when. Pure. */
import { IANAZone } from 'luxon'
import { addressees } from '../base/notice-ways.ts'
import type { Config } from '../schema/config.ts'
import { alarmWays } from '../schema/alarm-ways.ts'
import { isOpenOn, readCalendar } from '../schema/opening.ts'
import { severities } from '../schema/states.ts'
import type { BoxEventRow } from '../store/tables.ts'

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
