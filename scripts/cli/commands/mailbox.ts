/** pbx mailbox: voicemail of the house. */
import type { MailboxCountsView, MailboxMessageView } from '../../../daemon/schema/mailboxes.ts'
import { exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { theOne } from '../ids.ts'
import { dim, duration, localTime, print, printJson, table } from '../output.ts'

export async function list({ json, client }: Context, ext: string | undefined): Promise<void> {
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
  print(rows.length === 0 ? dim('none configured: every extension has one') : table(['MAILBOX', 'NEW', 'HEARD', ''], rows))
}

export async function unlock({ json, client }: Context, ext: string): Promise<number> {
  const view = await (await client()).delete<{ lifted: boolean }>(`/api/mailboxes/${encodeURIComponent(ext)}/lock`)
  if (json) printJson(view)
  else print(view.lifted ? `the mailbox ${ext} can be opened again` : `the mailbox ${ext} was not locked`)
  return view.lifted ? exitCode.done : exitCode.failed
}

export function mark(heard: boolean) {
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
