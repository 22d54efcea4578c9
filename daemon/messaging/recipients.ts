/** The recipients of a text: the accepted forms of `to`, each number brought to one form, none twice. */
import { normaliseNumber } from '../numbers/numbers.ts'
import type { Reach } from '../numbers/reach.ts'

export const mostRecipients = 100

export interface Recipient {
  /** As it was given. */
  readonly raw: string
  /** E.164 or a short code; '' where it cannot be texted. */
  readonly to: string
  readonly code: '' | 'number_invalid' | 'destination_denied'
  /** For a person; '' where it can be texted. */
  readonly error: string
  /** Of a number that can be texted though the numbering plan's data does not have it; '' for others. */
  readonly warning: string
}

export interface RecipientRules {
  /** ISO 3166 code: how numbers without + are read. */
  readonly country: string
  /** Numbers of the desk phones. */
  readonly extensions: ReadonlySet<string>
  readonly reach: Reach
}

export type GivenRecipients = string | number | readonly (string | number)[]

/** One number, several with commas, semicolons, tabs or line breaks between, or an array of either; in their order. Ends after one too many. */
export function recipientsOf(given: GivenRecipients, rules: RecipientRules): Recipient[] {
  const found = new Map<string, Recipient>()
  for (const text of [given].flat()) {
    for (const part of String(text).split(/[,;\t\r\n]/)) {
      const raw = plain(part)
      if (raw === '') continue
      const recipient = judge(raw, rules)
      const key = recipient.to === '' ? `invalid ${raw}` : recipient.to
      if (!found.has(key)) found.set(key, recipient)
      if (found.size > mostRecipients) return [...found.values()]
    }
  }
  return [...found.values()]
}

/** Without what cannot be seen, which comes along from contacts and web pages, and what a spreadsheet or a link puts in front. */
function plain(part: string): string {
  return part
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .replace(/^['’"]+|["']+$/g, '')
    .replace(/^sms(?:to)?:/i, '')
    .trim()
}

function judge(raw: string, { country, extensions, reach }: RecipientRules): Recipient {
  const refused = (code: Recipient['code'], error: string): Recipient => ({ raw: raw.slice(0, 64), to: '', code, error, warning: '' })
  if (raw.length > 64) return refused('number_invalid', 'The number is too long.')
  const number = normaliseNumber(raw, country, extensions)
  if (number.kind === 'invalid') return refused('number_invalid', number.warning ?? 'This is not a telephone number.')
  if (number.kind === 'short' && !/^\d{3,6}$/.test(number.dial)) return refused('number_invalid', 'This is not a telephone number.')
  if (number.kind === 'extension') return refused('number_invalid', 'An extension cannot get texts.')
  const { allowed, reason, warning } = reach.mayReach(number, 'text')
  return allowed ? { raw, to: number.dial, code: '', error: '', warning } : refused('destination_denied', reason)
}
