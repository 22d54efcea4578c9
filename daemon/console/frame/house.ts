/** What the frame and the Desk share: one snapshot of the house, kept up by what happens. */
import type { DeskView } from '../../schema/desk.ts'
import type { HelpCallView, WorkItemView, WorkKind } from '../../schema/work.ts'
import type { LiveEvent, Topic } from './live.ts'
import { thing } from './state.ts'

export type House = DeskView
export type HelpCall = HelpCallView

const topics: readonly Topic[] = ['calls', 'queues', 'parking', 'extensions', 'hours', 'work', 'emergency', 'reminders', 'box']

/** Lists of the snapshot, and what names one of their things. */
const lists = {
  ...({ calls: 'callId', queues: 'id', parking: 'slot', extensions: 'number', hours: 'id', emergency: 'callId' } as const),
} satisfies Partial<Record<Topic, string>>

export const house = thing<House>('/api/desk', topics, foldHouse)

type Data = Readonly<Record<string, unknown>>

/** Undefined where the event does not say enough. */
export function foldHouse(now: House, { topic, data }: LiveEvent<Data>): House | undefined {
  if (topic === 'work') return foldWork(now, data)
  if (topic === 'box') return data['kind'] === undefined ? { ...now, box: data as unknown as House['box'] } : now
  if (!Object.hasOwn(lists, topic)) return undefined
  const name = topic as keyof typeof lists
  const before = now[name] as readonly unknown[] as readonly Data[]
  const at = before.findIndex((one) => one[lists[name]] === data['id'])
  // A call that has ended is on no desk; its place in the list of calls is another page's.
  const isGone = data['gone'] === true || (topic === 'calls' && data['state'] === 'ended')
  const after = isGone ? before.filter((_, n) => n !== at) : at === -1 ? [...before, data] : before.with(at, data)
  return { ...now, [name]: after }
}

function foldWork(now: House, data: Data): House | undefined {
  const { counts, items } = now.work
  const kind = data['kind'] as WorkKind
  const at = items.findIndex((one) => one.kind === kind && one.id === data['id'])
  const isOpen = data['gone'] !== true && data['state'] === 'open'
  if (isOpen && at !== -1) return { ...now, work: { counts, items: items.with(at, data as unknown as WorkItemView) } }
  // Of more than are shown, what comes or goes moves others that are not here.
  if (Object.values(counts).reduce((sum, n) => sum + n, 0) !== items.length) return undefined
  if (!isOpen && at === -1) return now
  const item = data as unknown as WorkItemView
  const after = isOpen ? [...items, item].toSorted((a, b) => (a.at < b.at ? -1 : 1)) : items.filter((_, n) => n !== at)
  return { ...now, work: { counts: { ...counts, [kind]: counts[kind] + (isOpen ? 1 : -1) }, items: after } }
}

/** Open items by page. */
export function openItems(page: string): number {
  const counts = house.data.value?.work.counts
  if (counts === undefined) return 0
  const of: Readonly<Record<string, number>> = {
    calls: counts.missed + counts.callback,
    voicemail: counts.voicemail,
    faxes: counts.fax,
    texts: counts.text,
  }
  return of[page] ?? 0
}
