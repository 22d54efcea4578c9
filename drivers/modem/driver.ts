/**
 * Fax over a serial modem: one line that keeps its modem ready, takes and places one call at a time, each run by what fits
 * the class of the modem. A modem that is unplugged or stops answering is opened again by itself.
 */
import type {
  FaxClass,
  FaxHandlers,
  FaxLine,
  FaxLineHandlers,
  FaxLineResult,
  FaxLineState,
  FaxLineStatus,
  FaxLineTest,
  FaxReceiveRequest,
  FaxSendRequest,
  FaxSession,
} from '../fax.ts'
import { AtSession } from './at-session.ts'
import { undialled } from './dialling.ts'
import { begunAfter, runnerOf, type CallGround, type RunningCall } from './fax-call.ts'
import type { ModemLog } from './fax-program.ts'
import { nextWait, openPort, PortError, type Port } from '../serial/port.ts'
import { RingWatch } from './ring-watch.ts'
import { testLine } from './probe.ts'
import { hangUp, prepare, type Modem, type SetupOptions } from './setup.ts'
import type { Leg } from '../line.ts'
import type { ToneCountry } from '../tones.ts'
import { VoiceAsking } from './voice/asking.ts'
import { VoiceRole, type VoiceCondition, type VoiceLine } from './voice/role.ts'

export interface ModemLineOptions {
  readonly id: string
  /** Such as /dev/pbx-modem0. */
  readonly device: string
  readonly number: string
  /** The built pbx-fax. */
  readonly faxProgram: string
  readonly log: ModemLog
  readonly baudRate?: number
  readonly rtscts?: boolean
  readonly blindDial?: boolean
  /** `auto`: class 1 where the modem has it. */
  readonly faxClass?: 'auto' | FaxClass
  /** How long the far end may ring and be silent. */
  readonly carrierSeconds?: number
  readonly setup?: readonly string[]
  /** The line takes and places voice calls; `country`: whose tones the exchange gives. */
  readonly voice?: { readonly country: ToneCountry }
  /** Every command and result. */
  readonly trace?: (sent: boolean, text: string) => void
  /** For tests on a line that runs faster than time. */
  readonly speed?: number
  readonly answerMs?: number
  readonly reopenMs?: readonly [first: number, most: number]
}

export interface ModemLine extends FaxLine {
  /** `to`: digits as for a fax. Where it cannot be dialled, the leg ends with the reason. */
  placeCall(to: string, timeoutSeconds: number): Leg
  /** Null where the line is not for calls. */
  readonly voice: VoiceCondition | null
  /** Tests a modem that is ready, with `voice` how loud its line is, and sets it up again; null where it is not ready. */
  test(voice?: boolean): Promise<FaxLineTest | null>
}

type Link = { readonly port: Port; readonly session: AtSession; readonly gone: Promise<void> }

/** What a modem may dial (ITU-T V.250 clause 6.3.1): keys, a pause, a wait for dial tone, pulses. */
const dialled = (to: string): string => to.replaceAll(/[^0-9*#,WP]/g, '')

const idle: FaxSession = { stop: () => undefined }

export function createModemLine(options: ModemLineOptions): ModemLine {
  return new Line(options)
}

const defaultReopenMs = [1000, 30_000] as const

class Line implements ModemLine {
  readonly id: string
  readonly number: string
  statusChanged: FaxLine['statusChanged'] = null
  readonly #options: ModemLineOptions
  readonly #setup: SetupOptions
  readonly #speed: number
  readonly #rings: RingWatch
  readonly #voice: VoiceRole | null
  #status: FaxLineStatus = { state: 'stopped', text: '', model: '', faxClass: '', modems: [], since: Date.now() }
  #link: Link | null = null
  #modem: Modem | null = null
  #call: { canceled: boolean; readonly running: RunningCall; readonly over: Promise<void> } | null = null
  #stopping = true
  #running: Promise<void> = Promise.resolve()
  #wake: (() => void) | null = null
  readonly #asking: VoiceAsking
  readonly #rang = (): void => (this.#voice?.rangInCall() === true ? undefined : this.#rings.ring())

  constructor(options: ModemLineOptions) {
    this.id = options.id
    this.number = options.number
    this.#options = options
    this.#speed = options.speed ?? 1
    this.#setup = {
      faxClass: options.faxClass ?? 'auto',
      blindDial: options.blindDial ?? false,
      carrierSeconds: options.carrierSeconds ?? 60,
      extra: options.setup ?? [],
      answerMs: options.answerMs ?? 3000,
    }
    this.#voice = options.voice === undefined ? null : new VoiceRole(options.voice.country, this.#setup, this.#voiceLine())
    this.#asking = new VoiceAsking(options.reopenMs ?? defaultReopenMs, () => this.#askAgain())
    this.#rings = new RingWatch(this.#speed, {
      rings: (caller, cadence) => {
        if (this.#status.state !== 'ready') return false
        if (this.#asking.atRing()) return (this.#ask(), false)
        this.#asking.quiet()
        this.#be('ringing')
        this.onRing?.({
          callerNumber: caller.number,
          callerName: caller.name,
          cadence,
          receiveFax: (request, handlers) => this.#receive(request, handlers),
          voice: this.#voice?.isReady === true ? () => this.#voice!.take() : null,
        })
        return true
      },
      quiet: () => {
        this.#voice?.quiet()
        this.#asking.quiet()
        if (this.#status.state === 'ringing') this.#be('ready', this.#asking.voiceless)
      },
    })
  }

  onRing: FaxLine['onRing'] = null

  status(): FaxLineStatus {
    return this.#status
  }

  get voice(): VoiceCondition | null {
    return this.#voice
  }

  placeCall(to: string, timeoutSeconds: number): Leg {
    if (this.#voice === null) throw new Error(`the line ${this.id} is not for voice calls`)
    return this.#voice.dial(dialled(to), timeoutSeconds)
  }

  start(): void {
    if (!this.#stopping) return
    this.#stopping = false
    this.#running = this.#keep()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#asking.stop()
    this.#rings.forget()
    if (this.#call !== null) {
      this.#cancel()
      await this.#call.over
    }
    await this.#voice?.stop()
    this.#wake?.()
    await this.#link?.port.close()
    await this.#running
    this.#be('stopped')
  }

  sendFax(to: string, request: FaxSendRequest, handlers: FaxLineHandlers): FaxSession {
    const digits = dialled(to)
    const modem = this.#modem
    const link = this.#link
    if (this.#status.state === 'ringing' || this.#rings.ringing) return this.#refuse(handlers, 'glare', 'A call comes in on this line')
    if (this.#status.state !== 'ready' || link === null || modem === null || digits === '') {
      return this.#refuse(handlers, 'modem-fault', this.#status.text === '' ? 'The line is not free' : this.#status.text)
    }
    this.#be('dialing')
    const ground = this.#ground(link, modem, handlers, () => this.#be('sending'))
    const place = (): RunningCall => runnerOf(modem.faxClass).place(ground, digits, request)
    return this.#begin(handlers, link, this.#voice === null ? place() : begunAfter(this.#voice.leaveFor(link.session, modem), place))
  }

  async test(voice = false): Promise<FaxLineTest | null> {
    const link = this.#link
    if (this.#status.state !== 'ready' || this.#rings.ringing || link === null) return null
    this.#be('resetting')
    const found = await testLine(link.session, this.#setup.answerMs, this.#speed)
    await hangUp(link.session, link.port, this.#setup.answerMs)
    const levels = voice && this.#voice !== null ? await this.#voice.testLevels(link.session, this.#speed) : null
    if (levels !== null) await hangUp(link.session, link.port, this.#setup.answerMs)
    if (!this.#stopping && this.#link === link) await this.#ready(link, this.#modem)
    return { ...found, levels }
  }

  #receive(request: FaxReceiveRequest, handlers: FaxLineHandlers): FaxSession {
    const link = this.#link
    const modem = this.#modem
    if (this.#status.state !== 'ringing' || link === null || modem === null)
      return this.#refuse(handlers, 'no-carrier', 'The caller hung up')
    this.#rings.forget()
    this.#be('receiving')
    const ground = this.#ground(link, modem, handlers, () => undefined)
    return this.#begin(handlers, link, runnerOf(modem.faxClass).take(ground, request))
  }

  /** In a voice call: the modem is off hook and among its commands. */
  #faxInCall(request: FaxReceiveRequest, handlers: FaxHandlers): FaxSession {
    const link = this.#link!
    const modem = this.#modem!
    const taken = { ...handlers, ended: (result: FaxLineResult) => handlers.ended(result) }
    this.#be('receiving')
    const ground = this.#ground(link, modem, taken, () => undefined)
    const running = begunAfter(this.#voice!.leaveFor(link.session, modem), () => runnerOf(modem.faxClass).take(ground, request))
    void running.result.then((result) => {
      link.session.releaseData()
      handlers.ended(result)
    })
    return { stop: () => running.stop() }
  }

  #ground({ port, session }: Link, modem: Modem, handlers: FaxLineHandlers, connected: () => void): CallGround {
    const { faxProgram, log } = this.#options
    const { answerMs, carrierSeconds } = this.#setup
    return { port, session, modem, faxProgram, log, speed: this.#speed, answerMs, carrierSeconds, handlers, connected }
  }

  #refuse(handlers: FaxLineHandlers, dial: FaxLineResult['dial'], text: string): FaxSession {
    queueMicrotask(() => handlers.ended(undialled(dial, text)))
    return idle
  }

  /** One call from its first command to a modem that is ready again; `ended` comes as soon as the result is known. */
  #begin(handlers: FaxLineHandlers, link: Link, running: RunningCall): FaxSession {
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const call = { canceled: false, running, over }
    this.#call = call
    void running.result
      .then((result) =>
        call.canceled && result.code !== 0 && result.dial === 'connected' ? { ...result, dial: 'canceled' as const } : result,
      )
      .then(async (result) => {
        this.#be('resetting')
        link.session.releaseData()
        handlers.ended(result)
        await hangUp(link.session, link.port, this.#setup.answerMs)
        this.#call = null
        resolve()
        if (!this.#stopping && this.#link === link) await this.#ready(link, this.#modem)
      })
    return {
      stop: () => {
        if (this.#call === call) this.#cancel()
      },
    }
  }

  #cancel(): void {
    if (this.#call === null || this.#call.canceled) return
    this.#call.canceled = true
    this.#call.running.stop()
  }

  /** Opens the device again and again until the line is stopped. */
  async #keep(): Promise<void> {
    const [first, most] = this.#options.reopenMs ?? defaultReopenMs
    let wait = first
    this.#be('starting')
    while (!this.#stopping) {
      const link = await this.#open()
      if (link !== null) {
        if (await this.#ready(link, null)) {
          wait = first
          await link.gone
          this.#call?.running.lost()
          this.#voice?.lost()
          if (!this.#stopping) this.#be('unplugged', `${this.#options.device} was unplugged`)
        }
        await link.port.close()
        if (this.#call !== null) await this.#call.over
        this.#link = null
        this.#rings.forget()
      }
      if (this.#stopping) return
      await this.#pause(wait)
      wait = nextWait(wait, most, this.#status.state === 'unplugged')
    }
  }

  async #open(): Promise<Link | null> {
    const { device, baudRate = 115_200, rtscts = true } = this.#options
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    let session: AtSession | null = null
    try {
      const port = await openPort(
        device,
        { baudRate, rtscts },
        {
          data: (bytes) => session?.onData(bytes),
          closed: () => {
            session?.closed()
            resolve()
          },
        },
      )
      const { trace } = this.#options
      session = new AtSession(port, {
        ring: this.#rang,
        caller: (field, value) => this.#rings.caller(field, value),
        ringing: () => this.#rings.ringing,
        cadence: (on, ms) => this.#rings.cadence(on, ms),
        ...(trace === undefined ? {} : { trace }),
      })
      this.#link = { port, session, gone }
      return this.#link
    } catch (error) {
      const missing = error instanceof PortError && error.reason === 'missing'
      this.#be(missing ? 'unplugged' : 'faulty', error instanceof Error ? error.message : String(error))
      return null
    }
  }

  /** False, and the port closed, where the modem is of no use. */
  async #ready(link: Link, known: Modem | null): Promise<boolean> {
    const prepared = await prepare(link.session, link.port, this.#setup, known)
    if ('modem' in prepared) {
      // A CONNECT out of place has made its session wait for somebody to take data: rings would not be heard.
      link.session.releaseData()
      this.#modem = prepared.modem
      const voiceless = (await this.#voice?.prepare(link.session, prepared.modem)) ?? ''
      this.#be('ready', voiceless)
      this.#asking.answered(voiceless)
      this.#voice?.isFree()
      return true
    }
    this.#modem = null
    if (!this.#stopping && this.#link === link) this.#be('faulty', prepared.failed)
    await link.port.close()
    return false
  }

  #askAgain(): void {
    if (this.#stopping) return
    if (this.#status.state === 'ready' && !this.#rings.ringing) this.#ask()
    else this.#asking.later()
  }

  /** As at first, for what its voice says. */
  #ask(): void {
    if (this.#link === null) return
    this.#be('resetting')
    void this.#ready(this.#link, this.#modem)
  }

  /** The line as its voice has it. */
  #voiceLine(): VoiceLine {
    return {
      free: () => this.#status.state === 'ready' && !this.#rings.ringing && this.#link !== null,
      serves: () => this.#link !== null && this.#modem !== null && !this.#stopping,
      ringing: () => this.#status.state === 'ringing',
      rang: this.#rang,
      text: () => this.#status.text,
      begin: () => {
        this.#rings.forget()
        this.#be('talking')
      },
      session: () => this.#link!.session,
      end: async () => {
        const link = this.#link
        if (link === null) return
        this.#be('resetting')
        link.session.releaseData()
        await hangUp(link.session, link.port, this.#setup.answerMs)
        if (!this.#stopping && this.#link === link) await this.#ready(link, this.#modem)
      },
      receiveFax: (request, handlers) => this.#faxInCall(request, handlers),
      log: this.#options.log,
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #be(state: FaxLineState, text = ''): void {
    if (this.#status.state === state && this.#status.text === text) return
    const { model = '', faxClass = '', modems = [] } = this.#modem ?? {}
    this.#status = { state, text, model, faxClass, modems, since: Date.now() }
    this.#options.log.info({ line: this.id, state }, text === '' ? `Modem line ${this.id} is ${state}` : text)
    this.statusChanged?.(this.#status)
  }
}
