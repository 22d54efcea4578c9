/** People of the console: who they are, what they may, and their sessions. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import type { ShownLists } from './shown-list.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

export const roles = ['desk', 'manager', 'technician'] as const
export type Role = (typeof roles)[number]

export const personStates = ['invited', 'active', 'disabled'] as const

const Login = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{2,31}$', description: '3 to 32 of a-z 0-9 . - _' })
const Names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 100, uniqueItems: true, description })

const member = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  roles: Type.Array(Choice(roles), { minItems: 1, uniqueItems: true }),
  extension: Type.Union([Type.String({ minLength: 1, maxLength: 32 }), Type.Null()], { description: 'Number of the own phone.' }),
  mailboxes: Names('Mailboxes that a person of the desk hears.'),
  queues: Names('Queues whose day a person of the desk sees.'),
  language: Type.String({ maxLength: 16, description: 'Language of the pages, such as es; "" for that of the site.' }),
}

const KeysOff = Type.Array(Type.String({ minLength: 1, maxLength: 20 }), {
  maxItems: 100,
  uniqueItems: true,
  description: 'Keys of the pages that the person has switched off.',
})

export const alertKinds = ['notification', 'names', 'sound'] as const
const Alerts = Type.Array(Choice(alertKinds), {
  uniqueItems: true,
  description: 'How a browser says that the own phone rings: a notice of the system, the name of the caller on it, a sound.',
})

export const PersonSchema = named(
  'Person',
  Type.Object({
    personId: Type.String(),
    login: Login,
    ...member,
    state: Choice(personStates),
    secondStep: Type.Boolean(),
    keysOff: KeysOff,
    alerts: Alerts,
    createdAt: TimeSchema,
  }),
)
export type PersonView = View<typeof PersonSchema>

export const NewPersonSchema = named(
  'NewPersonRequest',
  Type.Object(
    {
      login: Login,
      name: member.name,
      roles: member.roles,
      extension: Type.Optional(member.extension),
      mailboxes: Type.Optional(member.mailboxes),
      queues: Type.Optional(member.queues),
      language: Type.Optional(member.language),
    },
    {
      additionalProperties: false,
      examples: [{ login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101', mailboxes: ['100'] }],
    },
  ),
)
export type NewPerson = Static<typeof NewPersonSchema>

export const PersonChangeSchema = named(
  'PersonChange',
  Type.Object(
    {
      ...Type.Partial(Type.Object(member)).properties,
      disabled: Type.Optional(Type.Boolean()),
      password: Type.Optional(Type.Null({ description: 'Forgets the password and ends all sessions: the person needs an invitation.' })),
      secondStep: Type.Optional(Type.Literal(false, { description: 'Forgets the authenticator app and the recovery codes.' })),
    },
    { additionalProperties: false, minProperties: 1, examples: [{ mailboxes: ['100', '105'] }] },
  ),
)
export type PersonChange = Static<typeof PersonChangeSchema>

export const OwnChangeSchema = named(
  'OwnChange',
  Type.Object(
    { language: Type.Optional(member.language), keysOff: Type.Optional(KeysOff), alerts: Type.Optional(Alerts) },
    { additionalProperties: false, minProperties: 1, examples: [{ language: 'es' }] },
  ),
)
export type OwnChange = Static<typeof OwnChangeSchema>

export const InvitationSchema = named(
  'Invitation',
  Type.Object({
    code: Type.String({ description: 'Shown this one time.' }),
    url: Type.String({ description: 'Where the person sets a password.' }),
    until: TimeSchema,
  }),
)
export type InvitationView = View<typeof InvitationSchema>

export const PersonSessionSchema = named(
  'PersonSession',
  Type.Object({
    sessionId: Type.String(),
    createdAt: TimeSchema,
    activeAt: TimeSchema,
    endsAt: TimeSchema,
    lockedAt: NullableTimeSchema,
    address: Type.String(),
    userAgent: Type.String(),
    current: Type.Boolean(),
  }),
)
export type PersonSessionView = View<typeof PersonSessionSchema>

/** What a page knows of its own session. */
export const SessionSchema = named(
  'Session',
  Type.Object({
    person: PersonSchema,
    locked: Type.Boolean(),
    asOf: { ...TimeSchema, description: 'The clock of the box, by which the other times are read.' },
    locksAt: TimeSchema,
    endsAt: TimeSchema,
    pin: Type.Boolean({ description: 'Whether a PIN unlocks it in this browser.' }),
    waiting: Type.Integer({ minimum: 0, description: 'Callers who wait in queues: a locked page shows it.' }),
    needs: Type.Array(Choice(['totp']), { description: 'What the person has to set up before anything else is served.' }),
    glass: Type.Union([Type.Object({ until: TimeSchema, reason: Type.String() }), Type.Null()], {
      description: 'Set while a technician reads as a manager.',
    }),
  }),
)
export type SessionView = View<typeof SessionSchema>

const Password = Type.String({ minLength: 1, maxLength: 128 })
const Code = Type.String({ minLength: 6, maxLength: 32, description: 'Six digits of the app, or a recovery code.' })

export const SignInSchema = named(
  'SignInRequest',
  Type.Object(
    { login: Type.String({ minLength: 1, maxLength: 64 }), password: Password, code: Type.Optional(Code) },
    { additionalProperties: false, examples: [{ login: 'maria', password: 'correct horse battery staple' }] },
  ),
)

export const SessionSetupSchema = named(
  'SessionSetupRequest',
  Type.Object(
    { code: Type.String({ minLength: 1, maxLength: 64, description: 'Of the invitation.' }), password: Password },
    { additionalProperties: false, examples: [{ code: 'H7QK-2MZD-9XWA-4TRN', password: 'correct horse battery staple' }] },
  ),
)

export const UnlockSchema = named(
  'UnlockRequest',
  Type.Object(
    { password: Type.Optional(Password), pin: Type.Optional(Type.String({ minLength: 1, maxLength: 12 })) },
    { additionalProperties: false, examples: [{ pin: '271828' }] },
  ),
)

export const GlassSchema = named(
  'GlassRequest',
  Type.Object(
    { minutes: Type.Integer({ minimum: 1, maximum: 30 }), reason: Type.String({ minLength: 10, maxLength: 500 }) },
    { additionalProperties: false, examples: [{ minutes: 15, reason: 'A caller reports one-way audio on call 42' }] },
  ),
)

export const OpenGlassSchema = named(
  'OpenGlass',
  Type.Object({
    sessionId: Type.String(),
    login: Type.String(),
    name: Type.String(),
    until: TimeSchema,
    note: Type.String({ description: 'The reason, as the technician wrote it.' }),
  }),
)
export type OpenGlassView = View<typeof OpenGlassSchema>

const openGlassExample: OpenGlassView = {
  ...{ sessionId: 's_4411', login: 'tess', name: 'Tess Ward', until: '2026-03-02T14:20:00.000Z' },
  note: 'A caller reports one-way audio on call 42',
}

export const shownLists = { glass: { thing: OpenGlassSchema, id: 'sessionId', example: openGlassExample } } satisfies ShownLists

export const NewPasswordSchema = named(
  'NewPasswordRequest',
  Type.Object(
    { password: Password, newPassword: Password },
    { additionalProperties: false, examples: [{ password: 'correct horse battery staple', newPassword: 'a longer sentence of my own' }] },
  ),
)

export const NewPinSchema = named(
  'NewPinRequest',
  Type.Object(
    {
      password: Password,
      pin: Type.Union([Type.String({ pattern: '^\\d{6,12}$' }), Type.Null()], { description: 'null: none any more.' }),
    },
    { additionalProperties: false, examples: [{ password: 'correct horse battery staple', pin: '271828' }] },
  ),
)

export const TotpSchema = named(
  'TotpRequest',
  Type.Object(
    { password: Type.Optional(Password), code: Type.Optional(Type.String({ pattern: '^\\d{6}$' })) },
    {
      additionalProperties: false,
      description:
        'Without a code: begins, with the password of the person unless the second step is due. With the code of the app: takes effect.',
      examples: [{ code: '287082' }],
    },
  ),
)
export const TotpAnswerSchema = named(
  'TotpAnswer',
  Type.Object({
    secret: Type.Optional(Type.String({ description: 'Base32; shown this one time.' })),
    uri: Type.Optional(Type.String({ description: 'otpauth: address for a QR code.' })),
    recoveryCodes: Type.Optional(Type.Array(Type.String(), { description: 'Each is good once; shown this one time.' })),
  }),
)

export type TotpAnswer = View<typeof TotpAnswerSchema>

/** For the description. */
export const personExample: PersonView = {
  ...{ personId: '01a21a25-bca5-7445-b967-5c51e82659b6', login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101' },
  ...{
    mailboxes: ['100'],
    queues: [],
    language: '',
    state: 'active',
    secondStep: false,
    keysOff: [],
    alerts: [],
    createdAt: '2026-11-26T15:00:00.000Z',
  },
}
export const sessionExample: SessionView = {
  ...{
    person: personExample,
    locked: false,
    asOf: '2026-11-26T15:00:00.000Z',
    locksAt: '2026-11-26T15:10:00.000Z',
    endsAt: '2026-11-27T03:00:00.000Z',
  },
  ...{ pin: true, waiting: 0, needs: [], glass: null },
}
