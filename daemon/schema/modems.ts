/** Modem lines as a technician sees them. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { TimeSchema } from './voice-call.ts'

const modem = {
  id: Type.String(),
  device: Type.String(),
  number: Type.String(),
  state: Type.String({
    description: 'ready, ringing, dialing, sending, receiving, talking, resetting, starting, unplugged, faulty or stopped.',
  }),
  ok: Type.Boolean(),
  reason: Type.String({ description: '"" when all is well.' }),
  since: TimeSchema,
  model: Type.String({ description: 'What the modem calls itself; "" until known.' }),
  faxClass: Type.String(),
  modems: Type.Array(Type.String(), { description: 'Speeds it can both send and receive at: v17, v29, v27ter.' }),
  roles: Type.Array(Type.String(), { description: 'What the line is for: fax, voice.' }),
  duplex: Choice(['', 'full', 'half'], {
    description:
      'Of voice calls: half listens only while nothing is said, so that callers interrupt by keys alone and no telephone can be joined; "" without voice, or not known yet.',
  }),
  underruns: Type.Integer({
    minimum: 0,
    description: 'Gaps in what was said to callers since the start, because the box came too late with the next sound.',
  }),
  blindDial: Type.Boolean(),
}

export const ModemSchema = named('Modem', Type.Object(modem))
export type ModemView = View<typeof ModemSchema>

const level = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

export const ModemTestRequestSchema = named(
  'ModemTestRequest',
  Type.Object(
    { voice: Type.Optional(Type.Boolean({ default: false, description: 'Also how loud the line is, and its echo.' })) },
    { additionalProperties: false, examples: [{ voice: true }] },
  ),
)

export const ModemTestSchema = named(
  'ModemTest',
  Type.Object({
    ...modem,
    test: Type.Union(
      [
        Type.Object({
          answered: Type.Boolean(),
          identification: Type.Array(Type.String(), { description: 'What the modem says of itself.' }),
          classes: Type.String({ description: 'As the modem lists them.' }),
          dialTone: Choice(['heard', 'none', 'unknown'], { description: 'unknown if the modem cannot report it.' }),
          levels: Type.Union(
            [
              Type.Object({
                dialTone: level('As it is heard; -30 to -6 is well.'),
                noise: level('Heard after a key has ended the dial tone.'),
                echoLoss: level('By so much what comes back of a tone is less than what was said; 6 and more is well.'),
              }),
              Type.Null(),
            ],
            { description: 'Of `voice: true`, in dB below the loudest sine; null of a modem without voice.' },
          ),
        }),
        Type.Null(),
      ],
      { description: 'null where the modem was not free to be tried.' },
    ),
  }),
)
export type ModemTestView = View<typeof ModemTestSchema>

export const ModemTraceLineSchema = named(
  'ModemTraceLine',
  Type.Object(
    { at: TimeSchema, sent: Type.Boolean(), text: Type.String() },
    { description: 'One command or answer, long numbers masked.' },
  ),
)
export type ModemTraceLine = View<typeof ModemTraceLineSchema>
