/** One event and one rule that fits it: what is told next, and when. Pure. */
import type { AlarmRule } from './rules.ts'
import type { AlarmRow, BoxEventRow } from '../store/tables.ts'
import { addresseesOf, leftOf } from './rules.ts'

type Rule = Pick<AlarmRule, 'id' | 'afterSeconds' | 'repeatMinutes' | 'ended' | 'notify'>
type Event = Pick<BoxEventRow, 'eventId' | 'since' | 'until' | 'acknowledgedAt'>

/** `moment`: it was over when it was noticed, and is told once. */
export function newAlarm(event: Event, rule: Rule, now: number, moment: boolean): AlarmRow {
  const dueAt = moment ? now : now + rule.afterSeconds * 1000
  return { eventId: event.eventId, rule: rule.id, news: moment ? 'ended' : 'lasts', dueAt, times: 0, left: [], toldAt: null }
}

/** What has become of it; null where nothing follows and the row can go. */
export function settled(row: AlarmRow, event: Event | undefined, rule: Rule | undefined, now: number): AlarmRow | null {
  if (event === undefined || rule === undefined) return null
  // People are being told.
  if (row.left.length > 0) return row
  if (row.news === 'ended') return row.dueAt === null ? null : row
  if (event.until !== null) return row.toldAt === null || !rule.ended ? null : { ...row, news: 'ended', dueAt: now }
  return event.acknowledgedAt === null || row.dueAt === null ? row : { ...row, dueAt: null }
}

/** Everybody is to be told now. Nobody is called for what is over. */
export function begun(row: AlarmRow, rule: Rule): AlarmRow {
  const all = addresseesOf(rule).filter(({ way }) => row.news === 'lasts' || way !== 'call' || row.toldAt === null)
  return { ...row, dueAt: null, times: row.times + 1, left: all.map(leftOf) }
}

/** One was told, or cannot be. */
export function toldOne(row: AlarmRow, left: string, rule: Rule, now: number): AlarmRow {
  const others = row.left.filter((other) => other !== left)
  if (others.length > 0) return { ...row, left: others, toldAt: now }
  const again = row.news === 'lasts' && rule.repeatMinutes > 0 ? now + rule.repeatMinutes * 60_000 : null
  return { ...row, left: [], toldAt: now, dueAt: again }
}
