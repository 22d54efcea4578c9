/** A simulated call: what it is to be, and what happens in it. */
import { Type } from '@sinclair/typebox'
import { named, type View } from './named.ts'
import { TraceEntrySchema } from './voice-api.ts'

export const SimulateRequestSchema = named(
  'SimulateRequest',
  Type.Object(
    {
      from: Type.String({ minLength: 1, maxLength: 64 }),
      to: Type.String({ minLength: 1, maxLength: 64 }),
      keys: Type.Array(Type.String({ pattern: '^[0-9*#A-D]{1,32}$' }), {
        maxItems: 100,
        description: 'Keys pressed, one group for each gather or record in turn; a group may hold several keys (12#).',
      }),
      say: Type.String({ maxLength: 4096, description: 'What the caller says where speech is expected; "" for silence.' }),
      play: Type.Optional(
        Type.String({
          maxLength: 14_000_000,
          description:
            'A WAV file in base64 that the caller plays as soon as the call is answered; then they listen, and hang up after 3 s of silence.',
        }),
      ),
      hear: Type.Optional(Type.Boolean({ description: 'Whether the answer reports what the caller hears, as `heard`.' })),
      speed: Type.Number({ minimum: 0.1, maximum: 1000, description: 'Factor on the simulated audio clock: 1 is real time.' }),
    },
    { additionalProperties: false, examples: [{ from: '+15551230001', to: '+15550001000', keys: ['1', '12#'], say: '', speed: 20 }] },
  ),
)
export type SimulateOptions = View<typeof SimulateRequestSchema>

export const SimulateEventSchema = named(
  'SimulateEvent',
  Type.Union(
    [
      Type.Object({ type: Type.Literal('started'), callId: Type.String() }),
      Type.Object({ type: Type.Literal('trace'), entry: TraceEntrySchema }),
      Type.Object({
        type: Type.Literal('heard'),
        payload: Type.String({
          description:
            'Base64 of the next second that the caller hears: 16-bit samples, 8 kHz, the low byte first. The last may be shorter.',
        }),
      }),
      Type.Object({ type: Type.Literal('ended'), endReason: Type.String(), talkSeconds: Type.Number() }),
    ],
    { description: 'As it happens; ended is the last.' },
  ),
)
export type SimulateEvent = View<typeof SimulateEventSchema>
