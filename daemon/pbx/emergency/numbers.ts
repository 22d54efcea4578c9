/** Which numbers call for help: those of the country, those everywhere, and those of the configuration, however they are dialled. */
import { getCountryCallingCode, type CountryCode } from 'libphonenumber-js/max'
import { emergencyNumbers } from '../../numbers/numbers.ts'
import { numberOfUri } from '../../numbers/number-uri.ts'
import type { Config } from '../../schema/config.ts'
import { houseNumbers } from '../../schema/house-numbers.ts'

/** null where what was dialled is none. */
export function emergencyNumberIn(config: Config, dialled: string): string | null {
  if (/^\s*urn:service:sos(\.|\s*$)/i.test(dialled)) return numbersOf(config)[0]!
  // A # at the end says that the number is complete.
  const digits = numberOfUri(dialled)
    .replaceAll(/[\s().\-/]/g, '')
    .replace(/#$/, '')
  return spellings(config).get(digits) ?? null
}

/** All that a phone may dial to call for help, and which number it means; the first is that of urn:service:sos (RFC 5031) and below it. */
export function emergencyDialled(config: Config): (readonly [dialled: string, number: string])[] {
  const dialled = [...spellings(config)]
  return [...dialled, ...dialled.map(([digits, number]) => [`${digits}#`, number] as const)]
}

/** The first is that of the place: a caller for help without a number means that one. */
function numbersOf({ site, emergency }: Config): string[] {
  const all = [...emergency.numbers, ...emergencyNumbers(site.country)]
  // Those that every country has stand behind its own, and 112 before 911, which is that of North America.
  const ofPlan = callingCode(site.country) === '1' && !emergency.numbers.length ? ['911'] : []
  return [...new Set([...ofPlan, ...all])]
}

/**
 * What may be dialled, and the number that is meant: also behind the habitual prefix, as address books keep numbers, with the calling code in
 * front or a + alone, and behind the code that withholds the own number. In North America people dial 1 before every number. What means
 * something else in this house is no such form.
 */
function spellings(config: Config): ReadonlyMap<string, string> {
  const { site, inbound, featureCodes } = config
  const { outsidePrefix = '' } = site
  const code = callingCode(site.country)
  const known = new Set([...houseNumbers(config).map(({ number }) => number), ...inbound.map(({ to }) => to)])
  const spelt = new Map<string, string>()
  const add = (dialled: string, number: string): void => void (spelt.has(dialled) || spelt.set(dialled, number))
  const numbers = numbersOf(config)
  for (const number of numbers) add(number, number)
  for (const number of numbers) {
    const plain = code === '1' && number === '911' ? ['1911'] : []
    const bare = [number, `+${number}`, ...(code === '' ? [] : [`+${code}${number}`]), ...plain]
    add(outsidePrefix + number, number)
    for (const dialled of bare.flatMap((one) => [one, outsidePrefix + one])) if (!known.has(dialled)) add(dialled, number)
  }
  // Somebody who withholds the number out of habit is helped as anybody is, with the number of the place.
  const { withholdNumber } = featureCodes
  if (withholdNumber !== false) for (const [dialled, number] of [...spelt]) add(withholdNumber + dialled, number)
  return spelt
}

function callingCode(country: string): string {
  try {
    return getCountryCallingCode(country.toUpperCase() as CountryCode)
  } catch {
    // No country that has one.
    return ''
  }
}
