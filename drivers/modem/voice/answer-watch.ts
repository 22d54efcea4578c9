/** Whether a number that was dialled is answered, by what is heard: modems see no answer on an analog line. Pure. */
import type { ProgressTone, ToneCountry } from '../../tones.ts'
import { LineTones } from './line-tones.ts'

const frame = 160
const frameMs = 20
/** So much that is neither silence nor a tone of the exchange, within `withinMs`, is a voice. */
const voiceMs = 240
const withinMs = 1000
/** It does not ring any more when the pause lasts so much longer than it should. */
const overduePauseMs = 1000
/** Nothing at all: somebody who says nothing, behind an exchange without ringback. Setting up a call far away takes up to ten seconds. */
const silentMs = 15_000

export type Course = 'ringing' | 'answered' | ProgressTone

export class AnswerWatch {
  readonly #tones: LineTones
  #voice: boolean[] = []
  #quietMs = 0
  #ringing = false
  #over = false

  constructor(country: ToneCountry) {
    this.#tones = new LineTones(country)
  }

  /** What has become known, in its order; nothing after an answer or a tone that ends it. */
  hear(samples: Int16Array): readonly Course[] {
    const course: Course[] = []
    for (let at = 0; at + frame <= samples.length && !this.#over; at += frame) this.#frame(samples.subarray(at, at + frame), course)
    return course
  }

  #frame(samples: Int16Array, course: Course[]): void {
    const tone = this.#tones.hear(samples)
    if (tone !== null) return this.#end(tone, course)
    if (this.#tones.rang && !this.#ringing) {
      this.#ringing = true
      course.push('ringing')
    }
    const { sound } = this.#tones
    this.#voice.push(sound === 'other')
    if (this.#voice.length > withinMs / frameMs) this.#voice.shift()
    this.#quietMs = sound === 'silence' ? this.#quietMs + frameMs : 0
    const spoke = this.#voice.filter(Boolean).length * frameMs >= voiceMs
    const patience = this.#ringing ? this.#tones.ringPauseMs + overduePauseMs : silentMs
    if (spoke || this.#quietMs >= patience) this.#end('answered', course)
  }

  #end(what: Course, course: Course[]): void {
    this.#over = true
    course.push(what)
  }
}
