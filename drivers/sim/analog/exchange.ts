/**
 * A simulated telephone exchange: lines with dial tone, ringing, ringback, busy and congestion tone, and calls between them, in 20 ms frames of
 * 8 kHz. All lines go by its one clock, so that no sound is lost or made up on the way: where a box stands still, the exchange catches up. What is
 * on a line is a modem, whose crystal may be off, or a plain telephone; several may hang on the same one.
 */
import type { ToneCountry } from '../../tones.ts'
import type { SimClock, SimTimer } from '../time.ts'
import { ExchangeLine, frame } from './exchange-line.ts'

export { ExchangeLine, frame } from './exchange-line.ts'

const frameMs = 20
/** A machine that was busy for longer slows the lines; they do not hurry afterwards. */
const mostBehindMs = 300
const registerMs = 200

export interface Caller {
  /** '' where it is withheld. */
  readonly number: string
  readonly name: string
}

/** Milliseconds of ringing and rest, in turn, of one round. */
export type RingCadence = readonly number[]

/** Whatever hangs on a line. */
export interface Subscriber {
  /** One ring; the caller's number comes with the first. */
  ring(first: boolean, caller: Caller, cadence: RingCadence): void
  /** The ringing has ended. */
  quiet(): void
  /** 20 ms of the line, while this one is off hook: what it hears; answers what it says. */
  frame(heard: Int16Array): Int16Array
  /** Whether it is done with its last frame: until then the exchange waits. */
  isReady(): boolean
  /** The far end has gone, where the exchange opens the loop for a moment then. */
  loopOpened(): void
  /** Another one on the same line was lifted, or put down. */
  parallel(offHook: boolean): void
}

export interface ExchangeOptions {
  readonly clock: SimClock
  readonly country: ToneCountry
  /** A ring each. */
  readonly ringEveryMs?: number
  /** Whether the exchange opens the loop when the far end has gone; otherwise it gives busy tone, as most do. */
  readonly opensLoop?: boolean
  /** From one line to the other. */
  readonly delayMs?: number
}

const usualCadence: RingCadence = [2000, 4000]
/** By their words, such as "short long". */
const ringParts: Readonly<Record<string, number>> = { short: 800, long: 2000 }
const betweenMs = 400

export class Exchange {
  readonly country: ToneCountry
  readonly #options: ExchangeOptions
  readonly #lines = new Map<string, { readonly line: ExchangeLine; readonly cadence: RingCadence }>()
  #next = 0
  #timer: SimTimer | null = null

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.country = options.country
  }

  line(number: string): ExchangeLine {
    const known = this.#lines.get(number)
    if (known !== undefined) return known.line
    const line = new ExchangeLine(number, this)
    this.#lines.set(number, { line, cadence: usualCadence })
    return line
  }

  /** A further number of a line, with a ring of its own. */
  alias(number: string, line: ExchangeLine, words: string): void {
    const parts = words.split(' ').flatMap((word) => [ringParts[word]!, betweenMs])
    this.#lines.set(number, { line, cadence: parts })
  }

  isNumber(digits: string): boolean {
    return this.#lines.has(digits)
  }

  after(ms: number, fn: () => void): SimTimer {
    return this.#options.clock.after(ms, fn)
  }

  /** The first on the line was lifted. */
  lifted(line: ExchangeLine): void {
    if (line.state === 'ringing') this.#answer(line)
    else if (line.state === 'idle') line.give('dial-tone', 'dial')
    if (this.#timer !== null) return
    this.#next = this.#options.clock.now()
    this.#run()
  }

  /** The last one was put down. */
  putDown(line: ExchangeLine): void {
    const { peer, held, state } = line
    line.rest()
    if (held !== null) this.#transfer(held, peer, state)
    else if (peer !== null) {
      peer.peer = null
      if (state === 'ringback') this.#quiet(peer)
      else if (state === 'talking') this.#left(peer)
      else if (state === 'ringing') peer.give('tone', 'busy')
    }
  }

  /** A flash of the hook: the far end waits, there is dial tone for another call; once more, and the far end is back. */
  flash(line: ExchangeLine): void {
    const { peer, held, state } = line
    if (held === null) {
      if (state !== 'talking' || peer === null) return
      line.held = peer
      line.peer = null
      peer.state = 'held'
      return line.give('dial-tone', 'dial')
    }
    if (peer !== null) {
      peer.peer = null
      if (state === 'ringback') this.#quiet(peer)
      else this.#left(peer)
    }
    line.held = null
    this.#join(line, held)
  }

  dial(line: ExchangeLine, digits: string): void {
    line.state = 'dialling'
    line.tone = null
    line.timer?.cancel()
    line.timer = this.after(registerMs, () => {
      const { line: called, cadence } = this.#lines.get(digits.replaceAll(/[^0-9*#]/g, '')) ?? {}
      if (called === undefined) return line.give('tone', 'congestion')
      if (called.state !== 'idle' || !called.isTaken || called.cut) return line.give('tone', 'busy')
      line.peer = called
      called.peer = line
      line.give('ringback', 'ringback')
      called.state = 'ringing'
      called.caller = { number: line.withheld ? '' : line.number, name: line.name }
      this.#ring(called, true, cadence!)
    })
  }

  #ring(line: ExchangeLine, first: boolean, cadence: RingCadence): void {
    for (const subscriber of line.subscribers) subscriber.ring(first, line.caller, cadence)
    line.timer = this.after(this.#options.ringEveryMs ?? 6000, () => this.#ring(line, false, cadence))
  }

  #answer(line: ExchangeLine): void {
    line.timer?.cancel()
    for (const each of line.subscribers) each.quiet()
    this.#join(line, line.peer!)
  }

  #join(one: ExchangeLine, other: ExchangeLine): void {
    const frames = Math.max(1, Math.round((this.#options.delayMs ?? frameMs) / frameMs))
    one.peer = other
    other.peer = one
    one.talk(frames)
    other.talk(frames)
  }

  /** The subscriber who held a call has put down: it goes to the one who was called meanwhile. */
  #transfer(held: ExchangeLine, called: ExchangeLine | null, state: ExchangeLine['state']): void {
    if (called !== null && state === 'talking') return this.#join(held, called)
    if (called === null || state !== 'ringback') return this.#left(held)
    held.peer = called
    called.peer = held
    held.give('ringback', 'ringback')
  }

  #quiet(line: ExchangeLine): void {
    line.rest()
    for (const subscriber of line.subscribers) subscriber.quiet()
  }

  /** Its partner has gone. */
  #left(line: ExchangeLine): void {
    line.peer = null
    if (this.#options.opensLoop === true) for (const subscriber of line.offHook) subscriber.loopOpened()
    line.give('tone', 'busy')
  }

  #run(): void {
    const { clock } = this.#options
    const now = clock.now()
    if (now - this.#next > mostBehindMs) this.#next = now
    const lines = [...new Set(Array.from(this.#lines.values(), ({ line }) => line))].filter(({ offHook }) => offHook.size > 0)
    const ready = (): boolean => lines.every((line) => line.isReady())
    // Frame by frame where it catches up: what was sent to the modems meanwhile is read between them, as hardware would have.
    if (this.#next <= now && ready()) {
      const heard = lines.map((line) => line.take())
      for (const [i, line] of lines.entries()) line.pass(heard[i]!)
      this.#next += frameMs
    }
    const wait = Math.max(1, this.#next - clock.now())
    this.#timer = lines.length === 0 ? null : clock.after(wait, () => this.#run())
  }
}

export const silence = (): Int16Array => new Int16Array(frame)
