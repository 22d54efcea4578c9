/** Mail through the configured account. */
import { repeated } from '../base/clock.ts'
import type { Ground } from '../core.ts'
import { emailRoutes } from './routes.ts'
import { createMail } from './mail.ts'
import type { Sample } from '../base/metrics.ts'
import { type NoticeWays, NoticeRefused, refusalOf, type NoticeWay } from '../base/notice-ways.ts'
import type { Part } from '../part.ts'
import { ApiError } from '../base/errors.ts'
import { forgetRepeats, repeatsOf, type Eraser } from '../erasure/erasure.ts'
import type { Store } from '../store/store.ts'
import type { MailQueue } from './queue.ts'
import { mostAttachmentBytes, type MailDesk } from './desk.ts'

// Notices to people, by mail.

/** `desk`: null where no account is configured. */
export function noticesByMail(desk: Pick<MailDesk, 'submit'> | null): NoticeWay {
  return {
    mostAttachmentBytes,
    async tell({ to, subject, text, about, attachment }, alongside) {
      if (desk === null) throw new NoticeRefused('no mail account is configured')
      const file =
        attachment === undefined ? {} : { attachment: { filename: attachment.filename, base64: '', decoded: attachment.content } }
      try {
        await desk.submit({ to, subject, text, about, ...file }, alongside, attachment === undefined ? 'calls' : 'mail')
      } catch (error) {
        throw error instanceof ApiError ? refusalOf(error.code, error.message, error) : error
      }
    },
  }
}

// Deletes a mail with everything that repeats it.

/** One that waits is not sent any more. Throws ApiError: mail_unknown, being_sent. */
export function eraseMail(store: Store, queue: MailQueue | null): Eraser {
  return async (mailId, record) => {
    if (queue === null) throw new ApiError('mail_unknown', 'There is no mail with that id.')
    const repeats = await repeatsOf(store, mailId, () => false)
    await queue.remove(mailId, () => {
      forgetRepeats(store.tables, mailId, repeats)
      record(mailId)
    })
  }
}

/** Connects and logs in soon after the start, and again while that fails and no mail tries it. */
const firstProbeMs = 2000
const probeMs = 300_000
/** How long it is shown that somebody was not notified. */
const shownMs = 24 * 3_600_000

export function mailPart({ config, store, clock, log }: Ground, { notices }: { readonly notices: Pick<NoticeWays, 'add'> }): Part {
  const mail = createMail({ config, store, clock, log })
  const { queue, account } = mail
  let probed = false
  // A box that sends a mail once a month reports in advance what it cannot send.
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
