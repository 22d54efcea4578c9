/** Steps from one shape of a row to the next. */
import type { CallTraceRow, OutboxRow } from './tables.ts'

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

interface NamedTrace {
  readonly entries: readonly {
    readonly at?: string
    readonly ms: number
    readonly kind: string
    readonly text: string
    readonly data?: unknown
  }[]
  readonly dropped: number
}

/** An entry of a trace is a list without the names of its members: four traces lie on a page of the store, where two did. */
export function traceInLists({ entries, dropped }: NamedTrace): CallTraceRow {
  const kept = entries.flatMap(({ at, ms, kind, text, data }): CallTraceRow['entries'] => [
    ...(at === undefined ? [] : [Date.parse(at) - ms]),
    data === undefined ? [ms, kind, text] : [ms, kind, text, data],
  ])
  return { entries: kept, dropped }
}
