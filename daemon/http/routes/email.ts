/** Mail through the configured account: send, look. */
import { Type } from '@sinclair/typebox'
import type { Eraser } from '../../erasure/erasure.ts'
import { ApiError } from '../../errors.ts'
import { idPattern } from '../../ids.ts'
import { mostAttachmentBytes } from '../../mail/desk.ts'
import type { Mail } from '../../mail/mail.ts'
import { mailAnswer, mailView } from '../../mail/view.ts'
import { MailAnswerSchema, mailAnswerExample, mailExample, MailListSchema, MailRequestSchema, MailSchema } from '../../schema/mail.ts'
import { defineRoute, type Route } from '../route.ts'

const bodyLimit = 16 * 1024 * 1024
const tag = 'Email'

export function emailRoutes({ desk, queue }: Pick<Mail, 'desk' | 'queue'>, erase: Eraser): Route[] {
  const missing = () => (desk === null ? new ApiError('no_mail_account', 'No mail account is configured.') : undefined)
  return [
    defineRoute({
      method: 'POST',
      path: '/api/email',
      access: 'send',
      operationId: 'sendEmail',
      deed: 'mail.send',
      summary: 'Send a mail',
      description:
        'The mail is on the disk before it is tried. The answer waits up to 20 seconds for the mail server; what it puts off is tried ' +
        'again for 24 hours. "delivered" means that the mail server of the account took it.',
      tag,
      body: MailRequestSchema,
      limitBytes: bodyLimit,
      file: { path: ['attachment', 'base64'], mostBytes: mostAttachmentBytes },
      idempotent: true,
      missing,
      responses: { 200: { description: 'Sent, queued or refused.', schema: MailAnswerSchema, example: mailAnswerExample } },
      handle: async (context) => {
        if (desk === null) throw missing()!
        const { body, file: decoded } = context
        const { attachment } = body
        const request = decoded === undefined || attachment === undefined ? body : { ...body, attachment: { ...attachment, decoded } }
        const row = await desk.submit(request, (accepted) => {
          context.remember({ status: 200, body: mailAnswer(accepted) })
          context.deed.record(accepted.mailId)
        })
        return { status: 200, body: mailAnswer(row) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/email',
      access: 'send',
      operationId: 'listEmails',
      deed: 'mail.list',
      summary: 'List mails, newest first',
      tag,
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
        cursor: Type.Optional(Type.String({ pattern: idPattern.source, description: 'nextCursor of the page before.' })),
      }),
      responses: { 200: { description: 'Mails.', schema: MailListSchema, example: { items: [mailExample], nextCursor: null } } },
      handle: ({ query: { limit = 50, cursor }, deed }) => {
        const rows = queue?.list(limit, cursor) ?? []
        deed.about('', rows.length)
        const nextCursor = rows.length === limit ? rows.at(-1)!.mailId : null
        return { status: 200, body: { items: rows.map(mailView), nextCursor } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/email/:mailId',
      access: 'send',
      operationId: 'getEmail',
      deed: 'mail.read',
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
    defineRoute({
      method: 'DELETE',
      path: '/api/email/:mailId',
      access: 'send',
      operationId: 'deleteEmail',
      deed: 'mail.delete',
      summary: 'Delete a mail',
      description: 'One that waits is not sent any more. One that is being sent at this moment cannot be deleted: 409 being_sent.',
      tag,
      params: Type.Object({ mailId: Type.String() }),
      responses: { 204: { description: 'Deleted.' } },
      handle: async ({ params: { mailId }, deed }) => {
        if (!idPattern.test(mailId)) throw new ApiError('mail_unknown', 'There is no mail with that id.')
        await erase(mailId, (id) => deed.record(id))
        return { status: 204 }
      },
    }),
  ]
}
