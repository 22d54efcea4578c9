/** What kind of number an E.164 number is: whose, and whether a call there costs what a call usually costs. */
import { getCountries, getCountryCallingCode, Metadata, type CountryCode } from 'libphonenumber-js/max'
import { areaOf } from './north-america.ts'
import { isEmergencyNumber, planned } from './numbers.ts'

/**
 * `ordinary`: fixed, mobile, toll-free and VoIP. `satellite`: every code that belongs to no country. `unassigned`: no number
 * of the plan begins like this one.
 */
export type NumberKind =
  | 'ordinary'
  | 'premium-rate'
  | 'shared-cost'
  | 'personal'
  | 'satellite'
  | 'pager'
  | 'company'
  | 'voicemail'
  | 'service'
  | 'emergency'
  | 'unassigned'

export interface KnownNumber {
  readonly kind: NumberKind
  /** ISO 3166 code; null where it belongs to none. */
  readonly country: string | null
  /** Whether the numbering plan's data has it. Data ages: a new number of the own country may be missing. */
  readonly inPlan: boolean
}

/** Names of types as libphonenumber has them. */
const kindByType: Readonly<Record<string, NumberKind>> = {
  FIXED_LINE: 'ordinary',
  MOBILE: 'ordinary',
  FIXED_LINE_OR_MOBILE: 'ordinary',
  TOLL_FREE: 'ordinary',
  VOIP: 'ordinary',
  PREMIUM_RATE: 'premium-rate',
  SHARED_COST: 'shared-cost',
  PERSONAL_NUMBER: 'personal',
  PAGER: 'pager',
  UAN: 'company',
  VOICEMAIL: 'voicemail',
}

const mostKnown = 5000
const known = new Map<string, KnownNumber>()

/** @param home ISO 3166 code of the site: an unknown number with its calling code is taken for one of its own. */
export function kindOf(e164: string, home: string): KnownNumber {
  const key = `${home} ${e164}`
  const found = known.get(key)
  if (found !== undefined) return found
  if (known.size >= mostKnown) known.clear()
  const result = look(e164, home as CountryCode)
  known.set(key, result)
  return result
}

function look(e164: string, home: CountryCode): KnownNumber {
  const known = planned(e164, home)
  if (known === null) return { kind: 'unassigned', country: null, inPlan: false }
  const { parsed, type } = known
  const { countryCallingCode: code, nationalNumber: national } = parsed
  const inPlan = type !== undefined
  const isHome = code === getCountryCallingCode(home)
  if (code === '1') return inNorthAmerica(national, inPlan, parsed.country ?? null, isHome ? home : 'US', type)
  if (parsed.isNonGeographic() || (parsed.country === undefined && !isHome)) {
    return { kind: parsed.isNonGeographic() ? 'satellite' : 'unassigned', country: null, inPlan }
  }
  const country = parsed.country ?? home
  if (inPlan) return { kind: kindByType[type] ?? 'unassigned', country, inPlan }
  if (beginsWithEmergency(national, country)) return { kind: 'emergency', country, inPlan }
  return { ...byBeginning(national, country), inPlan }
}

function inNorthAmerica(national: string, inPlan: boolean, listed: string | null, home: string, type: string | undefined): KnownNumber {
  const area = areaOf(national)
  if (area.kind === 'toll-free') return { kind: 'ordinary', country: home, inPlan }
  const country = area.country ?? listed ?? home
  if (area.kind !== 'subscriber') return { kind: area.kind, country, inPlan }
  return { kind: inPlan ? (kindByType[type ?? ''] ?? 'unassigned') : 'ordinary', country, inPlan }
}

/** What is dialled inside the country as 0 and the emergency number, with more behind it. */
function beginsWithEmergency(national: string, country: string): boolean {
  return [2, 3, 5].some((length) => isEmergencyNumber(national.slice(0, length), country))
}

interface Beginning {
  readonly kind: NumberKind
  readonly country: CountryCode
}

const beginnings = new Map<string, Beginning | null>()
const longestBeginning = 4
const shortestBeginning = 2

/**
 * Of a number that is not in the data: what the numbers are that begin like it, by as many digits as possible, in its own
 * country before the others that share the calling code. Ranges are handed out by their beginnings, so an unknown number of
 * the premium range costs what the others there cost.
 */
function byBeginning(national: string, home: CountryCode): Beginning {
  const code = getCountryCallingCode(home)
  for (let length = longestBeginning; length >= shortestBeginning; length--) {
    const beginning = national.slice(0, length)
    const key = `${home} ${beginning}`
    let found = beginnings.get(key)
    if (found === undefined) {
      found = null
      for (const country of [home, ...sharing(code).filter((other) => other !== home)]) {
        const kind = kindOfSamples(beginning, country)
        if (kind !== null) {
          found = { kind, country }
          break
        }
      }
      beginnings.set(key, found)
    }
    if (found !== null) return found
  }
  return { kind: 'unassigned', country: home }
}

function sharing(code: string): readonly CountryCode[] {
  return getCountries().filter((country) => getCountryCallingCode(country) === code)
}

/** Null where no number begins so. The same beginning for ordinary numbers and others: ordinary. */
function kindOfSamples(beginning: string, country: CountryCode): NumberKind | null {
  const plan = planOf(country)
  const samples = plan.lengths.flatMap((length) =>
    length < beginning.length ? [] : Array.from({ length: 10 }, (_, digit) => beginning.padEnd(length, String(digit))),
  )
  const kinds = plan.types.filter(({ pattern }) => samples.some((sample) => pattern.test(sample))).map(({ kind }) => kind)
  return kinds.includes('ordinary') ? 'ordinary' : (kinds[0] ?? null)
}

interface Plan {
  readonly lengths: readonly number[]
  readonly types: readonly { readonly kind: NumberKind; readonly pattern: RegExp }[]
}

const plans = new Map<string, Plan>()

function planOf(country: CountryCode): Plan {
  let plan = plans.get(country)
  if (plan !== undefined) return plan
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  const { numberingPlan } = metadata as unknown as { numberingPlan: NumberingPlan }
  const types = Object.entries(kindByType).flatMap(([type, kind]) => {
    const pattern = numberingPlan.type(type)?.pattern()
    return pattern === undefined ? [] : [{ kind, pattern: new RegExp(`^(?:${pattern})$`) }]
  })
  plan = { lengths: numberingPlan.possibleLengths(), types }
  plans.set(country, plan)
  return plan
}

/** What the package's types leave out. */
interface NumberingPlan {
  possibleLengths(): readonly number[]
  type(name: string): { pattern(): string } | undefined
}
