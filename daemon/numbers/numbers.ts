/** Telephone numbers as people and trunks write them, brought to E.164. */
import { parsePhoneNumberFromString, type CountryCode, type NumberType, type PhoneNumber } from 'libphonenumber-js/max'
import { readWritten, type WrittenNumber } from './written-number.ts'

export interface NormalisedNumber {
  /** As it was given. */
  raw: string
  /** `+` and digits for kind `e164`, otherwise null. */
  e164: string | null
  kind: 'e164' | 'emergency' | 'short' | 'extension' | 'invalid'
  /** Digits to dial for every kind but `invalid`: the E.164 form, or the short number without separators. */
  dial: string
  /** Set where the number is possible but not in the numbering plan, and where it is refused. */
  warning?: string
  /** Digits written behind it, which no call dials: 101 of "555-123-4567 x101". */
  extension?: string
}

/** 112 works in every mobile network, 911 in most; the others are the national ones. */
const emergencyEverywhere = ['112', '911']
const emergencyByCountry: Readonly<Record<string, readonly string[]>> = {
  AT: ['122', '133', '144'],
  AU: ['000'],
  BR: ['190', '192', '193'],
  CH: ['117', '118', '144'],
  CN: ['110', '119', '120'],
  DE: ['110'],
  FR: ['15', '17', '18'],
  GB: ['999'],
  HK: ['999'],
  IE: ['999'],
  IL: ['100', '101', '102'],
  IN: ['100', '101', '102', '108'],
  JP: ['110', '119'],
  MX: ['066'],
  NZ: ['111'],
  PL: ['997', '998', '999'],
  SG: ['995', '999'],
  ZA: ['10111', '10177'],
}

export function emergencyNumbers(country: string): readonly string[] {
  return [...new Set([...(emergencyByCountry[country.toUpperCase()] ?? []), ...emergencyEverywhere])]
}

export function isEmergencyNumber(digits: string, country: string): boolean {
  return emergencyEverywhere.includes(digits) || (emergencyByCountry[country.toUpperCase()]?.includes(digits) ?? false)
}

const noExtensions: ReadonlySet<string> = new Set()

/**
 * Accepts what readWritten (written-number.ts) takes for one number: with dashes, spaces, parentheses, dots, slashes, `+` and `%2B`, as a URI of
 * RFC 3966, with an extension behind. Emergency numbers, extensions, feature codes (`*98`) and short codes (up to 6 digits) are recognised before
 * the numbering plan is asked. What is possible is accepted; what is possible but not valid carries a warning.
 *
 * @param country ISO 3166 alpha-2 code of the country in which a number without `+` is read
 * @param extensions numbers of the desk phones
 */
export function normaliseNumber(raw: string, country: string, extensions: ReadonlySet<string> = noExtensions): NormalisedNumber {
  return read(raw, country, extensions, false)
}

/**
 * A number that somebody looks for, or that a network showed: nothing is dialled by it, so that more is guessed. A space in front is a +, which
 * addresses turn into one; digits of another country need none; and the prefixes of other countries (00, 011) are read where the own plan has no
 * such number.
 */
export function soughtNumber(raw: string, country: string, extensions: ReadonlySet<string> = noExtensions): NormalisedNumber {
  return read(raw, country, extensions, true)
}

function read(raw: string, country: string, extensions: ReadonlySet<string>, sought: boolean): NormalisedNumber {
  // With a + it is neither an emergency number nor an extension, and as it was looked up it has nothing to be taken away.
  const before = raw.startsWith('+') ? lookedUp.get(`${country} ${raw}`) : undefined
  if (before !== undefined) return { ...before.number, raw }
  const { number: compact, extension, dialledLater, afterSpace, isBare } = readWritten(raw)
  const refused = (warning: string): NormalisedNumber => ({ raw, e164: null, kind: 'invalid', dial: '', warning })
  if (compact === '') return refused('The number is empty.')
  if (!/^(\+?\d+|[*#][\d*#]{0,15})$/.test(compact)) return refused('A number consists of digits, with + in front if it is international.')
  if (dialledLater && !sought) return refused('Digits to dial later, after a pause or a #, are not part of it.')
  if (isEmergencyNumber(compact, country)) return { raw, e164: null, kind: 'emergency', dial: compact }
  if (extensions.has(compact)) return { raw, e164: null, kind: 'extension', dial: compact }
  if (/^[*#]/.test(compact) || /^\d{1,6}$/.test(compact)) return { raw, e164: null, kind: 'short', dial: compact }
  const { number } = (sought ? asAbroad(compact, country, { afterSpace, isBare }) : null) ?? remembered(compact, country)
  return { ...number, raw, ...(extension === '' ? {} : { extension }) }
}

/** With the + that it lost put back, or the prefix that reaches other countries taken away; null: the number is as it was written. */
function asAbroad(compact: string, country: string, { afterSpace, isBare }: Pick<WrittenNumber, 'afterSpace' | 'isBare'>): LookedUp | null {
  if (compact.startsWith('+')) return null
  const lostPlus = compact.length >= (afterSpace ? 8 : 11) && !compact.startsWith('0')
  const candidates = [lostPlus ? `+${compact}` : null, ...otherPrefixes.map((prefix) => behind(prefix, compact))]
  for (const candidate of candidates) {
    if (candidate === null) continue
    const [here, abroad] = [remembered(compact, country), remembered(candidate, country)]
    const [isHere, isAbroad] = [isPlanned(here), isPlanned(abroad)]
    const fits = afterSpace
      ? isAbroad || (!isHere && isPossible(abroad))
      : !isHere && (isAbroad || (isBare && !isPossible(here) && isPossible(abroad)))
    if (fits) return abroad
  }
  return null
}

const isPlanned = ({ planned }: LookedUp): boolean => planned?.type !== undefined
const isPossible = ({ number }: LookedUp): boolean => number.e164 !== null

/** Of Europe, North America, Japan and Australia; the longer one first. */
const otherPrefixes = ['0011', '011', '010', '00'] as const

const behind = (prefix: string, compact: string): string | null =>
  compact.startsWith(prefix) && /^[1-9]\d{7,14}$/.test(compact.slice(prefix.length)) ? `+${compact.slice(prefix.length)}` : null

/** The look-up in the numbering plans is the costliest step of taking a request, and a site calls the same people again. */
function remembered(compact: string, country: string): LookedUp {
  const key = `${country} ${compact}`
  const known = lookedUp.get(key)
  if (known !== undefined) return known
  const result = lookUp(compact, country)
  if (lookedUp.size >= mostLookedUp) lookedUp.clear()
  lookedUp.set(key, result)
  // As a row holds it, and as it is looked at again before it is dialled. In other plans, what is not in them may have another trunk
  // prefix behind the one that was taken away: it is looked up again.
  const { number, planned } = result
  const same = planned?.type !== undefined || planned?.parsed.countryCallingCode === '1'
  if (number.e164 !== null && same) lookedUp.set(`${country} ${number.e164}`, result)
  return result
}

/**
 * What the numbering plans say of an E.164 number; null where it begins like none. `country`: of the site, which a number with its
 * calling code that no plan has is counted to.
 */
export function planned(e164: string, country: string): PlannedNumber | null {
  return (lookedUp.get(`${country} ${e164}`) ?? lookUp(e164, country)).planned
}

/** What is dialled on an analog line in `country` to reach a number: no +, and within the country as people there dial it. */
export function nationalDigits(number: string, country: string): string {
  if (!number.startsWith('+')) return number
  const home = country.toUpperCase() as CountryCode
  const dialled = parsePhoneNumberFromString(number)?.format('IDD', { fromCountry: home })
  return (dialled ?? number).replaceAll(/\D/g, '')
}

export interface PlannedNumber {
  readonly parsed: PhoneNumber
  /** As libphonenumber names it; undefined where the number is in no plan, which is what `isValid` asks with the whole metadata. */
  readonly type: NumberType | undefined
}

interface LookedUp {
  readonly number: NormalisedNumber
  readonly planned: PlannedNumber | null
}

const mostLookedUp = 5000
const lookedUp = new Map<string, LookedUp>()

function lookUp(compact: string, country: string): LookedUp {
  const parsed = parsePhoneNumberFromString(compact, country.toUpperCase() as CountryCode)
  const planned = parsed === undefined ? null : { parsed, type: parsed.getType() }
  if (parsed === undefined || !parsed.isPossible()) {
    const where = compact.startsWith('+') ? 'that country' : country
    const warning = `No number of this length exists in ${where}.`
    return { number: { raw: compact, e164: null, kind: 'invalid', dial: '', warning }, planned }
  }
  const number: NormalisedNumber = { raw: compact, e164: parsed.number, kind: 'e164', dial: parsed.number }
  if (planned?.type === undefined) number.warning = 'The number has a possible length but is not in the numbering plan.'
  return { number, planned }
}
