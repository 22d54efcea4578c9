/** Pages of faxes as pictures, the previews of faxes to be sent, and receipts. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { isoTime } from '../base/clock.ts'
import { finder } from '../http/find.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Reply, type Route } from '../http/route.ts'
import { FaxNumberSchema, FaxPreviewRequestSchema, FaxPreviewSchema, faxPreviewExample, type FaxNumberView } from '../schema/fax-preview.ts'
import { idPattern } from '../base/ids.ts'
import { maskNumber } from '../base/log.ts'
import type { FaxSheets } from './sheets.ts'
import type { FaxDesk } from './submit.ts'
import type { FaxQueue } from './queue.ts'
import { previewView } from './view.ts'

export interface FaxPictureServices {
  readonly queue: Pick<FaxQueue, 'find' | 'list'>
  readonly desk: FaxDesk
  readonly sheets: FaxSheets
  readonly hasLine: () => boolean
}

const tag = 'Fax'
const people = ['desk', 'manager'] as const
const bodyLimit = 32 * 1024 * 1024
const Page = { n: Type.String({ pattern: '^[1-9][0-9]{0,3}$' }) }
const Width = Type.Object({
  width: Type.Optional(
    Type.Integer({
      minimum: 80,
      maximum: 1728,
      default: 864,
      description:
        'Dots across. At 1728 they are the dots of the fax, 204 across and 196 down to the inch; below there are shades between.',
    }),
  ),
})
const png = { 200: { description: 'The page, 204 x 196 dots to the inch at its full width.', contentType: 'image/png' } }
const headers = { 'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff' }

const answer = ({ path, etag }: { path: string; etag: string }): Reply => ({
  status: 200,
  headers,
  file: { path, type: 'image/png', etag },
})

export function faxPictureRoutes({ queue, desk, sheets, hasLine }: FaxPictureServices): Route[] {
  const find = finder({
    ...({ noun: 'fax', unknown: 'fax_unknown', list: 'pbx fax list' } as const),
    find: (faxId) => (idPattern.test(faxId) ? queue.find(faxId)?.row : undefined),
    newest: (limit) => queue.list({ limit }).map(({ row }) => row),
    idOf: ({ faxId }) => faxId,
  })
  return [
    defineRoute({
      method: 'GET',
      path: '/api/fax/:faxId/pages/:n.png',
      access: 'send',
      people,
      operationId: 'getFaxPage',
      deed: 'fax.read',
      polled: true,
      summary: 'A page of a fax that is sent, as it goes or went',
      description:
        'With the line above it, which has the time of the last call, or of now before the first. 409 being_drawn until the pages are drawn.',
      tag,
      params: Type.Object({ faxId: Type.String(), ...Page }),
      query: Width,
      responses: png,
      handle: async ({ params: { faxId, n }, query: { width = 864 }, technician, deed }) => {
        const row = find(faxId, { technician })
        deed.about(row.faxId)
        return answer(await sheets.ofFax(row, Number(n), width))
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/inbox/faxes/:id/pages/:n.png',
      access: 'inbox',
      people,
      operationId: 'getReceivedFaxPage',
      deed: 'inbox.media',
      polled: true,
      summary: 'A page of a received fax',
      tag: 'Inbox',
      params: Type.Object({ id: Type.String(), ...Page }),
      query: Width,
      responses: png,
      handle: async ({ params: { id, n }, query: { width = 864 }, token, deed }) => {
        mustBeUnrestricted(token, 'received faxes')
        deed.about(id)
        return answer(await sheets.ofReceived(id, Number(n), width))
      },
    }),
    ...previewRoutes({ desk, sheets, hasLine }),
    receiptRoute({ find, sheets }),
    numberRoute(desk),
  ]
}

function previewRoutes({ desk, sheets, hasLine }: Pick<FaxPictureServices, 'desk' | 'sheets' | 'hasLine'>): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/fax/previews',
      access: 'send',
      people,
      operationId: 'previewFax',
      deed: 'fax.preview',
      summary: 'Draw a fax as the far end will print it, before it is sent',
      description:
        'Kept for an hour; `POST /api/fax` takes its `previewId`. What could not be sent is refused here in the same words, and nothing of it is kept.',
      tag,
      body: FaxPreviewRequestSchema,
      limitBytes: bodyLimit,
      file: { path: ['pdfBase64'], mostBytes: () => desk.mostBytes, type: 'application/pdf' },
      missing: () => (hasLine() ? undefined : new ApiError('no_fax_line', 'No line that can send faxes is configured.')),
      responses: { 201: { description: 'Drawn.', schema: FaxPreviewSchema, example: faxPreviewExample } },
      handle: async ({ body, file, signal, deed }) => {
        const preview = await desk.preview(file === undefined ? body : { ...body, pdf: file }, signal)
        deed.about(preview.previewId)
        return { status: 201, body: previewView(preview) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/fax/previews/:previewId',
      access: 'send',
      people,
      operationId: 'getFaxPreview',
      deed: 'fax.preview',
      polled: true,
      summary: 'A preview again',
      tag,
      params: Type.Object({ previewId: Type.String() }),
      responses: { 200: { description: 'The preview.', schema: FaxPreviewSchema, example: faxPreviewExample } },
      handle: ({ params: { previewId } }) => ({ status: 200, body: previewView(sheets.preview(previewId)) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/fax/previews/:previewId/pages/:n.png',
      access: 'send',
      people,
      operationId: 'getFaxPreviewPage',
      deed: 'fax.preview',
      polled: true,
      summary: 'A page of a preview',
      description: 'With the line above it, which has the time of the preview; the far end prints that of the call.',
      tag,
      params: Type.Object({ previewId: Type.String(), ...Page }),
      query: Width,
      responses: png,
      handle: async ({ params: { previewId, n }, query: { width = 864 }, deed }) => {
        deed.about(previewId)
        return answer(await sheets.ofPreview(previewId, Number(n), width))
      },
    }),
  ]
}

function receiptRoute({
  find,
  sheets,
}: {
  readonly find: ReturnType<typeof finder<Parameters<FaxSheets['receipt']>[0]>>
  readonly sheets: FaxSheets
}): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/fax/:faxId/receipt.pdf',
    access: 'send',
    people,
    operationId: 'getFaxReceipt',
    deed: 'fax.read',
    polled: true,
    summary: 'The receipt of a fax, to file: numbers, station, times, result, and the first page small',
    description: 'At its foot: the box, the person who asked for it, and when.',
    tag,
    params: Type.Object({ faxId: Type.String() }),
    responses: { 200: { description: 'A PDF of one page.', contentType: 'application/pdf' } },
    handle: async ({ params: { faxId }, technician, token, deed }) => {
      const row = find(faxId, { technician })
      deed.about(row.faxId)
      const { path, etag } = await sheets.receipt(row, token?.person?.name ?? '')
      const name = { 'Content-Disposition': `inline; filename="fax-receipt-${row.faxId}.pdf"` }
      return { status: 200, headers: { ...headers, ...name }, file: { path, type: 'application/pdf', etag } }
    },
  })
}

function numberRoute(desk: FaxDesk): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/fax/numbers/:number',
    access: 'send',
    people,
    operationId: 'getFaxNumber',
    deed: 'fax.number',
    gathered: true,
    summary: 'What is known of a number to fax to',
    tag,
    params: Type.Object({ number: Type.String({ maxLength: 64 }) }),
    responses: {
      200: {
        description: 'The number.',
        schema: FaxNumberSchema,
        example: {
          number: '+15551230001',
          answers: 14,
          answeredAt: '2026-03-02T14:06:31.000Z',
          remoteStationId: '+1 555 123 0001',
          warning: '',
        },
      },
    },
    handle: ({ params, deed }) => {
      const { number, row, warning } = desk.known(params.number)
      deed.about(maskNumber(number))
      const { answers = 0, answeredAt = 0, remoteStationId = '' } = row ?? {}
      const body: FaxNumberView = { number, answers, answeredAt: answers === 0 ? null : isoTime(answeredAt), remoteStationId, warning }
      return { status: 200, body }
    },
  })
}
