/** What the schema cannot say of the mail account. */
import { accessSync, constants } from 'node:fs'
import { readAddress } from '../../base/mail-address.ts'
import { parseListen } from '../../schema/config/forms.ts'
import type { Config } from '../../schema/config.ts'
import { isLoopback, type Cleartext } from '../cleartext.ts'
import type { MeaningContext } from '../meaning.ts'
import type { NotifyCheck } from './notify.ts'

export function checkMail({ mail }: Config, { fault, warning }: MeaningContext): void {
  if (mail === undefined) return
  const server = parseListen(mail.server)
  if (server === undefined || server.port === 0)
    fault(['mail', 'server'], `"${mail.server}" is not a host and port; write for example smtp.example.com:587`)
  const from = readAddress(mail.from)
  if (typeof from === 'string') fault(['mail', 'from'], `the sender ${from}; write for example Riverside Clinic <office@example.com>`)
  if (mail.caFile !== undefined) {
    try {
      accessSync(mail.caFile, constants.R_OK)
    } catch {
      fault(['mail', 'caFile'], `the file ${mail.caFile} cannot be read by this user`)
    }
  }
  if (mail.username !== '' && mail.password === '') warning(['mail', 'password'], 'there is a username but no password')
}

export function mailCleartext({ mail }: Pick<Config, 'mail'>): Cleartext[] {
  if (mail?.tls !== 'off' || isLoopback(mail.server)) return []
  return [
    {
      path: ['mail', 'tls'],
      text: `Mail goes to ${mail.server} without TLS: the password and all mail can be read on the way`,
      fix: 'mail: { tls: starttls } or { tls: on }',
    },
  ]
}

export const notifyByMail: NotifyCheck = {
  fault(to) {
    const address = readAddress(to)
    return typeof address === 'string' ? address : undefined
  },
  lacks: ({ mail }) => (mail === undefined ? 'no mail is sent without the section mail' : undefined),
}
