/** Texts that are sent: accept, look, list; for the technician the trunks and the stop list; and the door at which providers hand over texts and receipts. */
import { Type } from '@sinclair/typebox'
import type { WebhookTrunk } from '../../drivers/sms.ts'
import type { Eraser } from '../erasure/erasure.ts'
import { ApiError } from '../base/errors.ts'
import { idPattern } from '../base/ids.ts'
import type { SmsDesk } from './desk.ts'
import type { SmsQueue } from './queue.ts'
import type { Suppression } from './suppression.ts'
import { suppressedView, textSummary, textView } from './view.ts'
import {
  smsAnswerExample,
  type SmsAnswer,
  SmsAnswerSchema,
  smsExample,
  SmsListSchema,
  SmsMessageSchema,
  SmsRequestSchema,
  SmsStateSchema,
  SmsTrunkSchema,
  SuppressedSchema,
  type SmsTrunkView,
} from '../schema/sms.ts'
import { maskNumber } from '../base/log.ts'
import { finder } from '../http/find.ts'
import { shownTo } from '../http/mask.ts'
import { AnyQuery, defineRoute, type Method, type Route, listed } from '../http/route.ts'

export interface SmsServices {
  readonly desk: SmsDesk
  readonly queue: SmsQueue
  /** Whether a trunk is configured. */
  readonly hasTrunk: () => boolean
  /** A trunk whose provider calls the box. */
  readonly webhookTrunk: (id: string) => WebhookTrunk | undefined
  readonly suppression: Suppression
  trunks(): readonly SmsTrunkView[]
}

const tag = 'SMS'
const people = ['desk', 'manager'] as const
const webhookLimit = 64 * 1024
/** Of one address: nobody has shown a token. */
const webhooksPerMinute = 600

function textFinder(queue: SmsServices['queue']) {
  return finder({
    noun: 'text',
    unknown: 'message_unknown',
    list: 'pbx sms list',
    find: (messageId) => (idPattern.test(messageId) ? queue.find(messageId) : undefined),
    newest: (limit) => queue.list({ limit }).rows,
    idOf: ({ messageId }) => messageId,
  })
}

export function smsRoutes(services: SmsServices, erase: Eraser): Route[] {
  const { desk, queue, hasTrunk, webhookTrunk } = services
  return [
    defineRoute({
      method: 'POST',
      path: '/api/sms',
      access: 'send',
      people,
      operationId: 'sendSms',
      deed: 'sms.send',
      summary: 'Send a text message',
      description:
        'Each text is on the disk before the answer, which waits up to 8 seconds for the trunks; queued texts are tried until they are sent, refused or 24 hours old. The answer lists recipients that cannot get texts; if there are no others, the request is refused.',
      tag,
      body: SmsRequestSchema,
      idempotent: true,
      missing: () => (hasTrunk() ? undefined : new ApiError('no_sms_trunk', 'No SMS trunk is configured.')),
      responses: { 200: { description: 'What became of each text so far.', schema: SmsAnswerSchema, example: smsAnswerExample } },
      handle: async (context) => {
        const reply = (answer: SmsAnswer) => ({ status: 200, body: answer })
        // A repetition after a crash is answered that all is queued; the final answer takes its place.
        const remember = (answer: SmsAnswer): void => {
          context.remember(reply(answer))
          const ids = answer.messages.flatMap(({ messageId }) => messageId ?? [])
          context.deed.record(ids.join(' '), ids.length)
        }
        return reply(await desk.submit(context.body, remember, context.token?.name))
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/sms',
      access: 'send',
      people: [...people, 'technician'],
      operationId: 'listSms',
      deed: 'sms.list',
      polled: true,
      summary: 'List texts, newest first',
      tag,
      query: Type.Object({
        state: Type.Optional(SmsStateSchema),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
        cursor: Type.Optional(Type.String({ pattern: idPattern.source, description: 'nextCursor of the page before.' })),
      }),
      responses: {
        200: { description: 'Texts.', schema: SmsListSchema, example: { items: [smsExample], messages: [smsExample], nextCursor: null } },
      },
      handle: ({ query, token, deed }) => {
        const { state, cursor, limit = 50 } = query
        const { rows, next } = queue.list({
          limit,
          ...(state === undefined ? {} : { state }),
          ...(cursor === undefined ? {} : { cursor }),
        })
        deed.about('', rows.length)
        const items = rows.map((row) => textSummary(row))
        return { status: 200, body: shownTo(token, { items, messages: items, nextCursor: next }) }
      },
    }),
    ...oneTextRoutes(queue, erase),
    webhook('POST', 'smsWebhook', webhookTrunk),
    webhook('GET', 'smsWebhookQuery', webhookTrunk),
    ...technicianRoutes(services),
  ]
}

function oneTextRoutes(queue: SmsServices['queue'], erase: Eraser): Route[] {
  const find = textFinder(queue)
  return [
    defineRoute({
      method: 'GET',
      path: '/api/sms/:messageId',
      access: 'send',
      people,
      operationId: 'getSms',
      deed: 'sms.read',
      polled: true,
      summary: 'One text',
      tag,
      params: Type.Object({ messageId: Type.String() }),
      responses: {
        200: {
          description: 'The text.',
          schema: SmsMessageSchema,
          example: { ...smsExample, body: 'Your appointment is tomorrow at 10:00.', parts: [{ accepted: true, report: null }] },
        },
      },
      handle: ({ params, technician, deed }) => {
        const row = find(params.messageId, { technician })
        deed.about(row.messageId)
        return { status: 200, body: textView(row) }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/sms/:messageId',
      access: 'send',
      people: ['manager'],
      operationId: 'deleteSms',
      deed: 'sms.delete',
      summary: 'Delete a text',
      description: 'A waiting text is not sent any more. A text that is being sent cannot be deleted: 409 being_sent.',
      tag,
      params: Type.Object({ messageId: Type.String() }),
      responses: { 204: { description: 'Deleted.' } },
      handle: async ({ params, deed }) => {
        if (!idPattern.test(params.messageId)) throw new ApiError('message_unknown', 'There is no text with that id.')
        await erase(params.messageId, (id) => deed.record(id))
        return { status: 204 }
      },
    }),
  ]
}

function technicianRoutes({ suppression, trunks }: SmsServices): Route[] {
  const access = 'technician'
  const params = Type.Object({ number: Type.String() })
  return [
    defineRoute({
      method: 'GET',
      path: '/api/sms/trunks',
      access,
      people: [...people, 'technician'],
      operationId: 'listSmsTrunks',
      summary: 'What carries texts, and how it is',
      tag,
      responses: { 200: { description: 'Trunks.', schema: Type.Array(SmsTrunkSchema) } },
      handle: () => ({ status: 200, body: trunks() }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/sms/stop-list',
      access,
      people,
      operationId: 'getStopList',
      deed: 'stoplist.list',
      polled: true,
      summary: 'Numbers that asked not to be texted',
      tag,
      responses: { 200: { description: 'Numbers, and what each wrote.', schema: Type.Array(SuppressedSchema) } },
      handle: ({ deed }) => listed(deed, suppression.list().map(suppressedView)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/sms/stop-list/:number',
      access,
      people,
      operationId: 'addToStopList',
      deed: 'stoplist.add',
      summary: 'Text a number no more',
      tag,
      params,
      responses: { 200: { description: 'Done.', schema: SuppressedSchema } },
      handle: async ({ params: { number }, deed }) => {
        const added = await suppression.add(number, () => deed.record(maskNumber(number)))
        return { status: 200, body: suppressedView(added) }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/sms/stop-list/:number',
      access,
      people: ['manager'],
      operationId: 'removeFromStopList',
      deed: 'stoplist.remove',
      summary: 'A number may be texted again',
      tag,
      params,
      responses: { 200: { description: 'Done.', schema: Type.Object({ removed: Type.String() }) } },
      handle: async ({ params: { number }, deed }) => {
        if (await suppression.remove(number, () => deed.record(maskNumber(number)))) return { status: 200, body: { removed: number } }
        throw new ApiError('not_found', `${number} is not on the list.`)
      },
    }),
  ]
}

function webhook(method: Method & ('GET' | 'POST'), operationId: string, find: SmsServices['webhookTrunk']): Route {
  return defineRoute({
    method,
    path: '/api/sms/webhook/:trunkId',
    access: 'public',
    operationId,
    summary: 'A text or a receipt from a provider',
    description: 'For the provider of a trunk of the kind `http`. The trunk checks the signature of the request and decides the answer.',
    tag,
    params: Type.Object({ trunkId: Type.String() }),
    anyHost: true,
    query: AnyQuery,
    ...(method === 'POST' ? { bodyType: 'raw' as const, limitBytes: webhookLimit } : {}),
    rate: { perMinute: () => webhooksPerMinute },
    responses: {
      200: { description: 'Taken; the form is that of the provider.', contentType: '*/*' },
      403: { description: 'The signature is missing or wrong.' },
    },
    handle: async ({ params, headers, rawBody, target, client }) => {
      const trunk = find(params.trunkId)
      if (trunk === undefined) throw new ApiError('not_found', 'This address does not exist.')
      const url = `${client.secure === true ? 'https' : 'http'}://${headers.get('host') ?? 'localhost'}${target}`
      const { status, type, body } = await trunk.webhook({ method, url, headers, body: rawBody })
      return { status, text: { type, content: body } }
    },
  })
}
