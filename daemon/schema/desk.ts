/** The desk: all that its page shows at first, and what a search of the house finds. */
import { Type, type Static, type TArray } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import type { ShownList, ShownName } from './shown-list.ts'
import { listsShown } from './shown-lists.ts'
import { callExample, CallRecordSchema } from './history.ts'
import { named, type View } from './named.ts'
import { QueueViewSchema } from './queues.ts'
import { TimeSchema } from './voice-call.ts'
import { helpCallExample, HelpCallSchema, WorkCountsSchema, workExample, WorkItemSchema } from './work.ts'

const count = Type.Integer({ minimum: 0 })

export const BoxStateSchema = Type.Object({
  ok: Type.Boolean(),
  text: Type.String({ description: 'One sentence for people of the house.' }),
  lines: Choice(['all', 'some', 'none'], { description: 'Whether the lines to the outside work; all where there are none.' }),
  safeMode: Type.Boolean({ description: 'The box runs on its last good configuration.' }),
  texts: Type.Boolean({ description: 'Whether there is a line for texts: without one none can be sent.' }),
  faxes: Type.Boolean({ description: 'Whether there is a line that sends faxes.' }),
})
export type BoxState = Static<typeof BoxStateSchema>

export const ReminderDaySchema = Type.Object({
  day: Type.String({ description: 'The next working day with appointments, or the next day; a date where the box is.' }),
  counts: Type.Object(
    { total: count, confirmed: count, open: count, canceled: count, rescheduled: count, unreached: count },
    { description: 'rescheduled: the patient wants another time. unreached: nobody answered, or it failed.' },
  ),
})
export type ReminderDay = Static<typeof ReminderDaySchema>

const entries = Object.entries<ShownList>(listsShown)
const lists = Object.fromEntries(entries.map(([name, { thing }]) => [name, Type.Array(thing)])) as {
  [N in ShownName]: TArray<(typeof listsShown)[N]['thing']>
}

export const DeskSchema = named(
  'Desk',
  Type.Object({
    asOf: TimeSchema,
    calls: Type.Array(CallRecordSchema, { description: 'That live, the oldest first.' }),
    queues: Type.Array(QueueViewSchema),
    ...lists,
    work: Type.Object({
      counts: WorkCountsSchema,
      items: Type.Array(WorkItemSchema, { maxItems: 50, description: 'Open ones, the oldest first.' }),
    }),
    reminders: ReminderDaySchema,
    emergency: Type.Array(HelpCallSchema, { description: 'Calls for help that nobody has closed.' }),
    crm: Choice(['none', 'there', 'away'], { description: 'Whether the CRM answers; none: none is configured.' }),
    box: BoxStateSchema,
    waitSeconds: Type.Integer({ description: 'A caller who waits for longer is amber, after twice as long red.' }),
  }),
)
export type DeskView = View<typeof DeskSchema>

const PartyHitSchema = Type.Object({ id: Type.String(), name: Type.String(), number: Type.String(), company: Type.String() })

export const SearchSchema = named(
  'SearchResult',
  Type.Object(
    {
      parties: Type.Array(PartyHitSchema, { maxItems: 5 }),
      colleagues: Type.Array(Type.Object({ extension: Type.String(), name: Type.String() }), { maxItems: 5 }),
      calls: Type.Array(CallRecordSchema, { maxItems: 5, description: 'The newest first.' }),
      items: Type.Array(WorkItemSchema, { maxItems: 5, description: 'Open work.' }),
    },
    { description: 'At most five of each kind, of what the role may see.' },
  ),
)
export type SearchView = View<typeof SearchSchema>
export type PartyHit = SearchView['parties'][number]

const examples = Object.fromEntries(
  entries.map(([name, { example }]) => [name, example === undefined ? [] : [example]]),
) as unknown as Pick<DeskView, ShownName>

export const deskExample: DeskView = {
  ...{ asOf: '2026-03-02T14:05:12.000Z', calls: [{ ...callExample, deeds: ['take', 'move', 'end'] }], queues: [] },
  ...examples,
  work: { counts: { missed: 1, callback: 0, voicemail: 0, fax: 0, text: 0 }, items: [workExample] },
  reminders: { day: '2026-03-03', counts: { total: 24, confirmed: 18, open: 4, canceled: 2, rescheduled: 0, unreached: 0 } },
  ...{
    emergency: [helpCallExample],
    crm: 'there',
    box: { ok: true, text: 'All lines work.', lines: 'all', safeMode: false, texts: true, faxes: true },
    waitSeconds: 60,
  },
}
export const searchExample: SearchView = {
  parties: [{ id: 'c_8812', name: 'Ana Ruiz', number: '+15551234567', company: '' }],
  ...{ colleagues: [{ extension: '101', name: 'Front desk' }], calls: [callExample], items: [workExample] },
}
