/**
 * A simulated voice modem (ITU-T V.253) on a line of a simulated exchange: AT commands, caller identification, the voice states of one or both
 * ways, shielded codes. Its crystal may be off. It is no fax modem, though it has the class.
 */
import { decodeMuLaw, encodeMuLaw } from '../../mu-law.ts'
import { DLE, shield, VoiceUnshielder } from '../../v253.ts'
import type { SimClock, SimTimer } from '../time.ts'
import { frame, type ExchangeLine, type Subscriber } from './exchange.ts'

export interface VoiceModemQuirks {
  readonly model: string
  readonly fullDuplex: boolean
  readonly format: 'mu-law' | 'unsigned'
  /** Keys between DLE / and DLE ~, with their length; otherwise once every 70 ms. */
  readonly shielded: boolean
  /** Listening ends by ESC, and `!` is not known. */
  readonly escape: boolean
  /** Its crystal against the clock, in parts per million. */
  readonly ppm: number
  /** It says `b` when it hears busy tone. */
  readonly hearsBusy: boolean
  /** Milliseconds until it answers a command. */
  readonly answerMs: number
  /** Whether this command, without its AT, comes damaged: it is taken for none that it knows. */
  readonly damaged: (command: string) => boolean
}

export const usualQuirks: VoiceModemQuirks = {
  model: 'Simulated voice modem',
  fullDuplex: true,
  format: 'mu-law',
  shielded: true,
  escape: false,
  ppm: 0,
  hearsBusy: false,
  answerMs: 5,
  damaged: () => false,
}

/** Commands that it takes without doing anything of note. */
const known = /^([EQVMX]\d|S\d+=\d+|&[CD]\d|[HZA]0?)*$|^\+[FV][A-Z]+(=.*)?$/

type State = 'command' | 'dialling' | 'VTX' | 'VRX' | 'VTR'

export class SimVoiceModem implements Subscriber {
  readonly quirks: VoiceModemQuirks
  readonly #line: ExchangeLine
  readonly #clock: SimClock
  readonly #output: (bytes: Buffer) => void
  readonly #unshielder = new VoiceUnshielder()
  readonly #scratch = Buffer.alloc(1 << 17)
  #text = ''
  #fclass = '0'
  #offHook = false
  #state: State = 'command'
  #spoken: Buffer = Buffer.alloc(0)
  /** What was sent is over after this. */
  #ending = false
  #tick: SimTimer | null = null
  #next = 0
  #powered = true
  /** Speech that went on within half a second after it had broken off. */
  underruns = 0
  #silentFrames = Infinity

  constructor(line: ExchangeLine, clock: SimClock, output: (bytes: Buffer) => void, quirks: Partial<VoiceModemQuirks> = {}) {
    this.quirks = { ...usualQuirks, ...quirks }
    this.#line = line
    this.#clock = clock
    this.#output = output
    line.subscriber = this
  }

  powerOff(): void {
    this.#powered = false
    this.#tick?.cancel()
    if (this.#line.subscriber === this) this.#line.subscriber = null
    this.#line.onHook()
  }

  input(bytes: Buffer): void {
    if (this.#state === 'VTX' || this.#state === 'VRX' || this.#state === 'VTR') return this.#data(bytes)
    for (const byte of bytes) {
      if (byte === 13) this.#command()
      else if (byte >= 32 && byte < 127) this.#text += String.fromCharCode(byte)
    }
  }

  ring(first: boolean, { number, name }: { readonly number: string; readonly name: string }): void {
    this.#say('RING')
    if (!first) return
    this.#clock.after(200, () => {
      if (number !== '') this.#say(`NMBR = ${number}`)
      this.#say(`NAME = ${name === '' ? 'O' : name}`)
    })
  }

  quiet(): void {}

  key(key: string, ms: number): void {
    if (!this.quirks.shielded) {
      for (let at = 0; at < ms; at += 70) this.#clock.after(at, () => this.#code(key))
      return
    }
    this.#code('/')
    this.#code(key)
    this.#clock.after(ms, () => {
      this.#code(key)
      this.#code('~')
    })
  }

  faxTone(): void {
    this.#code('c')
  }

  loopOpened(): void {
    this.#code('l')
  }

  #code(code: string): void {
    if (this.#offHook && this.#fclass === '8' && this.#state !== 'dialling') this.#output(Buffer.from([DLE, code.charCodeAt(0)]))
  }

  #say(text: string): void {
    if (this.#powered) this.#output(Buffer.from(`\r\n${text}\r\n`, 'latin1'))
  }

  #answer(text: string): void {
    this.#clock.after(this.quirks.answerMs, () => this.#say(text))
  }

  #command(): void {
    const text = this.#text.toUpperCase().trim()
    this.#text = ''
    if (this.#state === 'dialling') {
      this.#state = 'command'
      return this.#answer('NO CARRIER')
    }
    if (!text.startsWith('AT')) return
    const rest = text.slice(2)
    if (this.quirks.damaged(rest)) return this.#answer('ERROR')
    const lines = this.#asked(rest)
    if (lines !== null) {
      for (const line of lines) this.#say(line)
      return this.#answer('OK')
    }
    if (/^D/.test(rest)) return this.#dial(rest.replace(/^D[TP]?/, ''))
    if (rest === 'A' && this.#fclass !== '8') return this.#answer('NO CARRIER')
    if (/^H0?$/.test(rest) || rest === 'Z' || rest === '+VLS=0') this.#hook(false)
    if (rest === 'Z') this.#fclass = '0'
    if (rest === '+VLS=1' || rest === 'A') this.#hook(true)
    const key = /^\+VTS=([0-9*#])$/.exec(rest)?.[1]
    if (key !== undefined && this.#offHook) this.#line.press(key)
    const fclass = /^\+FCLASS=([\d.]+)$/.exec(rest)
    if (fclass !== null) this.#fclass = fclass[1]!
    if (rest === '+VTX' || rest === '+VRX' || (rest === '+VTR' && this.quirks.fullDuplex)) {
      if (this.#fclass !== '8' || !this.#offHook) return this.#answer('ERROR')
      return this.#begin(rest.slice(1) as State)
    }
    if (!known.test(rest)) return this.#answer('ERROR')
    this.#answer(rest === '+VTR' || (rest === '+VTR=?' && !this.quirks.fullDuplex) ? 'ERROR' : 'OK')
  }

  #asked(rest: string): readonly string[] | null {
    const { model, format } = this.quirks
    switch (rest) {
      case 'I3':
      case '+GMM':
      case '+FMDL?':
        return [model]
      case '+FCLASS=?':
        return ['0,1,8']
      case '+FTM=?':
      case '+FRM=?':
        return ['24,48,72,96']
      case '+VSM=?':
        return format === 'mu-law' ? ['128,"8-BIT LINEAR",8,0,8000,0,0', '131,"ULAW",8,0,8000,0,0'] : ['1,"UNSIGNED PCM",8,0,8000,0,0']
      default:
        return null
    }
  }

  #hook(off: boolean): void {
    if (this.#offHook === off) return
    this.#offHook = off
    this.#tick?.cancel()
    if (!off) {
      this.#state = 'command'
      return this.#line.onHook()
    }
    this.#line.offHook()
    this.#next = this.#clock.now()
    this.#run()
  }

  #dial(digits: string): void {
    this.#hook(true)
    this.#state = 'dialling'
    this.#clock.after(300, () => {
      if (this.#state !== 'dialling') return
      if (this.#line.tone !== 'dial') {
        this.#state = 'command'
        this.#hook(false)
        return this.#say('NO DIALTONE')
      }
      this.#clock.after(100 * digits.length, () => {
        if (this.#state !== 'dialling') return
        this.#line.dial(digits)
        this.#state = 'command'
        this.#say('OK')
      })
    })
  }

  #begin(state: State): void {
    this.#clock.after(this.quirks.answerMs, () => {
      this.#say('CONNECT')
      this.#state = state
      this.#spoken = Buffer.alloc(0)
      this.#ending = false
      this.#silentFrames = Infinity
    })
  }

  /** From the box while it speaks or listens. */
  #data(bytes: Buffer): void {
    const { read } = this.#take(bytes)
    if (read < bytes.length) this.input(bytes.subarray(read))
  }

  #take(bytes: Buffer): { readonly read: number } {
    for (let i = 0; i < bytes.length; i++) {
      const { length, read } = this.#unshielder.take(bytes.subarray(i, i + 1), this.#scratch, (code) => {
        if (code.kind === 'end') this.#ending = true
        else if (code.kind === 'code') this.#order(code.code)
      })
      if (length > 0) this.#spoken = Buffer.concat([this.#spoken, this.#scratch.subarray(0, length)])
      if (this.#ending && this.#state === 'VRX') this.#stop()
      if (this.#state === 'command') return { read: i + read }
    }
    return { read: bytes.length }
  }

  #order(code: string): void {
    if (code === '\x18') this.#spoken = Buffer.alloc(0)
    if (code === '\x1b' && this.quirks.escape && this.#state === 'VRX') this.#stop()
    if (code === '!' && !this.quirks.escape && this.#state === 'VRX') this.#stop()
    if (code === '^' && this.#state === 'VTR') this.#stop()
  }

  #stop(): void {
    this.#state = 'command'
    this.#output(Buffer.from([DLE, 3]))
    this.#answer('OK')
  }

  /** By its own crystal. */
  #run(): void {
    const frameMs = 20 / (1 + this.quirks.ppm / 1e6)
    for (; this.#offHook && this.#next <= this.#clock.now(); this.#next += frameMs) this.#frame()
    if (this.#offHook) this.#tick = this.#clock.after(Math.max(1, this.#next - this.#clock.now()), () => this.#run())
  }

  #frame(): void {
    const heard = this.#line.hear()
    if (this.quirks.hearsBusy && this.#line.tone === 'busy' && this.#line.at < frame) this.#code('b')
    if (this.#state === 'VRX' || this.#state === 'VTR') this.#output(shield(this.#encode(heard)))
    if (this.#state === 'VTX' || this.#state === 'VTR') this.#speak()
    else this.#line.say(new Int16Array(frame))
  }

  #speak(): void {
    const piece = this.#spoken.subarray(0, frame)
    this.#spoken = this.#spoken.subarray(frame)
    if (piece.length > 0 && this.#silentFrames > 0 && this.#silentFrames < 25) this.underruns += 1
    this.#silentFrames = piece.length === frame ? 0 : this.#silentFrames + 1
    const samples = new Int16Array(frame)
    samples.set(this.#decode(piece))
    this.#line.say(samples)
    if (this.#ending && this.#spoken.length === 0 && this.#state === 'VTX') {
      this.#state = 'command'
      this.#answer('OK')
    }
  }

  #encode(samples: Int16Array): Buffer {
    if (this.quirks.format === 'mu-law') return encodeMuLaw(samples)
    return Buffer.from(Uint8Array.from(samples, (sample) => Math.min(255, ((sample + 128) >> 8) + 128)))
  }

  #decode(bytes: Uint8Array): Int16Array {
    return this.quirks.format === 'mu-law' ? decodeMuLaw(bytes) : Int16Array.from(bytes, (byte) => (byte - 128) << 8)
  }
}
