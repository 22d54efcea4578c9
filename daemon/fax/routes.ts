/** Faxes that are sent: accept, look, list, cancel, try again; for the technician, watch. */
import { Type } from '@sinclair/typebox'
import type { Eraser } from '../erasure/erasure.ts'
import { ApiError } from '../base/errors.ts'
import { idPattern } from '../base/ids.ts'
import type { FaxQueue } from './queue.ts'
import type { FaxDesk, FaxSender } from './submit.ts'
import { isTerminal } from './job.ts'
import { faxSummary, faxView } from './view.ts'
import {
  FaxAcceptedSchema,
  faxAcceptedExample,
  faxExample,
  FaxListSchema,
  FaxRequestSchema,
  FaxSchema,
  FaxStatusSchema,
  FaxSummarySchema,
} from '../schema/fax.ts'
import type { FaxRow } from '../store/tables.ts'
import { finder } from '../http/find.ts'
import { shownTo } from '../http/mask.ts'
import { defineRoute, type Emit, type Principal, type Route } from '../http/route.ts'
import { FaxAgainSchema } from '../schema/fax-preview.ts'

export interface FaxServices {
  readonly queue: FaxQueue
  readonly desk: FaxDesk
  /** Whether a line could send faxes. */
  readonly hasLine: () => boolean
}

const bodyLimit = 32 * 1024 * 1024
const Params = Type.Object({ faxId: Type.String() })
const tag = 'Fax'
const senders = ['desk', 'manager'] as const
const lookers = [...senders, 'technician'] as const

/** Who sends a fax; the technician at the box, and a signed request, are nobody. */
export function senderOf(token: Principal | null): FaxSender {
  return { name: token?.name ?? '', isPerson: token?.person !== undefined }
}

export function faxFinder(queue: FaxQueue) {
  return finder({
    noun: 'fax',
    unknown: 'fax_unknown',
    list: 'pbx fax list',
    find: (faxId) => (idPattern.test(faxId) ? queue.find(faxId) : undefined),
    newest: (limit) => queue.list({ limit }),
    idOf: ({ row }) => row.faxId,
  })
}

export function faxRoutes({ queue, desk, hasLine }: FaxServices, erase: Eraser): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/fax',
      access: 'send',
      people: senders,
      operationId: 'sendFax',
      deed: 'fax.send',
      summary: 'Send a PDF as a fax',
      description:
        'The fax is stored before the answer, and tried until it is sent or its deadline (3 hours) has passed. `sendAt` keeps it until then.',
      tag,
      body: FaxRequestSchema,
      limitBytes: bodyLimit,
      file: { path: ['pdfBase64'], mostBytes: () => desk.mostBytes },
      idempotent: true,
      callbacks: { statusCallbackUrl: ['fax.sent', 'fax.failed'] },
      missing: () => (hasLine() ? undefined : new ApiError('no_fax_line', 'No line that can send faxes is configured.')),
      responses: {
        202: { description: 'Accepted.', schema: FaxAcceptedSchema, example: faxAcceptedExample },
        404: { description: '`preview_unknown`: previews are kept for an hour.' },
        409: { description: '`fax_repeated`, with `faxId` and `createdAt` of the first; or `preview_stale`.' },
      },
      handle: async (context) => {
        const accepted = (row: FaxRow) => {
          const warning = desk.numberWarning(row)
          return { status: 202, body: { ...faxSummary(row, null), status: 'queued', ...(warning === '' ? {} : { warning }) } }
        }
        let reply: ReturnType<typeof accepted> | undefined
        const remember = (row: FaxRow): void => {
          context.remember((reply = accepted(row)))
          context.deed.record(row.faxId)
        }
        const request = context.file === undefined ? context.body : { ...context.body, pdf: context.file }
        const row = await desk.submit(request, remember, senderOf(context.token))
        return reply ?? accepted(row)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/fax',
      access: 'send',
      people: lookers,
      operationId: 'listFaxes',
      deed: 'fax.list',
      polled: true,
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
      handle: ({ query, token, deed }) => {
        const { state, cursor, limit = 50 } = query
        const rows = queue.list({
          limit,
          ...(state === undefined ? {} : { states: [state] }),
          ...(cursor === undefined ? {} : { cursor }),
        })
        deed.about('', rows.length)
        const nextCursor = rows.length < limit ? null : rows.at(-1)!.row.faxId
        const items = rows.map(({ row, live }) => faxSummary(row, live))
        return { status: 200, body: shownTo(token, { items, faxes: items, nextCursor }) }
      },
    }),
    ...oneFaxRoutes(queue, erase),
    ...technicianRoutes({ queue, desk }),
  ]
}

function oneFaxRoutes(queue: FaxQueue, erase: Eraser): Route[] {
  const find = faxFinder(queue)
  return [
    defineRoute({
      method: 'GET',
      path: '/api/fax/:faxId',
      access: 'send',
      people: lookers,
      operationId: 'getFax',
      deed: 'fax.read',
      polled: true,
      summary: 'One fax, with the calls made for it',
      tag,
      params: Params,
      responses: { 200: { description: 'The fax.', schema: FaxSchema, example: { ...faxExample, calls: [] } } },
      handle: ({ params, technician, token, deed }) => {
        const { row, live } = find(params.faxId, { technician })
        deed.about(row.faxId)
        return { status: 200, body: shownTo(token, faxView(row, live)) }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/fax/:faxId',
      access: 'send',
      people: ['manager'],
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
      handle: async ({ params, technician, deed }) => {
        const { row } = find(params.faxId, { technician })
        if (!(await queue.cancel(row.faxId, () => deed.record(row.faxId)))) {
          deed.becomes('fax.delete')
          await erase(row.faxId, (id) => deed.record(id))
          return { status: 204 }
        }
        const { row: canceled } = find(row.faxId, { technician })
        return { status: 200, body: faxView(canceled, null) }
      },
    }),
  ]
}

function technicianRoutes({ queue, desk }: Pick<FaxServices, 'queue' | 'desk'>): Route[] {
  const find = faxFinder(queue)
  const access = 'technician'
  return [
    defineRoute({
      method: 'POST',
      path: '/api/fax/:faxId/retry',
      access,
      people: senders,
      operationId: 'retryFax',
      deed: 'fax.retry',
      summary:
        'Send a fax that waits for its next try, or for its hour, now; send an ended fax again, as a new fax, perhaps to another number',
      description:
        'With `to` the fax must have ended: a fax that still waits is canceled first. The new fax and the old one name each other in `replaces` and `replacedBy`.',
      tag,
      params: Params,
      body: FaxAgainSchema,
      bodyType: 'json-or-nothing',
      responses: {
        200: { description: 'The fax that is sent.', schema: FaxSummarySchema },
        409: { description: '`being_sent`: to another number only an ended fax is sent.' },
      },
      handle: async ({ params: { faxId }, body, token, technician, deed }) => {
        const { row } = find(faxId, { technician })
        let sent = row
        const { to, toAgain } = body
        const number = { ...(to === undefined ? {} : { to }), ...(toAgain === undefined ? {} : { toAgain }), sender: senderOf(token) }
        if (isTerminal(row.state)) sent = await desk.again(row, number, (again) => deed.record(again.faxId))
        else if (to !== undefined) throw new ApiError('being_sent', 'This fax has not ended: cancel it first, then correct its number.')
        else {
          queue.hurry(row.faxId)
          sent = find(row.faxId, { technician }).row
        }
        deed.about(sent.faxId)
        return { status: 200, body: faxSummary(sent, null) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/fax/:faxId/cancel',
      access,
      people: senders,
      operationId: 'giveUpFax',
      deed: 'fax.cancel',
      summary: 'Cancel a fax that has not ended; an ended fax stays as it is',
      tag,
      params: Params,
      responses: { 200: { description: 'Canceled.', schema: FaxSchema } },
      handle: async ({ params, technician, deed }) => {
        const { faxId } = find(params.faxId, { technician }).row
        if (!(await queue.cancel(faxId, () => deed.record(faxId)))) throw new ApiError('already_finished', 'This fax has already ended.')
        return { status: 200, body: faxView(find(faxId, { technician }).row, null) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/fax/:faxId/watch',
      access,
      operationId: 'watchFax',
      deed: 'fax.read',
      polled: true,
      summary: 'Every change of a fax until it has ended',
      tag,
      params: Params,
      responses: { 200: { description: 'The fax, a line for each change.', contentType: 'application/x-ndjson', schema: FaxSchema } },
      handle: ({ params, technician, signal }) => {
        const { faxId } = find(params.faxId, { technician }).row
        return { status: 200, stream: (emit) => watch(queue, faxId, emit, signal) }
      },
    }),
  ]
}

async function watch(queue: FaxQueue, faxId: string, emit: Emit, signal: AbortSignal): Promise<void> {
  const done = Promise.withResolvers<void>()
  const tell = (): void => {
    const found = queue.find(faxId)
    if (found !== undefined) void emit(faxView(found.row, found.live))
    if (found === undefined || isTerminal(found.row.state)) done.resolve()
  }
  signal.addEventListener('abort', () => done.resolve())
  const unwatch = queue.watch(faxId, tell)
  tell()
  await done.promise
  unwatch()
}
