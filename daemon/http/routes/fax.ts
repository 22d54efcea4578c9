/** Faxes that are sent: accept, look, list, cancel. */
import { Type } from '@sinclair/typebox'
import type { Eraser } from '../../erasure/erasure.ts'
import { ApiError } from '../../errors.ts'
import { idPattern } from '../../ids.ts'
import type { FaxQueue } from '../../fax/queue.ts'
import type { FaxDesk } from '../../fax/submit.ts'
import { faxSummary, faxView } from '../../fax/view.ts'
import {
  FaxAcceptedSchema,
  faxAcceptedExample,
  faxExample,
  FaxListSchema,
  FaxRequestSchema,
  FaxSchema,
  FaxStatusSchema,
} from '../../schema/fax.ts'
import type { FaxRow } from '../../store/tables.ts'
import { defineRoute } from '../route.ts'
import type { Route } from '../route.ts'

export interface FaxServices {
  readonly queue: FaxQueue
  readonly desk: FaxDesk
  /** Whether a line could send faxes. */
  readonly hasLine: () => boolean
}

const bodyLimit = 32 * 1024 * 1024
const Params = Type.Object({ faxId: Type.String() })
const tag = 'Fax'

export function faxRoutes({ queue, desk, hasLine }: FaxServices, erase: Eraser): Route[] {
  const find = (faxId: string) => {
    const found = idPattern.test(faxId) ? queue.find(faxId) : undefined
    if (found === undefined) throw new ApiError('fax_unknown', 'There is no fax with that id.')
    return found
  }
  return [
    defineRoute({
      method: 'POST',
      path: '/api/fax',
      access: 'send',
      operationId: 'sendFax',
      deed: 'fax.send',
      summary: 'Send a PDF as a fax',
      description: 'The fax is kept on the disk before the answer, and tried until it is through or its time (3 hours) is over.',
      tag,
      body: FaxRequestSchema,
      limitBytes: bodyLimit,
      file: { path: ['pdfBase64'], mostBytes: desk.mostBytes },
      idempotent: true,
      missing: () => (hasLine() ? undefined : new ApiError('no_fax_line', 'No line that can send faxes is configured.')),
      responses: { 202: { description: 'Accepted.', schema: FaxAcceptedSchema, example: faxAcceptedExample } },
      handle: async (context) => {
        const accepted = (row: FaxRow) => {
          const { faxId, warnings = [] } = row
          const warning = desk.numberWarning(row)
          return { status: 202, body: { faxId, status: 'queued', warnings, ...(warning === '' ? {} : { warning }) } }
        }
        let reply: ReturnType<typeof accepted> | undefined
        const remember = (row: FaxRow): void => {
          context.remember((reply = accepted(row)))
          context.deed.record(row.faxId)
        }
        const request = context.file === undefined ? context.body : { ...context.body, pdf: context.file }
        const row = await desk.submit(request, remember, context.token?.name)
        return reply ?? accepted(row)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/fax',
      access: 'send',
      operationId: 'listFaxes',
      deed: 'fax.list',
      summary: 'List faxes, newest first',
      tag,
      query: Type.Object({
        state: Type.Optional(FaxStatusSchema),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
        cursor: Type.Optional(Type.String({ pattern: idPattern.source, description: 'nextCursor of the page before.' })),
      }),
      responses: {
        200: { description: 'Faxes.', schema: FaxListSchema, example: { items: [faxExample], faxes: [faxExample], nextCursor: null } },
      },
      handle: ({ query, deed }) => {
        const { state, cursor, limit = 50 } = query
        const rows = queue.list({
          limit,
          ...(state === undefined ? {} : { states: [state] }),
          ...(cursor === undefined ? {} : { cursor }),
        })
        deed.about('', rows.length)
        const nextCursor = rows.length < limit ? null : rows.at(-1)!.row.faxId
        const items = rows.map(({ row, live }) => faxSummary(row, live))
        return { status: 200, body: { items, faxes: items, nextCursor } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/fax/:faxId',
      access: 'send',
      operationId: 'getFax',
      deed: 'fax.read',
      summary: 'One fax, with the calls made for it',
      tag,
      params: Params,
      responses: { 200: { description: 'The fax.', schema: FaxSchema, example: { ...faxExample, calls: [] } } },
      handle: ({ params }) => {
        const { row, live } = find(params.faxId)
        return { status: 200, body: faxView(row, live) }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/fax/:faxId',
      access: 'send',
      operationId: 'cancelFax',
      deed: 'fax.cancel',
      summary: 'Cancel a fax that is not finished, or delete one that is',
      description:
        'A fax that is not finished is canceled, and its callback is fax.failed with the reason canceled. One that is finished is removed: ' +
        'the PDF, its pages, the traces of its calls, and callbacks that were given up.',
      tag,
      params: Params,
      responses: {
        200: {
          description: 'Canceled.',
          schema: FaxSchema,
          example: { ...faxExample, status: 'canceled', reason: 'canceled', message: 'The fax was canceled.', pagesSent: 0, calls: [] },
        },
        204: { description: 'Deleted.' },
      },
      handle: async ({ params, deed }) => {
        const { row } = find(params.faxId)
        if (!(await queue.cancel(row.faxId, () => deed.record(row.faxId)))) {
          deed.becomes('fax.delete')
          await erase(row.faxId, (id) => deed.record(id))
          return { status: 204 }
        }
        const { row: canceled } = find(row.faxId)
        return { status: 200, body: faxView(canceled, null) }
      },
    }),
  ]
}
