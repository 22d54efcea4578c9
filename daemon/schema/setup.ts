/** The first set-up on a page: what is known already, what was answered so far, and what came of it. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { ConfigUnderWaySchema } from './config/change.ts'
import { named, type View } from './named.ts'

const Answers = Type.Record(Type.String({ maxLength: 40 }), Type.Unknown())

export const SetupProviderSchema = named(
  'SetupProvider',
  Type.Object({
    kind: Type.String(),
    title: Type.String(),
    server: Type.Union([Type.String(), Type.Null()], { description: 'Where all its customers have the same.' }),
    transport: Choice(['udp', 'tcp', 'tls']),
    register: Type.Boolean({ description: 'Whether it has a name and a password of this site; otherwise it knows its address.' }),
  }),
)

export const SetupStateSchema = named(
  'SetupState',
  Type.Object({
    needed: Type.Boolean({ description: 'Whether nobody has set up phones, trunks or lines yet.' }),
    answers: { ...Answers, description: 'What was answered so far, as the file of answers of pbx setup; without passwords.' },
    addresses: Type.Array(Type.String(), { description: 'Of this machine.' }),
    timeZone: Type.String({ description: 'Of this machine.' }),
    providers: Type.Array(SetupProviderSchema),
  }),
)
export type SetupView = View<typeof SetupStateSchema>

export const SetupDraftSchema = named(
  'SetupDraft',
  Type.Object(
    { answers: Answers },
    { additionalProperties: false, description: 'Some answers may be missing. Passwords are not kept.', examples: [{ answers: {} }] },
  ),
)

export const SetupRequestSchema = named(
  'SetupRequest',
  Type.Object(
    {
      answers: { ...Answers, description: 'As the file of answers of pbx setup (docs/setup.md).' },
      force: Type.Optional(Type.Boolean({ description: 'Also where phones or trunks are there: they are replaced.' })),
    },
    {
      additionalProperties: false,
      examples: [
        {
          answers: {
            site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York' },
            extensions: [{ number: '101', name: 'Front desk' }],
          },
        },
      ],
    },
  ),
)

export const SetupBegunSchema = named(
  'SetupBegun',
  Type.Object({
    change: ConfigUnderWaySchema,
    phones: Type.Array(Type.Object({ number: Type.String(), name: Type.String(), password: Type.String() }), {
      description: 'What each phone registers with. Passwords are shown this once.',
    }),
    server: Type.String({ description: 'The address of the box for phones, with its port.' }),
  }),
)
export type SetupBegunView = View<typeof SetupBegunSchema>

export const SetupLineSchema = named(
  'SetupLine',
  Type.Object({
    device: Type.String({ description: 'By the name that stays.' }),
    identification: Type.String(),
    roles: Type.Array(Choice(['voice', 'fax'])),
    dialTone: Choice(['heard', 'none', 'unknown']),
  }),
)
export type SetupLine = View<typeof SetupLineSchema>
