/** Mail through the configured account. */
import type { Core } from '../core.ts'
import { emailRoutes } from '../http/routes/email.ts'
import { eraseMail } from '../mail/erase.ts'
import { createMail } from '../mail/mail.ts'
import { noticesByMail } from '../mail/notices.ts'
import type { Sample } from '../metrics.ts'
import type { NoticeWays } from '../notice-ways.ts'
import type { Part } from '../part.ts'

export interface MailPart extends Part {
  readonly notices: NoticeWays
}

export function mailPart(core: Core): MailPart {
  const { config, store } = core
  const mail = createMail(core)
  const { queue } = mail
  const erase = eraseMail(store, queue)
  return {
    name: 'mail',
    notices: { mail: noticesByMail(mail.desk) },
    routes: emailRoutes({ ...mail, site: config.site.name }, erase),
    erasers: { mail: erase },
    ...(queue === null ? {} : { health: { mail: () => ({ ...mail.condition(), required: false }) } }),
    warnings() {
      const { ok, reason } = mail.condition()
      return ok ? [] : [{ code: 'mail', severity: 'error', text: reason, fix: 'pbx mail test' }]
    },
    figures: [
      {
        name: 'pbx_mails_ended_total',
        help: 'Mails that are over.',
        type: 'counter',
        read: () => Object.entries(queue?.ended ?? {}).map(([outcome, count]): Sample => [{ outcome }, count]),
      },
    ],
    queues: () => [{ name: 'mails', title: 'mails to send', ...mail.condition() }],
    sweeps: queue === null ? [] : [{ what: 'mails', sweep: () => queue.sweep() }],
    stepped: (stepMs) => queue?.stepped(stepMs),
    start: () => mail.start(),
    stop: () => mail.stop(),
  }
}
