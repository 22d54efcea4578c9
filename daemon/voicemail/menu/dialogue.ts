/** Speaks to somebody and hears their keys, at every moment: what is being said ends where a key comes. */
import type { Clip } from '../../../drivers/line.ts'
import type { Call, Recorded } from '../../calls/call.ts'
import { pause, type Clock } from '../../base/clock.ts'
import type { Speaker } from '../../speech/speaker.ts'
import { PromptPlayer } from '../../voice/prompts.ts'
import type { Said, Wording } from '../../words/words.ts'

const beep = { kind: 'tone', hz: [1000], ms: 250, dbm0: -15 } as const
/** A tone is known to be one only after this. */
const detectionMs = 60
/** The recorder's last word comes within this time, or its process is gone. */
const recorderGraceMs = 2000

type MenuWords = Wording['mailboxMenu']

/** One without a value in it. */
export type MenuPhrase = { [Name in keyof MenuWords]: MenuWords[Name] extends string ? Name : never }[keyof MenuWords]

export class Dialogue {
  readonly words: Wording
  readonly #call: Call
  readonly #clock: Clock
  readonly #speaker: Pick<Speaker, 'prepare'>
  readonly #keys: string[] = []
  readonly #leave: () => void
  /** How long the last key was heard as a tone. */
  #keyMs = 0
  #woken = Promise.withResolvers<void>()

  /** Of a call that is answered before anything is said. */
  constructor(call: Call, clock: Clock, speaker: Pick<Speaker, 'prepare'>, words: Wording) {
    this.words = words
    this.#call = call
    this.#clock = clock
    this.#speaker = speaker
    call.over.addEventListener('abort', () => this.#woken.resolve(), { once: true })
    this.#leave = call.listen((signal) => {
      if (signal.type !== 'digit') return
      this.#keys.push(signal.digit)
      this.#keyMs = signal.method === 'inband' ? signal.durationMs + detectionMs : 0
      this.#woken.resolve()
    })
  }

  get over(): boolean {
    return this.#call.isTerminal
  }

  close(): void {
    this.#leave()
  }

  phrase(name: MenuPhrase): Said {
    return this.said(this.words.mailboxMenu[name])
  }

  /** `text` in its language. */
  said(text: string): Said {
    return { text, language: this.words.language }
  }

  /** Until its end, or the next key. */
  async say(...texts: readonly Said[]): Promise<void> {
    if (texts.length === 0 || this.#interrupted) return
    const parts = texts.flatMap((said) => this.#speaker.prepare({ ...said, callId: this.#call.id, sensitive: true }).parts)
    const player = new PromptPlayer(this.#call, parts, this.#call.over)
    await Promise.race([player.play(), this.#key()])
    if (this.#interrupted) await player.stop()
  }

  /** null: it was played to its end; else how far (ms from its beginning) when a key came. */
  async play(clip: Clip, fromMs: number): Promise<number | null> {
    if (this.#interrupted) return fromMs
    const played = this.#call.play({ kind: 'clip', clip, offsetMs: fromMs })
    await Promise.race([played, this.#key()])
    if (this.#interrupted) this.#call.clear()
    const { completed, playedMs } = await played
    return completed ? null : playedMs
  }

  /** The next key; null where none comes in time, or the call has ended. */
  async key(seconds: number): Promise<string | null> {
    const late = Promise.withResolvers<void>()
    const timer = this.#clock.after(seconds * 1000, () => late.resolve())
    await Promise.race([this.#key(), late.promise])
    timer.cancel()
    return this.#keys.shift() ?? null
  }

  /** Keys up to `#`, or until none follows; one more than `most` at the most. */
  async number(seconds: number, most: number): Promise<string> {
    let number = ''
    while (number.length <= most) {
      const key = await this.key(seconds)
      if (key === null || key === '#') break
      number += key
    }
    return number
  }

  /** A tone, and then whatever is said up to the next key, which is taken. */
  async record(file: string, mostSeconds: number): Promise<Pick<Recorded, 'durationMs' | 'reason'>> {
    this.#keys.splice(0)
    await this.#call.play(beep)
    const recording = this.#call.record(file, mostSeconds * 1000)
    await Promise.race([recording.done, this.#key()])
    // A key that was pressed as a tone is heard at the end.
    recording.stop(this.#keyMs)
    this.#keys.shift()
    const lost = pause(this.#clock, recorderGraceMs).then(() => ({ durationMs: 0, reason: 'failed' }) as const)
    return Promise.race([recording.done, lost])
  }

  get #interrupted(): boolean {
    return this.#keys.length > 0 || this.#call.isTerminal
  }

  /** Resolves when a key waits, or the call has ended. */
  async #key(): Promise<void> {
    if (this.#interrupted) return
    this.#woken = Promise.withResolvers()
    await this.#woken.promise
  }
}
