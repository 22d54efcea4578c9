/**
 * A simulated voice and fax modem (ITU-T V.253, T.31) on a line of a simulated exchange: AT commands, caller identification, the voice states of one
 * or both ways, shielded codes. Its crystal may be off. A fax is the business of pbx-sim-fax, from ATA or ATD in class 1 to the hang-up.
 */
import { DLE } from '../../v253.ts'
import type { SimClock } from '../time.ts'
import { Crystal } from './crystal.ts'
import { FaxToneReceiver, KeyReceiver } from './ears.ts'
import { frame, silence, type Caller, type ExchangeLine, type RingCadence, type Subscriber } from './exchange.ts'
import { usualQuirks, type VoiceModemQuirks, Hybrid } from './modem-quirks.ts'
import { ModemSound, type SoundState } from './modem-sound.ts'
import { SoftFax } from './soft-fax.ts'

export type { VoiceModemQuirks } from './modem-quirks.ts'

export interface ModemPlaces {
  readonly line: ExchangeLine
  readonly clock: SimClock
  /** Of its terminal. */
  readonly output: (bytes: Buffer) => void
  /** Whether it takes what the terminal brings. */
  readonly flow?: (takes: boolean) => void
  /** The built pbx-sim-fax; without it there is no fax. */
  readonly faxProgram?: string
}

/** Commands that it takes without doing anything of note. */
const known = /^([EQVMX]\d|S\d+=\d+|&[CD]\d|[HZA]0?)*$|^\+([FV][A-Z]+|IFC)(=.*)?$/

export class SimVoiceModem implements Subscriber {
  readonly quirks: VoiceModemQuirks
  readonly #places: ModemPlaces
  readonly #sound: ModemSound
  readonly #crystal: Crystal | null
  readonly #hybrid: Hybrid | null
  #text = ''
  #fclass = '0'
  #patienceSeconds = 50
  #tellsCadence = false
  #offHook = false
  /** What comes from the terminal ends it. */
  #dialling = false
  #powered = true
  /** How often it was ordered to lift the line. */
  #lifts = 0
  #fax: SoftFax | null = null
  #keys = new KeyReceiver()
  #tones = new FaxToneReceiver()
  /** The key that is down, and frames since it was last said. */
  #pressed = ''
  #sinceRepeat = 0

  constructor(places: ModemPlaces, quirks: Partial<VoiceModemQuirks> = {}) {
    this.quirks = { ...usualQuirks, ...quirks }
    this.#places = places
    const { clock, output } = places
    this.#sound = new ModemSound({ clock, output, say: (text) => this.#say(text), answer: (text) => this.#answer(text) }, this.quirks)
    this.#hybrid = this.quirks.echo === null ? null : new Hybrid(this.quirks.echo)
    this.#crystal = this.quirks.ppm === 0 ? null : new Crystal(this.quirks.ppm)
    places.line.subscribers.add(this)
  }

  /** Speech that went on within half a second after it had broken off. */
  get underruns(): number {
    return this.#sound.underruns
  }

  /** For reports of faults. */
  get doing(): string {
    const line = `${this.#offHook ? 'off' : 'on'} hook${this.#dialling ? ', dialling' : ''}`
    return `${line}, class ${this.#fclass}, ${this.#sound.doing}, "${this.#text}" typed`
  }

  powerOff(): void {
    this.#powered = false
    this.#fax?.close()
    this.#places.line.putDown(this)
    this.#places.line.subscribers.delete(this)
  }

  input(bytes: Buffer): void {
    if (this.#fax !== null && !this.#dialling) return this.#fax.input(bytes)
    for (const byte of this.#sound.isOpen ? this.#sound.input(bytes) : bytes) {
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
    clock.after(at, () => {
      // Among sound there are no words.
      if (this.quirks.ringsByCode || this.#sound.isOpen) this.#shielded('R')
      else this.#say('RING')
    })
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
    const { parallelCodes } = this.quirks
    if (parallelCodes !== null && this.#fclass === '8') this.#shielded(parallelCodes[offHook ? 0 : 1])
  }

  isReady(): boolean {
    return this.#fax?.isReady() ?? true
  }

  frame(heard: Int16Array): Int16Array {
    if (this.#fax !== null) return this.#fax.frame(heard)
    this.#listen(heard)
    const all = this.#hybrid?.hear(heard) ?? heard
    this.#sound.hear(this.#crystal?.hear(all) ?? all)
    const said = this.#say20Ms()
    this.#hybrid?.said(said)
    return said
  }

  #say20Ms(): Int16Array {
    if (!this.#sound.speaks) return silence()
    return this.#crystal?.say(frame, (count) => this.#sound.speak(count)) ?? this.#sound.speak(frame)
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
    if (this.#offHook && this.#fclass === '8' && !this.#dialling) this.#shielded(code)
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
    if (this.#dialling) {
      this.#dialling = false
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
    if (/^\+VSM=\d/.test(rest)) return this.#answer(this.#sound.select(Number(/\d+/.exec(rest))) ? 'OK' : 'ERROR')
    if (/^\+V(TR|RX|TX)=\?/.test(rest) && !this.quirks.answersTests) return this.#answer('ERROR')
    this.#obey(rest)
  }

  #obey(rest: string): void {
    if (/^H0?$/.test(rest) || rest === 'Z' || rest === '+VLS=0') this.#hook(false)
    if (rest === 'Z') this.#fclass = '0'
    if (rest === '+VLS=1' || rest === 'A') this.#hook(true)
    if (rest === '+VLS=1' && this.quirks.liftsLate && ++this.#lifts === 2) this.#places.line.lift(this)
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
      return this.#sound.begin(rest.slice(1) as SoundState)
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
    const { model, codings } = this.quirks
    switch (rest) {
      case 'I3':
      case '+GMM':
      case '+FMDL?':
        return [model]
      case '+FCLASS?':
        return [this.#fclass]
      case '+FCLASS=?':
        return ['0,1,8']
      case '+FTM=?':
      case '+FRM=?':
        return ['24,48,72,73,74,96,97,98,121,122,145,146']
      case '+VSM=?':
        return codings.map(({ offer }) => offer)
      default:
        return null
    }
  }

  #hook(off: boolean): void {
    if (this.#offHook === off) return
    this.#offHook = off
    this.#lifts = 0
    if (off) return this.quirks.liftsLate ? undefined : this.#places.line.lift(this)
    this.#dialling = false
    this.#sound.drop()
    this.#places.line.putDown(this)
  }

  /** Behind a semicolon it is back among its commands (V.250); else it waits for an answer, and nothing is heard of that. */
  #dial(digits: string): void {
    const failed = (text: string): void => {
      this.#hook(false)
      this.#say(text)
    }
    this.#afterDialTone(
      digits.replace(/;$/, ''),
      () => failed('NO DIALTONE'),
      () => {
        if (digits.endsWith(';')) return this.#say('OK')
        this.#dialling = true
        this.#awaitAnswer({ connected: () => this.#answered(), failed }, this.#patienceSeconds * 1000)
      },
    )
  }

  #answered(): void {
    this.#dialling = false
    this.#say('OK')
  }

  #afterDialTone(digits: string, none: () => void, dialled: () => void): void {
    const { clock, line } = this.#places
    this.#hook(true)
    line.lift(this)
    this.#dialling = true
    clock.after(300, () => {
      if (!this.#dialling) return
      if (line.tone !== 'dial') {
        this.#dialling = false
        return none()
      }
      clock.after(100 * digits.length, () => {
        if (!this.#dialling) return
        if (digits !== '') line.dial(digits)
        this.#dialling = false
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
          () => {
            if (this.#fax === fax) this.#awaitAnswer(fax, this.#patienceSeconds * 1000)
          },
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

  /** The progress of a call that was dialled, as the modem itself hears it. */
  #awaitAnswer(who: Pick<SoftFax, 'connected' | 'failed'>, patienceMs: number): void {
    const { line, clock } = this.#places
    if (line.state === 'talking') return who.connected()
    if (line.state === 'tone') return who.failed(line.tone === 'busy' ? 'BUSY' : 'NO CARRIER')
    if (patienceMs <= 0) return who.failed('NO CARRIER')
    clock.after(100, () => {
      if (this.#fax === who || (this.#fax === null && this.#dialling)) this.#awaitAnswer(who, patienceMs - 100)
    })
  }
}
