/** The section `queues` of the configuration: callers wait for the first member who is free. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice, Id, strict } from './forms.ts'
import { notifyMissed } from './notify.ts'
import { RecordPolicySchema } from './pbx-recording.ts'

const destination = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const QueueSchema = strict(
  {
    id: Id('Name of the queue in destinations: queue:ID.'),
    name: Type.String({ default: '', maxLength: 100, description: 'Name for people.' }),
    members: Type.Array(Type.String({ pattern: '^\\d{2,6}$', description: 'The number of an extension.' }), {
      minItems: 1,
      maxItems: 50,
      description: 'Members who take its calls.',
    }),
    strategy: Choice(['longest-idle', 'all', 'rotating', 'fewest-calls'], {
      default: 'longest-idle',
      description:
        'Which free member is rung: the one idle for the longest time, all at once, the next in order, or the one with the fewest calls.',
    }),
    ringSeconds: Type.Integer({ default: 20, minimum: 5, maximum: 120, description: 'How long a member rings for one caller.' }),
    wrapUpSeconds: Type.Integer({
      default: 10,
      minimum: 0,
      maximum: 3600,
      description: 'How long a member gets no queue call after a conversation of this queue.',
    }),
    maxWaitSeconds: Type.Integer({ default: 900, minimum: 10, maximum: 14_400, description: 'How long a caller waits at most.' }),
    maxCallers: Type.Integer({ default: 20, minimum: 1, maximum: 500, description: 'How many wait at most.' }),
    announce: Type.Optional(
      strict(
        {
          everySeconds: Type.Integer({ default: 45, minimum: 10, maximum: 600, description: 'Time between two announcements.' }),
          position: Type.Boolean({ default: true, description: 'Whether callers hear their place.' }),
          wait: Type.Boolean({
            default: true,
            description: 'Whether callers hear the expected wait, from the last 20 answered calls.',
          }),
        },
        'What callers hear between the music.',
      ),
    ),
    record: RecordPolicySchema('Which of its conversations are recorded: inbound calls, call-backs, all, or none.'),
    whisper: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Spoken to the member who answers, such as "nurse line".' }),
    ),
    leave: Type.Optional(
      strict(
        {
          key: Type.String({ pattern: '^[0-9*#]$', description: 'The key.' }),
          destination: Type.String({
            minLength: 1,
            description: 'Destination of the key; callback: the caller keeps the place, hangs up, and is called when it is their turn.',
          }),
        },
        'A key by which callers leave the queue, at any moment.',
      ),
    ),
    notifyMissed,
    onEmpty: destination('Where calls go, also waiting ones, when no member is logged in or registered.'),
    onTimeout: destination('Where calls go after maxWaitSeconds.'),
    onFull: destination('Where calls go while maxCallers wait. Default: as onTimeout.'),
  },
  'Callers who wait for the first member who is free.',
)

export const QueuesSchema = Type.Array(QueueSchema, {
  default: [],
  description: 'Queues: callers wait in their order for the first free member.',
  examples: [
    [
      {
        id: 'nurses',
        name: 'Nurse line',
        members: ['101', '102'],
        strategy: 'longest-idle',
        ringSeconds: 20,
        announce: { everySeconds: 45 },
        leave: { key: '1', destination: '103' },
        onEmpty: '103',
        onTimeout: '103',
      },
    ],
  ],
})

export type QueueConfig = Static<typeof QueueSchema>
