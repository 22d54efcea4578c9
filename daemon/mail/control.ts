/** What the technician's socket does with mail. */
import { ApiError } from '../errors.ts'
import type { MailRow } from '../store/tables.ts'
import type { Mail } from './mail.ts'
import { isOver } from './job.ts'
import { mailView, type MailView } from './view.ts'

export interface MailControl {
  /** `alongside` runs in the transaction of the mail. */
  test(
    to: string | null,
    alongside?: (mailId: string) => void,
  ): Promise<{ server: string; ok: boolean; reason: string; mail: MailView | null }>
  list(limit: number): readonly MailView[]
  retry(mailId: string): readonly MailView[]
}

const everyMail = 'all'
const searched = 1000

export function mailControl({ desk, queue, account }: Mail, site: string): MailControl {
  return {
    async test(to, alongside) {
      if (account === null || desk === null) throw new ApiError('no_mail_account', 'No mail account is configured: write the section mail.')
      const reason = (await account.probe()) ?? ''
      const { server } = account
      if (to === null || reason !== '') return { server, ok: reason === '', reason, mail: null }
      const mail = { to, subject: `Test mail of ${site}`, text: `This mail shows that ${site} can send mail.\n` }
      const row = await desk.submit(mail, ({ mailId }) => alongside?.(mailId))
      return { server, ok: row.state === 'delivered', reason: row.error, mail: mailView(row) }
    },
    list: (limit) => (queue?.list(limit) ?? []).map(mailView),
    retry(mailId) {
      const rows = queue?.list(searched) ?? []
      const chosen = mailId === everyMail ? rows.filter((row) => !isOver(row)) : [find(rows, mailId)]
      return chosen.map((row) => {
        if (isOver(row)) throw new ApiError('already_finished', 'This mail is finished already.')
        queue?.hurry(row.mailId)
        return mailView(queue?.find(row.mailId) ?? row)
      })
    },
  }
}

function find(rows: readonly MailRow[], text: string): MailRow {
  const found = rows.filter(({ mailId }) => mailId === text || (text.length >= 4 && mailId.includes(text)))
  if (found.length === 1) return found[0]!
  const message = found.length === 0 ? `There is no mail ${text}: see "pbx mail list".` : `More than one mail has ${text} in its id.`
  throw new ApiError('mail_unknown', message)
}
