/** Faxes that are sent: accept, look, list, cancel. */
import { Type } from '@sinclair/typebox'
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

export function faxRoutes({ queue, desk, hasLine }: FaxServices): Route[] {
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
      summary: 'Send a PDF as a fax',
      description: 'The fax is kept on the disk before the answer, and tried until it is through or its time (3 hours) is over.',
      tag,
      body: FaxRequestSchema,
      limitBytes: bodyLimit,
      idempotent: true,
      missing: () => (hasLine() ? undefined : new ApiError('no_fax_line', 'No line that can send faxes is configured.')),
      responses: { 202: { description: 'Accepted.', schema: FaxAcceptedSchema, example: faxAcceptedExample } },
      handle: async (context) => {
        const accepted = (faxId: string) => ({ status: 202, body: { faxId, status: 'queued' } })
        let reply: ReturnType<typeof accepted> | undefined
        const row = await desk.submit(context.body, ({ faxId }) => context.remember((reply = accepted(faxId))))
        return reply ?? accepted(row.faxId)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/fax',
      access: 'send',
      operationId: 'listFaxes',
      summary: 'List faxes, newest first',
      tag,
      query: Type.Object({
        state: Type.Optional(FaxStatusSchema),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
        cursor: Type.Optional(Type.String({ pattern: idPattern.source, description: 'nextCursor of the page before.' })),
      }),
      responses: {
        200: { description: 'Faxes.', schema: FaxListSchema, example: { faxes: [faxExample], nextCursor: null } },
      },
      handle: ({ query }) => {
        const { state, cursor, limit = 50 } = query
        const rows = queue.list({
          limit,
          ...(state === undefined ? {} : { states: [state] }),
          ...(cursor === undefined ? {} : { cursor }),
        })
        const nextCursor = rows.length < limit ? null : rows.at(-1)!.row.faxId
        return { status: 200, body: { faxes: rows.map(({ row, live }) => faxSummary(row, live)), nextCursor } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/fax/:faxId',
      access: 'send',
      operationId: 'getFax',
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
      summary: 'Cancel a fax that is not finished',
      description: 'Its callback is fax.failed with the reason canceled.',
      tag,
      params: Params,
      responses: {
        200: {
          description: 'Canceled.',
          schema: FaxSchema,
          example: { ...faxExample, status: 'canceled', reason: 'canceled', message: 'The fax was canceled.', pagesSent: 0, calls: [] },
        },
      },
      handle: async ({ params }) => {
        const { row } = find(params.faxId)
        if (!(await queue.cancel(row.faxId))) throw new ApiError('already_finished', 'This fax is finished already.')
        const { row: canceled } = find(row.faxId)
        return { status: 200, body: faxView(canceled, null) }
      },
    }),
  ]
}
