/**
 * What the exchange says on an analog line: busy or congestion tone in the cadence of the country or dial tone, when the far end has hung
 * up or cannot be had; ringback while it rings. Few modems report it by a code, none by the current of the loop alone. Pure.
 */
import { toneParts, type ProgressTone, type ToneCountry } from '../../tones.ts'

const frame = 160
const frameMs = 20
/** So many rounds of the cadence are no chance. */
const rounds = 3
/** Of a tone without pauses. */
const continuousMs = 2000
/** Of the power of a frame, in the frequencies of the tone. */
const share = 0.7
/** Mean square of a sample: about -40 dBm0. */
const quietest = 6000
/** Networks keep their times to about a tenth; a frame may be cut at either end. */
const tolerance = (ms: number): number => 40 + ms * 0.1

interface Wanted {
  readonly tone: ProgressTone
  readonly hz: readonly number[]
  /** Lengths in turn, tone and pause; a single one goes on and on. */
  readonly lengths: readonly number[]
}

function wantedOf(country: ToneCountry, tone: ProgressTone): Wanted {
  const parts = toneParts(country, tone)
  return { tone, hz: parts.find(({ hz }) => hz.length > 0)!.hz, lengths: parts.map(({ ms }) => ms) }
}

/** What is heard just now. `tone`: one of the exchange's frequencies. */
export type Sound = 'silence' | 'tone' | 'other'

export class LineTones {
  readonly #wanted: readonly Wanted[]
  readonly #ringback: Wanted
  /** The first burst of ringback has ended. */
  #rang = false
  readonly #frequencies: readonly number[]
  /** Frequencies heard now, by their key; '' for none. */
  #now = ''
  readonly #window = new Int16Array(2 * frame)
  #nowMs = 0
  /** Tones and pauses that have ended, the newest last. */
  readonly #past: { readonly key: string; readonly ms: number }[] = []

  constructor(country: ToneCountry) {
    this.#wanted = (['busy', 'congestion', 'dial'] as const).map((tone) => wantedOf(country, tone))
    this.#ringback = wantedOf(country, 'ringback')
    this.#frequencies = [...new Set([...this.#wanted, this.#ringback].flatMap(({ hz }) => hz))]
  }

  /** Of the frame before. */
  get sound(): Sound {
    return this.#now === '' ? 'silence' : this.#now === 'other' ? 'other' : 'tone'
  }

  /** Whether it has rung at the far end. */
  get rang(): boolean {
    return this.#rang
  }

  /** The longest pause between two bursts of ringback, in ms. */
  get ringPauseMs(): number {
    return Math.max(...this.#ringback.lengths.filter((_, i) => i % 2 === 1))
  }

  /** The tone that has been recognised, at most once until `restart`. */
  hear(samples: Int16Array): ProgressTone | null {
    for (let at = 0; at + frame <= samples.length; at += frame) {
      const found = this.#frame(samples.subarray(at, at + frame))
      if (found !== null) return found
    }
    return null
  }

  restart(): void {
    this.#past.length = 0
    this.#now = ''
    this.#nowMs = 0
    this.#rang = false
  }

  #frame(samples: Int16Array): ProgressTone | null {
    // Two frames together: they separate frequencies 25 Hz apart.
    this.#window.copyWithin(0, frame)
    this.#window.set(samples, frame)
    const key = this.#keyOf(this.#window)
    const changed = key !== this.#now
    if (changed) this.#turn(key)
    else this.#nowMs += frameMs
    this.#rang ||= changed && this.#rangNow()
    for (const { tone, hz, lengths } of this.#wanted) {
      const wantedKey = hz.join('+')
      if (lengths.length === 1) {
        if (key === wantedKey && this.#nowMs >= continuousMs) return tone
      } else if (changed && this.#repeats(wantedKey, lengths, rounds)) return tone
    }
    return null
  }

  #turn(key: string): void {
    // Two frames between tone and pause may look like anything; they belong to what comes next.
    const between = this.#now !== '' && this.#nowMs <= 2 * frameMs
    const before = between ? this.#past.at(-1) : undefined
    if (before?.key === key) {
      this.#past.pop()
      this.#nowMs += before.ms + frameMs
    } else {
      if (!between) this.#past.push({ key: this.#now, ms: this.#nowMs })
      if (this.#past.length > 24) this.#past.shift()
      this.#nowMs = between ? this.#nowMs + frameMs : frameMs
    }
    this.#now = key
  }

  /** What was heard last is a burst of ringback, and none of another tone; or a whole round of it. */
  #rangNow(): boolean {
    const { key = '', ms = 0 } = this.#past.at(-1) ?? {}
    const { hz, lengths } = this.#ringback
    if (this.#repeats(hz.join('+'), lengths, 1)) return true
    if (key !== hz.join('+') || Math.abs(ms - lengths[0]!) > tolerance(lengths[0]!)) return false
    return !this.#wanted.some((other) => other.hz.join('+') === key && Math.abs(ms - other.lengths[0]!) <= tolerance(other.lengths[0]!))
  }

  /** The last things that were heard are so many rounds of these lengths, in any order of beginning. */
  #repeats(key: string, lengths: readonly number[], times: number): boolean {
    const count = times * lengths.length
    const last = this.#past.slice(-count)
    if (last.length < count) return false
    return lengths.some((_, shift) =>
      last.every(({ key: heard, ms }, i) => {
        const n = (i + shift) % lengths.length
        return heard === (n % 2 === 0 ? key : '') && Math.abs(ms - lengths[n]!) <= tolerance(lengths[n]!)
      }),
    )
  }

  #keyOf(samples: Int16Array): string {
    let power = 0
    for (const sample of samples) power += sample * sample
    if (power / samples.length < quietest) return ''
    const levels = this.#frequencies.map((hz) => goertzel(samples, hz))
    let best = { key: 'other', part: share }
    for (const { hz } of [...this.#wanted, this.#ringback]) {
      const own = hz.map((each) => levels[this.#frequencies.indexOf(each)]!)
      const inTone = own.reduce((sum, each) => sum + each, 0)
      const part = inTone / power
      if (part > best.part && Math.min(...own) >= inTone / hz.length / 4) best = { key: hz.join('+'), part }
    }
    return best.key
  }
}

/** Energy of one frequency, in the measure of the sum of squares. */
function goertzel(samples: Int16Array, hz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / 8000)
  let a = 0
  let b = 0
  for (const sample of samples) {
    const c = sample + coefficient * a - b
    b = a
    a = c
  }
  return (2 * (a * a + b * b - coefficient * a * b)) / samples.length
}
