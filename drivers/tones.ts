/**
 * The tones that people of a country know from their telephones (ITU-T E.180, Supplement 2), as clips that go round: dial, ringback,
 * busy, congestion, special information ("the number is not in service"), call waiting.
 */
import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max'
import type { Clip } from './line.ts'

export type ProgressTone = 'dial' | 'ringback' | 'busy' | 'congestion' | 'special-information' | 'call-waiting'
export type ToneCountry = 'US' | 'CA' | 'GB' | 'DE' | 'FR' | 'ES' | 'IT' | 'AU'

/** So many milliseconds of these frequencies at once; of none: silence. */
type Part = readonly [ms: number, ...hz: number[]]
type Cadence = readonly Part[]

/** A continuous tone is one part of a whole second, in which every frequency comes full circle. */
const always = (...hz: number[]): Cadence => [[1000, ...hz]]

/** E.180 section 6: three tones of a third of a second, then a pause of a second. */
const threeTones: Cadence = [[330, 950], [330, 1400], [330, 1800], [1000]]

const northAmerica: Readonly<Record<ProgressTone, Cadence>> = {
  dial: always(350, 440),
  ringback: [[2000, 440, 480], [4000]],
  busy: [[500, 480, 620], [500]],
  congestion: [[250, 480, 620], [250]],
  'special-information': threeTones,
  'call-waiting': [[300, 440], [9700]],
}

const cadences: Readonly<Record<ToneCountry, Readonly<Record<ProgressTone, Cadence>>>> = {
  US: northAmerica,
  CA: northAmerica,
  GB: {
    dial: always(350, 440),
    ringback: [[400, 400, 450], [200], [400, 400, 450], [2000]],
    busy: [[375, 400], [375]],
    congestion: [[400, 400], [350], [225, 400], [525]],
    'special-information': threeTones,
    'call-waiting': [[100, 400], [4000]],
  },
  DE: {
    dial: always(425),
    ringback: [[1000, 425], [4000]],
    busy: [[480, 425], [480]],
    congestion: [[240, 425], [240]],
    'special-information': threeTones,
    'call-waiting': [[200, 425], [200], [200, 425], [5000]],
  },
  FR: {
    dial: always(440),
    ringback: [[1500, 440], [3500]],
    busy: [[500, 440], [500]],
    congestion: [[250, 440], [250]],
    'special-information': threeTones,
    'call-waiting': [[300, 440], [10_000]],
  },
  ES: {
    dial: always(425),
    ringback: [[1500, 425], [3000]],
    busy: [[200, 425], [200]],
    congestion: [[200, 425], [200], [200, 425], [200], [200, 425], [600]],
    'special-information': threeTones,
    'call-waiting': [[175, 425], [175], [175, 425], [3500]],
  },
  IT: {
    dial: [[200, 425], [200], [600, 425], [1000]],
    ringback: [[1000, 425], [4000]],
    busy: [[500, 425], [500]],
    congestion: [[200, 425], [200]],
    'special-information': threeTones,
    'call-waiting': [[400, 425], [100], [250, 425], [100], [150, 425], [14_000]],
  },
  AU: {
    dial: always(413, 438),
    ringback: [[400, 413, 438], [200], [400, 413, 438], [2000]],
    busy: [[375, 425], [375]],
    congestion: [[375, 425], [375]],
    'special-information': [[2500, 425], [500]],
    'call-waiting': [[200, 425], [200], [200, 425], [4400]],
  },
}

/** One round of the tone, part for part; of no frequencies: a pause. */
export function toneParts(country: ToneCountry, tone: ProgressTone): readonly { readonly ms: number; readonly hz: readonly number[] }[] {
  return cadences[country][tone].map(([ms, ...hz]) => ({ ms, hz }))
}

const samplesPerMs = 8
/** All frequencies of a tone together; E.180 section 10 asks for -10 dBm0 and 5 dB about it. */
const levelDbm0 = -13
const fadeMs = 5

const made = new Map<string, Clip>()

/** One round of the tone, to be looped. */
export function progressTone(country: ToneCountry, tone: ProgressTone): Clip {
  const key = `tone:${country}:${tone}`
  const known = made.get(key)
  if (known !== undefined) return known
  const clip = { key, samples: render(cadences[country][tone]), text: tone }
  made.set(key, clip)
  return clip
}

/** Those of North America in its numbering plan (+1), elsewhere 425 Hz as E.180 recommends. */
export function toneCountryOf(country: string): ToneCountry {
  const known = toneCountries.find((candidate) => candidate === country)
  if (known !== undefined) return known
  return isSupportedCountry(country) && getCountryCallingCode(country) === '1' ? 'US' : 'DE'
}

export const toneCountries = Object.keys(cadences) as readonly ToneCountry[]

function render(cadence: Cadence): Int16Array {
  const samples = new Int16Array(cadence.reduce((sum, [ms]) => sum + ms * samplesPerMs, 0))
  let at = 0
  for (const [ms, ...hz] of cadence) {
    const count = ms * samplesPerMs
    // 3.14 dBm0 is full scale; of several frequencies each has its share of the power.
    const peak = (32_767 * 10 ** ((levelDbm0 - 3.14) / 20)) / Math.sqrt(Math.max(1, hz.length))
    const fade = cadence.length === 1 ? 0 : fadeMs * samplesPerMs
    for (let i = 0; hz.length > 0 && i < count; i++) {
      const share = Math.min(1, (i + 1) / (fade + 1), (count - i) / (fade + 1))
      const sum = hz.reduce((total, f) => total + Math.sin((2 * Math.PI * f * i) / (samplesPerMs * 1000)), 0)
      samples[at + i] = Math.round(peak * share * sum)
    }
    at += count
  }
  return samples
}
