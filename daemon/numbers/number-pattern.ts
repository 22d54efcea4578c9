/** Numbers as the section `numbers` of the configuration writes them: one number, a beginning, or a country. */
import { isSupportedCountry } from 'libphonenumber-js/max'
import { normaliseNumber } from './numbers.ts'

export type NumberPattern =
  | { readonly kind: 'number'; readonly dial: string }
  /** `+` and the first digits. */
  | { readonly kind: 'beginning'; readonly digits: string }
  /** ISO 3166 code. */
  | { readonly kind: 'country'; readonly country: string }

/** Reads `+15551230001`, `+4930*`, `GB`, `611`, `*67`; undefined for anything else. */
export function parseNumberPattern(text: string, country: string): NumberPattern | undefined {
  const compact = text.replace(/[\s().\-/]/g, '')
  if (/^[A-Z]{2}$/.test(compact)) return isSupportedCountry(compact) ? { kind: 'country', country: compact } : undefined
  if (/^\+\d{1,14}\*$/.test(compact)) return { kind: 'beginning', digits: compact.slice(0, -1) }
  const number = normaliseNumber(compact, country)
  return number.kind === 'invalid' ? undefined : { kind: 'number', dial: number.dial }
}

/** @param dial as `NormalisedNumber` has it; @param country of the number, null for none */
export function fitsPattern(pattern: NumberPattern, dial: string, country: string | null): boolean {
  switch (pattern.kind) {
    case 'number':
      return dial === pattern.dial
    case 'beginning':
      return dial.startsWith(pattern.digits)
    case 'country':
      return country === pattern.country
  }
}
