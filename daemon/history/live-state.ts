/** The state of a call that lives, in the words of its record: pure. */
import { internalPrefix } from '../calls/new-call.ts'
import { parseDestination } from '../schema/destination.ts'
import type { RecordState } from '../schema/states.ts'
import type { CallRow } from '../store/tables.ts'
import { takerOf } from './outcome.ts'

export type LiveState = Exclude<RecordState, 'ended'>

const ranks: Readonly<Record<RecordState, number>> = { dialing: 0, ringing: 1, answered: 2, held: 2, ended: 3 }

/** `before`: what it was. There is no way back, but from `held` to `answered`. */
export function liveStateOf(row: CallRow, before: RecordState = 'dialing'): RecordState {
  const state = stateOf(row)
  return ranks[state] < ranks[before] ? before : state
}

/** A menu that speaks to a caller has not answered for the house, as an application or a mailbox has. */
function stateOf(row: CallRow): LiveState {
  const { direction, state, steps = [], legs = [], endpointId, held, agentFirst } = row
  if (takerOf(row) !== undefined) return held === true ? 'held' : 'answered'
  if (agentFirst === true) return legs.length === 0 ? 'dialing' : 'ringing'
  if (direction === 'outbound') return state === 'in-progress' ? 'answered' : state === 'ringing' ? 'ringing' : 'dialing'
  if (state !== 'in-progress') return 'ringing'
  const last = parseDestination(steps.at(-1)?.to ?? '')?.kind
  const byApplication = endpointId !== '' && !endpointId.startsWith(internalPrefix)
  return byApplication || last === 'voicemail' || last === 'fax' ? 'answered' : 'ringing'
}
