/** One line of a simulated exchange: who hangs on it, what is on the wire, and what the exchange does with it. */
import { progressTone, type ProgressTone } from '../../tones.ts'
import type { SimTimer } from '../time.ts'
import type { Caller, Exchange, Subscriber } from './exchange.ts'
import { KeyReceiver } from './ears.ts'

export const frame = 160

type State = 'idle' | 'dial-tone' | 'dialling' | 'ringback' | 'ringing' | 'talking' | 'held' | 'tone'

/** A number is complete when no further key has come for so long. */
const lastKeyMs = 4000

export class ExchangeLine {
  readonly number: string
  state: State = 'idle'
  tone: ProgressTone | null = null
  peer: ExchangeLine | null = null
  /** The line that waits while another number is called from here. */
  held: ExchangeLine | null = null
  readonly subscribers = new Set<Subscriber>()
  readonly offHook = new Set<Subscriber>()
  timer: SimTimer | null = null
  /** The caller, while it rings. */
  caller: Caller = { number: '', name: '' }
  /** What those see who are called from here. */
  name = ''
  withheld = false
  /** The wire is cut. */
  cut = false
  readonly #exchange: Exchange
  #incoming: Int16Array[] = []
  /** Round of the tone, in samples. */
  #at = 0
  /** What each of several on the line said last: the others hear it. */
  readonly #last = new Map<Subscriber, Int16Array>()
  #keys = new KeyReceiver()
  #dialled = ''

  constructor(number: string, exchange: Exchange) {
    this.number = number
    this.#exchange = exchange
  }

  get isTaken(): boolean {
    return this.subscribers.size > 0
  }

  /** The tone has begun a round within the last frame. */
  get beginsRound(): boolean {
    return this.#at < frame
  }

  lift(subscriber: Subscriber): void {
    if (this.cut || this.offHook.has(subscriber)) return
    this.offHook.add(subscriber)
    this.#last.set(subscriber, new Int16Array(frame))
    for (const other of this.subscribers) if (other !== subscriber) other.parallel(true)
    if (this.offHook.size === 1) this.#exchange.lifted(this)
  }

  putDown(subscriber: Subscriber): void {
    if (!this.offHook.delete(subscriber)) return
    this.#last.delete(subscriber)
    for (const other of this.subscribers) if (other !== subscriber) other.parallel(false)
    if (this.offHook.size === 0) this.#exchange.putDown(this)
  }

  /** The number as a whole, as a modem or a dial says it. */
  dial(digits: string): void {
    if (!this.cut && this.state === 'dial-tone') this.#exchange.dial(this, digits)
  }

  /** The hook is down for a moment. */
  flash(): void {
    if (!this.cut) this.#exchange.flash(this)
  }

  /** Another telephone on the same line, or the wire itself. */
  cutOff(): void {
    this.cut = true
    this.offHook.clear()
    this.#exchange.putDown(this)
  }

  give(state: State, tone: ProgressTone): void {
    this.timer?.cancel()
    this.state = state
    this.tone = tone
    this.#at = 0
    this.#keys = new KeyReceiver()
    this.#dialled = ''
  }

  /** @param delayFrames of silence ahead of what the other says. */
  talk(delayFrames: number): void {
    this.timer?.cancel()
    this.state = 'talking'
    this.tone = null
    this.#incoming = Array.from({ length: delayFrames }, () => new Int16Array(frame))
  }

  rest(): void {
    this.timer?.cancel()
    this.state = 'idle'
    this.tone = this.peer = this.held = null
    this.#incoming = []
  }

  isReady(): boolean {
    return [...this.offHook].every((subscriber) => subscriber.isReady())
  }

  /** 20 ms of what is on the wire from the exchange. */
  take(): Int16Array {
    if (this.cut) return new Int16Array(frame)
    if (this.tone !== null) return this.#toneFrame(this.tone)
    return (this.state === 'talking' ? this.#incoming.shift() : undefined) ?? new Int16Array(frame)
  }

  /** Lets all who are off hook hear it, and passes on what they say. */
  pass(wire: Int16Array): void {
    const all = new Int16Array(frame)
    for (const subscriber of [...this.offHook]) {
      const heard = Int16Array.from(wire)
      for (const [other, samples] of this.#last) if (other !== subscriber) add(heard, samples)
      const said = subscriber.frame(heard)
      if (this.#last.has(subscriber)) this.#last.set(subscriber, said)
      add(all, said)
    }
    if (this.cut) return
    if (this.state === 'talking') this.peer?.arrive(all)
    else if (this.state === 'dial-tone' || this.state === 'dialling') this.#hearKeys(all)
  }

  arrive(samples: Int16Array): void {
    this.#incoming.push(samples)
  }

  /** The keys of a number are tones among what is said. */
  #hearKeys(samples: Int16Array): void {
    for (const { key, down } of this.#keys.hear(samples)) if (down) this.type(key)
  }

  /** A key of a number, whose others are waited for. */
  type(key: string): void {
    if (this.cut || (this.state !== 'dial-tone' && this.state !== 'dialling')) return
    this.state = 'dialling'
    this.tone = null
    this.#dialled += key
    const digits = this.#dialled
    this.timer?.cancel()
    if (this.#exchange.isNumber(digits)) this.#exchange.dial(this, digits)
    else this.timer = this.#exchange.after(lastKeyMs, () => this.#exchange.dial(this, digits))
  }

  #toneFrame(tone: ProgressTone): Int16Array {
    const { samples } = progressTone(this.#exchange.country, tone)
    const piece = Int16Array.from({ length: frame }, (_, i) => samples[(this.#at + i) % samples.length]!)
    this.#at = (this.#at + frame) % samples.length
    return piece
  }
}

function add(to: Int16Array, samples: Int16Array): void {
  for (let i = 0; i < frame; i++) to[i] = Math.max(-32_768, Math.min(32_767, to[i]! + samples[i]!))
}
