/** What people of the house have to do, as pages and programs see it. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

export const workKinds = ['missed', 'callback', 'voicemail', 'fax', 'text'] as const
export type WorkKind = (typeof workKinds)[number]

export const WorkKindSchema = Choice(workKinds, {
  description:
    'missed: calls from one number that nobody took. callback: somebody asked a queue to be called back. voicemail, fax, text: something that was received.',
})

export const WorkItemSchema = named(
  'WorkItem',
  Type.Object({
    kind: WorkKindSchema,
    id: Type.String({ description: 'Of the item in the inbox; of missed and callback, the callId of the first call.' }),
    rev: Type.Integer({ description: 'Rises by one with every change.' }),
    state: Choice(['open', 'done']),
    owner: Type.Union([Type.String(), Type.Null()], { description: 'personId of the person who looks after it.' }),
    ownerName: Type.Union([Type.String(), Type.Null()]),
    note: Type.String(),
    at: { ...TimeSchema, description: 'When it came; of several missed calls, the first.' },
    times: Type.Integer({ description: 'Calls that nobody took since then; 1 for everything else.' }),
    closedAt: NullableTimeSchema,
    closedBy: Type.Union(
      [
        Type.Object({
          by: Choice(['person', 'call'], { description: 'call: the house has talked with the caller since.' }),
          name: Type.String({ description: 'Of the person, or the extension that talked.' }),
          callId: Type.Optional(Type.String()),
        }),
        Type.Null(),
      ],
      { description: 'Who has done it.' },
    ),
    number: Type.String({ description: 'E.164 where it can be; "" where it was withheld.' }),
    callerName: Type.String({ description: 'As the directory knows the number, or the call brought it; "" for nobody.' }),
    item: Type.Unsafe<object>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'voicemail, fax, text: the item as the inbox has it. missed, callback: the last call: callId, startedAt, queue, rang (extensions), ringSeconds, and givenUp where the box could not reach the caller.',
        },
      ),
    ),
  }),
)
export type WorkItemView = View<typeof WorkItemSchema>

export const WorkListSchema = Type.Object({
  items: Type.Array(WorkItemSchema, { description: 'Open ones: the oldest first. Done ones: the one that was done last first.' }),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'For the next page; null at the end.' }),
})

export const WorkChangeSchema = named(
  'WorkChange',
  Type.Object(
    {
      rev: Type.Integer({
        minimum: 1,
        description: 'Of the item as it was seen; another one is 409 changed_meanwhile, with the current item.',
      }),
      state: Type.Optional(Choice(['open', 'done'])),
      owner: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()], { description: 'personId, or null.' })),
      note: Type.Optional(Type.String({ maxLength: 500 })),
    },
    { additionalProperties: false, minProperties: 2, examples: [{ rev: 3, state: 'done' }] },
  ),
)
export type WorkChange = Static<typeof WorkChangeSchema>

export const WorkTakerSchema = named(
  'WorkTaker',
  Type.Object({ personId: Type.String(), name: Type.String() }, { examples: [{ personId: 'p_31', name: 'Jon Bell' }] }),
)
export type WorkTakerView = View<typeof WorkTakerSchema>

const count = Type.Integer({ minimum: 0 })
export const WorkCountsSchema = Type.Object(
  { missed: count, callback: count, voicemail: count, fax: count, text: count },
  { description: 'Open ones.' },
)
export type WorkCounts = Static<typeof WorkCountsSchema>

export const HelpCallSchema = named(
  'EmergencyCall',
  Type.Object({
    callId: Type.String(),
    number: Type.String({ description: 'The emergency number that was dialled.' }),
    extension: Type.String({ description: 'Of the phone that called.' }),
    name: Type.String({ description: 'Of that extension.' }),
    location: Type.String({ description: 'Where the phone is; "" where nobody wrote it down.' }),
    at: TimeSchema,
    lost: Type.Boolean({ description: 'It could be put through by no trunk.' }),
    closedAt: NullableTimeSchema,
    closedBy: Type.Union([Type.String(), Type.Null()]),
  }),
)
export type HelpCallView = View<typeof HelpCallSchema>

export const workExample: WorkItemView = {
  ...{ kind: 'missed', id: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8', rev: 3, state: 'open', owner: null, ownerName: null, note: '' },
  ...{ at: '2026-03-02T14:05:10.000Z', times: 3, closedAt: null, closedBy: null, number: '+15551234567', callerName: 'Ana Ruiz' },
  item: {
    ...{ callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f9', startedAt: '2026-03-02T14:25:10.000Z', queue: 'nurses' },
    ...{ rang: ['101'], ringSeconds: 110 },
  },
}
export const helpCallExample: HelpCallView = {
  ...{ callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8', number: '911', extension: '102', name: 'Room 1', location: '2nd floor, room 1' },
  ...{ at: '2026-03-02T14:05:10.000Z', lost: false, closedAt: null, closedBy: null },
}
