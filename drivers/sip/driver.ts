/**
 * SIP lines through pbx-engine: a LineDriver over the protocol of PROTOCOL.md. The engine's death ends its calls and
 * nothing else: it is started again, configured again with the phones it knew, and serves on.
 */
import type { FaxLeg } from '../fax.ts'
import type { DialRequest, DriverHealth, Leg, LineDriver, LineDriverHandlers, LineStatus } from '../line.ts'
import type { SipConfiguration, SipContact } from './configuration.ts'
import { ClipStore } from './clips.ts'
import { decodeAudio, encodeMessage, type Message } from './frames.ts'
import { driverLost, readInvite, SipLeg, text, whole, type LegPort } from './legs.ts'
import { EngineProcess, type DriverLog, type EngineHello, type EngineTiming } from './process.ts'
import { LineBook } from './status.ts'
import { TextExchange, type SipTexts } from './texts.ts'

export interface SipDriverOptions {
  readonly enginePath: string
  readonly engineArguments?: readonly string[]
  readonly configure: SipConfiguration
  readonly log: DriverLog
  /** Prompts the engine may hold, in bytes of PCM. */
  readonly clipBytes?: number
  /** Contacts of an extension changed; an empty list: none left. To be kept, so that a restart knows them. */
  readonly onRegistration?: (extension: string, contacts: readonly SipContact[], userAgent: string) => void
  readonly timing?: Partial<EngineTiming>
}

export interface SipDialRequest extends DialRequest {
  /** A fax machine will speak: the call offers G.711 only. */
  readonly fax?: boolean
}

/** Every leg of this driver can carry a fax, those of inbound calls as well. */
export interface SipDriver extends LineDriver {
  readonly texts: SipTexts
  dial(request: SipDialRequest): Leg & FaxLeg
  /** Trunks and extensions may change at any time, calls untouched; listeners are bound on the first one only. */
  configure(configuration: SipConfiguration): void
  /** New calls are refused with 503 from now on; calls in progress go on. */
  drain(): void
  /** Listeners as bound, `host:port` or null; all null while the engine is not up. */
  bound(): { readonly udp: string | null; readonly tcp: string | null; readonly tls: string | null }
}

/** An engine that a killed daemon left behind holds its ports for up to 2 s: so often are they asked for again. */
const bindAgainMs = 500

/** `start` does not wait longer than this for an engine that is slow. */
const startPatienceMs = 3000

export function createSipDriver(options: SipDriverOptions): SipDriver {
  return new EngineDriver(options)
}

class EngineDriver implements SipDriver {
  readonly kind = 'sip'
  readonly #log: DriverLog
  readonly #options: SipDriverOptions
  readonly #process: EngineProcess
  readonly #clips: ClipStore
  readonly #port: LegPort
  readonly #legs = new Map<number, SipLeg>()
  readonly #calls = new Map<string, number>()
  readonly #lines = new LineBook()
  readonly texts: TextExchange
  readonly #started = new Date().toISOString()
  #configuration: SipConfiguration
  #handlers: LineDriverHandlers = { inbound: () => undefined, statusChanged: () => undefined }
  #hello: EngineHello | null = null
  #configured: Message | null = null
  #stats: Message | null = null
  #fault = 'it was not started'
  #faultFacts = 0
  #lastWarning = ''
  #generation = 0
  #nextLeg = 2
  #draining = false
  #bindTimer: NodeJS.Timeout | null = null
  #faultsLogged = ''
  #settled: () => void = () => undefined

  constructor(options: SipDriverOptions) {
    this.#options = options
    this.#log = options.log
    this.#configuration = options.configure
    this.#process = new EngineProcess(
      {
        path: options.enginePath,
        log: options.log,
        ...(options.engineArguments === undefined ? {} : { arguments: options.engineArguments }),
        ...(options.timing === undefined ? {} : { timing: options.timing }),
      },
      {
        up: (hello) => this.#up(hello),
        down: (reason, wasUp) => this.#down(reason, wasUp),
        message: (message) => this.#message(message),
        audio: (payload) => decodeAudio(payload, (leg, at, samples) => this.#legs.get(leg)?.receiveAudio(at, samples)),
      },
    )
    this.#clips = new ClipStore((...frames) => this.#process.send(...frames), options.clipBytes)
    this.texts = new TextExchange({
      log: options.log,
      send: (frame) => this.#process.send(frame),
      isUp: () => this.#process.isUp,
    })
    this.#port = {
      send: (frame) => this.#process.send(frame),
      clips: this.#clips,
      ended: (leg) => this.#forget(leg),
      fault: (leg, error) => this.#log.error({ leg: leg.id, error: describe(error) }, 'A call failed to handle an event'),
    }
  }

  /** Resolves when the engine serves, or when it is clear that it does not yet; it goes on trying. Never rejects. */
  start(handlers: LineDriverHandlers): Promise<void> {
    this.#handlers = {
      inbound: (call) => handlers.inbound(call),
      statusChanged: () => {
        handlers.statusChanged()
        this.texts.statusChanged()
      },
    }
    return new Promise((resolve) => {
      const patience = setTimeout(resolve, startPatienceMs)
      this.#settled = () => {
        clearTimeout(patience)
        resolve()
      }
      this.#process.start()
    })
  }

  async stop(): Promise<void> {
    this.#cancelBinding()
    await this.#process.stop()
  }

  dial(request: SipDialRequest): SipLeg {
    const { via } = request
    const trunkId = via.kind === 'trunk' ? via.trunkId : ''
    const extension = via.kind === 'extension' ? request.to : ''
    const number = this.#nextLeg
    this.#nextLeg += 2
    const leg = new SipLeg(this.#port, { id: `sip-${this.#generation}-${number}`, number, direction: 'outbound', trunkId, extension })
    if (!this.#process.isUp) {
      // The owner sets onEvent after this returns.
      setImmediate(() => leg.end({ ...driverLost, text: `The SIP engine is not running: ${this.#fault}` }))
      return leg
    }
    this.#remember(leg)
    this.#process.send(
      encodeMessage({
        t: 'dial',
        leg: number,
        ...(via.kind === 'trunk' ? { trunk: trunkId } : { extension }),
        to: request.to,
        from: request.from,
        callerName: request.callerName,
        timeout: request.timeoutSeconds,
        ...(request.fax === true ? { fax: true } : {}),
      }),
    )
    return leg
  }

  lines(): readonly LineStatus[] {
    return this.#lines.list(this.#configuration, this.#started, (kind, id) => this.#calls.get(`${kind} ${id}`) ?? 0)
  }

  health(): DriverHealth {
    const hello = this.#hello
    const facts: Record<string, string | number | boolean> = { restarts: this.#process.restarts, legs: this.#legs.size }
    if (hello === null) return { ok: false, reason: `pbx-engine is not running: ${this.#fault}`, facts }
    Object.assign(facts, {
      engine: hello.engine,
      pjsip: hello.pjsip,
      pid: hello.pid,
      realtime: hello.realtime,
      realtimeReason: hello.realtimeReason,
      clipBytes: this.#clips.bytes,
    })
    for (const name of ['rssKb', 'tickLatenessP99Ms', 'tickLatenessMaxMs']) {
      const value = this.#stats?.[name]
      if (typeof value === 'number') facts[name] = value
    }
    if (this.#lastWarning !== '') facts['lastWarning'] = this.#lastWarning
    const bound = this.bound()
    for (const name of ['udp', 'tcp', 'tls'] as const) if (bound[name] !== null) facts[name] = bound[name]
    if (this.#configured === null) return { ok: false, reason: 'pbx-engine was started and has not opened its listeners yet', facts }
    const errors = this.#configured['errors']
    const texts = Array.isArray(errors)
      ? errors.map((error: Record<string, unknown>) => `${text(error['part'])}: ${text(error['text'])}`)
      : []
    return { ok: texts.length === 0, reason: texts.join('; '), facts }
  }

  configure(configuration: SipConfiguration): void {
    this.#configuration = configuration
    if (this.#process.isUp) this.#sendConfiguration()
    this.#handlers.statusChanged()
  }

  drain(): void {
    this.#draining = true
    this.#process.send(encodeMessage({ t: 'drain' }))
  }

  bound(): { udp: string | null; tcp: string | null; tls: string | null } {
    const of = (name: string): string | null => {
      const value = this.#configured?.[name]
      return typeof value === 'string' ? value : null
    }
    return { udp: of('udp'), tcp: of('tcp'), tls: of('tls') }
  }

  #sendConfiguration(): void {
    this.#process.send(encodeMessage({ t: 'configure', ...this.#lines.withRegistrations(this.#configuration) }))
  }

  #up(hello: EngineHello): void {
    this.#generation += 1
    this.#nextLeg = 2
    this.#hello = hello
    this.#faultFacts = 0
    this.#lines.engineUp()
    const { engine, pjsip, pid, realtime, realtimeReason } = hello
    this.#log.info({ engine, pjsip, pid, realtime }, 'pbx-engine is up')
    if (!realtime) this.#log.warn({ reason: realtimeReason }, 'The media clock runs without real-time priority')
    this.#sendConfiguration()
    if (this.#draining) this.#process.send(encodeMessage({ t: 'drain' }))
  }

  #down(reason: string, wasUp: boolean): void {
    this.#cancelBinding()
    this.#faultsLogged = ''
    this.#fault = reason
    this.#hello = null
    this.#configured = null
    this.#stats = null
    for (const leg of this.#legs.values()) leg.end({ ...driverLost, text: `The SIP engine was lost: ${reason}` })
    this.texts.lost(reason)
    this.#clips.reset()
    this.#lines.engineDown(reason)
    this.#faultFacts += 1
    this.#settled()
    if (wasUp || this.#faultFacts === 1) this.#handlers.statusChanged()
  }

  #message(message: Message): void {
    switch (message.t) {
      case 'invite':
        this.#invite(message)
        return
      case 'pong':
        return
      case 'stats':
        this.#stats = message
        return
      case 'configured':
        this.#onConfigured(message)
        return
      case 'trunk':
        this.#lines.trunk(message)
        this.#handlers.statusChanged()
        return
      case 'registration': {
        const contacts = (Array.isArray(message['contacts']) ? message['contacts'] : []) as readonly SipContact[]
        this.#lines.registration(text(message['extension']), contacts)
        this.#options.onRegistration?.(text(message['extension']), contacts, text(message['userAgent']))
        this.#handlers.statusChanged()
        return
      }
      case 'banned':
        this.#log.warn({ address: message['address'], seconds: message['seconds'] }, 'An address was banned after repeated failures')
        return
      case 'log':
        // The engine has printed the same line, and what it prints is logged already.
        if (message['level'] !== 'info') this.#lastWarning = text(message['text'])
        return
      case 'referred':
        this.#log.info({ leg: message['leg'], code: message['code'] }, 'Progress of a transfer')
        return
      default:
        if (!this.texts.receive(message)) this.#legs.get(whole(message['leg']))?.receive(message)
    }
  }

  #onConfigured(message: Message): void {
    this.#configured = message
    const errors = Array.isArray(message['errors']) ? message['errors'] : []
    const faults = JSON.stringify(errors)
    // The same faults again, from asking again, are no news.
    if (faults !== this.#faultsLogged) for (const error of errors) this.#log.error({ part: text(error?.part) }, text(error?.text))
    const changed = faults !== this.#faultsLogged || errors.length === 0
    this.#faultsLogged = faults
    this.#cancelBinding()
    if (errors.some((error) => ['udp', 'tcp', 'tls'].includes(text(error?.part)))) {
      this.#bindTimer = setTimeout(() => this.#sendConfiguration(), bindAgainMs)
    }
    this.#settled()
    if (changed) this.#handlers.statusChanged()
  }

  #cancelBinding(): void {
    if (this.#bindTimer !== null) clearTimeout(this.#bindTimer)
    this.#bindTimer = null
  }

  #invite(message: Message): void {
    const number = whole(message['leg'])
    if (this.#legs.has(number)) {
      this.#log.error({ leg: number }, 'pbx-engine announced a call twice')
      return
    }
    const call = readInvite(message)
    const { trunkId, extension } = call
    const leg = new SipLeg(this.#port, { id: `sip-${this.#generation}-${number}`, number, direction: 'inbound', trunkId, extension })
    this.#remember(leg)
    try {
      this.#handlers.inbound({ ...call, leg })
    } catch (error) {
      this.#log.error({ error: describe(error) }, 'A call could not be taken')
      leg.reject(503)
    }
  }

  #remember(leg: SipLeg): void {
    this.#legs.set(leg.number, leg)
    this.#count(leg, 1)
  }

  #forget(leg: SipLeg): void {
    if (this.#legs.get(leg.number) !== leg) return
    this.#legs.delete(leg.number)
    this.#count(leg, -1)
  }

  #count(leg: SipLeg, by: number): void {
    const key = leg.trunkId === '' ? `extension ${leg.extension}` : `trunk ${leg.trunkId}`
    const calls = (this.#calls.get(key) ?? 0) + by
    if (calls > 0) this.#calls.set(key, calls)
    else this.#calls.delete(key)
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
