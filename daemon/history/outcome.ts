/** What became of a call, in the words of the interface: pure, by the row of a call that has ended. */
import { parseDestination } from '../schema/destination.ts'
import type { CallOutcome, HistoryDirection } from '../schema/states.ts'
import type { CallLegRow, CallRow } from '../store/tables.ts'

/** The leg of who talked to the caller last; undefined where nobody did. */
export function takerOf({ legs = [] }: Pick<CallRow, 'legs'>): CallLegRow | undefined {
  return legs.findLast(({ answeredAt }) => answeredAt !== null)
}

export function directionOf(
  row: Pick<CallRow, 'direction' | 'extension' | 'trunkId' | 'legs' | 'steps' | 'agentFirst' | 'to'>,
): HistoryDirection {
  if (row.agentFirst === true) return row.to === '' || row.to.startsWith('+') ? 'outbound' : 'internal'
  if (row.trunkId !== '') return row.direction
  const outside = (row.legs ?? []).some(({ trunkId }) => trunkId !== '') || (row.steps ?? []).some(({ to }) => kindOf(to) === 'external')
  return outside ? 'outbound' : 'internal'
}

export function outcomeOf(row: CallRow): CallOutcome {
  const { steps = [] } = row
  if (steps.some(({ to }) => to === 'fax')) return row.answeredAt === null ? unanswered(row) : 'fax'
  if (takerOf(row) !== undefined) return 'answered'
  // The extension that asked for the call hung up before anybody took it.
  if (row.agentFirst === true) return row.endReason === 'callee-hangup' ? 'canceled' : unanswered(row)
  if (row.answeredAt === null) return unanswered(row)
  // The box placed it, and somebody answered.
  if (row.direction === 'outbound') return 'answered'
  if (kindOf(steps.at(-1)?.to ?? '') === 'voicemail') return 'voicemail'
  if (row.endReason === 'app-error' || row.endReason === 'failed' || row.endReason === 'shutdown') return 'failed'
  if (row.endedBy === 'caller') return 'abandoned'
  // Nobody was there for the call, and the caller heard so.
  if (row.endReason === 'no-answer' || row.endReason === 'busy') return row.trunkId === '' ? row.endReason : 'missed'
  return row.endpointId === '' ? 'missed' : 'app'
}

/** Of a call that nobody and nothing answered. */
function unanswered(row: CallRow): CallOutcome {
  const fromOutside = row.direction === 'inbound' && row.trunkId !== ''
  switch (row.endReason) {
    case 'busy':
      return 'busy'
    case 'rejected':
      return 'rejected'
    case 'canceled':
      return fromOutside ? 'missed' : 'canceled'
    case 'no-answer':
    case 'unreachable':
      return fromOutside ? 'missed' : 'no-answer'
    case 'no-route':
      return fromOutside ? 'rejected' : 'failed'
    case 'api':
    case 'app-hangup':
    case 'document-end':
      return row.direction === 'outbound' ? 'canceled' : 'app'
    default:
      return 'failed'
  }
}

function kindOf(destination: string): string | undefined {
  return parseDestination(destination)?.kind
}
