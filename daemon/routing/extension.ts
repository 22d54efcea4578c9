/** A desk phone that is rung for a call. */
import type { Call } from '../calls/call.ts'
import { SecondLeg, expectTransfers } from '../calls/second-leg.ts'
import { connect, type ConnectOptions } from './connect.ts'
import type { TakeRequest, Destinations } from './destinations.ts'
import { Rung } from './rung.ts'
import type { Taken } from './taken.ts'
import type { Trunks } from './trunks.ts'

// A call that was not taken somewhere goes on to where the configuration says.

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

export interface ExtensionOptions {
  readonly trunks: Trunks
  readonly clock: ConnectOptions['clock']
}

export interface RingRequest extends Pick<TakeRequest, 'announce'> {
  readonly timeoutSeconds: number
  /** What the phone shows; that of who called by default. */
  readonly shown?: Call['shown']
}

/** Rings all phones of the extension. */
export function ringExtension(
  { clock, trunks }: ExtensionOptions,
  call: Call,
  extension: string,
  { timeoutSeconds, announce, shown = call.shown }: RingRequest,
): Rung {
  const phone = new SecondLeg(call, extension, '', clock)
  const { from, callerName } = shown
  const leg = trunks.phone().dial({ to: extension, from, callerName, timeoutSeconds }, phone.over)
  expectTransfers(leg, clock)
  phone.attach(leg)
  call.note('leg', `ringing extension ${extension}`)
  return new Rung(call, phone, { name: `extension ${extension}`, activity: 'routed', ...(announce === undefined ? {} : { announce }) })
}

/** As `connect` does, with this extension. */
export function takeToExtension(
  options: ExtensionOptions & ConnectOptions,
  call: Call,
  extension: string,
  request: TakeRequest & RingRequest,
): Promise<Taken> {
  return connect(options, call, request, () => ringExtension(options, call, extension, request))
}
