/** How numbers of the directory are kept, and looked for. */
import { normaliseNumber } from '../numbers.ts'
import { numberOfUri } from '../number-uri.ts'
import type { PartyPhone } from '../store/tables.ts'

/** What a withheld number is called, beside ''. */
const withheld = new Set(['anonymous', 'unknown', 'restricted', 'private', 'withheld', 'unavailable'])
/** A shorter one fits too many. */
const leastSuffix = 7
const suffixDigits = 9

export function isWithheld(number: string): boolean {
  return number === '' || withheld.has(number.toLowerCase())
}

/** E.164 where the plan of `country` makes one of it, else its digits; null where there are too few to tell anybody by. */
export function partyNumber(raw: string, country: string): string | null {
  const { e164 } = normaliseNumber(raw, country)
  if (e164 !== null) return e164
  const digits = numberOfUri(raw.normalize('NFKC')).replaceAll(/\D/g, '')
  return digits.length < leastSuffix ? null : digits
}

/** As they are kept, each once; `wrong` is told of what is no number. */
export function phonesOf(given: readonly PartyPhone[], country: string, wrong: (words: string) => void): PartyPhone[] {
  const phones = new Map<string, PartyPhone>()
  for (const phone of given) {
    const number = partyNumber(phone.number, country)
    if (number === null) wrong(`"${phone.number}" is no number: left out`)
    else if (!phones.has(number)) phones.set(number, { ...phone, number })
  }
  return [...phones.values()]
}

/** Under which a number is kept: itself, or its end where its country is not known. */
export function numberKey(number: string): string {
  return number.startsWith('+') ? number : suffixKey(number)
}

/** Under which a number without a country fits this one; null where it is too short. */
export function suffixKeyOf(number: string): string | null {
  const digits = number.replaceAll(/\D/g, '')
  return digits.length < leastSuffix ? null : suffixKey(digits)
}

const suffixKey = (digits: string): string => `~${digits.slice(-suffixDigits)}`
