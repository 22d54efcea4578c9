/** pbx mail: try the account out, look at mails, try one again. */
import type { Command } from 'commander'
import type { MailTestView, MailView } from '../../../daemon/schema/mail.ts'
import { exitCode } from '../client.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { deleteCommand, idsIn } from '../stored.ts'
import { age, dim, green, localTime, print, printJson, red, table, yellow } from '../output.ts'

export function mailCommand(): Command {
  const mail = group('mail', 'the mail account and the mails sent through it')
  mail.addCommand(
    finish(
      group('test', 'connect to the mail server and log in; with an address, also send it a test mail').argument(
        '[address]',
        'the recipient of the test mail',
      ),
      test,
      ['pbx mail test', 'pbx mail test office@example.com'],
    ),
  )
  mail.addCommand(
    finish(
      group('list', 'list mails, newest first; their content is never shown').option('--limit <n>', 'show at most this many', rows, 50),
      list,
      ['pbx mail list'],
    ),
  )
  mail.addCommand(
    finish(group('retry', 'send a waiting mail now').argument('<id>', 'the mail id, or a part of it; "all" for all waiting mails'), retry, [
      'pbx mail retry all',
    ]),
  )
  mail.addCommand(deleteCommand({ kind: 'mail', ids: idsIn('/api/email', 'mailId') }, 'pbx mail delete', 'a mail'))
  return mail
}

async function test({ json, client }: Context, to: string | undefined): Promise<number> {
  const view = await (await client()).post<MailTestView>('/api/email/test', to === undefined ? {} : { to })
  const { server, ok, reason, mail } = view
  const code = ok ? exitCode.done : exitCode.failed
  if (json) {
    printJson(view)
    return code
  }
  if (mail === null) print(ok ? `${green('✓')} ${server} can be reached and accepts the login` : `${red('✗')} ${reason}`)
  else if (ok) print(`${green('✓')} ${server} accepted the mail to ${mail.to}: ${mail.reply}`)
  else
    print(
      `${mail.status === 'failed' ? red('✗') : yellow('!')} ${reason}${mail.nextAttemptAt === null ? '' : ` Next try at ${localTime(mail.nextAttemptAt)}.`}`,
    )
  return code
}

async function list({ json, client }: Context, options: { limit: number }): Promise<void> {
  const view = await (await client()).list<MailView>('/api/email', options.limit)
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none'))
  print(
    table(
      ['MAIL ID', 'TO', 'STATE', 'TRIES', 'AGE', 'SUBJECT', 'WHAT'],
      view.map((mail) => [
        mail.mailId,
        mail.to,
        mail.status,
        String(mail.attempts),
        age(mail.createdAt),
        mail.subject.slice(0, 40),
        whatOf(mail),
      ]),
    ),
  )
}

function whatOf({ error, reply, nextAttemptAt }: MailView): string {
  if (error === '') return reply
  return nextAttemptAt === null ? error : `${error} Next try at ${localTime(nextAttemptAt)}.`
}

async function retry({ json, client }: Context, id: string): Promise<void> {
  const view = await (await client()).post<MailView[]>(`/api/email/${encodeURIComponent(id)}/retry`)
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('no mail waits'))
  for (const { mailId } of view) print(`${mailId}: will be sent now; see "pbx mail list"`)
}
