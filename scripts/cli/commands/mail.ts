/** pbx mail: try the account out, look at mails, try one again. */
import type { MailTestView, MailView } from '../../../daemon/schema/mail.ts'
import { exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { age, dim, green, localTime, print, printJson, red, table, yellow } from '../output.ts'

export async function test({ json, client }: Context, to: string | undefined): Promise<number> {
  const view = await (await client()).post<MailTestView>('/api/email/test', to === undefined ? {} : { to })
  const { server, ok, reason, mail } = view
  const code = ok ? exitCode.done : exitCode.failed
  if (json) {
    printJson(view)
    return code
  }
  if (mail === null) print(ok ? `${green('✓')} ${server} can be reached, and takes the login` : `${red('✗')} ${reason}`)
  else if (ok) print(`${green('✓')} ${server} took the mail to ${mail.to}: ${mail.reply}`)
  else
    print(
      `${mail.status === 'failed' ? red('✗') : yellow('!')} ${reason}${mail.nextAttemptAt === null ? '' : ` Next try at ${localTime(mail.nextAttemptAt)}.`}`,
    )
  return code
}

export async function list({ json, client }: Context, options: { limit: number }): Promise<void> {
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

export async function retry({ json, client }: Context, id: string): Promise<void> {
  const view = await (await client()).post<MailView[]>(`/api/email/${encodeURIComponent(id)}/retry`)
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none waits'))
  for (const { mailId } of view) print(`${mailId}: due now; see "pbx mail list"`)
}
