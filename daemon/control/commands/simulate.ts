/** `pbx simulate inbound`: a call through the whole voice path without a phone, told as it happens. */
import { Type } from '@sinclair/typebox'
import { withBody, type ControlRoute } from '../route.ts'

const Simulate = Type.Object(
  {
    from: Type.String({ minLength: 1, maxLength: 64 }),
    to: Type.String({ minLength: 1, maxLength: 64 }),
    keys: Type.Array(Type.String({ pattern: '^[0-9*#A-D]{1,32}$' }), { maxItems: 100 }),
    say: Type.String({ maxLength: 4096 }),
    speed: Type.Number({ minimum: 0.1, maximum: 1000 }),
  },
  { additionalProperties: false },
)

export const simulateRoutes: readonly ControlRoute[] = [
  withBody({
    method: 'POST',
    path: '/simulate',
    deed: 'call.simulate',
    body: Simulate,
    stream: (services, { body, signal }, emit) => services.simulate(body, emit, signal),
  }),
]
