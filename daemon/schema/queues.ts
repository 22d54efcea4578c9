/** Queues of the house as a person sees them. Times are ISO 8601 UTC, durations whole seconds. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

/** What a screen on the wall shows: counts and waits, of nobody. */
const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const WallCodeSchema = named(
  'WallCode',
  Type.Object({ code: Type.String({ description: 'For one screen; shown this one time.' }), url: Type.String(), until: TimeSchema }),
)

export const WallSessionRequestSchema = named(
  'WallSessionRequest',
  Type.Object({ code: Type.String({ minLength: 1, maxLength: 32 }) }, { additionalProperties: false, examples: [{ code: 'H7QK-2MZD' }] }),
)

export const WallSessionSchema = named(
  'WallSession',
  Type.Object(
    {
      wallId: Type.String({ format: 'uuid' }),
      beganAt: TimeSchema,
      endsAt: TimeSchema,
      seenAt: { ...NullableTimeSchema, description: 'When it was last shown something; null where that was before the daemon started.' },
      address: Type.String({ description: 'Of the screen.' }),
      invitedBy: Type.String({ description: 'Who made its code.' }),
    },
    { description: 'A screen on the wall.' },
  ),
)
export type WallSessionView = View<typeof WallSessionSchema>

export const WallSchema = named(
  'Wall',
  Type.Object({
    asOf: TimeSchema,
    endsAt: { ...TimeSchema, description: 'When the screen needs another code.' },
    queues: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Of the queue, without digits.' }),
        waiting: Count('Callers who wait.'),
        longestSeconds: Count('How long the first of them has waited.'),
        level: Choice(['ok', 'amber', 'red'], { description: 'By console.waitSeconds, and twice that.' }),
        members: Type.Object({
          free: Count('Members who could take a call now.'),
          talking: Count('Members who talk, ring or write something down.'),
          paused: Count('Members who pause.'),
          away: Count('Members who are logged out, have no phone or are not to be disturbed.'),
        }),
        empty: Type.Boolean({ description: 'No member takes calls at the moment.' }),
        sendsOn: Type.Boolean({ description: 'Nor is one expected back: callers go elsewhere, and do not wait.' }),
        today: Type.Object({
          offered: Count('Callers.'),
          answered: Count('Callers who were answered.'),
          abandoned: Count('Callers who left.'),
          waitP50Seconds: Type.Union([Type.Integer(), Type.Null()]),
          waitP95Seconds: Type.Union([Type.Integer(), Type.Null()]),
        }),
      }),
    ),
  }),
)
export type WallView = View<typeof WallSchema>

const count = (description: string) => Type.Integer({ minimum: 0, description })
const seconds = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])

const QueueMemberSchema = Type.Object({
  extension: Type.String(),
  name: Type.String(),
  state: Choice(['free', 'ringing', 'talking', 'wrapping up', 'on the telephone', 'do not disturb', 'no phone', 'paused', 'logged out'], {
    description: 'What the member does at the moment.',
  }),
  since: { ...NullableTimeSchema, description: 'Of a pause, or of being logged out.' },
  reason: Type.String({ description: 'Of a pause: "unanswered" where the box made it, else the words of a person.' }),
  offered: count('Times that the member was rung on this day.'),
  answered: count('Calls taken.'),
  missed: count('Times that the member did not answer.'),
  talkSeconds: count('In calls of this queue.'),
})

export const QueueViewSchema = named(
  'CallQueue',
  Type.Object(
    {
      id: Type.String(),
      name: Type.String(),
      strategy: Type.String(),
      callers: Type.Array(
        Type.Object({
          callId: Type.String(),
          state: Choice(['waits', 'to be called back', 'called back'], { description: 'Whether the caller is on the line.' }),
          from: Type.String(),
          callerName: Type.String(),
          since: TimeSchema,
          waitedSeconds: count('So far.'),
          priority: Type.Integer(),
          ringing: Type.Array(Type.String(), { description: 'Extensions that ring for this caller.' }),
        }),
        { description: 'Who waits, in the order in which they are served.' },
      ),
      members: Type.Array(QueueMemberSchema),
      empty: Type.Boolean({
        description: 'No member is there, nor expected back from a pause: callers go to whenEmpty. While all pause, callers wait.',
      }),
      whenEmpty: Type.String({ description: 'Where calls go while no member is there, such as voicemail:100; "" for nowhere.' }),
      day: Type.String({ description: 'The date of the figures, where the box is.' }),
      offered: count('Calls that came to the queue on this day.'),
      answered: count('Calls that a member took.'),
      abandoned: count('Calls whose callers left.'),
      sentOn: count('Calls that left the queue: it was full or empty, the time had expired, or the caller pressed the key.'),
      lastHour: Type.Object(
        {
          offered: count('Calls that came.'),
          answered: count('Calls that a member took.'),
          abandoned: count('Calls whose callers left.'),
          sentOn: count('Calls that left the queue otherwise.'),
          waitP50Seconds: { ...seconds, description: 'Half of those who were answered waited no longer; null where none was.' },
        },
        { description: 'The 60 minutes up to now, whatever the day of the other figures.' },
      ),
      waitP50Seconds: { ...seconds, description: 'Half of those who were answered waited no longer; null where none was.' },
      waitP95Seconds: { ...seconds, description: 'The same of 95 in 100.' },
    },
    { description: 'Callers who wait for the first member who is free.' },
  ),
)
export type QueueView = View<typeof QueueViewSchema>
export type QueueMemberView = QueueView['members'][number]

export const QueueMemberChangeSchema = named(
  'QueueMemberRequest',
  Type.Object(
    {
      action: Choice(['login', 'logout', 'pause', 'resume'], { description: 'What becomes of the member.' }),
      reason: Type.Optional(Type.String({ maxLength: 100, description: 'Of a pause.' })),
      paused: Type.Optional(Type.Boolean({ description: 'Of a login: it begins with a pause.' })),
    },
    { examples: [{ action: 'pause', reason: 'lunch' }] },
  ),
)
export type QueueMemberChange = Static<typeof QueueMemberChangeSchema>
