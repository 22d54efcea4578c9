/** Mail through the configured account: send, look; for the technician, try it out and try again. */
import { Type } from '@sinclair/typebox'
import type { Eraser } from '../erasure/erasure.ts'
import { ApiError } from '../base/errors.ts'
import { idPattern } from '../base/ids.ts'
import { mostAttachmentBytes } from './desk.ts'
import type { Mail } from './mail.ts'
import { isTerminal } from './job.ts'
import {
  MailAnswerSchema,
  mailAnswerExample,
  mailExample,
  MailListSchema,
  MailRequestSchema,
  MailSchema,
  MailTestRequestSchema,
  MailTestSchema,
  type MailView,
} from '../schema/mail.ts'
import { finder } from '../http/find.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { isoTime } from '../base/clock.ts'
import type { MailRow } from '../store/tables.ts'

/** A mail as the interface shows it. Its text is never shown. */
function mailView(row: MailRow): MailView {
  const { mailId, state, to, subject, bytes, attempts, createdAt, nextAttemptAt, completedAt, reply, error } = row
  return {
    mailId,
    status: state,
    to,
    subject,
    bytes,
    attempts,
    createdAt: isoTime(createdAt),
    nextAttemptAt: isoTime(nextAttemptAt),
    completedAt: isoTime(completedAt),
    reply,
    error,
  }
}

/** The answer to the request that sent it. */
function mailAnswer(row: MailRow) {
  const { mailId, state, error } = row
  const counts = {
    delivered: state === 'delivered' ? 1 : 0,
    queued: state === 'queued' || state === 'retrying' ? 1 : 0,
    failed: state === 'failed' ? 1 : 0,
  }
  return { recipients: 1, ...counts, mailId, status: state, ...(error === '' ? {} : { error }) }
}

const bodyLimit = 16 * 1024 * 1024
const tag = 'Email'
const mostRetried = 1000

export interface EmailServices extends Pick<Mail, 'desk' | 'queue' | 'account'> {
  /** Name of the site. */
  readonly site: string
}

function mailFinder(queue: Mail['queue']) {
  return finder({
    noun: 'mail',
    unknown: 'mail_unknown',
    list: 'pbx mail list',
    find: (mailId) => (idPattern.test(mailId) ? queue?.find(mailId) : undefined),
    newest: (limit) => queue?.list(limit) ?? [],
    idOf: ({ mailId }) => mailId,
  })
}

export function emailRoutes(services: EmailServices, erase: Eraser): Route[] {
  const { desk, queue } = services
  const missing = () => (desk === null ? new ApiError('no_mail_account', 'No mail account is configured.') : undefined)
  return [
    defineRoute({
      method: 'POST',
      path: '/api/email',
      access: 'send',
      people: ['desk', 'manager'],
      operationId: 'sendEmail',
      deed: 'mail.send',
      summary: 'Send a mail',
      description:
        'The mail is on the disk before it is tried. The answer waits up to 20 seconds for the mail server; what it puts off is tried ' +
        'again for 24 hours. "delivered" means that the mail server of the account took it.',
      tag,
      body: MailRequestSchema,
      limitBytes: bodyLimit,
      file: { path: ['attachment', 'base64'], mostBytes: () => mostAttachmentBytes },
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
      polled: true,
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
    ...oneMailRoutes(queue, erase),
    ...technicianRoutes(services),
  ]
}

function oneMailRoutes(queue: Mail['queue'], erase: Eraser): Route[] {
  const find = mailFinder(queue)
  return [
    defineRoute({
      method: 'GET',
      path: '/api/email/:mailId',
      access: 'send',
      operationId: 'getEmail',
      deed: 'mail.read',
      polled: true,
      summary: 'What became of a mail',
      tag,
      params: Type.Object({ mailId: Type.String() }),
      responses: { 200: { description: 'The mail, without its text.', schema: MailSchema, example: mailExample } },
      handle: ({ params, technician, deed }) => {
        const row = find(params.mailId, { technician })
        deed.about(row.mailId)
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
      description: 'A waiting mail is not sent any more. A mail that is being sent cannot be deleted: 409 being_sent.',
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

function technicianRoutes({ desk, queue, account, site }: EmailServices): Route[] {
  const find = mailFinder(queue)
  const access = 'technician'
  return [
    defineRoute({
      method: 'POST',
      path: '/api/email/test',
      access,
      people: ['technician'],
      operationId: 'testEmail',
      deed: 'mail.test',
      summary: 'Connect to the mail server and log in; with an address, send a mail there too',
      tag,
      body: MailTestRequestSchema,
      responses: { 200: { description: 'How it went.', schema: MailTestSchema } },
      handle: async ({ body: { to }, deed }) => {
        if (account === null || desk === null)
          throw new ApiError('no_mail_account', 'No mail account is configured: write the section mail.')
        const reason = (await account.probe()) ?? ''
        const { server } = account
        if (to === undefined || reason !== '') return { status: 200, body: { server, ok: reason === '', reason, mail: null } }
        const mail = { to, subject: `Test mail of ${site}`, text: `This mail shows that ${site} can send mail.\n` }
        const row = await desk.submit(mail, ({ mailId }) => deed.record(mailId))
        return { status: 200, body: { server, ok: row.state === 'delivered', reason: row.error, mail: mailView(row) } }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/email/:mailId/retry',
      access,
      operationId: 'retryEmail',
      deed: 'mail.retry',
      summary: 'Make a mail that waits due now; `all` for each of them',
      tag,
      params: Type.Object({ mailId: Type.String() }),
      responses: { 200: { description: 'Mails that are due.', schema: Type.Array(MailSchema) } },
      handle: ({ params: { mailId }, technician, deed }) => {
        const chosen =
          mailId === 'all' ? (queue?.list(mostRetried) ?? []).filter((row) => !isTerminal(row)) : [find(mailId, { technician })]
        const mails = chosen.map((row) => {
          if (isTerminal(row)) throw new ApiError('already_finished', 'This mail has already ended.')
          queue?.hurry(row.mailId)
          return mailView(queue?.find(row.mailId) ?? row)
        })
        deed.about(mails.map((mail) => mail.mailId).join(' '), mails.length)
        return { status: 200, body: mails }
      },
    }),
  ]
}
