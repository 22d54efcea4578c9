/** `pbx mail`: try the account out, look at mails, try one again. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { limitOf, listed, withBody, type ControlRoute } from '../route.ts'
import type { ControlServices, MailServicesView } from '../services.ts'

const TestMail = Type.Object({ to: Type.Optional(Type.String({ minLength: 3, maxLength: 320 })) }, { additionalProperties: false })

function mailOf(services: ControlServices): MailServicesView {
  if (services.mail === undefined) throw new ApiError('no_mail_account', 'This daemon has no mail.')
  return services.mail
}

export const mailRoutes: readonly ControlRoute[] = [
  withBody({
    method: 'POST',
    path: '/mail-test',
    deed: 'mail.test',
    body: TestMail,
    answer: (services, { body, deed }) => mailOf(services).test(body.to ?? null, (mailId) => deed.record(mailId)),
  }),
  {
    method: 'GET',
    path: '/mails',
    deed: 'mail.list',
    answer: (services, { query, deed }) => listed(deed, mailOf(services).list(limitOf(query, 50))),
  },
  {
    method: 'POST',
    path: '/mails/:id/retry',
    deed: 'mail.retry',
    answer(services, { params: { id = '' }, deed }) {
      const mails = mailOf(services).retry(id)
      deed.about(mails.map(({ mailId }) => mailId).join(' '), mails.length)
      return mails
    },
  },
]
