/** pbx mailbox: voicemail of the house. */
import type { Command } from 'commander'
import type { MailboxCountsView, MailboxMessageView } from '../../../daemon/schema/mailboxes.ts'
import { exitCode } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { deleteCommand, inboxIds, theOne } from '../stored.ts'
import { dim, duration, localTime, print, printJson, table } from '../output.ts'

export function mailboxCommand(): Command {
  const mailbox = group('mailbox', 'voicemail: the mailboxes and their messages')
  mailbox.addCommand(
    finish(
      group('list', 'list the mailboxes (same as "pbx mailbox"), or the messages of one mailbox').argument(
        '[ext]',
        'number of the mailbox',
      ),
      list,
      ['pbx mailbox', 'pbx mailbox list 101', 'pbx mailbox list 101 --json'],
    ),
    { isDefault: true },
  )
  for (const [name, summary] of [
    ['heard', 'mark a message as heard'],
    ['new', 'mark a message as new again'],
  ] as const)
    mailbox.addCommand(
      finish(
        group(name, `${summary}; the message lamp follows`)
          .argument('<ext>', 'number of the mailbox')
          .argument('<id>', 'id of the message'),
        mark(name === 'heard'),
        [`pbx mailbox ${name} 101 019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8`],
      ),
    )
  mailbox.addCommand(
    finish(
      group('unlock', 'unlock a mailbox that was locked after wrong PINs; exit 1 when it was not locked').argument(
        '<ext>',
        'number of the mailbox',
      ),
      unlock,
      ['pbx mailbox unlock 101'],
    ),
  )
  mailbox.addCommand(deleteCommand({ kind: 'inbox', ids: inboxIds }, 'pbx mailbox delete', 'a message'))
  return mailbox
}

async function list({ json, client }: Context, ext: string | undefined): Promise<void> {
  const box = await client()
  if (ext !== undefined) return showMessages(json, await box.get<MailboxMessageView[]>(`/api/mailboxes/${encodeURIComponent(ext)}`))
  const view = await box.get<MailboxCountsView[]>('/api/mailboxes')
  if (json) return printJson(view)
  const rows = view.map(({ ext: number, fresh, old, lockedUntil, lockedPhones }) => [
    number,
    String(fresh),
    String(old),
    lockedUntil === null ? '' : `locked for ${lockedPhones.join(', ')} until ${localTime(lockedUntil)}`,
  ])
  print(rows.length === 0 ? dim('none: every extension has one') : table(['MAILBOX', 'NEW', 'HEARD', ''], rows))
}

async function unlock({ json, client }: Context, ext: string): Promise<number> {
  const view = await (await client()).delete<{ lifted: boolean }>(`/api/mailboxes/${encodeURIComponent(ext)}/lock`)
  if (json) printJson(view)
  else print(view.lifted ? `mailbox ${ext} is unlocked` : `mailbox ${ext} was not locked`)
  return view.lifted ? exitCode.done : exitCode.failed
}

function mark(heard: boolean) {
  return async ({ json, client }: Context, ext: string, id: string): Promise<void> => {
    const box = await client()
    const path = `/api/mailboxes/${encodeURIComponent(ext)}`
    const ids = (await box.get<MailboxMessageView[]>(path)).map((message) => message.id)
    showMessages(json, await box.post<MailboxMessageView[]>(`${path}/${encodeURIComponent(theOne(id, ids))}`, { heard }))
  }
}

function showMessages(json: boolean, view: readonly MailboxMessageView[]): void {
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('no messages'))
  print(
    table(
      ['', 'ID', 'RECEIVED', 'FROM', 'NAME', 'LENGTH'],
      view.map(({ id, heard, receivedAt, from, callerName, durationSeconds }) => [
        heard ? '' : 'new',
        id,
        localTime(receivedAt),
        from,
        callerName,
        duration(durationSeconds),
      ]),
    ),
  )
}
