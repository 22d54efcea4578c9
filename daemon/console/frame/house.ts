/** What the frame and the Desk share: one snapshot of the house, kept up by what happens. */
import type { DeskView } from '../../schema/desk.ts'
import type { HelpCallView } from '../../schema/work.ts'
import { foldHouse, lists } from './fold-house.ts'
import type { Topic } from './live.ts'
import { thing } from './state.ts'

export type House = DeskView
export type HelpCall = HelpCallView

const topics: readonly Topic[] = [...(Object.keys(lists) as (keyof typeof lists)[]), 'work', 'reminders', 'box']

export const house = thing<House>('/api/desk', topics, foldHouse)

/** Open items by page. */
export function openItems(page: string): number {
  const now = house.data.value
  if (now === undefined) return 0
  const { counts } = now.work
  const of: Readonly<Record<string, number>> = {
    calls: counts.missed + counts.callback,
    voicemail: counts.voicemail,
    faxes: counts.fax,
    texts: counts.text,
    queues: now.queues.reduce((sum, { callers }) => sum + callers.filter(({ state }) => state === 'waits').length, 0),
  }
  return of[page] ?? 0
}

/** Of a phone of the house; '' where it has none, or the house was not read yet. */
export function extensionName(extension: string): string {
  return house.data.value?.extensions.find(({ number }) => number === extension)?.name ?? ''
}

/** The id where nothing is known of the queue. */
export function queueName(id: string): string {
  return house.data.value?.queues.find((queue) => queue.id === id)?.name || id
}
