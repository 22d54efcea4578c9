/** Calls of the last run of this program: those that the engine has kept go on, the others get their end. */
import type { PbxLines } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import { recoverCalls } from '../../routing/recovery.ts'
import type { Routing } from '../../routing/routing.ts'
import type { TalkWatch } from '../recording/talk-recorder.ts'
import type { HouseTalks } from '../talk/talks.ts'
import { resumeTalks } from './returned.ts'

export interface ReturnedPartOptions {
  readonly driver: Pick<PbxLines, 'onStanding'>
  readonly calls: Calls
  readonly routing: Pick<Routing, 'destinations' | 'inbound' | 'originator' | 'trunks'>
  readonly talks: HouseTalks
  readonly recorder: TalkWatch
  /** Reports what a caller had entered; the end of the call waits for that. */
  readonly tellInputs: (call: Call) => Promise<void>
}

export function returnedPart(
  { config, store, clock, log }: Ground,
  { driver, calls, routing, talks, recorder, tellInputs }: ReturnedPartOptions,
): Part {
  const { destinations, inbound, originator, trunks } = routing
  return {
    name: 'calls of the last run',
    start() {
      const options = { config, store, calls, trunks, inbound, destinations, tellInputs, talks, recorder, clock, log }
      driver.onStanding((legs) => resumeTalks(options, legs))
      recoverCalls({ store, calls, originator, clock, log, tellInputs })
    },
  }
}
