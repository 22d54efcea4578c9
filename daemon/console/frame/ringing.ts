/** At which phones a call rings: pure. */
import type { CallRecordView } from '../../schema/history.ts'

type Leg = CallRecordView['legs'][number]

const rings = ({ trunkId, answeredAt, endedAt }: Leg): boolean => trunkId === '' && answeredAt === null && endedAt === null

const talks = ({ answeredAt, endedAt }: Leg): boolean => answeredAt !== null && endedAt === null

/** Extensions that ring for the call now: also of a caller whom a menu has answered. */
export function ringingAt({ state, legs }: Pick<CallRecordView, 'state' | 'legs'>): string[] {
  return state === 'held' || state === 'ended' || legs.some(talks) ? [] : legs.filter(rings).map(({ to }) => to)
}
