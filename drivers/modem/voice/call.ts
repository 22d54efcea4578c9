/** One voice call on a modem that is ready, from its first command to a line that is on hook again. */
import { randomUUID } from 'node:crypto'
import type { FaxHandlers, FaxReceiveRequest, FaxSession } from '../../fax.ts'
import type { LegEnd } from '../../line.ts'
import type { ToneCountry } from '../../tones.ts'
import type { AtSession, Reply } from '../at-session.ts'
import { AnswerWatch } from './answer-watch.ts'
import { VoiceChannel } from './channel.ts'
import { VoiceLeg, type VoiceGround } from './leg.ts'
import { LineTones } from './line-tones.ts'
import type { VoiceModem } from './setup.ts'
import type { VoiceCode } from '../../v253.ts'

export interface VoiceCallOptions {
  readonly session: AtSession
  readonly modem: VoiceModem
  readonly country: ToneCountry
  readonly answerMs: number
  /** The call is ours from here on: it rings no more. False where the line is not free for it. */
  readonly taken: () => boolean
  /** The modem has left its voice: the same call goes on as a fax. */
  readonly receiveFax: (request: FaxReceiveRequest, handlers: FaxHandlers) => FaxSession
  /** Another telephone on the line was lifted, or put down. */
  readonly parallel: (lifted: boolean) => void
  /** The modem does not hear while it speaks, though it was taken for one that does. */
  readonly halfDuplex: () => void
  /** What was said had a gap. */
  readonly underrun: () => void
  readonly fault: (error: unknown) => void
}

type Ending = Omit<LegEnd, 'text'> & { readonly text?: string }

const hungUp: Ending = { by: 'remote', reason: 'hangup', sipCode: 200, cause: 16 }
const busy: Ending = { by: 'remote', reason: 'rejected', sipCode: 486, cause: 17, text: 'The number is busy' }
const congestion: Ending = { by: 'remote', reason: 'rejected', sipCode: 503, cause: 34, text: 'The exchange cannot reach this number' }
const unanswered: Ending = { by: 'system', reason: 'no-answer', sipCode: 408, cause: 19, text: 'No answer in time' }
/** Two of the modem's own codes within this time are no chance. */
const codesWithinMs = 4000
/** After a flash of the hook the tones of the switchboard, such as of an extension that is busy, are no hang-up for so long: a person hears them and decides. */
const flashTonesMs = 60_000
/** The number is dialled within this time, or the modem does not do it. */
const dialPatienceMs = 30_000
/** A ring reported so soon after the call was taken began before it; one reported so long after it belongs to another call. */
const [ownRingMs, otherRingMs] = [1500, 10_000]

export class VoiceCall implements VoiceGround {
  readonly leg: VoiceLeg
  /** Whether the line was used: the modem is back among its commands then, still off hook. */
  readonly over: Promise<boolean>
  readonly #options: VoiceCallOptions
  readonly #channel: VoiceChannel
  #tones: LineTones
  readonly #finished = Promise.withResolvers<boolean>()
  #watch: AnswerWatch | null = null
  #patience: NodeJS.Timeout | null = null
  #signs: number[] = []
  #ending = false
  #flashedAt = -Infinity
  /** The line is ours. */
  #began = false
  #takenAt = -Infinity
  #fax = false

  constructor(direction: 'inbound' | 'outbound', options: VoiceCallOptions) {
    this.#options = options
    this.over = this.#finished.promise
    this.#tones = new LineTones(options.country)
    const { session, modem, answerMs } = options
    this.leg = new VoiceLeg(randomUUID(), direction, this)
    this.#channel = new VoiceChannel({
      session,
      modem,
      answerMs,
      handlers: {
        heard: (samples) => this.#heard(samples),
        code: (code) => this.#code(code),
        pull: (most, aheadMs) => this.leg.pull(most, aheadMs),
        reached: (sample) => this.leg.reached(sample),
        underrun: () => this.underrun(),
        inTalk: () => this.leg.inTalk,
        halfDuplex: () => options.halfDuplex(),
        gone: () => this.#end({ ...hungUp, text: 'The modem reports that the line was hung up' }),
        lost: (why) => this.#end({ by: 'system', reason: 'media-timeout', sipCode: 0, cause: 41, text: why }),
      },
    })
  }

  get fullDuplex(): boolean {
    return this.#channel.fullDuplex
  }

  answer(): void {
    if (this.#ending) return
    if (!this.#options.taken())
      return this.#end({ ...unanswered, by: 'remote', reason: 'canceled', sipCode: 487, cause: 16, text: 'The caller hung up' })
    this.#began = true
    void this.#goOffHook()
  }

  /** The caller gave up before anybody took the call. */
  abandoned(): void {
    this.#end({ by: 'remote', reason: 'canceled', sipCode: 487, cause: 16, text: 'The caller hung up' })
  }

  /** Somebody has lifted another telephone on the line. */
  takenElsewhere(): void {
    this.#end({
      ...unanswered,
      by: 'remote',
      reason: 'canceled',
      sipCode: 487,
      cause: 26,
      text: 'Another telephone on the line answered the call',
    })
  }

  /** Dials; the outcome is reported to the leg. */
  async dial(digits: string, timeoutSeconds: number): Promise<void> {
    this.#began = true
    this.#patience = setTimeout(() => this.#end(unanswered), timeoutSeconds * 1000)
    const say = (number: string): Promise<Reply> => this.#options.session.command(`ATDT${number}`, dialPatienceMs, { ringEnds: true })
    // Without the semicolon many wait for an answer before they say that they have dialled (V.253, VRA and VRN): nothing is heard until then.
    let reply = await say(`${digits};`)
    if (reply.code === 'error' && !this.#ending) reply = await say(digits)
    if (this.#ending) return
    const failed = undialled(reply)
    if (failed !== null) return this.#end(failed)
    this.#watch = new AnswerWatch(this.#options.country)
    await this.#channel.open()
  }

  /** The line cannot be had. */
  refuse(why: string): void {
    this.#end({ by: 'system', reason: 'failed', sipCode: 503, cause: 44, text: why })
  }

  reject(sipCode: number, text: string): void {
    this.#end({ by: 'local', reason: 'rejected', sipCode, cause: 21, text })
  }

  hangup(cause: number): void {
    const { isAnswered, direction } = this.leg
    if (isAnswered) this.#end({ by: 'local', reason: 'hangup', sipCode: 200, cause })
    else if (direction === 'inbound') this.#end({ by: 'local', reason: 'rejected', sipCode: 603, cause: 21 })
    else this.#end({ by: 'local', reason: 'canceled', sipCode: 487, cause })
  }

  speak(): void {
    this.#channel.speak()
  }

  underrun(): void {
    this.#options.underrun()
  }

  flash(): void {
    this.#flashedAt = performance.now()
    this.#channel.between(this.#options.modem.quirks.flash)
  }

  clear(): number {
    const { aheadMs } = this.#channel
    this.#channel.clear()
    return aheadMs
  }

  receiveFax(request: FaxReceiveRequest, handlers: FaxHandlers): FaxSession {
    let session: FaxSession | null = null
    let stopped = false
    this.#fax = true
    void this.#channel.close().then(() => {
      session = this.#options.receiveFax(request, {
        ...handlers,
        ended: (result) => {
          this.#fax = false
          handlers.ended(result)
          this.#end(hungUp)
        },
      })
      if (stopped) session.stop()
    })
    return {
      stop: () => {
        stopped = true
        session?.stop()
      },
    }
  }

  /** The port is gone. */
  lost(): void {
    this.#channel.abandon()
    this.#end({ by: 'system', reason: 'unreachable', sipCode: 0, cause: 27, text: 'The modem was unplugged' })
  }

  fault(error: unknown): void {
    this.#options.fault(error)
  }

  /** It rings though the call was taken: some modems lift the line at the second time (USRobotics 5637). False where the ring is of another call. */
  rang(): boolean {
    const sinceMs = performance.now() - this.#takenAt
    if (this.#ending || sinceMs > otherRingMs) return false
    if (sinceMs < ownRingMs) return true
    this.#takenAt = -Infinity
    this.leg.notice('it rings on: the line is lifted again')
    this.#channel.between(['AT+VLS=1'])
    return true
  }

  async #goOffHook(): Promise<void> {
    const { session, answerMs } = this.#options
    const { code } = await session.command('AT+VLS=1', answerMs)
    const off = code === 'ok' || code === 'voice' || ['ok', 'voice', 'connect'].includes((await session.command('ATA', answerMs)).code)
    if (this.#ending) return
    if (!off)
      return this.#end({ by: 'system', reason: 'failed', sipCode: 500, cause: 41, text: 'The modem does not answer the call (AT+VLS=1)' })
    this.#takenAt = performance.now()
    if (await this.#channel.open()) this.leg.connect()
  }

  #heard(samples: Int16Array): void {
    if (this.#watch !== null) return this.#follow(samples)
    const tone = this.#tones.hear(samples)
    if (tone !== null && this.#isFlashed()) this.#tones = new LineTones(this.#options.country)
    else if (tone !== null) return this.#end({ ...hungUp, text: `The exchange gives ${tone} tone` })
    this.leg.heard(samples)
  }

  #isFlashed(): boolean {
    return performance.now() - this.#flashedAt < flashTonesMs
  }

  /** Before the answer of a call that was dialled. */
  #follow(samples: Int16Array): void {
    for (const what of this.#watch!.hear(samples)) {
      if (what === 'ringing') this.leg.ringing()
      else if (what === 'answered') this.#connected()
      else this.#end(what === 'busy' ? busy : congestion)
    }
  }

  #connected(): void {
    this.#watch = null
    if (this.#patience !== null) clearTimeout(this.#patience)
    this.leg.connect()
  }

  #code(code: VoiceCode): void {
    if (code.kind === 'end') return
    if (code.kind === 'key') return this.leg.pressed(code.key, code.edge)
    switch (code.code) {
      case 'c':
      case 'm':
        return this.leg.faxTone('cng')
      case 'a':
        return this.leg.faxTone('ced')
      case 'l':
        return this.#end({ ...hungUp, text: 'The line was opened' })
      case 'R':
        return void this.rang()
      case 'P':
      case 'H':
        this.#options.parallel(true)
        return this.leg.notice('another telephone on the line was lifted')
      case 'p':
      case 'h':
        this.#options.parallel(false)
        return this.leg.notice('another telephone on the line was put down')
      case 'b':
      case 'K':
        return this.#sign(this.#watch === null ? hungUp : busy)
      case 'd':
      case 'i':
        return this.#sign(hungUp)
      case 'V':
      case 'v':
        // Of a call that was dialled: somebody speaks.
        if (this.#watch !== null) this.#connected()
        return
    }
  }

  #sign(ending: Ending): void {
    if (this.#isFlashed()) return
    const now = performance.now()
    this.#signs = [...this.#signs.filter((at) => now - at < codesWithinMs), now]
    if (this.#signs.length >= 2) this.#end(ending)
  }

  #end(ending: Ending): void {
    if (this.#ending || this.#fax) return
    this.#ending = true
    if (this.#patience !== null) clearTimeout(this.#patience)
    if (this.#began && !this.#channel.isOpen) this.#options.session.interrupt()
    this.leg.end({ text: '', ...ending })
    void this.#channel.close().then(() => this.#finished.resolve(this.#began))
  }
}

/** Null where the number was dialled. */
function undialled({ code, text }: Reply): Ending | null {
  const failed = { by: 'system', reason: 'failed', sipCode: 503, cause: 27 } as const
  switch (code) {
    case 'ok':
    case 'voice':
    case 'connect':
      return null
    case 'busy':
      return busy
    case 'no-answer':
      return unanswered
    case 'no-carrier':
      return { by: 'remote', reason: 'rejected', sipCode: 480, cause: 31, text: 'The call was not put through' }
    case 'no-dialtone':
      return { ...failed, text: 'There is no dial tone on the line: is the cable plugged in, or another telephone on the line in use?' }
    case 'ring':
      return { ...failed, cause: 44, text: 'A call came in while the number was dialled' }
    case 'blacklisted':
    case 'delayed':
      return { ...failed, cause: 41, text: `The modem refuses to dial this number again so soon (${text})` }
    default:
      return { ...failed, cause: 41, text: 'The modem did not dial' }
  }
}
