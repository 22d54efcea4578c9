/** Steps from one shape of a row to the next. */
import type { OutboxRow } from './tables.ts'

/**
 * The row stays as it is: its table got an index, or another one (indexes.ts), or further keys in addition to the former ones
 * (crm/directory.ts). An older version, which would not keep that, refuses the store.
 */
export function asBefore<R>(row: R): R {
  return row
}

/** A way has the name that the configuration gives it; then people were notified of other things as well. */
export const noticeSteps = [
  {
    to: 2,
    row: (row: { readonly ways: readonly string[] }): unknown => ({ ...row, ways: row.ways.map((way) => (way === 'text' ? 'sms' : way)) }),
  },
  { to: 3, row: ({ ext, ...row }: { readonly ext: string }): unknown => ({ ...row, kind: 'voicemail', place: ext }) },
] as const

const canceled = (text: string): string => (text.startsWith('cancelled') ? `canceled${text.slice('cancelled'.length)}` : text)

/** The outcome is spelt as every other word of the interface. */
export function reminderCanceled(row: { readonly outcome: string | null; readonly recorded: string }): unknown {
  return { ...row, outcome: row.outcome === null ? null : canceled(row.outcome), recorded: canceled(row.recorded) }
}

/** A callback that waits, or is kept, from before. */
export function callbackCanceled<R extends Pick<OutboxRow, 'kind' | 'body'>>(row: R): R {
  if (row.kind !== 'reminder.cancelled') return row
  const kind = 'reminder.canceled'
  return { ...row, kind, body: row.body === '' ? '' : JSON.stringify({ ...JSON.parse(row.body), event: kind, outcome: 'canceled' }) }
}
