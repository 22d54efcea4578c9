/** A person with a telephone on a simulated line: speaks on command, and keeps what is heard. */
import type { SimClock } from '../time.ts'
import { keyTones } from '../../key-tones.ts'
import { frame, silence, type ExchangeLine, type Subscriber } from './exchange.ts'
import { KeyReceiver } from './ears.ts'

const frameMs = 20

export class Handset implements Subscriber {
  readonly line: ExchangeLine
  readonly #clock: SimClock
  readonly heard: Int16Array[] = []
  readonly keys: string[] = []
  rings = 0
  onRing: () => void = () => undefined
  #queue: Int16Array[] = []
  #ears = new KeyReceiver()

  constructor(line: ExchangeLine, clock: SimClock) {
    this.line = line
    this.#clock = clock
    line.subscribers.add(this)
  }

  /** Waits for dial tone like anybody, then dials. */
  call(number: string): void {
    this.lift()
    this.#clock.after(500, () => this.line.dial(number))
  }

  lift(): void {
    this.line.lift(this)
  }

  hangUp(): void {
    this.#queue = []
    this.line.putDown(this)
  }

  say(samples: Int16Array): void {
    for (let at = 0; at < samples.length; at += frame) {
      const piece = silence()
      piece.set(samples.subarray(at, at + frame))
      this.#queue.push(piece)
    }
  }

  press(keys: string, ms = 100): void {
    this.say(keyTones(keys, ms))
  }

  flash(): void {
    this.line.flash()
  }

  /** All that was heard, the newest so many ms. */
  last(ms: number): Int16Array {
    const pieces = this.heard.slice(-Math.ceil(ms / frameMs))
    const all = new Int16Array(pieces.length * frame)
    for (const [i, piece] of pieces.entries()) all.set(piece, i * frame)
    return all
  }

  ring(): void {
    this.rings += 1
    this.onRing()
  }

  frame(heard: Int16Array): Int16Array {
    this.heard.push(heard)
    for (const { key, down } of this.#ears.hear(heard)) if (down) this.keys.push(key)
    return this.#queue.shift() ?? silence()
  }

  isReady(): boolean {
    return true
  }

  quiet(): void {}

  loopOpened(): void {}

  parallel(): void {}
}
