/** The voice of a modem line: one call at a time, taken or dialled; the line itself keeps the modem ready. */
import { randomUUID } from 'node:crypto'
import type { FaxHandlers, FaxReceiveRequest, FaxSession } from '../../fax.ts'
import type { ToneCountry } from '../../tones.ts'
import type { AtSession } from '../at-session.ts'
import type { ModemLog } from '../fax-program.ts'
import { isClass2, type Modem } from '../setup.ts'
import { VoiceCall } from './call.ts'
import { VoiceLeg } from './leg.ts'
import { testLevels, type LineLevels } from './level-test.ts'
import { VoiceUnshielder } from '../../v253.ts'
import { prepareVoice, type VoiceModem } from './setup.ts'

/** The line that it is a role of. */
export interface VoiceLine {
  /** Ready, and nobody rings. */
  free(): boolean
  /** The modem is there, if perhaps busy. */
  serves(): boolean
  ringing(): boolean
  /** The modem reports a ring by a code, not by a word. */
  rang(): void
  /** What is wrong with it; '' for nothing. */
  text(): string
  /** A call has it from now on. */
  begin(): void
  session(): AtSession
  /** Hangs up, and makes the modem ready again. */
  end(): Promise<void>
  receiveFax(request: FaxReceiveRequest, handlers: FaxHandlers): FaxSession
  readonly log: ModemLog
}

const elsewhere = 'Another telephone on this line is in use'
/** How long a call waits for a modem that is being hung up or set up again. */
const patienceMs = 12_000

/** What a line's voice can, and how well it does. */
export interface VoiceCondition {
  /** Null where it has none, or is not known yet. */
  readonly duplex: 'full' | 'half' | null
  /** Gaps in what was said since the line was made. */
  readonly underruns: number
}

export class VoiceRole implements VoiceCondition {
  underruns = 0
  readonly #country: ToneCountry
  readonly #answerMs: number
  readonly #extra: readonly string[]
  readonly #line: VoiceLine
  #modem: VoiceModem | null = null
  #call: VoiceCall | null = null
  #waiting: (() => void)[] = []
  #ending: Promise<void> = Promise.resolve()
  /** Another telephone on the same line is lifted. */
  #parallel = false
  readonly #codes = new VoiceUnshielder()

  /** `extra`: commands of the line's own, of which those of its voice count. */
  constructor(
    country: ToneCountry,
    { extra, answerMs }: { readonly extra: readonly string[]; readonly answerMs: number },
    line: VoiceLine,
  ) {
    this.#country = country
    this.#extra = extra
    this.#answerMs = answerMs
    this.#line = line
  }

  /** The modem reports a telephone on the line by codes; not all do. */
  #hear(bytes: Buffer): Buffer {
    const words = Buffer.alloc(2 * bytes.length)
    const { length } = this.#codes.take(bytes, words, (code) => {
      if (code.kind === 'code') this.#idleCode(code.code)
    })
    return words.subarray(0, length)
  }

  #idleCode(code: string): void {
    if (code === 'R') this.#line.rang()
    else if (code === 'P' || code === 'H') this.#parallelIs(true)
    else if (code === 'p' || code === 'h') this.#parallelIs(false)
  }

  #parallelIs(lifted: boolean): void {
    this.#parallel = lifted
    if (lifted && this.#line.ringing()) this.#call?.takenElsewhere()
  }

  get isReady(): boolean {
    return this.#modem !== null
  }

  get duplex(): 'full' | 'half' | null {
    return this.#modem === null ? null : this.#modem.fullDuplex ? 'full' : 'half'
  }

  /** Puts a modem that is set up for faxes into its voice class; what is wrong where it has none. */
  async prepare(session: AtSession, modem: Modem): Promise<string> {
    const { quirks } = modem
    const prepared = await prepareVoice(session, quirks, { extra: this.#extra, answerMs: this.#answerMs }, this.#modem)
    session.idleFilter = (bytes) => this.#hear(bytes)
    // A telephone that was put down while the modem was busy was not reported; one that is still lifted leaves no dial tone.
    this.#parallel = false
    if ('voice' in prepared) {
      this.#modem = prepared.voice
      return ''
    }
    this.#modem = null
    await this.leaveFor(session, modem)
    return prepared.failed
  }

  /** Null where the modem has no voice. */
  async testLevels(session: AtSession, speed: number): Promise<LineLevels | null> {
    if (this.#modem === null) return null
    return testLevels({ session, modem: this.#modem, answerMs: this.#answerMs, speed, halfDuplex: () => this.#isHalfDuplex() })
  }

  #isHalfDuplex(): void {
    this.#line.log.info({}, 'the modem is half duplex: it refuses AT+VTR')
    if (this.#modem !== null) this.#modem = { ...this.#modem, fullDuplex: false }
  }

  /** The line is ready: waiting calls dial. */
  isFree(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }

  /** Back to faxes, for one that is sent or taken next. It is said twice if need be: in its voice class the modem would take the call as a voice's. */
  async leaveFor(session: AtSession, { faxClass, quirks }: Modem): Promise<void> {
    const changes = async (): Promise<boolean> => (await session.command(`AT+FCLASS=${faxClass}`, this.#answerMs)).code === 'ok'
    if (!(await changes())) await changes()
    for (const command of quirks.classSetup) void session.command(command, this.#answerMs)
    void session.command(isClass2(faxClass) ? 'AT+FCR=1' : 'AT+FAR=1', this.#answerMs)
  }

  /** The call that rings. */
  take(): VoiceLeg {
    return this.#begin('inbound', () => this.#line.ringing()).leg
  }

  /** Whether a ring is of the call that was taken. */
  rangInCall(): boolean {
    return this.#call?.rang() === true
  }

  /** It rings no more. */
  quiet(): void {
    if (this.#line.ringing()) this.#call?.abandoned()
  }

  dial(digits: string, timeoutSeconds: number): VoiceLeg {
    if (this.#modem === null || !this.#line.serves()) return refused(this.#line.text() || 'The modem is not ready')
    if (this.#parallel) return refused(elsewhere)
    const call = this.#begin('outbound', () => this.#line.free())
    const go = (): void => {
      if (call.leg.isTerminal) return
      if (!this.#line.free() || this.#call !== call) return call.refuse(this.#line.text() || 'The line is in use')
      this.#line.begin()
      void call.dial(digits, timeoutSeconds)
    }
    const soon = setTimeout(go, patienceMs)
    const now = (): void => {
      clearTimeout(soon)
      go()
    }
    if (this.#line.free()) queueMicrotask(now)
    else this.#waiting.push(now)
    return call.leg
  }

  lost(): void {
    this.#call?.lost()
  }

  async stop(): Promise<void> {
    this.#call?.leg.hangup()
    await this.#ending
  }

  #begin(direction: 'inbound' | 'outbound', free: () => boolean): VoiceCall {
    const line = this.#line
    const call = new VoiceCall(direction, {
      session: line.session(),
      modem: this.#modem!,
      country: this.#country,
      answerMs: this.#answerMs,
      taken: () => {
        if (!free()) return false
        line.begin()
        return true
      },
      receiveFax: (request, handlers) => line.receiveFax(request, handlers),
      underrun: () => {
        this.underruns += 1
      },
      parallel: (lifted) => this.#parallelIs(lifted),
      halfDuplex: () => this.#isHalfDuplex(),
      fault: (error) => line.log.warn({ err: error }, 'the owner of a call on a modem failed'),
    })
    this.#call = call
    this.#ending = call.over.then(async (began) => {
      if (this.#call === call) this.#call = null
      if (began) await line.end()
    })
    return call
  }
}

/** A leg that never was. */
function refused(text: string): VoiceLeg {
  const nothing = (): void => undefined
  const ground = {
    fullDuplex: false,
    answer: nothing,
    reject: nothing,
    hangup: nothing,
    speak: nothing,
    underrun: nothing,
    flash: nothing,
    clear: () => 0,
    fault: nothing,
  }
  const receiveFax = (): never => {
    throw new Error('there is no call')
  }
  const leg = new VoiceLeg(randomUUID(), 'outbound', { ...ground, receiveFax })
  queueMicrotask(() => leg.end({ by: 'system', reason: 'failed', sipCode: 503, cause: text === elsewhere ? 44 : 27, text }))
  return leg
}
