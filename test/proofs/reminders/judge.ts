/** What the journal and the store say together: nobody rung twice, nobody forgotten, nobody called when nobody may be. */
import { wallClock, weekdayOf } from '../../../daemon/reminders/zone.ts'
import type { Store } from '../../../daemon/store/store.ts'
import type { ReminderRow } from '../../../daemon/store/tables.ts'
import { zone } from './box.ts'

export interface Verdict {
  readonly reminders: number
  readonly calls: number
  /** Calls that a kill cut off. */
  readonly cut: number
  readonly outcomes: Readonly<Record<string, number>>
  /** Over without a call, by reason. */
  readonly uncalled: Readonly<Record<string, number>>
  readonly faults: readonly string[]
}

interface Ring {
  readonly callId: string
  readonly reminderId: string
  readonly number: string
  readonly at: number
  /** Null where a kill cut it off. */
  endedAt: number | null
  key: string
}

const minuteMs = 60_000
const leastPauseMs = 10 * minuteMs
const leastPauseAfterCutMs = 30 * minuteMs
const mostCallMs = 2 * minuteMs

export function judge(store: Store, journal: readonly string[], count: number): Verdict {
  const faults: string[] = []
  const rings = ringsOf(journal, faults)
  const rows = [...store.tables.reminders.range()].map(({ value }) => value)
  const told = new Map<string, number>()
  for (const { value } of store.tables.outbox.range()) told.set(value.subject, (told.get(value.subject) ?? 0) + 1)
  const byReminder = Map.groupBy(rings, ({ reminderId }) => reminderId)
  const references = new Set(rows.map(({ externalRef }) => externalRef))
  if (rows.length !== count) faults.push(`${rows.length} reminders are there, ${count} were posted`)
  for (let n = 0; n < count; n++) if (!references.has(`R-${n}`)) faults.push(`R-${n} is forgotten`)
  for (const row of rows) faults.push(...faultsOf(row, byReminder.get(row.reminderId) ?? [], told.get(row.reminderId) ?? 0))
  faults.push(...faultsOfNumbers(rings))
  const over = rows.filter(({ attempts }) => attempts === 0)
  return {
    reminders: rows.length,
    calls: rings.length,
    cut: rings.filter(({ endedAt }) => endedAt === null).length,
    outcomes: countBy(rows, (row) => row.outcome ?? row.state),
    uncalled: countBy(over, (row) => `${row.outcome} ${row.reason}`),
    faults,
  }
}

function ringsOf(journal: readonly string[], faults: string[]): Ring[] {
  const rings = new Map<string, Ring>()
  for (const line of journal) {
    const [kind, callId = '', at = '', third = '', number = ''] = line.split(' ')
    if (kind === 'D') {
      if (rings.has(callId)) faults.push(`${callId} was dialled twice`)
      rings.set(callId, { callId, reminderId: third, number, at: Number(at), endedAt: null, key: '' })
    } else if (kind === 'E') rings.get(callId)!.endedAt = Number(at)
    else if (kind === 'K') rings.get(callId)!.key = third
  }
  return [...rings.values()].toSorted((a, b) => a.at - b.at)
}

function faultsOf(row: ReminderRow, rings: readonly Ring[], callbacks: number): string[] {
  const faults: string[] = []
  const fault = (text: string): void => void faults.push(`${row.externalRef} (${row.outcome} ${row.reason}): ${text}`)
  if (row.state !== 'over') fault(`is still ${row.state}`)
  if (callbacks !== 1) fault(`${callbacks} callbacks`)
  // A call without a free line rang nowhere, but has a line in the journal.
  if (row.attempts > 3 || row.attempts > rings.length) fault(`${row.attempts} attempts, ${rings.length} calls`)
  for (const [index, ring] of rings.entries()) {
    const local = wallClock(ring.at, zone)
    const minute = local.slice(11)
    if (minute < '09:00' || minute >= '18:00' || weekdayOf(local.slice(0, 10)) === 'sun') fault(`rung at ${local}`)
    if (ring.at > row.appointmentAt - 120 * minuteMs) fault('rung less than two hours before')
    const next = rings[index + 1]
    if (next === undefined) continue
    const gap = next.at - ring.at
    if (ring.key !== '') fault(`rung again after the key for ${ring.key}`)
    if (ring.endedAt === null && gap < leastPauseAfterCutMs) fault(`rung twice within ${gap / minuteMs} minutes: a kill lay between`)
    else if (ring.endedAt !== null && ring.endedAt > ring.at && gap < leastPauseMs) fault(`rung twice within ${gap / minuteMs} minutes`)
  }
  const key = rings.find((ring) => ring.key !== '')?.key
  if (key !== undefined && key !== row.outcome) fault(`the person was told: ${key}`)
  return faults
}

function faultsOfNumbers(rings: readonly Ring[]): string[] {
  const faults: string[] = []
  for (const [number, those] of Map.groupBy(rings, (ring) => ring.number)) {
    // Without a free line the call took no time: it counts for nothing.
    const real = those.filter((ring) => ring.endedAt !== ring.at)
    for (const [day, ofDay] of Map.groupBy(real, (ring) => wallClock(ring.at, zone).slice(0, 10))) {
      if (ofDay.length > 3) faults.push(`${number} was rung ${ofDay.length} times on ${day}`)
    }
    for (const [index, ring] of real.entries()) {
      const next = real[index + 1]
      if (next !== undefined && next.at < (ring.endedAt ?? Math.min(ring.at + mostCallMs, next.at)))
        faults.push(`${number} had two calls at once`)
    }
  }
  return faults
}

export function countBy<T>(items: readonly T[], name: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[name(item)] = (counts[name(item)] ?? 0) + 1
  return counts
}
