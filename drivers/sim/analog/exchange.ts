/**
 * A simulated telephone exchange: lines with dial tone, ringing, ringback, busy and congestion tone, and calls between them, in 20 ms frames of
 * 8 kHz. What is on a line is a modem or a plain telephone; each runs by a clock of its own, which the exchange does not correct.
 */
import { progressTone, type ProgressTone, type ToneCountry } from '../../tones.ts'
import type { SimClock, SimTimer } from '../time.ts'

export const frame = 160
const frameMs = 20

/** Whatever hangs on a line. */
export interface Subscriber {
  /** One ring; the caller's number comes with the first, '' where it is withheld. */
  ring(first: boolean, caller: { readonly number: string; readonly name: string }): void
  /** The ringing is over and nobody took the call. */
  quiet(): void
  /** A key that the far end pressed, of so many ms; its tone is not part of the sound. */
  key(key: string, ms: number): void
  /** The calling tone of a fax machine (CNG) is heard. */
  faxTone(): void
  /** The far end has gone, where the exchange opens the loop for a moment then. */
  loopOpened(): void
}

export interface ExchangeOptions {
  readonly clock: SimClock
  readonly country: ToneCountry
  /** A ring each. */
  readonly ringEveryMs?: number
  /** Whether the exchange opens the loop when the far end has gone; otherwise it gives busy tone, as most do. */
  readonly opensLoop?: boolean
}

type State = 'idle' | 'dial-tone' | 'dialling' | 'ringback' | 'ringing' | 'talking' | 'tone' | 'dead'

export class ExchangeLine {
  readonly number: string
  state: State = 'idle'
  tone: ProgressTone | null = null
  /** Round of the tone. */
  at = 0
  peer: ExchangeLine | null = null
  subscriber: Subscriber | null = null
  /** The far end's sound that waits here. */
  readonly incoming: Int16Array[] = []
  timer: SimTimer | null = null
  /** Who calls, while it rings. */
  caller = { number: '', name: '' }
  /** What those see who are called from here. */
  name = ''
  withheld = false
  /** The wire is cut. */
  cut = false
  readonly #exchange: Exchange

  constructor(number: string, exchange: Exchange) {
    this.number = number
    this.#exchange = exchange
  }

  offHook(): void {
    if (!this.cut) this.#exchange.offHook(this)
  }

  onHook(): void {
    this.#exchange.onHook(this)
  }

  dial(digits: string): void {
    if (!this.cut) this.#exchange.dial(this, digits)
  }

  press(key: string, ms = 100): void {
    if (this.state === 'dial-tone' && !this.cut) {
      // It waits for the rest of the number.
      this.state = 'dialling'
      this.tone = null
    }
    if (this.state === 'talking' && !this.cut) this.peer?.subscriber?.key(key, ms)
  }

  /** A fax machine calls: its tone, which a modem tells. */
  callAsFax(): void {
    if (this.state === 'talking' && !this.cut) this.peer?.subscriber?.faxTone()
  }

  /** Another telephone on the same line, or the wire itself. */
  cutOff(): void {
    this.cut = true
    this.#exchange.onHook(this)
  }

  /** 20 ms to the far end. */
  say(samples: Int16Array): void {
    const { peer } = this
    if (this.state !== 'talking' || peer === null || this.cut) return
    // Whose clock is slower hears no older sound than of 60 ms ago.
    if (peer.incoming.length > 2) peer.incoming.shift()
    peer.incoming.push(samples)
  }

  /** 20 ms of what is on the line. */
  hear(): Int16Array {
    if (this.cut) return new Int16Array(frame)
    if (this.tone !== null) return this.#toneFrame(this.tone)
    return (this.state === 'talking' ? this.incoming.shift() : undefined) ?? new Int16Array(frame)
  }

  #toneFrame(tone: ProgressTone): Int16Array {
    const { samples } = progressTone(this.#exchange.country, tone)
    const piece = Int16Array.from({ length: frame }, (_, i) => samples[(this.at + i) % samples.length]!)
    this.at = (this.at + frame) % samples.length
    return piece
  }
}

export class Exchange {
  readonly country: ToneCountry
  readonly #options: ExchangeOptions
  readonly #lines = new Map<string, ExchangeLine>()

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.country = options.country
  }

  line(number: string): ExchangeLine {
    const line = this.#lines.get(number) ?? new ExchangeLine(number, this)
    this.#lines.set(number, line)
    return line
  }

  offHook(line: ExchangeLine): void {
    if (line.state === 'ringing') return this.#answer(line)
    if (line.state === 'idle') this.#give(line, 'dial-tone', 'dial')
  }

  onHook(line: ExchangeLine): void {
    line.timer?.cancel()
    const { peer, state } = line
    this.#rest(line)
    if (peer === null) return
    peer.peer = null
    if (state === 'ringback') this.#quiet(peer)
    else if (state === 'talking') this.#left(peer)
    else if (state === 'ringing') this.#give(peer, 'tone', 'busy')
  }

  dial(line: ExchangeLine, digits: string): void {
    if (line.state !== 'dial-tone') return
    line.state = 'dialling'
    line.tone = null
    line.timer = this.#options.clock.after(200, () => {
      const called = this.#lines.get(digits.replaceAll(/[^0-9*#]/g, ''))
      if (called === undefined) return this.#give(line, 'tone', 'congestion')
      if (called.state !== 'idle' || called.subscriber === null || called.cut) return this.#give(line, 'tone', 'busy')
      line.peer = called
      called.peer = line
      this.#give(line, 'ringback', 'ringback')
      called.state = 'ringing'
      called.caller = { number: line.withheld ? '' : line.number, name: line.name }
      this.#ring(called, true)
    })
  }

  #ring(line: ExchangeLine, first: boolean): void {
    line.subscriber?.ring(first, line.caller)
    line.timer = this.#options.clock.after(this.#options.ringEveryMs ?? 6000, () => this.#ring(line, false))
  }

  #answer(line: ExchangeLine): void {
    line.timer?.cancel()
    for (const each of [line, line.peer!]) {
      each.state = 'talking'
      each.tone = null
      each.incoming.length = 0
    }
  }

  #quiet(line: ExchangeLine): void {
    line.timer?.cancel()
    this.#rest(line)
    line.subscriber?.quiet()
  }

  /** Whom it talked to has gone. */
  #left(line: ExchangeLine): void {
    if (this.#options.opensLoop === true) line.subscriber?.loopOpened()
    this.#give(line, 'tone', 'busy')
  }

  #give(line: ExchangeLine, state: State, tone: ProgressTone): void {
    line.state = state
    line.tone = tone
    line.at = 0
  }

  #rest(line: ExchangeLine): void {
    line.state = 'idle'
    line.tone = null
    line.peer = null
    line.incoming.length = 0
  }
}

/** A person with a telephone: says what is told, and keeps what is heard. */
export class Handset implements Subscriber {
  readonly line: ExchangeLine
  readonly #clock: SimClock
  readonly heard: Int16Array[] = []
  readonly keys: string[] = []
  rings = 0
  onRing: () => void = () => undefined
  #queue: Int16Array[] = []
  #timer: SimTimer | null = null
  #next = 0
  #offHook = false

  constructor(line: ExchangeLine, clock: SimClock) {
    this.line = line
    this.#clock = clock
    line.subscriber = this
  }

  /** Waits for dial tone like anybody, then dials. */
  call(number: string): void {
    this.lift()
    this.#clock.after(500, () => this.line.dial(number))
  }

  lift(): void {
    if (this.#offHook) return
    this.#offHook = true
    this.line.offHook()
    this.#next = this.#clock.now()
    this.#tick()
  }

  hangUp(): void {
    this.#offHook = false
    this.#timer?.cancel()
    this.line.onHook()
  }

  say(samples: Int16Array): void {
    for (let at = 0; at < samples.length; at += frame) {
      const piece = new Int16Array(frame)
      piece.set(samples.subarray(at, at + frame))
      this.#queue.push(piece)
    }
  }

  press(key: string, ms = 100): void {
    this.line.press(key, ms)
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

  quiet(): void {}

  key(key: string): void {
    this.keys.push(key)
  }

  faxTone(): void {}

  loopOpened(): void {}

  #tick(): void {
    for (; this.#offHook && this.#next <= this.#clock.now(); this.#next += frameMs) {
      this.heard.push(this.line.hear())
      this.line.say(this.#queue.shift() ?? new Int16Array(frame))
    }
    if (this.#offHook) this.#timer = this.#clock.after(Math.max(1, this.#next - this.#clock.now()), () => this.#tick())
  }
}
