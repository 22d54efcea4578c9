/** What the frame and the Desk share: one snapshot of the house, kept up by what happens. */
import type { HoursView } from '../../schema/extensions.ts'
import type { LiveEvent, Topic } from './live.ts'
import { thing } from './state.ts'

/** As much of GET /api/desk as the frame shows. */
export interface House {
  readonly hours: readonly HoursView[]
  readonly work: { readonly counts: Readonly<Record<'missed' | 'callback' | 'voicemail' | 'fax' | 'text', number>> }
  readonly box: { readonly ok: boolean; readonly text: string; readonly lines: 'all' | 'some' | 'none'; readonly safeMode: boolean }
  /** Calls for help that nobody has closed. */
  readonly emergency?: readonly HelpCall[]
}

export interface HelpCall {
  readonly callId: string
  readonly number: string
  readonly extension: string
  readonly name: string
  readonly location: string
  readonly at: string
  readonly lost: boolean
  readonly closedAt: string | null
}

const topics: readonly Topic[] = ['calls', 'queues', 'parking', 'extensions', 'hours', 'work', 'emergency', 'reminders', 'box']

/** The member of the snapshot that holds the things of a topic, and what names one of them there. */
const lists: Readonly<Partial<Record<Topic, { readonly member: string; readonly key: string }>>> = {
  calls: { member: 'calls', key: 'callId' },
  queues: { member: 'queues', key: 'id' },
  parking: { member: 'parking', key: 'slot' },
  extensions: { member: 'extensions', key: 'extension' },
  hours: { member: 'hours', key: 'id' },
  emergency: { member: 'emergency', key: 'callId' },
}

export const house = thing<House>('/api/desk', topics, foldHouse)

function foldHouse(now: House, { topic, data }: LiveEvent): House | undefined {
  const list = lists[topic]
  if (list === undefined) return undefined
  const before = ((now as unknown as Record<string, unknown>)[list.member] ?? []) as Record<string, unknown>[]
  const state = data as Record<string, unknown>
  const at = before.findIndex((one) => String(one[list.key]) === String(state['id']))
  const gone = state['gone'] === true
  const after = gone ? before.filter((_, n) => n !== at) : at === -1 ? [...before, state] : before.with(at, state)
  return { ...now, [list.member]: after }
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
