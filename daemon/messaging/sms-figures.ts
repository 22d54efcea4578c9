/** Figures about texts. */
import type { Figure, Sample } from '../base/metrics.ts'
import type { Messaging } from './messaging.ts'

export function smsFigures({ queue, trunks }: Messaging): readonly Figure[] {
  const { figures } = queue
  const states = ['queued', 'sending', 'retrying'] as const
  const age = (oldest: number | null): number => (oldest === null ? 0 : Math.max(0, (Date.now() - oldest) / 1000))
  return [
    {
      name: 'pbx_sms_waiting',
      help: 'Texts that have not ended.',
      type: 'gauge',
      read: () => states.map((state): Sample => [{ state }, queue.states().get(state) ?? 0]),
    },
    {
      name: 'pbx_sms_oldest_seconds',
      help: 'Age of the oldest text that has not ended.',
      type: 'gauge',
      read: () => [[{}, age(queue.oldestAt())]],
    },
    {
      name: 'pbx_sms_ended_total',
      help: 'Texts that reached a final state; one that was sent may be delivered later.',
      type: 'counter',
      read: () => figures.ended(),
    },
    {
      name: 'pbx_sms_attempts_total',
      help: 'Texts given to trunks, by result.',
      type: 'counter',
      read: () => figures.attempts(),
    },
    { name: 'pbx_sms_segments_total', help: 'Parts of texts that trunks accepted.', type: 'counter', read: () => figures.segments() },
    { name: 'pbx_sms_received_total', help: 'Texts received.', type: 'counter', read: () => figures.received() },
    {
      name: 'pbx_sms_trunk_up',
      help: 'Whether a trunk can carry texts.',
      type: 'gauge',
      read: () => trunks().map(({ id, ok }): Sample => [{ trunk: id }, ok ? 1 : 0]),
    },
  ]
}
