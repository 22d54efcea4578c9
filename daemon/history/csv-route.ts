/** Ended calls as a file for a spreadsheet: for managers. */
import { Type, type TObject } from '@sinclair/typebox'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { HistoryRow } from '../store/tables.ts'
import type { History, HistoryQuery } from './history.ts'
import { DateTime } from 'luxon'
import { parseDestination } from '../schema/destination.ts'

/** Ended calls as a table for a spreadsheet (RFC 4180). */
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

/** Rows of one file; a spreadsheet takes more, the memory of a small box does not. */
const mostRows = 50_000
const page = 500

/** `query`: its filters; `wanted`: what they ask for. */
export function csvRoutes(
  history: History,
  {
    query,
    wanted,
    timeZone,
  }: { readonly query: TObject; readonly wanted: (asked: object) => HistoryQuery; readonly timeZone: () => string },
): Route[] {
  const route = (at: Pick<Route, 'path' | 'operationId' | 'undescribed'>): Route =>
    defineRoute({
      ...at,
      method: 'GET',
      access: 'technician',
      people: ['manager'],
      deed: 'history.export',
      summary: 'Ended calls as a table (CSV), newest first',
      description: 'With the filters of the list. At most 50,000 rows; X-More: true says that there are older ones.',
      tag: 'Calls',
      query: Type.Omit(query, ['since', 'before', 'limit', 'order']) as unknown as TObject,
      responses: { 200: { description: 'The table, UTF-8.', contentType: 'text/csv' } },
      handle: async ({ query: asked, token, deed }) => {
        mustBeUnrestricted(token, 'calls of the whole house')
        const { rows, more } = await read(history, wanted(asked))
        deed.about('', Math.max(1, rows.length))
        return {
          status: 200,
          text: { type: 'text/csv; charset=utf-8', content: csvOf(rows, timeZone()) },
          headers: { 'Content-Disposition': 'attachment; filename="calls.csv"', 'X-More': String(more) },
        }
      },
    })
  return [
    route({ path: '/api/calls/history.csv', operationId: 'exportCallHistory' }),
    route({ path: '/api/pbx/calls/history.csv', operationId: 'exportCallHistoryOfCrm', undescribed: true }),
  ]
}

async function read(history: History, query: HistoryQuery): Promise<{ readonly rows: readonly HistoryRow[]; readonly more: boolean }> {
  const rows: HistoryRow[] = []
  let before: number | null = null
  while (rows.length < mostRows) {
    const { items, nextBefore } = await history.pageBack(before, page, query)
    rows.push(...items)
    if (nextBefore === null) return { rows, more: false }
    before = nextBefore
  }
  return { rows, more: true }
}
