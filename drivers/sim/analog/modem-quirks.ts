/** What makes simulated modems differ. */
import { muLaw, unsigned, type Coding } from './modem-sound.ts'

/** What an analog line gives back of what is said on it: the hybrids of modem and exchange do not fit it wholly (ITU-T G.168). */
const frame = 160
/** One after another, each a millisecond later. */
const shape = [1, -0.6, 0.35, -0.2, 0.1]
const apart = 8

export interface HybridLoss {
  /** Dispersion aside. */
  readonly lossDb: number
  /** Of the modem's own firmware. */
  readonly delayMs: number
}

export class Hybrid {
  readonly #gain: number
  readonly #delay: number
  /** What was said, the newest last. */
  #said: Int16Array

  constructor({ lossDb, delayMs }: HybridLoss) {
    this.#gain = 10 ** (-lossDb / 20)
    this.#delay = delayMs * 8
    this.#said = new Int16Array(this.#delay + shape.length * apart + frame)
  }

  said(samples: Int16Array): void {
    this.#said.copyWithin(0, samples.length)
    this.#said.set(samples, this.#said.length - samples.length)
  }

  /** With the echo of what was said until then. */
  hear(samples: Int16Array): Int16Array {
    const newest = this.#said.length - samples.length - this.#delay
    return Int16Array.from(samples, (sample, i) => {
      const echo = shape.reduce((sum, part, k) => sum + part * (this.#said[newest + i - k * apart] ?? 0), 0)
      return Math.max(-32_768, Math.min(32_767, Math.round(sample + this.#gain * echo)))
    })
  }
}

export interface VoiceModemQuirks {
  readonly model: string
  readonly fullDuplex: boolean
  readonly codings: readonly Coding[]
  /** It lists what it can do when asked, as with AT+VTR=?. */
  readonly answersTests: boolean
  /** Keys between DLE / and DLE ~, with their length; otherwise once every 70 ms. */
  readonly shielded: boolean
  /** Listening ends by ESC, and `!` is not known. */
  readonly escape: boolean
  /** How it says that it has left its sound; `none`: by its result alone. */
  readonly endsBy: 'ETX' | 'ESC' | 'none'
  /** What ends its sound in both directions. */
  readonly leavesBothBy: '^' | 'ETX'
  /** It leaves the sound in both directions by itself after so long. */
  readonly endsAfterMs: number
  /** It lifts the line only at the second command. */
  readonly liftsLate: boolean
  /** It reports rings by the code `R` alone. */
  readonly ringsByCode: boolean
  /** Its crystal against that of the exchange, in parts per million. */
  readonly ppm: number
  /** How much of what it says comes back; null: nothing. */
  readonly echo: HybridLoss | null
  /** It says `b` when it hears busy tone. */
  readonly hearsBusy: boolean
  /** What it says when another telephone on its line is lifted and put down: such as `P` and `p`, or nothing. */
  readonly parallelCodes: readonly [lifted: string, putDown: string] | null
  /** It reports the cadence of a ring (AT+VDR), as DRON and DROF. */
  readonly tellsCadence: boolean
  /** It knows AT+VTS=! as a flash of the hook. */
  readonly flashes: boolean
  /** It says `u` whenever it has nothing more to say. */
  readonly tellsUnderrun: boolean
  /** When it must leave the sound of the call, it gives some more of it for so many milliseconds, while what comes is a command already. */
  readonly leavesMs: number
  /** Milliseconds until it answers a command. */
  readonly answerMs: number
  /** Whether this command, without its AT, comes damaged: it is taken for none that it knows. */
  readonly damaged: (command: string) => boolean
}

export const usualQuirks: VoiceModemQuirks = {
  model: 'Simulated voice modem',
  fullDuplex: true,
  codings: [unsigned('128,"8-BIT LINEAR",8,0,8000,0,0'), muLaw('131,"ULAW",8,0,8000,0,0')],
  answersTests: true,
  shielded: true,
  escape: false,
  endsBy: 'ETX',
  leavesBothBy: '^',
  endsAfterMs: Infinity,
  liftsLate: false,
  ringsByCode: false,
  ppm: 0,
  echo: null,
  hearsBusy: false,
  parallelCodes: ['P', 'p'],
  tellsCadence: true,
  flashes: true,
  tellsUnderrun: false,
  leavesMs: 0,
  answerMs: 5,
  damaged: () => false,
}
