/** A call that was not taken somewhere goes on to where the configuration says. */
import type { Call } from '../calls/call.ts'
import type { Destinations, TakeRequest } from './destinations.ts'
import type { Taken } from './taken.ts'

/** `destination`: as it is written; undefined for none. An application that wants to know what became of its order decides itself. */
export async function sendAfter(
  destinations: Pick<Destinations, 'send'>,
  call: Call,
  request: TakeRequest,
  taken: Taken,
  destination: string | undefined,
  from: string,
): Promise<Taken> {
  const over = taken.outcome === 'answered' || taken.outcome === 'canceled' || request.signal.aborted || call.ending
  if (over || destination === undefined || request.afterwards === 'stay') return taken
  call.note('state', `${from}: ${taken.outcome}; on to ${destination}`)
  // The announcement, and how long it may ring, were meant for who was called first.
  const { timeoutSeconds: _, announce: __, ...onwards } = request
  return destinations.send(call, destination, { ...onwards, after: taken.outcome })
}
