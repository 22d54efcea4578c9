/** The snapshot of the house after something has happened: pure. */
import type { DeskView } from '../../schema/desk.ts'
import type { WorkItemView, WorkKind } from '../../schema/work.ts'

type House = DeskView

/** Lists of the snapshot, and what names one of their things. */
export const lists = {
  calls: 'callId',
  queues: 'id',
  parking: 'slot',
  extensions: 'number',
  hours: 'id',
  emergency: 'callId',
  glass: 'sessionId',
} as const

type Data = Readonly<Record<string, unknown>>

/** Undefined where the event does not say enough. */
export function foldHouse(now: House, { topic, data }: { readonly topic: string; readonly data: Data }): House | undefined {
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
