/**
 * Where the box may call, text and fax: one policy for whatever programs ask for, on every channel. A stolen token, or an
 * application that was taken over, must not become a telephone bill, a forwarded line or an emergency call. Ordinary numbers
 * of the site's own country are allowed; everything else only where the section `numbers` of the configuration says so.
 */
import { derived } from '../base/derived.ts'
import { kindOf, type NumberKind } from './number-kind.ts'
import { isEmergencyNumber, normaliseNumber, type NormalisedNumber } from './numbers.ts'
import { isSupportedCountry } from 'libphonenumber-js/max'

/** Numbers as the section `numbers` of the configuration writes them: one number, a beginning, or a country. */
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
function fitsPattern(pattern: NumberPattern, dial: string, country: string | null): boolean {
  switch (pattern.kind) {
    case 'number':
      return dial === pattern.dial
    case 'beginning':
      return dial.startsWith(pattern.digits)
    case 'country':
      return country === pattern.country
  }
}

export type Purpose = 'call' | 'fax' | 'text' | 'reminder'

export interface ReachVerdict {
  readonly allowed: boolean
  /** Why not, and what would allow it, for a person and without the number; '' where it is allowed. */
  readonly reason: string
  /** Outside the site's country: its minutes are counted apart. */
  readonly international: boolean
  /** For a number that is allowed, though the numbering plan's data does not know it: a sentence for the client; '' for others. */
  readonly warning: string
}

/** The part of the configuration that decides. */
export interface ReachPolicy {
  /** `country`: ISO 3166 code. */
  readonly site: { readonly country: string }
  /** The section `numbers`: patterns as `parseNumberPattern` reads them; others fit nothing. */
  readonly numbers: { readonly international: readonly string[]; readonly allow: readonly string[]; readonly deny: readonly string[] }
}

export interface Reach {
  mayReach(number: NormalisedNumber, purpose: Purpose): ReachVerdict
  /** The same of a number as a row holds it: rules may have changed since it was accepted. */
  mayDial(dial: string, purpose: Purpose): ReachVerdict
}

const verbs: Readonly<Record<Purpose, string>> = { call: 'called', reminder: 'called', fax: 'faxed', text: 'texted' }

const unlistedWarning = 'The numbering plan in this version does not have this number. It is dialled anyway: check that it is right.'

const names: Readonly<Record<Exclude<NumberKind, 'ordinary' | 'emergency'>, string>> = {
  'premium-rate': 'Premium-rate numbers',
  'shared-cost': 'Shared-cost numbers',
  personal: 'Personal numbers',
  satellite: 'Satellite and other numbers that belong to no country',
  pager: 'Pagers',
  company: 'Numbers of companies without a location',
  voicemail: 'Voicemail access numbers',
  service: 'Numbers of services and of other carriers',
  unassigned: 'Numbers with a prefix that is in no numbering plan',
}

const known = new WeakMap<ReachPolicy, Reach>()

/** The same one for the same configuration. */
export function createReach(policy: ReachPolicy): Reach {
  const reach = known.get(policy) ?? newReach(policy)
  known.set(policy, reach)
  return reach
}

function newReach(policy: ReachPolicy): Reach {
  const { numbers } = policy
  const { country } = policy.site
  const patterns = (texts: readonly string[]): NumberPattern[] =>
    texts.map((text) => parseNumberPattern(text, country)).filter((pattern) => pattern !== undefined)
  const rules = derived(policy, () => ({
    international: patterns(numbers.international),
    allow: patterns(numbers.allow),
    deny: patterns(numbers.deny),
  }))

  function mayReach(number: NormalisedNumber, purpose: Purpose): ReachVerdict {
    const { kind, dial } = number
    const { international, allow, deny } = rules()
    const verb = verbs[purpose]
    const isOf = kind === 'e164' ? kindOf(dial, country) : null
    const abroad = isOf !== null && isOf.country !== country
    const denied = (reason: string): ReachVerdict => ({ allowed: false, reason, international: abroad, warning: '' })
    const allowed = (unlisted: boolean): ReachVerdict => ({
      allowed: true,
      reason: '',
      international: abroad,
      warning: unlisted ? unlistedWarning : '',
    })
    if (kind === 'extension') return allowed(false)
    if (kind === 'invalid') return denied(number.warning ?? 'This is not a telephone number.')
    if (kind === 'emergency' || isOf?.kind === 'emergency' || (kind === 'short' && hidesEmergency(dial, country))) {
      return denied(`Emergency numbers are not ${verb} by programs, whatever the configuration says.`)
    }
    const fits = (pattern: NumberPattern): boolean => fitsPattern(pattern, dial, isOf?.country ?? null)
    if (deny.some(fits)) return denied(`This number is not ${verb}: numbers.deny in the configuration names it.`)
    const unlisted = isOf !== null && !isOf.inPlan
    if (allow.some(fits)) return allowed(unlisted)
    if (isOf === null) {
      const what = /[*#]/.test(dial) ? 'Codes with * and # change how the line itself works and' : 'Short numbers'
      return denied(`${what} are not ${verb}; numbers.allow in the configuration permits single ones.`)
    }
    if (isOf.kind !== 'ordinary') {
      return denied(`${names[isOf.kind]} are not ${verb}; numbers.allow in the configuration permits single ones.`)
    }
    if (!abroad) return allowed(unlisted)
    if (!international.some(fits)) {
      const where = String(isOf.country)
      return denied(`Numbers of ${where} are not ${verb}; numbers.international: ["${where}"] in the configuration permits them.`)
    }
    if (!unlisted) return allowed(false)
    return denied(`The numbering plan of ${isOf.country} does not have this number; numbers.allow in the configuration permits it.`)
  }

  return { mayReach, mayDial: (dial, purpose) => mayReach(normaliseNumber(dial, country), purpose) }
}

/** What telephone systems and providers want, or swallow, in front of a number. */
const prefixes = ['9', '0', '1', '011'] as const

/** Whether an emergency number is left of a short number or a code when what may stand before it is taken away, as of 9911, 0112 and *67911. */
function hidesEmergency(dial: string, country: string): boolean {
  const digits = dial.replaceAll(/[^\d*#]/g, '')
  if (/[*#]/.test(digits)) return digits.split(/[*#]/).some((part) => endsInEmergency(part, country))
  return (
    isEmergencyNumber(digits, country) ||
    prefixes.some((prefix) => digits.startsWith(prefix) && hidesEmergency(digits.slice(prefix.length), country))
  )
}

function endsInEmergency(digits: string, country: string): boolean {
  return [2, 3, 5].some((length) => digits.length >= length && isEmergencyNumber(digits.slice(-length), country))
}
