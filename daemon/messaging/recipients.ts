/** Whom a text goes to: the accepted forms of `to`, each number brought to one form, nobody twice. */
import { normaliseNumber, type NormalisedNumber } from '../numbers.ts'

export const mostRecipients = 100

export interface Recipient {
  /** As it was given. */
  readonly raw: string
  /** E.164 or a short code; '' where it cannot be texted. */
  readonly to: string
  readonly code: '' | 'number_invalid' | 'destination_denied'
  /** For a person; '' where it can be texted. */
  readonly error: string
}

export interface RecipientRules {
  /** ISO 3166 code: how numbers without + are read. */
  readonly country: string
  /** Numbers of the desk phones. */
  readonly extensions: ReadonlySet<string>
  /** The reason why programs may not reach a number, or null. */
  readonly denied: (number: NormalisedNumber) => string | null
}

export type GivenRecipients = string | number | readonly (string | number)[]

/** One number, several with commas or semicolons between, or an array of either; in their order. Ends after one too many. */
export function recipientsOf(given: GivenRecipients, rules: RecipientRules): Recipient[] {
  const found = new Map<string, Recipient>()
  for (const text of [given].flat()) {
    for (const part of String(text).split(/[,;]/)) {
      const raw = part.trim()
      if (raw === '') continue
      const recipient = judge(raw, rules)
      const key = recipient.to === '' ? `invalid ${raw}` : recipient.to
      if (!found.has(key)) found.set(key, recipient)
      if (found.size > mostRecipients) return [...found.values()]
    }
  }
  return [...found.values()]
}

function judge(raw: string, { country, extensions, denied }: RecipientRules): Recipient {
  const refused = (code: Recipient['code'], error: string): Recipient => ({ raw: raw.slice(0, 64), to: '', code, error })
  if (raw.length > 64) return refused('number_invalid', 'The number is too long.')
  const number = normaliseNumber(raw, country, extensions)
  switch (number.kind) {
    case 'invalid':
      return refused('number_invalid', number.warning ?? 'This is not a telephone number.')
    case 'extension':
      return refused('number_invalid', 'An extension cannot be texted.')
    case 'emergency':
      return refused('destination_denied', 'Texts are not sent to emergency numbers.')
    case 'short':
      return /^\d{3,6}$/.test(number.dial)
        ? { raw, to: number.dial, code: '', error: '' }
        : refused('number_invalid', 'This is not a telephone number.')
    case 'e164':
      return denied(number) === null
        ? { raw, to: number.dial, code: '', error: '' }
        : refused('destination_denied', 'Texts to premium-rate numbers and out of the country are not allowed.')
  }
}
