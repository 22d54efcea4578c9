/** Phones that fetch their settings from the box. */
import { Type } from '@sinclair/typebox'
import { named, type View } from './named.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const Minutes = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 10_080, default: 30, description: 'How long the code holds; at most a week.' }),
)

export const PhoneSchema = named(
  'Phone',
  Type.Object({
    id: Type.String(),
    extension: Type.String(),
    kind: nullable('yealink, grandstream, snom, polycom, fanvil, linphone, baresip or manual; null until it has shown itself.'),
    mac: nullable('12 digits; null until it has shown itself, and of phones that have none.'),
    keys: Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'Numbers of its keys with lamps; null for all colleagues.' }),
    createdAt: TimeSchema,
    openUntil: NullableTimeSchema,
    fetchedAt: NullableTimeSchema,
    address: nullable('Where it last fetched its settings from.'),
    userAgent: nullable('What it says it is.'),
    adminPassword: Type.String({ description: 'Of the user admin of its own web page and menu.' }),
  }),
)
export type PhoneView = View<typeof PhoneSchema>

export const PhonesSchema = named(
  'Phones',
  Type.Object({
    phones: Type.Array(PhoneSchema),
    asked: Type.Array(
      Type.Object({ mac: Type.String(), kind: nullable('As it looks.'), address: Type.String(), userAgent: Type.String(), at: TimeSchema }),
      { description: 'Phones that asked for settings and are not known, the last first.' },
    ),
  }),
)
export type PhonesView = View<typeof PhonesSchema>

export const NewPhoneSchema = named(
  'NewPhone',
  Type.Object(
    {
      extension: Type.String({ minLength: 1 }),
      kind: Type.Optional(Type.String({ minLength: 1, description: 'By default what it shows itself to be.' })),
      mac: Type.Optional(
        Type.String({
          pattern: '^[0-9A-Fa-f]{2}([:-]?[0-9A-Fa-f]{2}){5}$',
          description: 'With it, the phone needs no code while it is awaited.',
        }),
      ),
      keys: Type.Optional(
        Type.Array(Type.String({ pattern: '^[*#0-9]{1,10}$' }), { maxItems: 100, description: 'Numbers of its keys with lamps.' }),
      ),
      minutes: Minutes,
    },
    { additionalProperties: false, examples: [{ extension: '101', mac: '00:15:65:12:34:56' }] },
  ),
)
export type NewPhone = View<typeof NewPhoneSchema>

export const PhoneCodeRequestSchema = named(
  'PhoneCodeRequest',
  Type.Object({ minutes: Minutes }, { additionalProperties: false, examples: [{ minutes: 30 }] }),
)

export const PhoneAwaitedSchema = named(
  'PhoneAwaited',
  Type.Object({
    phone: PhoneSchema,
    code: Type.String({ description: 'Shown this one time: only its SHA-256 is kept.' }),
    url: Type.String({ description: 'What is entered into the phone as the address of its provisioning server.' }),
    until: TimeSchema,
    notes: Type.Array(Type.String(), { description: 'Why it may not work, such as a port that listens on this machine alone.' }),
  }),
)
export type PhoneAwaited = View<typeof PhoneAwaitedSchema>

export const PhoneSettingsSchema = named(
  'PhoneSettings',
  Type.Object({
    id: Type.String(),
    kind: Type.String(),
    text: Type.String({ description: 'The file as the phone reads it, with its passwords.' }),
  }),
)
export type PhoneSettings = View<typeof PhoneSettingsSchema>
