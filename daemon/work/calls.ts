/** What the record of a call means for the work of the house: pure. */
import type { CallRecordView } from '../schema/history.ts'
import type { WorkCall } from '../store/tables.ts'

/** Nobody talked to the caller, who left no message and sent no fax. */
export function isMissed({ direction, legs, voicemailId, outcome }: CallRecordView): boolean {
  if (direction !== 'inbound' || voicemailId !== undefined) return false
  if (outcome === 'fax' || outcome === 'answered' || outcome === 'app' || outcome === 'rejected') return false
  return legs.every(({ answeredAt }) => answeredAt === null)
}

/** Of the record of a call that nobody took. */
export function missedCall({
  callId,
  from,
  callerName = '',
  customerId,
  queue = '',
  legs,
  ringSeconds = 0,
  startedAt,
}: CallRecordView): WorkCall {
  const rang = [...new Set(legs.filter(({ trunkId }) => trunkId === '').map(({ to }) => to))]
  return {
    ...{ callId, number: from, callerName, queue, rang, ringSeconds, at: Date.parse(startedAt) },
    ...(customerId === undefined ? {} : { customerId }),
  }
}

/** Whom the house talks with in this call, and at which extension; null where nobody of the house talks with anybody outside. */
export function talkedWith(record: CallRecordView): { readonly numbers: readonly string[]; readonly extension: string } | null {
  const { direction, from, to, legs, extension = '', state, outcome } = record
  const taken = legs.filter(({ answeredAt }) => answeredAt !== null)
  if (direction === 'inbound') {
    // A machine, an application or a menu is not the house.
    const house = taken.findLast(({ trunkId }) => trunkId === '')
    return house === undefined && taken.length === 0 ? null : { numbers: known([from]), extension: house?.to ?? '' }
  }
  if (direction !== 'outbound' || extension === '') return null
  if (state === 'ended' && outcome !== 'answered') return null
  const outside = taken.filter(({ trunkId }) => trunkId !== '')
  return outside.length === 0 ? null : { numbers: known([to, ...outside.map((leg) => leg.to)]), extension }
}

const known = (numbers: readonly string[]): readonly string[] => [...new Set(numbers)].filter((number) => number !== '')
