/** A call through the whole voice path without a phone: for the technician. */
import { SimulateEventSchema, SimulateRequestSchema, type SimulateEvent, type SimulateOptions } from '../../schema/simulate.ts'
import { defineRoute, type Route } from '../route.ts'

/** Resolves when the call is over. `signal` hangs up. */
export type Simulate = (options: SimulateOptions, onEvent: (event: SimulateEvent) => void, signal: AbortSignal) => Promise<void>

export function simulateRoutes(simulate: Simulate): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/simulate',
      access: 'technician',
      operationId: 'simulateCall',
      deed: 'call.simulate',
      summary: 'A simulated call from outside, told as it happens',
      tag: 'Programmable voice',
      body: SimulateRequestSchema,
      responses: { 200: { description: 'A line for each event.', contentType: 'application/x-ndjson', schema: SimulateEventSchema } },
      handle: ({ body, signal }) => ({ status: 200, stream: (emit) => simulate(body, (event) => void emit(event), signal) }),
    }),
  ]
}
