/** The live stream: what changes in the house, as it changes. */
import { Type, type Static } from '@sinclair/typebox'
import { listsShown } from './shown-lists.ts'
import type { ShownName } from './shown-list.ts'
import type { Scope } from './states.ts'

const lists = Object.keys(listsShown) as ShownName[]

export const liveTopics = [
  ...(['calls', 'queues'] as const),
  ...lists,
  ...(['work', 'emergency', 'lamps'] as const),
  ...(['inbox', 'faxes', 'texts', 'reminders', 'box', 'session'] as const),
] as const
export type LiveTopic = (typeof liveTopics)[number]

/** Scope of a token that may read the topic; null: a person's own session, which no token has. */
export const topicScopes: Readonly<Record<LiveTopic, Scope | null>> = {
  ...{ calls: 'crm', queues: 'crm', work: 'crm', emergency: 'crm' },
  ...(Object.fromEntries(lists.map((name) => [name, 'crm'])) as Record<ShownName, Scope>),
  ...{ inbox: 'inbox', lamps: 'inbox', faxes: 'send', texts: 'send', reminders: 'send', box: 'admin', session: null },
}

/** The data of each event but `gap`, whose data is {}. */
export const LiveEventSchema = Type.Object(
  {
    topic: Type.Unsafe<LiveTopic>(Type.Union(liveTopics.map((topic) => Type.Literal(topic)))),
    id: Type.String({
      description:
        'Names the thing within its topic and kind: callId, id of the queue, slot, extension, number of the lamp, id of the hours, id of the item, eventId.',
    }),
    kind: Type.Optional(
      Type.String({
        description: 'Of work and inbox: which kind of item. Of box: event; phone, one that fetches its settings; none for its state.',
      }),
    ),
    gone: Type.Optional(Type.Boolean({ description: 'True where there is no such thing any more, or the reader may not see it.' })),
  },
  {
    additionalProperties: true,
    description:
      'The whole new state of one thing, with the members that the list of its kind has: a CallRecord, a CallQueue, a thing of another list of the Desk, a Lamp, a WorkItem, an EmergencyCall, an item of the inbox, a fax, a text, a reminder, a box event.',
  },
)
export type LiveEvent = Static<typeof LiveEventSchema>
