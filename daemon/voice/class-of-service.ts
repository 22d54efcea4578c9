/**
 * Which outside numbers programs may have called. A stolen token must not become a telephone bill: only numbers of the
 * site's own country, no premium rates, and no emergency numbers, which are for people to dial.
 */
import { getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { CountryCode } from 'libphonenumber-js/max'
import type { NormalisedNumber } from '../numbers.ts'

const judged = new Map<string, string | null>()
const mostJudged = 5000

/** The reason for a refusal, or null. */
export function destinationDenied(number: NormalisedNumber, country: string): string | null {
  if (number.kind === 'emergency') return 'Emergency numbers are not called by programs'
  if (number.kind !== 'e164') return null
  const key = `${country} ${number.dial}`
  const known = judged.get(key)
  if (known !== undefined) return known
  const verdict = judge(number.dial, country as CountryCode)
  if (judged.size >= mostJudged) judged.clear()
  judged.set(key, verdict)
  return verdict
}

function judge(e164: string, home: CountryCode): string | null {
  const parsed = parsePhoneNumberFromString(e164)
  if (parsed === undefined) return null
  if (parsed.getType() === 'PREMIUM_RATE') return 'Premium-rate numbers are not called'
  // Numbers such as 555-0123 belong to no country of their numbering plan: the calling code decides.
  if (parsed.country === undefined ? parsed.countryCallingCode !== getCountryCallingCode(home) : parsed.country !== home) {
    return `Calls out of the country (${parsed.country ?? `+${parsed.countryCallingCode}`}) are not allowed`
  }
  return null
}
