/** Mail through the configured account. */
import { repeated } from '../base/clock.ts'
import type { Ground } from '../core.ts'
import { emailRoutes } from './routes.ts'
import { eraseMail } from './erase.ts'
import { createMail } from './mail.ts'
import { noticesByMail } from './notices.ts'
import type { Sample } from '../base/metrics.ts'
import type { NoticeWays } from '../base/notice-ways.ts'
import type { Part } from '../part.ts'

/** Connects and logs in soon after the start, and again while that fails and no mail tries it. */
const firstProbeMs = 2000
const probeMs = 300_000
/** How long it is shown that somebody was not notified. */
const shownMs = 24 * 3_600_000

export function mailPart({ config, store, clock, log }: Ground, { notices }: { readonly notices: Pick<NoticeWays, 'add'> }): Part {
  const mail = createMail({ config, store, clock, log })
  const { queue, account } = mail
  let probed = false
  // A box that sends a mail once a month tells before it what it cannot send.
  const probing = repeated(clock, { firstMs: firstProbeMs, everyMs: probeMs }, async () => {
    if (queue === null || account === null || (probed && (mail.condition().ok || mail.condition().waiting > 0))) return
    probed = true
    queue.accountIs((await account.probe()) ?? '')
  })
  notices.add('mail', noticesByMail(mail.desk))
  const erase = eraseMail(store, queue)
  return {
    name: 'mail',
    routes: emailRoutes({ ...mail, site: config.site.name }, erase),
    erasers: { mail: erase },
    ...(queue === null ? {} : { health: { mail: () => ({ ...mail.condition(), required: false }) } }),
    warnings() {
      const { ok, reason } = mail.condition()
      const lost = queue?.lostNotice ?? null
      return [
        ...(ok ? [] : [{ code: 'mail', severity: 'error', text: reason, fix: 'pbx mail test' } as const]),
        ...(lost === null || clock.now() - lost.at > shownMs
          ? []
          : [
              {
                code: 'mail-lost',
                severity: 'error',
                text: `A notice by mail could not be sent: ${lost.text}`,
                fix: 'pbx mail list',
              } as const,
            ]),
      ]
    },
    figures: [
      {
        name: 'pbx_mails_ended_total',
        help: 'Mails that have ended.',
        type: 'counter',
        read: () => Object.entries(queue?.ended ?? {}).map(([outcome, count]): Sample => [{ outcome }, count]),
      },
    ],
    queues: () => [{ name: 'mails', title: 'mails to send', ...mail.condition() }],
    sweeps: queue === null ? [] : [{ what: 'mails', sweep: () => queue.sweep() }],
    stepped: (stepMs) => queue?.stepped(stepMs),
    start() {
      mail.start()
      if (queue !== null) probing.start()
    },
    async stop() {
      await mail.stop()
      if (queue !== null) await probing.stop()
    },
  }
}
