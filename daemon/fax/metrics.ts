/** Figures about faxes. */
import type { Figure, Sample } from '../base/metrics.ts'
import type { FaxQueue } from './queue.ts'

export function faxFigures(queue: FaxQueue): readonly Figure[] {
  const { figures } = queue
  const states = ['queued', 'processing', 'dialing', 'sending', 'retrying'] as const
  return [
    {
      name: 'pbx_faxes',
      help: 'Faxes that have not ended.',
      type: 'gauge',
      read: () => states.map((state): Sample => [{ state }, queue.states().get(state) ?? 0]),
    },
    { name: 'pbx_faxes_ended_total', help: 'Outgoing faxes that have ended.', type: 'counter', read: () => figures.ended() },
    { name: 'pbx_fax_attempts_total', help: 'Calls made for faxes.', type: 'counter', read: () => figures.attempts() },
    { name: 'pbx_faxes_received_total', help: 'Faxes received.', type: 'counter', read: () => figures.received() },
    {
      name: 'pbx_fax_pages_total',
      help: 'Pages that the far end confirmed, and pages received.',
      type: 'counter',
      read: () => figures.pages(),
    },
    {
      name: 'pbx_fax_line_up',
      help: 'Whether a line can send faxes.',
      type: 'gauge',
      read: () => queue.lines().map((line): Sample => [{ line: line.id }, line.ok ? 1 : 0]),
    },
  ]
}
