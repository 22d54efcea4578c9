/** `pbx mail`: try the account out, look at mails, try one again. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { limitOf, withBody, type ControlRoute } from '../route.ts'
import type { ControlServices, MailServicesView } from '../services.ts'

const TestMail = Type.Object({ to: Type.Optional(Type.String({ minLength: 3, maxLength: 320 })) }, { additionalProperties: false })

function mailOf(services: ControlServices): MailServicesView {
  if (services.mail === undefined) throw new ApiError('no_mail_account', 'This daemon has no mail.')
  return services.mail
}

export const mailRoutes: readonly ControlRoute[] = [
  withBody({ method: 'POST', path: '/mail-test', body: TestMail, answer: (services, { body }) => mailOf(services).test(body.to ?? null) }),
  { method: 'GET', path: '/mails', answer: (services, { query }) => mailOf(services).list(limitOf(query, 50)) },
  { method: 'POST', path: '/mails/:id/retry', answer: (services, { params: { id = '' } }) => mailOf(services).retry(id) },
]
