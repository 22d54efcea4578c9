/**
 * A simulated voice and fax modem (ITU-T V.253, T.31) on a line of a simulated exchange: AT commands, caller identification, the voice states of one
 * or both ways, shielded codes. Its crystal may be off. A fax is the business of pbx-sim-fax, from ATA or ATD in class 1 to the hang-up.
 */
import { decodeMuLaw, encodeMuLaw } from '../../mu-law.ts'
import { DLE, shield, VoiceUnshielder } from '../../v253.ts'
import type { SimClock } from '../time.ts'
import { Crystal } from './crystal.ts'
import { FaxToneReceiver, KeyReceiver } from './ears.ts'
import { frame, silence, type Caller, type ExchangeLine, type RingCadence, type Subscriber } from './exchange.ts'
import { usualQuirks, type VoiceModemQuirks } from './modem-quirks.ts'
import { SoftFax } from './soft-fax.ts'

export type { VoiceModemQuirks } from './modem-quirks.ts'

export interface ModemPlaces {
  readonly line: ExchangeLine
  readonly clock: SimClock
  /** Of its terminal. */
  readonly output: (bytes: Buffer) => void
  /** Whether it takes what the terminal brings. */
  readonly flow?: (takes: boolean) => void
  /** The built pbx-sim-fax; without it there is no fax to be had. */
  readonly faxProgram?: string
}

/** Commands that it takes without doing anything of note. */
const known = /^([EQVMX]\d|S\d+=\d+|&[CD]\d|[HZA]0?)*$|^\+[FV][A-Z]+(=.*)?$/

type State = 'command' | 'dialling' | 'VTX' | 'VRX' | 'VTR'

export class SimVoiceModem implements Subscriber {
  readonly quirks: VoiceModemQuirks
  readonly #places: ModemPlaces
  readonly #unshielder = new VoiceUnshielder()
  readonly #scratch = Buffer.alloc(1 << 17)
  readonly #crystal: Crystal | null
  #text = ''
  #fclass = '0'
  #patienceSeconds = 50
  #tellsCadence = false
  #offHook = false
  #state: State = 'command'
  #spoken: Buffer = Buffer.alloc(0)
  /** What was sent is over after this. */
  #ending = false
  /** It gives sound, though it takes commands. */
  #leaving = false
  #powered = true
  #fax: SoftFax | null = null
  #keys = new KeyReceiver()
  #tones = new FaxToneReceiver()
  /** The key that is down, and frames since it was last said. */
  #pressed = ''
  #sinceRepeat = 0
  /** Speech that went on within half a second after it had broken off. */
  underruns = 0
  #silentFrames = Infinity

  constructor(places: ModemPlaces, quirks: Partial<VoiceModemQuirks> = {}) {
    this.quirks = { ...usualQuirks, ...quirks }
    this.#places = places
    this.#crystal = this.quirks.ppm === 0 ? null : new Crystal(this.quirks.ppm)
    places.line.subscribers.add(this)
  }

  powerOff(): void {
    this.#powered = false
    this.#fax?.close()
    this.#places.line.putDown(this)
    this.#places.line.subscribers.delete(this)
  }

  input(bytes: Buffer): void {
    if (this.#fax !== null && this.#state !== 'dialling') return this.#fax.input(bytes)
    if (this.#state === 'VTX' || this.#state === 'VRX' || this.#state === 'VTR') return this.#data(bytes)
    for (const byte of bytes) {
      if (byte === 13) this.#command()
      else if (byte >= 32 && byte < 127) this.#text += String.fromCharCode(byte)
    }
  }

  ring(first: boolean, { number, name }: Caller, cadence: RingCadence): void {
    const { clock } = this.#places
    let at = 0
    for (const [i, ms] of cadence.slice(0, -1).entries()) {
      if (this.#tellsCadence) clock.after((at += ms), () => this.#say(`${i % 2 === 0 ? 'DRON' : 'DROF'}=${Math.round(ms / 100)}`))
    }
    clock.after(at, () => this.#say('RING'))
    if (!first) return
    clock.after(at + 200, () => {
      if (number !== '') this.#say(`NMBR = ${number}`)
      this.#say(`NAME = ${name === '' ? 'O' : name}`)
    })
  }

  quiet(): void {}

  loopOpened(): void {
    this.#code('l')
    this.#fax?.loopOpened()
  }

  parallel(offHook: boolean): void {
    if (this.quirks.hearsParallel && this.#fclass === '8') this.#shielded(offHook ? 'P' : 'p')
  }

  isReady(): boolean {
    return this.#fax?.isReady() ?? true
  }

  frame(heard: Int16Array): Int16Array {
    if (this.#fax !== null) return this.#fax.frame(heard)
    this.#listen(heard)
    const own = this.#crystal?.hear(heard) ?? heard
    if (this.#state === 'VRX' || this.#state === 'VTR' || this.#leaving) this.#places.output(shield(this.#encode(own)))
    if (this.#state !== 'VTX' && this.#state !== 'VTR') return silence()
    return this.#crystal?.say(frame, (count) => this.#speak(count)) ?? this.#speak(frame)
  }

  /** Its firmware has ears of its own. */
  #listen(heard: Int16Array): void {
    const { line } = this.#places
    for (const { key, down } of this.#keys.hear(heard)) this.#key(key, down)
    if (this.#pressed !== '' && !this.quirks.shielded) this.#repeat(this.#pressed)
    const tone = this.#tones.hear(heard)
    if (tone !== null) this.#code(tone === 'cng' ? 'c' : 'a')
    if (this.quirks.hearsBusy && line.tone === 'busy' && line.beginsRound) this.#code('b')
  }

  #key(key: string, down: boolean): void {
    this.#pressed = down ? key : ''
    this.#sinceRepeat = 0
    if (!this.quirks.shielded) return down ? this.#code(key) : undefined
    if (down) this.#code('/')
    this.#code(key)
    if (!down) this.#code('~')
  }

  #repeat(key: string): void {
    if (++this.#sinceRepeat % 4 === 0) this.#code(key)
  }

  #code(code: string): void {
    if (this.#offHook && this.#fclass === '8' && this.#state !== 'dialling') this.#shielded(code)
  }

  #shielded(code: string): void {
    this.#places.output(Buffer.from([DLE, code.charCodeAt(0)]))
  }

  #say(text: string): void {
    if (this.#powered) this.#places.output(Buffer.from(`\r\n${text}\r\n`, 'latin1'))
  }

  #answer(text: string): void {
    this.#places.clock.after(this.quirks.answerMs, () => this.#say(text))
  }

  #command(): void {
    const text = this.#text.toUpperCase().trim()
    this.#text = ''
    if (this.#state === 'dialling') {
      this.#state = 'command'
      if (this.#fax !== null) return this.#fax.failed('NO CARRIER')
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
    if (rest === 'D!;') {
      this.#places.line.flash()
      return this.#answer('OK')
    }
    if (/^[AD]/.test(rest) && this.#fclass === '1') return this.#startFax(text)
    if (/^D/.test(rest)) return this.#dial(rest.replace(/^D[TP]?/, ''))
    this.#obey(rest)
  }

  #obey(rest: string): void {
    if (/^H0?$/.test(rest) || rest === 'Z' || rest === '+VLS=0') this.#hook(false)
    if (rest === 'Z') this.#fclass = '0'
    if (rest === '+VLS=1' || rest === 'A') this.#hook(true)
    if (rest.startsWith('+VTS=') && !this.#sends(rest.slice('+VTS='.length))) return this.#answer('ERROR')
    const set = /^(\+FCLASS|S7|\+VDR)=([\d.]+)/.exec(rest)
    if (set?.[1] === '+FCLASS') this.#fclass = set[2]!
    if (set?.[1] === 'S7') this.#patienceSeconds = Number(set[2])
    if (set?.[1] === '+VDR') {
      if (!this.quirks.tellsCadence) return this.#answer('ERROR')
      this.#tellsCadence = set[2] === '1'
    }
    if (rest === '+VTX' || rest === '+VRX' || (rest === '+VTR' && this.quirks.fullDuplex)) {
      if (this.#fclass !== '8' || !this.#offHook) return this.#answer('ERROR')
      return this.#begin(rest.slice(1) as State)
    }
    if (!known.test(rest)) return this.#answer('ERROR')
    this.#answer(rest === '+VTR' || (rest === '+VTR=?' && !this.quirks.fullDuplex) ? 'ERROR' : 'OK')
  }

  /** Keys, and `!` for the hook; the exchange takes them as they are. */
  #sends(what: string): boolean {
    const { line } = this.#places
    const all = what.replaceAll(/[,{}\s]/g, '')
    if (!this.#offHook || (all.includes('!') && !this.quirks.flashes)) return false
    if (all === '!') line.flash()
    else if (/^[0-9*#]+$/.test(all)) for (const key of all) line.type(key)
    return true
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
        return ['24,48,72,73,74,96,97,98,121,122,145,146']
      case '+VSM=?':
        return format === 'mu-law' ? ['128,"8-BIT LINEAR",8,0,8000,0,0', '131,"ULAW",8,0,8000,0,0'] : ['1,"UNSIGNED PCM",8,0,8000,0,0']
      default:
        return null
    }
  }

  #hook(off: boolean): void {
    if (this.#offHook === off) return
    this.#offHook = off
    if (off) return this.#places.line.lift(this)
    this.#state = 'command'
    this.#places.line.putDown(this)
  }

  #dial(digits: string): void {
    this.#afterDialTone(
      digits,
      () => {
        this.#hook(false)
        this.#say('NO DIALTONE')
      },
      () => this.#say('OK'),
    )
  }

  #afterDialTone(digits: string, none: () => void, dialled: () => void): void {
    const { clock, line } = this.#places
    this.#hook(true)
    this.#state = 'dialling'
    clock.after(300, () => {
      if (this.#state !== 'dialling') return
      if (line.tone !== 'dial') {
        this.#state = 'command'
        return none()
      }
      clock.after(100 * digits.length, () => {
        if (this.#state !== 'dialling') return
        line.dial(digits)
        this.#state = 'command'
        dialled()
      })
    })
  }

  #startFax(command: string): void {
    const { faxProgram, output, flow } = this.#places
    if (faxProgram === undefined) return this.#answer('NO CARRIER')
    const fax = new SoftFax(faxProgram, {
      output,
      dial: (digits) => {
        this.#afterDialTone(
          digits,
          () => fax.failed('NO DIALTONE'),
          () => this.#awaitAnswer(fax, this.#patienceSeconds * 1000),
        )
      },
      answer: () => this.#hook(true),
      ended: () => {
        this.#fax = null
        flow?.(true)
        this.#hook(false)
      },
      flow: (takes) => flow?.(takes),
    })
    this.#fax = fax
    fax.input(Buffer.from(`${command}\r`))
  }

  /** The progress of a call that was dialled for a fax. */
  #awaitAnswer(fax: SoftFax, patienceMs: number): void {
    const { line, clock } = this.#places
    if (this.#fax !== fax) return
    if (line.state === 'talking') return fax.connected()
    if (line.state === 'tone') return fax.failed(line.tone === 'busy' ? 'BUSY' : 'NO CARRIER')
    if (patienceMs <= 0) return fax.failed('NO CARRIER')
    clock.after(100, () => this.#awaitAnswer(fax, patienceMs - 100))
  }

  #begin(state: State): void {
    this.#places.clock.after(this.quirks.answerMs, () => {
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
    if (code === '\x18') {
      this.#spoken = Buffer.alloc(0)
      // What was broken off has no gap, however soon something else is said.
      this.#silentFrames = Infinity
    }
    if (code === '\x1b' && this.quirks.escape && this.#state === 'VRX') this.#stop()
    if (code === '!' && !this.quirks.escape && this.#state === 'VRX') this.#stop()
    if (code === '^' && this.#state === 'VTR') this.#stop()
  }

  #stop(): void {
    this.#state = 'command'
    const left = (): void => {
      this.#leaving = false
      this.#places.output(Buffer.from([DLE, 3]))
      this.#answer('OK')
    }
    if (this.quirks.leavesMs === 0) return left()
    this.#leaving = true
    this.#places.clock.after(this.quirks.leavesMs, left)
  }

  /** The next samples of what the box has sent, in the modem's own time. */
  #speak(count: number): Int16Array {
    const piece = this.#spoken.subarray(0, count)
    this.#spoken = this.#spoken.subarray(count)
    if (piece.length > 0 && this.#silentFrames > 0 && this.#silentFrames < 25) this.underruns += 1
    if (piece.length < count && this.#silentFrames === 0 && this.quirks.tellsUnderrun) this.#code('u')
    this.#silentFrames = piece.length === count ? 0 : this.#silentFrames + 1
    const samples = new Int16Array(count)
    samples.set(this.#decode(piece))
    if (this.#ending && this.#spoken.length === 0 && this.#state === 'VTX') {
      this.#state = 'command'
      this.#answer('OK')
    }
    return samples
  }

  #encode(samples: Int16Array): Buffer {
    if (this.quirks.format === 'mu-law') return encodeMuLaw(samples)
    return Buffer.from(Uint8Array.from(samples, (sample) => Math.min(255, ((sample + 128) >> 8) + 128)))
  }

  #decode(bytes: Uint8Array): Int16Array {
    return this.quirks.format === 'mu-law' ? decodeMuLaw(bytes) : Int16Array.from(bytes, (byte) => (byte - 128) << 8)
  }
}
