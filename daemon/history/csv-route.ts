/** Ended calls as a file for a spreadsheet: for managers. */
import { Type, type TObject } from '@sinclair/typebox'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { HistoryRow } from '../store/tables.ts'
import { csvOf } from './csv.ts'
import type { History, HistoryQuery } from './history.ts'

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
