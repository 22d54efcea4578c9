/**
 * Notifies both parties that they are recorded: by words before the conversation, by tones in it, and by a word to the person who pressed
 * the key.
 */
import type { Leg } from '../../../drivers/line.ts'
import type { PbxLeg } from '../../../drivers/pbx.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { RecordingNotice } from '../../schema/config/pbx-recording.ts'
import type { Speaker } from '../../speech/speaker.ts'
import { words, type Wording } from '../../words/words.ts'

export interface NoticesOptions {
  readonly speaker: Pick<Speaker, 'prepare'>
  readonly clock: Pick<Clock, 'after'>
  readonly notice: RecordingNotice
  /** Of the site, BCP 47. */
  readonly language: string
}

export type RecordingPhrase = keyof Wording['recording']

type TalkingLeg = Leg & PbxLeg

/** As telephone companies ask for it (47 CFR 64.501): 1400 Hz every 15 s, and shorter than a word. */
const beep = { kind: 'tone', hz: [1400], ms: 200, dbm0: -18 } as const
const beepEveryMs = 15_000
const longestMakingMs = 5000
/** Numbers that no call gives to what it plays: nobody waits for the end of these. */
const firstPlay = 0x4000_0000

export class RecordingNotices {
  readonly #options: NoticesOptions
  readonly #told = new WeakSet<Leg>()
  #plays = firstPlay

  constructor(options: NoticesOptions) {
    this.#options = options
  }

  /** Has the phrases spoken ahead, so that nobody waits for a voice. */
  async warm(): Promise<void> {
    for (const name of Object.keys(words().recording) as RecordingPhrase[]) await Promise.all(this.#parts(name))
  }

  /** The party that has not heard it yet hears it first, and only then the other. */
  async before(legs: readonly TalkingLeg[]): Promise<void> {
    if (this.#options.notice !== 'announcement') return
    const untold = legs.filter((leg) => !this.#told.has(leg))
    for (const leg of untold) this.#told.add(leg)
    if (untold.length === 0) return
    // Nobody hears the other while a voice makes it.
    const silence = { kind: 'silence', ms: longestMakingMs } as const
    for (const leg of untold) leg.audio?.play(this.#plays++, silence)
    const parts = await Promise.all(this.#parts('recorded'))
    for (const leg of untold) {
      leg.audio?.clear()
      for (const part of parts)
        leg.audio?.play(this.#plays++, 'silenceMs' in part ? { kind: 'silence', ms: part.silenceMs } : { kind: 'clip', clip: part })
    }
  }

  /** They heard it in an earlier run of this program. */
  wereTold(legs: readonly TalkingLeg[]): void {
    for (const leg of legs) this.#told.add(leg)
  }

  /** Everybody hears it over the talk. */
  during(legs: readonly TalkingLeg[], name: RecordingPhrase): Promise<void> {
    for (const leg of legs) this.#told.add(leg)
    return this.over(legs, name)
  }

  /** Over the talk, to these alone. */
  async over(legs: readonly TalkingLeg[], name: RecordingPhrase): Promise<void> {
    for (const part of this.#parts(name)) {
      const source = await part
      if (!('silenceMs' in source)) for (const leg of legs) leg.playOver(this.#plays++, { kind: 'clip', clip: source })
    }
  }

  /** Tones now and every 15 s, where these are the notice; returns how to end them. */
  beeps(legs: readonly TalkingLeg[]): () => void {
    if (this.#options.notice !== 'beep') return () => undefined
    let timer: Timer | null = null
    const next = (): void => {
      for (const leg of legs) leg.playOver(this.#plays++, beep)
      timer = this.#options.clock.after(beepEveryMs, next)
    }
    next()
    return () => timer?.cancel()
  }

  #parts(name: RecordingPhrase) {
    const { recording, language } = words(this.#options.language)
    return this.#options.speaker.prepare({ text: recording[name], language, callId: 'recording' }).parts
  }
}
