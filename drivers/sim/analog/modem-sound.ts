/**
 * The sound of a simulated voice modem while it is off hook (ITU-T V.253: AT+VTX, +VRX, +VTR): shielded both ways, in the form that was
 * set.
 */
import { DLE, shield, VoiceUnshielder } from '../../v253.ts'
import type { SimClock } from '../time.ts'
import type { VoiceModemQuirks } from './modem-quirks.ts'
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '../../g711.ts'

/** The forms in which a simulated voice modem gives and takes samples, each with the line by which real ones offer it (AT+VSM=?). */
export interface Coding {
  /** As of AT+VSM=?, its number first. */
  readonly offer: string
  encode(samples: Int16Array): Buffer
  decode(bytes: Uint8Array): Int16Array
}

const sevenBits = (sample: number): number => Math.max(-128, Math.min(127, Math.round(sample / 256)))

export const muLaw = (offer: string): Coding => ({ offer, encode: encodeMuLaw, decode: decodeMuLaw })
export const aLaw = (offer: string): Coding => ({ offer, encode: encodeALaw, decode: decodeALaw })

export const unsigned = (offer: string): Coding => ({
  offer,
  encode: (samples) => Buffer.from(Uint8Array.from(samples, (sample) => 128 + sevenBits(sample))),
  decode: (bytes) => Int16Array.from(bytes, (byte) => 256 * (byte - 128)),
})

export const signed = (offer: string): Coding => ({
  offer,
  encode: (samples) => Buffer.from(Int8Array.from(samples, sevenBits).buffer),
  decode: (bytes) => Int16Array.from(Int8Array.from(bytes), (byte) => 256 * byte),
})

/** One that the box cannot use. */
export const other = unsigned

/** On a lifted line what was sent has long been said by then. */
const unheardMs = 1000

export type SoundState = 'VTX' | 'VRX' | 'VTR'

export interface SoundPlaces {
  readonly clock: SimClock
  /** Of the terminal. */
  readonly output: (bytes: Buffer) => void
  /** At once, and as the answer to a command. */
  readonly say: (text: string) => void
  readonly answer: (text: string) => void
}

export class ModemSound {
  readonly #places: SoundPlaces
  readonly #quirks: VoiceModemQuirks
  readonly #unshielder = new VoiceUnshielder()
  readonly #scratch = Buffer.alloc(1 << 17)
  #coding: Coding
  #state: SoundState | null = null
  /** What was ordered last, as long as the line is off hook. */
  #begun: object | null = null
  #spoken: Buffer = Buffer.alloc(0)
  /** The sound that was sent ends after this. */
  #ending = false
  /** It gives sound, though it takes commands. */
  #leaving = false
  #silentFrames = Infinity
  #beganAt = 0
  /** Speech that went on within half a second after it had broken off. */
  underruns = 0

  constructor(places: SoundPlaces, quirks: VoiceModemQuirks) {
    this.#places = places
    this.#quirks = quirks
    this.#coding = quirks.codings[0]!
  }

  /** What comes from the terminal is sound, and no command. */
  get isOpen(): boolean {
    return this.#state !== null
  }

  get doing(): string {
    return `${this.#state ?? 'no sound'}${this.#ending ? ' to its end' : ''}, ${this.#spoken.length} bytes to say`
  }

  get speaks(): boolean {
    return this.#state === 'VTX' || this.#state === 'VTR'
  }

  /** False where it does not offer it. */
  select(number: number): boolean {
    const coding = this.#quirks.codings.find(({ offer }) => Number.parseInt(offer, 10) === number)
    if (coding !== undefined) this.#coding = coding
    return coding !== undefined
  }

  begin(state: SoundState): void {
    const begun = (this.#begun = {})
    this.#places.clock.after(this.#quirks.answerMs, () => {
      if (this.#begun !== begun) return
      this.#places.say('CONNECT')
      this.#state = state
      this.#spoken = Buffer.alloc(0)
      this.#ending = false
      this.#silentFrames = Infinity
      this.#beganAt = this.#places.clock.now()
    })
  }

  /** On hook: the sound ends without a word. */
  drop(): void {
    this.#state = null
    this.#begun = null
  }

  /** From the box; answers what follows its end. */
  input(bytes: Buffer): Buffer {
    for (let i = 0; i < bytes.length; i++) {
      const { length } = this.#unshielder.take(bytes.subarray(i, i + 1), this.#scratch, (code) => {
        if (code.kind === 'end') this.#end()
        else if (code.kind === 'code') this.#order(code.code)
      })
      if (length > 0) this.#spoken = Buffer.concat([this.#spoken, this.#scratch.subarray(0, length)])
      if (this.#ending && (this.#state === 'VRX' || (this.#state === 'VTR' && this.#quirks.leavesBothBy === 'ETX'))) this.#stop()
      if (this.#state === null) return bytes.subarray(i + 1)
    }
    return Buffer.alloc(0)
  }

  /** What was sent is the last of it. Its time passes on a line that was not lifted, too, where nobody takes what it says. */
  #end(): void {
    this.#ending = true
    const begun = this.#begun
    if (this.#state === 'VTX') this.#places.clock.after(this.#spoken.length / 8 + unheardMs, () => begun === this.#begun && this.#spoke())
  }

  #spoke(): void {
    if (this.#state !== 'VTX') return
    this.#state = null
    this.#places.answer('OK')
  }

  /** From the line, in the modem's own time. */
  hear(samples: Int16Array): void {
    if (this.#state === 'VTR' && this.#places.clock.now() - this.#beganAt > this.#quirks.endsAfterMs) this.#stop()
    if (this.#state === 'VRX' || this.#state === 'VTR' || this.#leaving) this.#places.output(shield(this.#coding.encode(samples)))
  }

  /** The next samples of what the box has sent, in the modem's own time. */
  speak(count: number): Int16Array {
    const piece = this.#spoken.subarray(0, count)
    this.#spoken = this.#spoken.subarray(count)
    const samples = new Int16Array(count)
    samples.set(this.#coding.decode(piece))
    // Silence that goes on is no speech.
    if (this.#silentFrames > 0 && this.#silentFrames < 25 && samples.some((sample) => sample !== 0)) this.underruns += 1
    if (piece.length < count && this.#silentFrames === 0 && this.#quirks.tellsUnderrun) this.#shielded('u')
    this.#silentFrames = piece.length === count ? 0 : this.#silentFrames + 1
    if (this.#ending && this.#spoken.length === 0) this.#spoke()
    return samples
  }

  #order(code: string): void {
    const { escape, leavesBothBy } = this.#quirks
    if (code === '\x18') {
      this.#spoken = Buffer.alloc(0)
      // What was broken off has no gap, however soon something else is said.
      this.#silentFrames = Infinity
    }
    if (code === (escape ? '\x1b' : '!') && this.#state === 'VRX') this.#stop()
    if (code === '^' && this.#state === 'VTR' && leavesBothBy === '^') this.#stop()
  }

  #stop(): void {
    const { endsBy, leavesMs } = this.#quirks
    this.#state = null
    const left = (): void => {
      this.#leaving = false
      if (endsBy !== 'none') this.#shielded(endsBy === 'ETX' ? '\x03' : '\x1b')
      this.#places.answer('OK')
    }
    if (leavesMs === 0) return left()
    this.#leaving = true
    this.#places.clock.after(leavesMs, left)
  }

  #shielded(code: string): void {
    this.#places.output(Buffer.from([DLE, code.charCodeAt(0)]))
  }
}
