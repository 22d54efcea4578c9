/** Mailboxes, what lies in them, and what was heard. */
import { Type } from '@sinclair/typebox'
import {
  MailboxCountsSchema,
  MailboxForwardSchema,
  MailboxMarkSchema,
  MailboxMessageSchema,
  peaksExample,
  PeaksSchema,
  type MailboxCountsView,
  type MailboxMessageView,
  type PeaksView,
} from '../schema/mailboxes.ts'
import { hearsMailbox } from '../http/mask.ts'
import { mustHear } from '../http/reach.ts'
import { defineRoute, type Route } from '../http/route.ts'

export interface MailboxServices {
  list(): readonly MailboxCountsView[]
  /** Oldest first. Throws ApiError mailbox_unknown. */
  messages(ext: string): readonly MailboxMessageView[]
  /** `record` runs in the transaction. Throws ApiError: mailbox_unknown, not_found. */
  mark(ext: string, id: string, heard: boolean, record: () => void): Promise<void>
  /** `record` runs in the transaction, with the id of the copy. Throws ApiError: mailbox_unknown, not_found. */
  forward(ext: string, id: string, to: string, record: (id: string) => void): Promise<void>
  /** Of a message, whose mailbox `mayHear` is asked of. Throws ApiError: not_found, media_expired. */
  peaks(id: string, mayHear: (ext: string) => void): Promise<PeaksView>
  /** Whether it was locked. `record` runs in the transaction. Throws ApiError mailbox_unknown. */
  unlock(ext: string, record: () => void): Promise<boolean>
}

const access = 'technician'
/** The desk: its own mailboxes alone. */
const people = ['desk', 'manager'] as const
const tag = 'Mailboxes'
const Params = Type.Object({ ext: Type.String() })

export function mailboxRoutes(mailboxes: MailboxServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/mailboxes',
      access,
      people: [...people, 'technician'],
      operationId: 'listMailboxes',
      summary: 'The mailboxes, and how many messages are in them',
      tag,
      responses: { 200: { description: 'Mailboxes.', schema: Type.Array(MailboxCountsSchema) } },
      handle: ({ token }) => {
        const all = mailboxes.list()
        // Of technicians the counts are asked for, and nothing more is in them.
        const counts = token?.person?.roles.includes('technician') === true
        return { status: 200, body: counts ? all : all.filter(({ ext }) => hearsMailbox(token, ext)) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/mailboxes/:ext',
      access,
      people,
      operationId: 'listMessages',
      deed: 'mailbox.list',
      polled: true,
      summary: 'The messages of a mailbox',
      tag,
      params: Params,
      responses: { 200: { description: 'Oldest first.', schema: Type.Array(MailboxMessageSchema) } },
      handle: ({ params: { ext }, token, deed }) => {
        mustHear(token, ext)
        const found = mailboxes.messages(ext)
        deed.about(ext, found.length)
        return { status: 200, body: found }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/mailboxes/:ext/lock',
      access,
      people: ['manager', 'technician'],
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
    ...messageRoutes(mailboxes),
  ]
}

function messageRoutes(mailboxes: MailboxServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/mailboxes/:ext/:id',
      access,
      people,
      operationId: 'markMessage',
      deed: 'mailbox.mark',
      summary: 'Mark a message as heard, or as new again: the message lamp follows',
      tag,
      params: Type.Object({ ext: Type.String(), id: Type.String() }),
      body: MailboxMarkSchema,
      responses: { 200: { description: 'The messages of the mailbox.', schema: Type.Array(MailboxMessageSchema) } },
      handle: async ({ params: { ext, id }, body: { heard }, token, deed }) => {
        mustHear(token, ext)
        await mailboxes.mark(ext, id, heard, () => deed.record(id))
        return { status: 200, body: mailboxes.messages(ext) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/mailboxes/:ext/:id/forward',
      access,
      people,
      operationId: 'forwardMessage',
      deed: 'mailbox.forward',
      summary: 'Bring a copy of a message into another mailbox',
      tag,
      params: Type.Object({ ext: Type.String(), id: Type.String() }),
      body: MailboxForwardSchema,
      responses: { 202: { description: 'The copy comes into the other mailbox.', schema: Type.Object({ to: Type.String() }) } },
      handle: async ({ params: { ext, id }, body: { to }, token, deed }) => {
        mustHear(token, ext)
        await mailboxes.forward(ext, id, to, (copy) => deed.record(copy))
        return { status: 202, body: { to } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/inbox/voicemails/:id/peaks',
      access: 'inbox',
      people,
      operationId: 'getVoicemailPeaks',
      deed: 'inbox.media',
      polled: true,
      summary: 'How loud a voicemail is along its time, and about when each word is spoken',
      tag: 'Inbox',
      params: Type.Object({ id: Type.String() }),
      responses: { 200: { description: 'For a player.', schema: PeaksSchema, example: peaksExample } },
      handle: async ({ params: { id }, token, deed }) => {
        deed.about(id)
        return { status: 200, body: await mailboxes.peaks(id, (ext) => mustHear(token, ext)) }
      },
    }),
  ]
}
