/** The extensions of the house as they are shown, and what may be set of them. */
import { Type } from '@sinclair/typebox'
import type { ShownLists } from './shown-list.ts'
import { named, type View } from './named.ts'
import { Choice } from './choice.ts'
import { NullableTimeSchema } from './voice-call.ts'

/** The hours of the house as they are shown, and how they are opened and closed by hand. */
export const HoursStateSchema = named(
  'HoursState',
  Type.Object({
    id: Type.String(),
    open: Type.Boolean(),
    until: { ...NullableTimeSchema, description: 'When that changes; null where it does not within a year.' },
    destination: Type.String({ description: 'Where calls go now.' }),
    special: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'Times of this very date, in place of those of the week; null where it has none.',
    }),
    override: Type.Union([Choice(['open', 'closed']), Type.Null()], { description: 'Set by hand; null where the calendar decides.' }),
    overrideUntil: { ...NullableTimeSchema, description: 'When the calendar decides again; null where somebody must take it back.' },
  }),
)
export type HoursView = View<typeof HoursStateSchema>

export const HoursChangeSchema = named(
  'HoursChange',
  Type.Object(
    {
      state: Choice(['open', 'closed', 'auto'], { description: 'auto: the calendar decides.' }),
      until: Type.Optional(
        Type.String({
          maxLength: 40,
          description: '18:00, today or else tomorrow, or 2026-12-24T18:00, by the clock of the site; without it until it is taken back.',
        }),
      ),
    },
    { additionalProperties: false, examples: [{ state: 'closed', until: '18:00' }] },
  ),
)
export type HoursChange = View<typeof HoursChangeSchema>

const TimesByDay = Type.Record(Type.String({ maxLength: 40 }), Type.Array(Type.String({ maxLength: 20 }), { maxItems: 20 }))

/** Opening times as people change them. */
export const OpeningTimesSchema = named(
  'OpeningTimes',
  Type.Object(
    {
      open: { ...TimesByDay, description: 'Times of the day by days, such as mon-fri: 08:30-12:30 and 13:30-17:00.' },
      closedOn: Type.Array(Type.String({ maxLength: 21 }), {
        maxItems: 1000,
        description: 'Dates that are closed all day, such as 2026-12-25; several days as first and last date, 2026-12-24/2026-12-26.',
      }),
      special: { ...TimesByDay, description: 'Other times for a date, such as a half day: 2026-12-24 with 08:30-12:00.' },
    },
    {
      additionalProperties: false,
      description: 'The calendar of hours: the week, holidays, and days with other times.',
      examples: [
        {
          open: { 'mon-fri': ['08:30-12:30', '13:30-17:00'] },
          closedOn: ['2026-12-25'],
          special: { '2026-12-24': ['08:30-12:00'] },
        },
      ],
    },
  ),
)
export type OpeningTimes = View<typeof OpeningTimesSchema>

export const OpeningTimesStateSchema = named(
  'OpeningTimesState',
  Type.Object({
    id: Type.String(),
    base: Type.String({ description: 'For a change: where somebody else has changed the configuration since, the answer is 409.' }),
    times: OpeningTimesSchema,
  }),
)
export type OpeningTimesView = View<typeof OpeningTimesStateSchema>

export const OpeningTimesChangeSchema = named(
  'OpeningTimesChange',
  Type.Object(
    { base: Type.Optional(Type.String({ maxLength: 40 })), times: OpeningTimesSchema },
    {
      additionalProperties: false,
      examples: [{ times: { open: { 'mon-fri': ['08:30-17:00'] }, closedOn: ['2026-12-25'], special: {} } }],
    },
  ),
)
export type OpeningTimesChange = View<typeof OpeningTimesChangeSchema>

/** What a test of calls for help showed. */
export const EmergencyTestRequestSchema = named(
  'EmergencyTestRequest',
  Type.Object(
    { trunkId: Type.Optional(Type.String({ description: 'By default the first one of calls for help.' })) },
    { examples: [{ trunkId: 'main' }] },
  ),
)

export const EmergencyTestSchema = named(
  'EmergencyTest',
  Type.Object({
    callId: Type.String(),
    trunkId: Type.String(),
    number: Type.String({ description: "The provider's test number." }),
    callerId: Type.String({ description: 'The number that was shown.' }),
    location: Type.String({ description: 'Where the configuration says that the site is; compare it with what is read back.' }),
    answered: Type.Boolean(),
    sipCode: Type.Integer({ description: 'Final SIP status; 0 where none was seen.' }),
    recordingId: Type.Union([Type.String(), Type.Null()], { description: 'What was read back.' }),
    transcript: Type.Union([Type.String(), Type.Null()], { description: 'The same in words, where the box can transcribe.' }),
  }),
)
export type EmergencyTestView = View<typeof EmergencyTestSchema>

/** Where a call would go, and why. */
export const WhereStepSchema = named(
  'WhereStep',
  Type.Object({ depth: Type.Integer({ minimum: 0, description: 'A step below another one follows from it.' }), text: Type.String() }),
)
export type WhereStep = View<typeof WhereStepSchema>

const forward = (when: string) =>
  Type.Union([Type.String({ pattern: '^\\+?\\d{2,20}$' }), Type.Null()], {
    description: `Where calls go ${when}, as it was dialled; null for nowhere.`,
  })

const settings = {
  doNotDisturb: Type.Boolean({ description: 'The phones do not ring; callers find them busy.' }),
  forwardAll: forward('before any phone rings'),
  forwardBusy: forward('that find it busy'),
  forwardNoAnswer: forward('that nobody answers'),
}

export const ExtensionSchema = named(
  'Extension',
  Type.Object({
    number: Type.String(),
    name: Type.String(),
    state: Type.String({ description: 'registered, not registered, ...' }),
    talking: Type.Boolean({ description: 'A phone of it calls somebody or talks.' }),
    mailbox: Type.Boolean({ description: 'Whether it has a mailbox, to which calls can be sent.' }),
    ...settings,
  }),
)
export type ExtensionView = View<typeof ExtensionSchema>

const count = Type.Integer({ minimum: 0 })

/** What a lamp shows of the house: states and counts, and nobody's name or number but the own one. */
export const LampSchema = named(
  'Lamp',
  Type.Object({
    number: Type.String({ description: 'Of an extension or a mailbox.' }),
    calls: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The same from its beginning to its end.' }),
        state: Choice(['trying', 'proceeding', 'early', 'confirmed', 'terminated'], { description: 'As in RFC 4235.' }),
        direction: Choice(['initiator', 'recipient']),
      }),
      { description: 'Of its phones, now.' },
    ),
    messages: Type.Union([Type.Object({ fresh: count, old: count, urgentFresh: count, urgentOld: count }), Type.Null()], {
      description: 'Of its mailbox; null where it has none.',
    }),
  }),
)
export type LampView = View<typeof LampSchema>

export const lampExample: LampView = {
  number: '201',
  calls: [{ id: 'CA0123456789abcdef0123456789abcdef-0', state: 'early', direction: 'recipient' }],
  messages: { fresh: 1, old: 3, urgentFresh: 0, urgentOld: 0 },
}

export const shownLists = {
  extensions: { thing: ExtensionSchema, id: 'number' },
  hours: { thing: HoursStateSchema, id: 'id', plain: true },
} satisfies ShownLists

export const ExtensionChangeSchema = named(
  'ExtensionChange',
  Type.Partial(Type.Object(settings), {
    additionalProperties: false,
    minProperties: 1,
    description: 'What its people set at their phones, by feature codes; what is left out stays.',
    examples: [{ doNotDisturb: true }],
  }),
)
export type ExtensionChange = View<typeof ExtensionChangeSchema>
