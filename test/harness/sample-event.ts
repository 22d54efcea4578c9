/** An event that fits its schema, for tests to which it is a parcel. */
import { newId } from '../../daemon/base/ids.ts'
import { callEventSpecs, type CallEvent } from '../../daemon/schema/events.ts'

export function sampleEvent(changes: Partial<CallEvent<'call.ended'>> = {}): CallEvent<'call.ended'> {
  const [example] = callEventSpecs['call.ended'].schema.examples as CallEvent<'call.ended'>[]
  return { ...example!, eventId: newId(), ...changes }
}

/** The number that distinguishes one parcel from another. */
export function numberOf(body: string): number {
  return (JSON.parse(body) as { sequence: number }).sequence
}
