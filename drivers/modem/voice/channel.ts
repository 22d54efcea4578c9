/**
 * The sound of one call on a modem that is off hook. A modem with full duplex hears and speaks in one state (AT+VTR), and what it has
 * heard is the clock of what it says. Any other listens (AT+VRX) and leaves off while it speaks (AT+VTX).
 */
import type { AtSession } from '../at-session.ts'
import { orders, shield, VoiceUnshielder, type VoiceCode } from '../../v253.ts'
import type { VoiceModem } from './setup.ts'

export interface ChannelHandlers {
  /** Samples of the line, in its own time; silence while a modem that speaks hears nothing. */
  heard(samples: Int16Array): void
  code(code: VoiceCode): void
  /** About so many samples that are to be said next; `aheadMs` of others are not heard yet, less than 0 where the line has waited. */
  pull(most: number, aheadMs: number): Int16Array
  /** The line has come to this sample of what was pulled. */
  reached(sample: number): void
  /** There was more to say than had come to the line in time: the speech had a gap. */
  underrun(): void
  /** The modem does not do what it should; `why` is a sentence. Last. */
  lost(why: string): void
}

export interface ChannelOptions {
  readonly session: AtSession
  readonly modem: VoiceModem
  readonly handlers: ChannelHandlers
  readonly answerMs: number
  /** Of speech that is known, so much is sent ahead: a busy box does not tear it. */
  readonly aheadMs?: number
}

type State = 'closed' | 'turning' | 'both' | 'listening' | 'speaking'

const frame = 160
const samplesPerMs = 8
/** A modem that listens gives samples all the time. */
const silentMs = 4000
const unreadMs = 500
/** In so short a speech what the modem tells of having nothing to say is of what was before. */
const settledMs = 500
const largest = 4096
/** A modem of one way at a time listens again when nothing was said for so long. */
const restMs = 60

export class VoiceChannel {
  readonly #options: ChannelOptions
  readonly #unshielder = new VoiceUnshielder()
  readonly #bytes = Buffer.allocUnsafe(2 * 65_536)
  #state: State = 'closed'
  /** Sound that was heard, and where the speech will be over that was sent, in samples of the same clock. */
  #heard = 0
  #spokenTo = 0
  /** Samples that were pulled. */
  #pulled = 0
  /** Sound of half a sample. */
  #odd: Buffer | null = null
  #spokeAt = 0
  #tick: NodeJS.Timeout | null = null
  #watch: NodeJS.Timeout | null = null
  #dataEnded: (() => void) | null = null
  #turns: Promise<void> = Promise.resolve()
  #wantsToSpeak = false
  /** Not all was sent yet of what is being said. */
  #goesOn = false
  /** When speech began, or went on after a gap. */
  #beganAt = -Infinity
  /** When the modem has said all that was sent. */
  #dryAt = Infinity
  /** It told that it has; at the end of speech that is as it should be. */
  #ranDry = false
  #closing = false
  /** The modem was told to leave its sound: what is sent from then on are commands to it. */
  #leaving = false

  constructor(options: ChannelOptions) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#state !== 'closed' && !this.#closing
  }

  /** Of what was pulled, so much is not heard yet. */
  get aheadMs(): number {
    return Math.max(0, this.#spokenTo - this.#position()) / samplesPerMs
  }

  /** False where the modem gives no sound. */
  async open(): Promise<boolean> {
    this.#closing = false
    this.#options.session.filter = (bytes) => this.#amongWords(bytes)
    const opened = await (this.#options.modem.fullDuplex ? this.#enter('AT+VTR', 'both') : this.#enter('AT+VRX', 'listening'))
    if (opened && this.#wantsToSpeak) this.speak()
    return opened
  }

  /** There is something to be said. */
  speak(): void {
    this.#wantsToSpeak = true
    if (this.#closing) return
    if (this.#state === 'both') this.#feed()
    else if (this.#state === 'listening') this.#turn(() => this.#startSpeaking())
  }

  /** What was sent is not said any more. */
  clear(): void {
    this.#wantsToSpeak = this.#goesOn = false
    if (this.#state === 'both' && !this.#leaving) this.#options.session.writeData(orders.clear)
    if (this.#state === 'both' || this.#state === 'speaking') this.#spokenTo = Math.min(this.#spokenTo, this.#position())
    if (this.#state === 'speaking') this.#turn(() => this.#stopSpeaking(true))
  }

  /** Between what it does now and the same again. */
  flash(): void {
    this.#turn(async () => {
      if (!(await this.#leave())) return this.#fail('The modem does not leave its sound')
      const { session, answerMs, modem } = this.#options
      for (const command of modem.quirks.flash) if ((await session.command(command, answerMs)).code === 'ok') break
      if (!this.#closing && (await this.open()) && this.#wantsToSpeak) this.speak()
    })
  }

  /** Back to commands; false where the modem does not leave its data. */
  async close(): Promise<boolean> {
    this.#closing = true
    await this.#turns
    const left = await this.#leave()
    this.#rest()
    this.#options.session.filter = null
    this.#state = 'closed'
    return left
  }

  /** The port is gone. */
  abandon(): void {
    this.#closing = true
    this.#rest()
    this.#state = 'closed'
    this.#dataEnded?.()
  }

  #rest(): void {
    if (this.#tick !== null) clearInterval(this.#tick)
    if (this.#watch !== null) clearTimeout(this.#watch)
    this.#tick = this.#watch = null
  }

  #turn(work: () => Promise<void>): void {
    this.#turns = this.#turns.then(() => (this.#closing ? undefined : work()))
  }

  async #enter(command: string, state: State): Promise<boolean> {
    const { session, answerMs } = this.#options
    this.#state = 'turning'
    const { code } = await session.command(command, answerMs)
    if (code !== 'connect') {
      if (!this.#closing) this.#fail(`The modem refuses ${command}`)
      return false
    }
    this.#odd = null
    this.#goesOn = this.#leaving = false
    this.#state = state
    session.takeData((bytes) => this.#take(bytes))
    this.#guard()
    return true
  }

  #fail(why: string): void {
    this.#rest()
    this.#state = 'closed'
    this.#options.handlers.lost(why)
  }

  #guard(): void {
    if (this.#watch !== null) clearTimeout(this.#watch)
    this.#watch = null
    if (this.#state !== 'both' && this.#state !== 'listening') return
    this.#watch = setTimeout(() => {
      // A box that stood still itself has not read yet what came meanwhile.
      this.#watch = setTimeout(() => this.#fail('The modem gives no sound any more'), unreadMs)
    }, silentMs)
  }

  #take(bytes: Buffer): void {
    this.#guard()
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + largest)
      let ended = false
      const { length, read } = this.#unshielder.take(piece, this.#bytes, (code) => {
        if (code.kind === 'end') ended = true
        else if (code.kind === 'code' && code.code === 'u') this.#ranDry = performance.now() - this.#beganAt > settledMs
        else this.#options.handlers.code(code)
      })
      if (this.#state === 'both' || this.#state === 'listening') this.#hear(this.#bytes.subarray(0, length))
      at += read
      if (!ended || (this.#dataEnded === null && this.#state === 'speaking')) continue
      const rest = bytes.subarray(at)
      this.#options.session.holdData(rest.length === 0 ? [] : [rest])
      if (this.#dataEnded !== null) return this.#dataEnded()
      // Nobody asked for it: the modem has left its data by itself.
      return this.#fail('The modem ended the sound of the call')
    }
  }

  /** Keys and the like while the modem turns from one state to the other. */
  #amongWords(bytes: Buffer): Buffer {
    const words: Buffer[] = []
    for (let at = 0; at < bytes.length;) {
      const { length, read } = this.#unshielder.take(bytes.subarray(at, at + largest), this.#bytes, (code) => {
        if (code.kind !== 'end') this.#options.handlers.code(code)
      })
      words.push(Buffer.from(this.#bytes.subarray(0, length)))
      at += read
    }
    return Buffer.concat(words)
  }

  #hear(bytes: Buffer): void {
    const { modem, handlers } = this.#options
    const all = this.#odd === null ? bytes : Buffer.concat([this.#odd, bytes])
    const usable = all.length - (all.length % modem.format.bytes)
    this.#odd = usable === all.length ? null : Buffer.from(all.subarray(usable))
    if (usable === 0) return
    const samples = modem.format.decode(all.subarray(0, usable))
    this.#heard += samples.length
    handlers.heard(samples)
    if (this.#state !== 'both') return
    this.#tellReached()
    if (this.#wantsToSpeak) this.#feed()
  }

  /** Where the line is: by what it has heard, or by the time since it began to speak. */
  #position(): number {
    if (this.#state !== 'speaking') return this.#heard
    return Math.round((performance.now() - this.#spokeAt) * samplesPerMs)
  }

  #tellReached(): void {
    const ahead = Math.max(0, this.#spokenTo - this.#position())
    this.#options.handlers.reached(this.#pulled - ahead)
  }

  /** As much as may be sent ahead. */
  #feed(): void {
    const { handlers, modem, session, aheadMs = 400 } = this.#options
    if (this.#leaving || (this.#state !== 'both' && this.#state !== 'speaking')) return
    // By the box's own time: a busy box reads what was heard in pieces, each of which looks as if it were in time.
    const now = performance.now()
    // At once to the port: the rest of many pieces would wait in this process for the first one to be written.
    const bytes: Buffer[] = []
    const send = (): void => {
      if (bytes.length > 0) session.writeData(Buffer.concat(bytes))
    }
    for (;;) {
      const position = this.#position()
      if (this.#spokenTo - position >= aheadMs * samplesPerMs) {
        this.#dryAt = now + (this.#spokenTo - position) / samplesPerMs
        return send()
      }
      const samples = handlers.pull(frame, (this.#spokenTo - position) / samplesPerMs)
      if (samples.length === 0) {
        this.#wantsToSpeak = this.#goesOn = false
        return send()
      }
      if (!this.#goesOn) this.#beganAt = now
      else if (now > this.#dryAt || this.#ranDry) {
        handlers.underrun()
        this.#beganAt = now
      }
      this.#goesOn = true
      this.#ranDry = false
      this.#dryAt = Infinity
      this.#pulled += samples.length
      this.#spokenTo = Math.max(this.#spokenTo, position) + samples.length
      bytes.push(shield(modem.format.encode(samples)))
    }
  }

  /** Half duplex: from listening to speaking. */
  async #startSpeaking(): Promise<void> {
    if (this.#state !== 'listening' || !this.#wantsToSpeak) return
    if (!(await this.#leave())) return this.#fail('The modem does not stop listening')
    if (!(await this.#enter('AT+VTX', 'speaking'))) return
    this.#spokeAt = performance.now()
    this.#spokenTo = 0
    let told = 0
    this.#tick = setInterval(() => {
      // The time of the line goes on.
      const position = this.#position()
      if (position > told) this.#options.handlers.heard(new Int16Array(position - told))
      told = Math.max(told, position)
      this.#feed()
      this.#tellReached()
      if (position - this.#spokenTo >= restMs * samplesPerMs) this.#turn(() => this.#stopSpeaking(false))
    }, 20)
    this.#feed()
  }

  async #stopSpeaking(now: boolean): Promise<void> {
    if (this.#state !== 'speaking') return
    if (this.#tick !== null) clearInterval(this.#tick)
    this.#tick = null
    if (!(await this.#endSpeech(now))) return this.#fail('The modem does not stop speaking')
    if (this.#closing) return
    this.#tellReached()
    await this.#enter('AT+VRX', 'listening')
    if (this.#wantsToSpeak) this.#turn(() => this.#startSpeaking())
  }

  async #endSpeech(now: boolean): Promise<boolean> {
    const { session, answerMs } = this.#options
    this.#state = 'turning'
    session.holdData()
    session.writeData(now ? Buffer.concat([orders.clear, orders.end]) : orders.end)
    const { code } = await session.result(answerMs)
    return code === 'ok' || code === 'voice'
  }

  /** From whatever it does back to commands. */
  async #leave(): Promise<boolean> {
    const { session, answerMs, modem } = this.#options
    const state = this.#state
    if (state === 'speaking') return this.#endSpeech(true)
    if (state !== 'both' && state !== 'listening') return state === 'closed'
    if (this.#watch !== null) clearTimeout(this.#watch)
    this.#leaving = true
    for (const order of state === 'both' ? [orders.stopBoth, orders.end] : [orders[modem.quirks.stop], orders.end]) {
      const ended = new Promise<void>((resolve) => (this.#dataEnded = resolve))
      session.writeData(order)
      const timer = Promise.withResolvers<false>()
      const patience = setTimeout(() => timer.resolve(false), answerMs)
      const left = await Promise.race([ended.then(() => true as const), timer.promise])
      clearTimeout(patience)
      this.#dataEnded = null
      if (!left) continue
      this.#state = 'turning'
      const { code } = await session.result(answerMs)
      return code === 'ok' || code === 'voice'
    }
    session.releaseData()
    return false
  }
}
