/** What the record of a call that has ended adds to the figures: pure. */
import type { CallRecordView } from '../schema/history.ts'
import type { HistoryRow } from '../store/tables.ts'
import { parseDestination } from '../schema/destination.ts'
import { added, waited, type Counts } from './counts.ts'

/** Of the call, of each extension that had a part in it, and of each queue in which it waited. */
export interface CallCounts {
  readonly call: Counts
  readonly extensions: ReadonlyMap<string, Counts>
  readonly queues: ReadonlyMap<string, Counts>
}

export function countsOf(record: CallRecordView): CallCounts {
  return { call: ofCall(record), extensions: ofExtensions(record), queues: ofQueues(record) }
}

function ofCall({ direction, outcome, talkSeconds = 0, ringSeconds = 0 }: CallRecordView): Counts {
  if (direction === 'internal') return { internal: 1 }
  if (direction === 'outbound') return { outgoing: 1, ...(outcome === 'answered' ? { outgoingAnswered: 1, talkSeconds } : {}) }
  const name = nameOfInbound(outcome)
  return { inbound: 1, [name]: 1, ...(name === 'answered' ? { talkSeconds, ...waited(ringSeconds) } : {}) }
}

/** The house was busy, or nobody took it: to the caller that is the same. */
const missed: readonly CallRecordView['outcome'][] = ['missed', 'busy', 'no-answer']

function nameOfInbound(outcome: CallRecordView['outcome']): 'answered' | 'missed' | 'abandoned' | 'voicemail' | 'other' {
  if (missed.includes(outcome)) return 'missed'
  return outcome === 'answered' || outcome === 'abandoned' || outcome === 'voicemail' ? outcome : 'other'
}

function ofExtensions({ direction, outcome, extension = '', legs, talkSeconds = 0 }: CallRecordView): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>()
  if (direction === 'internal') return counts
  if (extension !== '') {
    const answered = outcome === 'answered'
    const talk = answered ? { talkSeconds } : {}
    if (direction === 'outbound') counts.set(extension, { outgoing: 1, ...(answered ? { outgoingAnswered: 1 } : {}), ...talk })
    else if (answered) counts.set(extension, { answered: 1, ...talk })
  }
  if (direction === 'inbound' && isUnanswered(outcome))
    for (const { to, trunkId } of legs) if (trunkId === '') counts.set(to, { missed: 1 })
  return counts
}

/** In its time at each queue: who was connected from there answered it there. */
function ofQueues({ steps, legs, endedAt, hangupBy }: CallRecordView): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const [index, { at, to }] of steps.entries()) {
    const destination = parseDestination(to)
    if (destination?.kind !== 'queue') continue
    const [from, next] = [Date.parse(at), steps[index + 1]?.at]
    const until = next === undefined ? Infinity : Date.parse(next)
    const taker = legs.findLast((leg) => leg.answeredAt !== null && Date.parse(leg.startedAt) >= from && Date.parse(leg.startedAt) < until)
    const talkEnd = Date.parse(taker?.endedAt ?? endedAt ?? at)
    const found: Counts =
      taker === undefined
        ? { offered: 1, [next === undefined && hangupBy === 'caller' ? 'abandoned' : 'sentOn']: 1 }
        : {
            offered: 1,
            answered: 1,
            talkSeconds: secondsFrom(Date.parse(taker.answeredAt!), talkEnd),
            ...waited(secondsFrom(from, Date.parse(taker.answeredAt!))),
          }
    counts.set(destination.id, added(counts.get(destination.id) ?? {}, found))
  }
  return counts
}

const secondsFrom = (from: number, to: number): number => Math.max(0, Math.round((to - from) / 1000))

/** Nobody of the house talked to somebody who called. */
function isUnanswered(outcome: CallRecordView['outcome']): boolean {
  return missed.includes(outcome) || outcome === 'abandoned' || outcome === 'voicemail'
}

/** Numbers outside with which somebody of the house talked. */
export function talkedWith({ direction, outcome, extension = '', from, legs }: CallRecordView): readonly string[] {
  if (outcome !== 'answered' || extension === '' || direction === 'internal') return []
  const called = legs.filter(({ trunkId, answeredAt }) => trunkId !== '' && answeredAt !== null).map(({ to }) => to)
  return [...new Set(direction === 'inbound' ? [from] : called)].filter((number) => /^\+\d+$/.test(number))
}

/**
 * Calls of a number that nobody took and that a talk begun at `talkAt` returns: those that ended before it, and that no talk before has
 * returned. `rows`: calls of the number, the one that ended last first, without the talk itself.
 */
export function returnedBy(number: string, talkAt: number, rows: Iterable<HistoryRow>): HistoryRow[] {
  const missedBefore: HistoryRow[] = []
  let talkedAt = -Infinity
  for (const row of rows) {
    // What ended before the last talk began was returned by that.
    if (row.endedAt <= talkedAt) break
    if (hasTalked(row, number)) talkedAt = Math.max(talkedAt, row.startedAt)
    else if (row.direction === 'inbound' && row.from === number && isUnanswered(row.outcome)) missedBefore.push(row)
  }
  return missedBefore.filter(({ endedAt }) => endedAt <= talkAt && endedAt > talkedAt)
}

function hasTalked({ direction, outcome, extension, from, legs }: HistoryRow, number: string): boolean {
  if (outcome !== 'answered' || extension === '') return false
  if (direction === 'inbound') return from === number
  return direction === 'outbound' && legs.some(({ to, trunkId, answeredAt }) => to === number && trunkId !== '' && answeredAt !== null)
}
