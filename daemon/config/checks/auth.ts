/** What a schema cannot say of access tokens: names that must exist, restrictions that would restrict nothing, dates. */
import type { Config } from '../../schema/config.ts'
import { mailboxNumbers } from '../../schema/config/mailboxes.ts'
import { duplicates, type MeaningContext } from '../meaning.ts'
import { unknownName } from '../routing.ts'

export function checkTokens(config: Config, context: MeaningContext): void {
  const { tokens } = config.auth
  const path = ['auth', 'tokens']
  duplicates(path, 'name', tokens, context)
  const endpoints = config.voice.endpoints.map(({ id }) => id)
  const mailboxes = mailboxNumbers(config)
  tokens.forEach((token, index) => {
    const check = (key: 'endpoints' | 'mailboxes', what: string, known: readonly string[]): void =>
      token[key]?.forEach((id, at) => {
        if (!known.includes(id)) context.fault([...path, index, key, at], unknownName(what, id, known))
      })
    check('endpoints', 'voice endpoint', endpoints)
    check('mailboxes', 'mailbox', mailboxes)
    const restricted = token.endpoints !== undefined || token.mailboxes !== undefined
    const wide = token.scopes.filter((scope) => scope === 'admin' || scope === 'crm')
    if (restricted && wide.length > 0) {
      context.fault(
        [...path, index, 'scopes'],
        `a token with the scope ${wide.join(' and ')} cannot be restricted: it would open all the same`,
      )
    }
    if (token.expires === undefined) return
    const at = Date.parse(token.expires)
    if (Number.isNaN(at)) context.fault([...path, index, 'expires'], `${token.expires} is no day of the calendar`)
    else if (at < Date.now() - 86_400_000) context.warning([...path, index, 'expires'], `the token "${token.name}" has expired: remove it`)
  })
}
