/** What programs write into the records of calls. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { CallOutcomeSchema, CallRecordSchema, HistoryDirectionSchema, NoteSchema } from './history.ts'
import { named } from './named.ts'
import { CallIdSchema, TimeSchema } from './voice-call.ts'

/** What a person does with a call of the house from a page: take, move and end it. */
export const TakeCallSchema = named(
  'TakeCallRequest',
  Type.Object(
    {
      extension: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 16,
          description: 'Whose phone rings, and then has the call. By default the own one of the person.',
        }),
      ),
    },
    { additionalProperties: false, examples: [{ extension: '101' }] },
  ),
)

export const MoveCallSchema = named(
  'MoveCallRequest',
  Type.Object(
    {
      to: Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'An extension or a number, as the phone that leaves would dial it, or a destination: voicemail:EXT, queue:ID, group:ID, menu:ID, hours:ID.',
      }),
    },
    { additionalProperties: false, examples: [{ to: '103' }] },
  ),
)

const revSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Of the record as it was seen.' })
/** No control characters. */
export const RefSchema = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })
const ExtensionNumberSchema = Type.String({ minLength: 1, maxLength: 16 })
const seconds = Type.Integer({ minimum: 0, maximum: 31_536_000 })

const noteFields = {
  noteId: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'A note whose id the call has already is not written again.' }),
  ),
  authorUserId: Type.Optional(RefSchema),
  authorExtension: Type.Optional(ExtensionNumberSchema),
  createdAt: Type.Optional({ ...TimeSchema, description: 'Now where it is left out.' }),
}
const text = Type.String({ minLength: 1, maxLength: 8000 })
const OneNoteSchema = Type.Object({ text, ...noteFields })

export const NotesSchema = named(
  'NotesRequest',
  Type.Object(
    {
      text: Type.Optional(text),
      ...noteFields,
      notes: Type.Optional(Type.Array(OneNoteSchema, { minItems: 1, maxItems: 20, description: 'Several, in place of `text`.' })),
    },
    { examples: [{ noteId: '01JNC3ZZ0000000000000000N1', text: 'Wants Thursday instead.', authorUserId: 'u_17' }] },
  ),
)
export type NotesRequest = Static<typeof NotesSchema>

export const NotesAnswerSchema = Type.Object({
  callId: CallIdSchema,
  notes: Type.Array(NoteSchema, { description: 'As they are kept.' }),
})

export const AnswerPatchSchema = named(
  'CallAnswerRequest',
  Type.Object(
    {
      answeredAt: Type.Optional({ ...TimeSchema, description: 'Taken, and not used: when it was answered is what the box knows.' }),
      extension: Type.Optional({ ...ExtensionNumberSchema, description: 'Taken, and not used, as answeredAt.' }),
      userId: Type.Optional({ ...RefSchema, description: 'User of the CRM who took the call.' }),
      rev: Type.Optional(revSchema),
    },
    { examples: [{ answeredAt: '2026-03-02T14:05:19Z', extension: '101', userId: 'u_17', rev: 2 }] },
  ),
)

export const EndPatchSchema = named(
  'CallEndRequest',
  Type.Object(
    {
      endedAt: Type.Optional(TimeSchema),
      outcome: Type.Optional(CallOutcomeSchema),
      hangupBy: Type.Optional(Choice(['caller', 'callee', 'system'])),
      hangupCause: Type.Optional(Type.Integer({ minimum: 0, maximum: 127, description: 'Q.850.' })),
      rev: Type.Optional(revSchema),
    },
    { examples: [{ endedAt: '2026-03-02T14:08:21Z', outcome: 'answered', hangupBy: 'caller', hangupCause: 16, rev: 3 }] },
  ),
)

const number = Type.String({ maxLength: 64, description: 'As people write it; "" where it was withheld.' })

export const CallLogSchema = named(
  'CallLogRequest',
  Type.Object(
    {
      callId: CallIdSchema,
      rev: revSchema,
      direction: HistoryDirectionSchema,
      state: Type.Literal('ended'),
      outcome: CallOutcomeSchema,
      from: number,
      to: number,
      callerName: Type.Optional(Type.String({ maxLength: 200 })),
      customerId: Type.Optional(Type.Union([RefSchema, Type.Null()], { description: 'null: nobody’s. Left out: as it was.' })),
      trunkId: Type.Optional(Type.String({ maxLength: 64 })),
      extension: Type.Optional(Type.String({ maxLength: 16 })),
      userId: Type.Optional(RefSchema),
      externalRef: Type.Optional(RefSchema),
      startedAt: TimeSchema,
      answeredAt: Type.Optional(TimeSchema),
      endedAt: Type.Optional({ ...TimeSchema, description: 'Reckoned from the seconds where it is left out.' }),
      ringSeconds: Type.Optional(seconds),
      talkSeconds: Type.Optional(seconds),
      hangupBy: Type.Optional(Choice(['caller', 'callee', 'system'])),
      sipCode: Type.Optional(Type.Integer({ minimum: 0, maximum: 699 })),
      notes: Type.Optional(Type.Array(OneNoteSchema, { maxItems: 100 })),
    },
    {
      examples: [
        {
          callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
          rev: 4,
          direction: 'inbound',
          state: 'ended',
          outcome: 'answered',
          from: '+15551234567',
          to: '+15557654321',
          extension: '101',
          userId: 'u_17',
          customerId: 'c_8812',
          startedAt: '2026-03-02T14:05:10Z',
          answeredAt: '2026-03-02T14:05:19Z',
          endedAt: '2026-03-02T14:08:21Z',
          ringSeconds: 9,
          talkSeconds: 182,
          hangupBy: 'caller',
        },
      ],
    },
  ),
)
export type CallLogRequest = Static<typeof CallLogSchema>

export const CallLogAnswerSchema = Type.Object({
  callId: CallIdSchema,
  logged: Type.Boolean(),
  duplicate: Type.Boolean({ description: 'This revision was known: nothing was written.' }),
  customerId: Type.Union([Type.String(), Type.Null()]),
})

export const ActiveCallsSchema = Type.Object({
  asOf: TimeSchema,
  calls: Type.Array(CallRecordSchema, { description: 'The oldest first.' }),
})
