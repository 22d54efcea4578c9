/** What the firmware of a modem, or the receiver of an exchange, hears in a line: keys (ITU-T Q.23) and the tones of fax machines (T.30). Pure. */

const frame = 160
/** Of the power of a frame, so much must be in the tones. */
const share = 0.7
/** Mean square below which nothing is heard. */
const quiet = 10_000
const keyHz = [697, 770, 852, 941, 1209, 1336, 1477, 1633] as const
const pad = ['123A', '456B', '789C', '*0#D']

/** Mean square of one frequency in a frame. */
function powerAt(samples: Int16Array, hz: number): number {
  const k = 2 * Math.cos((2 * Math.PI * hz) / 8000)
  let a = 0
  let b = 0
  for (const sample of samples) [a, b] = [sample + k * a - b, a]
  return (2 * (a * a + b * b - k * a * b)) / samples.length ** 2
}

const powerOf = (samples: Int16Array): number => samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length

/** The key of a frame; '' for none. */
function keyOf(samples: Int16Array): string {
  const total = powerOf(samples)
  if (total < quiet) return ''
  const powers = keyHz.map((hz) => powerAt(samples, hz))
  const strongest = (from: number, to: number): number => powers.indexOf(Math.max(...powers.slice(from, to)), from)
  const [row, column] = [strongest(0, 4), strongest(4, 8)]
  const [low, high] = [powers[row]!, powers[column]!]
  if (low + high < share * total || low > 8 * high || high > 8 * low) return ''
  return pad[row]![column - 4]!
}

export interface KeyEdge {
  readonly key: string
  readonly down: boolean
}

export class KeyReceiver {
  #now = ''
  #last = ''

  hear(samples: Int16Array): readonly KeyEdge[] {
    const key = keyOf(samples)
    // Two frames one after the other: a voice has the tones of a key for a moment.
    const sure = key === this.#last
    this.#last = key
    if (!sure || key === this.#now) return []
    const edges: KeyEdge[] = []
    if (this.#now !== '') edges.push({ key: this.#now, down: false })
    if (key !== '') edges.push({ key, down: true })
    this.#now = key
    return edges
  }
}

/** A fax machine that calls (CNG) is sure after 300 ms, one that answers (CED) after half a second. */
const faxTones = [
  { tone: 'cng', hz: 1100, frames: 15 },
  { tone: 'ced', hz: 2100, frames: 25 },
] as const

export class FaxToneReceiver {
  readonly #heard = faxTones.map(() => 0)

  /** The tone that has just become sure. */
  hear(samples: Int16Array): 'cng' | 'ced' | null {
    const total = powerOf(samples)
    let found: 'cng' | 'ced' | null = null
    for (const [i, { tone, hz, frames }] of faxTones.entries()) {
      const there = total >= quiet && powerAt(samples.subarray(0, frame), hz) >= share * total
      this.#heard[i] = there ? this.#heard[i]! + 1 : 0
      if (this.#heard[i] === frames) found = tone
    }
    return found
  }
}
