/** Mail through the configured account: send, look. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { idPattern } from '../../ids.ts'
import type { Mail } from '../../mail/mail.ts'
import { mailAnswer, mailView } from '../../mail/view.ts'
import { MailAnswerSchema, mailAnswerExample, mailExample, MailListSchema, MailRequestSchema, MailSchema } from '../../schema/mail.ts'
import { defineRoute, type Route } from '../route.ts'

const bodyLimit = 16 * 1024 * 1024
const tag = 'Email'

export function emailRoutes({ desk, queue }: Pick<Mail, 'desk' | 'queue'>): Route[] {
  const missing = () => (desk === null ? new ApiError('no_mail_account', 'No mail account is configured.') : undefined)
  return [
    defineRoute({
      method: 'POST',
      path: '/api/email',
      access: 'send',
      operationId: 'sendEmail',
      summary: 'Send a mail',
      description:
        'The mail is on the disk before it is tried. The answer waits up to 20 seconds for the mail server; what it puts off is tried ' +
        'again for 24 hours. "delivered" means that the mail server of the account took it.',
      tag,
      body: MailRequestSchema,
      limitBytes: bodyLimit,
      idempotent: true,
      missing,
      responses: { 200: { description: 'Sent, queued or refused.', schema: MailAnswerSchema, example: mailAnswerExample } },
      handle: async (context) => {
        if (desk === null) throw missing()!
        const row = await desk.submit(context.body, (accepted) => context.remember({ status: 200, body: mailAnswer(accepted) }))
        return { status: 200, body: mailAnswer(row) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/email',
      access: 'send',
      operationId: 'listEmails',
      summary: 'List mails, newest first',
      tag,
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
        cursor: Type.Optional(Type.String({ pattern: idPattern.source, description: 'nextCursor of the page before.' })),
      }),
      responses: { 200: { description: 'Mails.', schema: MailListSchema, example: { items: [mailExample], nextCursor: null } } },
      handle: ({ query: { limit = 50, cursor } }) => {
        const rows = queue?.list(limit, cursor) ?? []
        const nextCursor = rows.length === limit ? rows.at(-1)!.mailId : null
        return { status: 200, body: { items: rows.map(mailView), nextCursor } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/email/:mailId',
      access: 'send',
      operationId: 'getEmail',
      summary: 'What became of a mail',
      tag,
      params: Type.Object({ mailId: Type.String() }),
      responses: { 200: { description: 'The mail, without its text.', schema: MailSchema, example: mailExample } },
      handle: ({ params: { mailId } }) => {
        const row = idPattern.test(mailId) ? queue?.find(mailId) : undefined
        if (row === undefined) throw new ApiError('mail_unknown', 'There is no mail with that id.')
        return { status: 200, body: mailView(row) }
      },
    }),
  ]
}
