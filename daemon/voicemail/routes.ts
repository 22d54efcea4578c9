/** Mailboxes, what lies in them, and what was heard: for the technician. */
import { Type } from '@sinclair/typebox'
import {
  MailboxCountsSchema,
  MailboxMarkSchema,
  MailboxMessageSchema,
  type MailboxCountsView,
  type MailboxMessageView,
} from '../schema/mailboxes.ts'
import { defineRoute, type Route } from '../http/route.ts'

export interface MailboxServices {
  list(): readonly MailboxCountsView[]
  /** Oldest first. Throws ApiError mailbox_unknown. */
  messages(ext: string): readonly MailboxMessageView[]
  /** `record` runs in the transaction. Throws ApiError: mailbox_unknown, not_found. */
  mark(ext: string, id: string, heard: boolean, record: () => void): Promise<void>
  /** Whether it was locked. `record` runs in the transaction. Throws ApiError mailbox_unknown. */
  unlock(ext: string, record: () => void): Promise<boolean>
}

const access = 'technician'
const tag = 'Mailboxes'
const Params = Type.Object({ ext: Type.String() })

export function mailboxRoutes(mailboxes: MailboxServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/mailboxes',
      access,
      operationId: 'listMailboxes',
      summary: 'The mailboxes, and how many messages are in them',
      tag,
      responses: { 200: { description: 'Mailboxes.', schema: Type.Array(MailboxCountsSchema) } },
      handle: () => ({ status: 200, body: mailboxes.list() }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/mailboxes/:ext',
      access,
      operationId: 'listMessages',
      deed: 'mailbox.list',
      polled: true,
      summary: 'The messages of a mailbox',
      tag,
      params: Params,
      responses: { 200: { description: 'Oldest first.', schema: Type.Array(MailboxMessageSchema) } },
      handle: ({ params: { ext }, deed }) => {
        const found = mailboxes.messages(ext)
        deed.about(ext, found.length)
        return { status: 200, body: found }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/mailboxes/:ext/lock',
      access,
      operationId: 'unlockMailbox',
      deed: 'mailbox.unlock',
      summary: 'Let a mailbox that wrong PINs have locked be opened again',
      tag,
      params: Params,
      responses: { 200: { description: 'Whether it was locked.', schema: Type.Object({ lifted: Type.Boolean() }) } },
      handle: async ({ params: { ext }, deed }) => ({
        status: 200,
        body: { lifted: await mailboxes.unlock(ext, () => deed.record(ext)) },
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/mailboxes/:ext/:id',
      access,
      operationId: 'markMessage',
      deed: 'mailbox.mark',
      summary: 'Mark a message as heard, or as new again: the message lamp follows',
      tag,
      params: Type.Object({ ext: Type.String(), id: Type.String() }),
      body: MailboxMarkSchema,
      responses: { 200: { description: 'The messages of the mailbox.', schema: Type.Array(MailboxMessageSchema) } },
      handle: async ({ params: { ext, id }, body: { heard }, deed }) => {
        await mailboxes.mark(ext, id, heard, () => deed.record(id))
        return { status: 200, body: mailboxes.messages(ext) }
      },
    }),
  ]
}
