/**
 * The sound of one call on a modem that is off hook. A modem with full duplex hears and speaks in one state (AT+VTR), and what it has
 * heard is the clock of what it says. Any other listens (AT+VRX) and leaves off while it speaks (AT+VTX).
 */
import type { AtSession, Reply } from '../at-session.ts'
import { modemEnds, orders, VoiceUnshielder, type VoiceCode } from '../../v253.ts'
import { Leaving } from './leaving.ts'
import { LineEcho } from './line-echo.ts'
import type { VoiceModem } from './setup.ts'
import { Speech, type SpeechHandlers } from './speech.ts'

export interface ChannelHandlers extends SpeechHandlers {
  /** Samples of the line, in its own time; silence while a modem that speaks hears nothing. */
  heard(samples: Int16Array): void
  code(code: VoiceCode): void
  /** The modem does not hear while it speaks, though it was taken for one that does. */
  halfDuplex(): void
  /** The modem says that the line was hung up. Last. */
  gone(): void
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
  /** The echo of what is said stays in what is heard. */
  readonly keepsEcho?: boolean
}

type State = 'closed' | 'turning' | 'both' | 'listening' | 'speaking'

const samplesPerMs = 8
/** A modem that listens gives samples all the time. */
const silentMs = 4000
const unreadMs = 500
const largest = 4096
/** One that has left its sound by itself twice within this time does so again. */
const resumesMs = 3000
/** A modem of one way at a time listens again when nothing was said for so long. */
const restMs = 60

export class VoiceChannel {
  readonly #options: ChannelOptions
  readonly #unshielder = new VoiceUnshielder(modemEnds)
  readonly #bytes = Buffer.allocUnsafe(2 * 65_536)
  readonly #speech: Speech
  readonly #leaving: Leaving
  readonly #echo = new LineEcho()
  #fullDuplex: boolean
  #state: State = 'closed'
  /** Sound that was heard, in samples. */
  #heard = 0
  /** Sound of half a sample. */
  #odd: Buffer | null = null
  #spokeAt = 0
  #tick: NodeJS.Timeout | null = null
  #watch: NodeJS.Timeout | null = null
  #turns: Promise<void> = Promise.resolve()
  #closing = false
  #resumedAt = -Infinity

  constructor(options: ChannelOptions) {
    this.#options = options
    this.#fullDuplex = options.modem.fullDuplex
    this.#leaving = new Leaving(options.session, options.answerMs)
    this.#speech = new Speech({
      format: options.modem.format,
      handlers: options.handlers,
      aheadMs: options.aheadMs ?? 400,
      position: () => this.#position(),
      send: (bytes) => options.session.writeData(bytes),
      said: (at, samples) => this.#echo.said(at, samples),
    })
  }

  get fullDuplex(): boolean {
    return this.#fullDuplex
  }

  get isOpen(): boolean {
    return this.#state !== 'closed' && !this.#closing
  }

  /** Of what was pulled, so much is not heard yet. */
  get aheadMs(): number {
    return this.#speech.unheardMs
  }

  /** False where the modem gives no sound. */
  async open(): Promise<boolean> {
    this.#closing = false
    this.#options.session.filter = (bytes) => this.#amongWords(bytes)
    const opened = await this.#start()
    if (opened && this.#speech.wanted) this.speak()
    return opened
  }

  /** There is something to be said. */
  speak(): void {
    this.#speech.wanted = true
    if (this.#closing) return
    if (this.#state === 'both') this.#feed()
    else if (this.#state === 'listening') this.#turn(() => this.#startSpeaking())
  }

  /** What was sent is not said any more. */
  clear(): void {
    this.#speech.clear()
    if (this.#state === 'both' && !this.#leaving.told) this.#options.session.writeData(orders.clear)
    if (this.#state === 'both' || this.#state === 'speaking') this.#drop()
    if (this.#state === 'speaking') this.#turn(() => this.#stopSpeaking(true))
  }

  /** Between what it does now and the same again: the first of these commands that the modem takes. */
  between(commands: readonly string[]): void {
    this.#turn(async () => {
      if (!(await this.#leave())) return this.#fail('The modem does not leave its sound')
      const { session, answerMs } = this.#options
      for (const command of commands) if ((await session.command(command, answerMs)).code === 'ok') break
      if (!this.#closing) await this.open()
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
    this.#leaving.ended()
  }

  #rest(): void {
    if (this.#tick !== null) clearInterval(this.#tick)
    if (this.#watch !== null) clearTimeout(this.#watch)
    this.#tick = this.#watch = null
  }

  #turn(work: () => Promise<void>): void {
    this.#turns = this.#turns.then(() => (this.#closing ? undefined : work()))
  }

  /** Into the sound of a modem that is off hook. */
  async #start(): Promise<boolean> {
    const { session, answerMs, handlers } = this.#options
    if (this.#fullDuplex) {
      let code = await this.#enter('AT+VTR', 'both')
      if (code === 'error') {
        // Some are not connected to the line by dialling alone.
        await session.command('AT+VLS=1', answerMs)
        code = await this.#enter('AT+VTR', 'both')
      }
      if (code !== 'error') return this.#entered(code, 'AT+VTR')
      this.#fullDuplex = false
      handlers.halfDuplex()
    }
    return this.#entered(await this.#enter('AT+VRX', 'listening'), 'AT+VRX')
  }

  async #enter(command: string, state: State): Promise<Reply['code']> {
    const { session, answerMs } = this.#options
    this.#state = 'turning'
    const { code } = await session.command(command, answerMs)
    if (code !== 'connect') return code
    this.#odd = null
    this.#leaving.forget()
    this.#state = state
    this.#spokeAt = performance.now()
    this.#speech.begin(state !== 'both')
    session.takeData((bytes) => this.#take(bytes))
    this.#guard()
    return code
  }

  #entered(code: Reply['code'], command: string): boolean {
    if (code !== 'connect' && !this.#closing) this.#fail(`The modem refuses ${command}`)
    return code === 'connect'
  }

  /** What was sent is not heard any more. */
  #drop(): void {
    this.#speech.drop()
    this.#echo.drop(this.#position())
  }

  #fail(why: string): void {
    this.#over()
    this.#options.handlers.lost(why)
  }

  #over(): void {
    this.#rest()
    this.#state = 'closed'
  }

  #guard(): void {
    if (this.#watch !== null) clearTimeout(this.#watch)
    this.#watch = null
    if (this.#state !== 'both' && this.#state !== 'listening') return
    this.#watch = setTimeout(() => {
      // A box that stood still itself has not read yet what came meanwhile.
      this.#watch = setTimeout(() => this.#fail('The modem sends no more sound'), unreadMs)
    }, silentMs)
  }

  #take(bytes: Buffer): void {
    this.#guard()
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + largest)
      let ended = false
      const { length, read } = this.#unshielder.take(piece, this.#bytes, (code) => {
        if (code.kind === 'end') ended = true
        else if (code.kind === 'code' && code.code === 'u') this.#speech.ranDry()
        else this.#options.handlers.code(code)
      })
      if (this.#state === 'both' || this.#state === 'listening') this.#hear(this.#bytes.subarray(0, length))
      at += read
      const rest = bytes.subarray(at)
      const result = ended ? null : this.#leaving.resultIn(this.#bytes.subarray(0, length))
      if (result !== null || (ended && this.#state !== 'speaking')) return this.#end(result === null ? [rest] : [result, rest])
    }
  }

  /** `rest`: what is no sound any more. */
  #end(rest: readonly Buffer[]): void {
    this.#options.session.holdData(rest.filter(({ length }) => length > 0))
    if (!this.#leaving.ended()) this.#resume()
  }

  /** The modem has left its sound by itself, such as after a silence: the call goes on, unless it has ended. */
  #resume(): void {
    const { session, answerMs, handlers } = this.#options
    const now = performance.now()
    const again = now - this.#resumedAt < resumesMs
    this.#resumedAt = now
    this.#rest()
    this.#state = 'turning'
    this.#drop()
    this.#turn(async () => {
      const { code } = await session.result(answerMs)
      if (this.#closing) return
      if (code === 'no-carrier') return (this.#over(), handlers.gone())
      if (again || code === 'closed') return this.#fail('The modem ended the audio of the call')
      await this.open()
    })
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
    handlers.heard(this.#state === 'both' && this.#options.keepsEcho !== true ? this.#echo.heard(samples) : samples)
    if (this.#state !== 'both') return
    this.#speech.tellReached()
    // In a conversation, how long the line has waited is asked when there is something to say.
    if (this.#speech.wanted || !handlers.inTalk()) this.#feed()
  }

  /** Where the line is: by what it has heard, or by the time since it began to speak. */
  #position(): number {
    if (this.#state !== 'speaking') return this.#heard
    return Math.round((performance.now() - this.#spokeAt) * samplesPerMs)
  }

  #feed(): void {
    if (!this.#leaving.told && (this.#state === 'both' || this.#state === 'speaking')) this.#speech.feed(this.#state === 'both')
  }

  /** Half duplex: from listening to speaking. */
  async #startSpeaking(): Promise<void> {
    if (this.#state !== 'listening' || !this.#speech.wanted) return
    if (!(await this.#leave())) return this.#fail('The modem does not stop listening')
    if (!this.#entered(await this.#enter('AT+VTX', 'speaking'), 'AT+VTX')) return
    let told = 0
    this.#tick = setInterval(() => {
      // The time of the line goes on.
      const position = this.#position()
      if (position > told) this.#options.handlers.heard(new Int16Array(position - told))
      told = Math.max(told, position)
      this.#feed()
      this.#speech.tellReached()
      if (-this.#speech.leadMs >= restMs) this.#turn(() => this.#stopSpeaking(false))
    }, 20)
    this.#feed()
  }

  async #stopSpeaking(now: boolean): Promise<void> {
    if (this.#state !== 'speaking') return
    if (this.#tick !== null) clearInterval(this.#tick)
    this.#tick = null
    if (!(await this.#endSpeech(now))) return this.#fail('The modem does not stop speaking')
    if (this.#closing) return
    this.#speech.tellReached()
    if (!this.#entered(await this.#enter('AT+VRX', 'listening'), 'AT+VRX')) return
    if (this.#speech.wanted) this.#turn(() => this.#startSpeaking())
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
    const state = this.#state
    if (state === 'speaking') return this.#endSpeech(true)
    if (state !== 'both' && state !== 'listening') return state === 'closed'
    if (this.#watch !== null) clearTimeout(this.#watch)
    this.#drop()
    const { stop, stopBoth } = this.#options.modem.quirks
    const known = state === 'both' ? [orders[stopBoth], orders.stopBoth] : [orders[stop]]
    const left = await this.#leaving.leave([...new Set([...known, orders.end])])
    if (left) this.#state = 'turning'
    return left
  }
}
