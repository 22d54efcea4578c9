/** Ended calls as a table for a spreadsheet (RFC 4180). */
import { DateTime } from 'luxon'
import type { HistoryRow } from '../store/tables.ts'
import { parseDestination } from '../schema/destination.ts'

const columns = [
  ...['began', 'direction', 'outcome', 'from', 'caller', 'to', 'extension', 'queue', 'ring_seconds', 'talk_seconds'],
  ...['voicemail', 'notes', 'call_id'],
]

/** So that Excel reads it as UTF-8. */
const byteOrderMark = '\uFEFF'

/** `zone`: IANA; times are those of the clock on the wall there, with their distance from UTC. */
export function csvOf(rows: readonly HistoryRow[], zone: string): string {
  return `${byteOrderMark}${[columns, ...rows.map((row) => cells(row, zone))].map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`
}

function cells(row: HistoryRow, zone: string): string[] {
  const { startedAt, direction, outcome, from, callerName, to, extension, ringSeconds, talkSeconds, voicemailId, notes = [], callId } = row
  const queue = row.steps.map((step) => parseDestination(step.to)).findLast((destination) => destination?.kind === 'queue')
  const began = DateTime.fromMillis(startedAt, { zone }).toISO({ suppressMilliseconds: true }) ?? ''
  return [
    ...[began, direction, outcome, from, callerName, to, extension, queue?.kind === 'queue' ? queue.id : ''],
    ...[
      String(ringSeconds),
      String(talkSeconds),
      voicemailId === undefined ? '' : 'yes',
      notes.map(({ text }) => text).join(' / '),
      callId,
    ],
  ]
}

/** What a stranger or a person wrote is no formula of the spreadsheet; the + of a number is none either. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) && !/^\+\d+$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
