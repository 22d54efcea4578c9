/** Figures as the interface shows them. */
import type { CallFiguresView, FaxFiguresView, QueueFiguresView, ReminderFiguresView, TextFiguresView } from '../schema/figures.ts'
import { reminderOutcomes } from '../schema/states.ts'
import { waitsOf, type Counts } from './counts.ts'

type Shown<V extends { readonly buckets: readonly object[] }> = Omit<V['buckets'][number], 'at' | 'key'>

/** The named counters, 0 where nothing was counted. */
const these = <const N extends string>(counts: Counts, ...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, counts[name] ?? 0])) as Record<N, number>

export const callCounts = (counts: Counts): Shown<CallFiguresView> => ({
  ...these(counts, 'inbound', 'answered', 'missed', 'abandoned', 'voicemail', 'other', 'returned'),
  ...these(counts, 'outgoing', 'outgoingAnswered', 'internal', 'talkSeconds'),
  wait: waitsOf(counts),
})

export const queueCounts = (counts: Counts): Shown<QueueFiguresView> => ({
  ...these(counts, 'offered', 'answered', 'abandoned', 'sentOn', 'talkSeconds'),
  wait: waitsOf(counts),
})

export function faxCounts(counts: Counts): Shown<FaxFiguresView> {
  const reasons = Object.entries(counts).flatMap(([name, count]) => (name.startsWith('reason:') ? [[name.slice(7), count] as const] : []))
  return {
    ...these(counts, 'sent', 'failed', 'canceled', 'received', 'withoutPage', 'pagesSent', 'pagesReceived'),
    reasons: Object.fromEntries(reasons),
  }
}

export const textCounts = (counts: Counts): Shown<TextFiguresView> => these(counts, 'sent', 'delivered', 'failed', 'unknown', 'received')

export function reminderCounts(counts: Counts): Shown<ReminderFiguresView> {
  const outcomes = these(counts, ...reminderOutcomes)
  return { ended: Object.values(outcomes).reduce((sum, count) => sum + count, 0), outcomes }
}
