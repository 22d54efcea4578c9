/** A call through the whole voice path without a phone: for the technician. */
import { SimulateEventSchema, SimulateRequestSchema, type SimulateEvent, type SimulateOptions } from '../schema/simulate.ts'
import type { TraceEntryView } from '../schema/voice-api.ts'
import { seesMasked } from '../http/mask.ts'
import { defineRoute, type Route } from '../http/route.ts'

/** Throws ApiError `validation_failed`. The returned function makes the call and resolves when it has ended; `signal` hangs up. */
export type Simulate = (options: SimulateOptions) => (onEvent: (event: SimulateEvent) => void, signal: AbortSignal) => Promise<void>

type Mask = (entry: TraceEntryView) => TraceEntryView

/** Ten minutes of a telephone's audio in a WAV file. */
const bodyLimit = 16 * 1024 * 1024

/** The application may greet the caller by name, and a technician of the console reads no names. */
function withoutWords(event: SimulateEvent, masked: Mask): SimulateEvent {
  if (event.type === 'heard') return { ...event, payload: '' }
  return event.type === 'trace' ? { ...event, entry: masked(event.entry) } : event
}

/** `masked`: what is kept of an entry of a trace unless all of it is. */
export function simulateRoutes(simulate: Simulate, masked: Mask): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/simulate',
      access: 'technician',
      people: ['technician'],
      operationId: 'simulateCall',
      deed: 'call.simulate',
      summary: 'A simulated call from outside, reported as it happens',
      description: 'A technician of the console gets the trace masked, and nothing of what the caller hears.',
      tag: 'Programmable voice',
      body: SimulateRequestSchema,
      limitBytes: bodyLimit,
      responses: { 200: { description: 'A line for each event.', contentType: 'application/x-ndjson', schema: SimulateEventSchema } },
      handle: ({ body, signal, token }) => {
        const call = simulate(body)
        const shown = seesMasked(token) ? (event: SimulateEvent) => withoutWords(event, masked) : (event: SimulateEvent) => event
        return { status: 200, stream: (emit) => call((event) => void emit(shown(event)), signal) }
      },
    }),
  ]
}
