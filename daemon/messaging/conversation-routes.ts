/** Conversations by text: a list by number, and one of them. */
import { Type } from '@sinclair/typebox'
import { isoTime } from '../base/clock.ts'
import { maskNumber } from '../base/log.ts'
import { seesMasked, shownTo } from '../http/mask.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { smsItem } from '../inbox/view.ts'
import {
  conversationExample,
  ConversationListSchema,
  conversationTextsExample,
  ConversationTextsSchema,
  type ConversationView,
  type SaidView,
} from '../schema/sms.ts'
import type { SmsSuppressedRow } from '../store/tables.ts'
import type { Conversation, Conversations, Said } from './conversations.ts'

export interface ConversationServices {
  readonly conversations: Conversations
  readonly inbox: Pick<Inbox, 'textMedia'>
}

const tag = 'SMS'
const people = ['desk', 'manager', 'technician'] as const
const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  before: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'nextBefore of the newer page.' })),
}

const stoppedView = (row: SmsSuppressedRow | undefined): ConversationView['stopped'] =>
  row === undefined ? null : { since: isoTime(row.since), by: row.by }

function saidView(said: Said, inbox: Pick<Inbox, 'textMedia'>): SaidView {
  const at = isoTime(said.at)
  if (said.direction === 'out') {
    const { messageId, body, state, error, code } = said.row
    const why = error === '' ? {} : { error }
    return { direction: 'out', id: messageId, at, text: body, status: state, ...why, ...(code === '' ? {} : { code }) }
  }
  const { body, keyword, mayOptOut, media } = smsItem(said.row, inbox.textMedia.of(said.row))
  const marks = { ...(keyword === undefined ? {} : { keyword }), ...(mayOptOut === undefined ? {} : { mayOptOut }) }
  return { direction: 'in', id: said.row.id, at, text: body, ...marks, ...(media === undefined ? {} : { media }) }
}

export function conversationRoutes({ conversations, inbox }: ConversationServices): Route[] {
  const view = ({ number, last, stopped }: Conversation): ConversationView => ({
    number,
    last: saidView(last, inbox),
    stopped: stoppedView(stopped),
  })
  return [
    defineRoute({
      method: 'GET',
      path: '/api/texts/conversations',
      access: 'inbox',
      people,
      operationId: 'listConversations',
      deed: 'sms.list',
      polled: true,
      summary: 'Conversations by text, the one with the newest text first',
      tag,
      query: Type.Object(paging),
      responses: {
        200: {
          description: 'One a number, with its last text.',
          schema: ConversationListSchema,
          example: { items: [conversationExample], nextBefore: null },
        },
      },
      handle: async ({ query: { limit = 50, before }, token, deed }) => {
        mustBeUnrestricted(token, 'texts')
        const { items, next } = await conversations.list(limit, before)
        deed.about(items.map(({ last }) => idOf(last)).join(' '), items.length)
        return {
          status: 200,
          body: shownTo(token, { items: items.map(view).map(seesMasked(token) ? withoutWriter : (one) => one), nextBefore: next }),
        }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/texts/conversations/:number',
      access: 'inbox',
      people: ['desk', 'manager'],
      operationId: 'getConversation',
      deed: 'sms.read',
      polled: true,
      summary: 'Texts from and to one number, newest first',
      tag,
      params: Type.Object({ number: Type.String({ maxLength: 64 }) }),
      query: Type.Object(paging),
      responses: { 200: { description: 'Texts of both directions.', schema: ConversationTextsSchema, example: conversationTextsExample } },
      handle: async ({ params, query: { limit = 50, before }, token, deed }) => {
        mustBeUnrestricted(token, 'texts')
        const number = conversations.numberOf(params.number)
        const { items, next } = await conversations.with(number, limit, before)
        deed.about(items.map(idOf).join(' '), items.length)
        const stopped = stoppedView(conversations.stopped(number))
        return { status: 200, body: { number, stopped, items: items.map((one) => saidView(one, inbox)), nextBefore: next } }
      },
    }),
  ]
}

/** Senders may be names, and who wants no texts has said so in words. */
const withoutWriter = (one: ConversationView): ConversationView => ({
  ...one,
  number: maskNumber(one.number),
  stopped: one.stopped && { ...one.stopped, by: '' },
})

const idOf = (said: Said): string => (said.direction === 'in' ? said.row.id : said.row.messageId)
