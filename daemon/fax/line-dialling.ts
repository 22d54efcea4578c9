/** What is dialled on an analog line to reach a number: as the country does, and as the line wants where it lies behind an exchange. */
import { getCountryCallingCode, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max'
import { nationalDigits } from '../numbers/numbers.ts'
import type { LineDialConfig } from '../schema/config/lines.ts'

/**
 * `number`: E.164, or a short code, which is dialled as it is. The result has digits, of the prefix also `*`, `#`, `,` and `W`, and `P` before
 * them where pulses are dialled (ITU-T V.250 clause 6.3.1).
 */
export function lineDigits(number: string, country: string, { pulse, ...form }: LineDialConfig): string {
  return (pulse ? 'P' : '') + toneDigits(number, country, form)
}

function toneDigits(number: string, country: string, { prefix, national, localArea }: Omit<LineDialConfig, 'pulse'>): string {
  const usual = prefix + nationalDigits(number, country)
  const parsed = number.startsWith('+') ? parsePhoneNumberFromString(number) : undefined
  if (parsed?.countryCallingCode !== getCountryCallingCode(country.toUpperCase() as CountryCode)) return usual
  const significant = String(parsed.nationalNumber)
  const local = localArea?.split(/ *, */).some((area) => significant.startsWith(area)) === true
  if (local || national === 'none') return prefix + significant
  return national === undefined ? usual : prefix + national + significant
}
