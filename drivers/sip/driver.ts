/**
 * SIP lines through pbx-engine: a LineDriver over the protocol of PROTOCOL.md. The engine's death ends its calls and
 * nothing else: it is started again, configured again with the phones it knew, and serves on.
 */
import type { LineBridge, ReplacedCall, StandingLeg } from '../pbx.ts'
import type { DialRequest, DriverHealth, InboundCall, Leg, LineDriverHandlers, LineStatus } from '../line.ts'
import type { SipConfiguration, SipContact } from './configuration.ts'
import { BanExchange } from './bans.ts'
import { SipBridge } from './bridges.ts'
import { ClipStore } from './clips.ts'
import { EngineFigures } from './figures.ts'
import { decodeAudio, decodeFork, encodeMessage, type Message } from './frames.ts'
import { IdleExchange } from './exchange.ts'
import { LampBook } from './lamps.ts'
import type { LegPort } from './leg-port.ts'
import { driverLost, SipLeg, type LegOrigin } from './legs.ts'
import { describe, readInvite, text, whole } from './reading.ts'
import { boundIn, closedListeners, faultsIn, isListener, listenerNames, unfitness, type Bound, type EngineFault } from './listeners.ts'
import { type SipDriver, type SipDriverOptions, HelpedCalls } from './driver-types.ts'
import { EngineProcess, type DriverLog, type EngineHello } from './process.ts'
import { Refusals } from './refusals.ts'
import { spoolOf, type Spool } from './spool.ts'
import { ReplacingCalls } from './replacing.ts'
import { StandingCalls } from './standby.ts'
import { LineBook } from './status.ts'
import { TextExchange } from './texts.ts'

export type { SipDriver, SipDriverOptions } from './driver-types.ts'

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
  readonly #lines = new LineBook()
  readonly texts: TextExchange
  readonly bans: BanExchange
  readonly lamps: LampBook
  readonly refusals: Refusals
  readonly helped = new HelpedCalls()
  readonly #spool: Spool
  readonly #idle: IdleExchange
  readonly #standing: StandingCalls
  readonly #started = new Date().toISOString()
  #configuration: SipConfiguration
  #handlers: LineDriverHandlers = { inbound: () => undefined, statusChanged: () => undefined }
  #hello: EngineHello | null = null
  #configured: Message | null = null
  readonly #figures = new EngineFigures()
  #fault = 'it was not started'
  #faultFacts = 0
  #lastWarning = ''
  #generation = 0
  #nextLeg = 2
  #nextBridge = 1
  readonly #replacing = new ReplacingCalls()
  #draining = false
  #bindTimer: NodeJS.Timeout | null = null
  #faultsLogged = ''
  #settled: () => void = () => undefined

  constructor(options: SipDriverOptions) {
    this.#options = options
    this.#log = options.log
    this.refusals = new Refusals(options.log)
    this.#configuration = options.configure
    this.#spool = spoolOf(options.service, options.log)
    const adopted = (legs: readonly number[]): void => this.#process.send(encodeMessage({ t: 'adopted', legs }))
    this.#standing = new StandingCalls(adopted, (file) => this.#spool.placeOf(file))
    this.#process = new EngineProcess(
      {
        path: options.enginePath,
        log: options.log,
        ...(options.standby === undefined ? {} : { standby: options.standby }),
        ...(options.service === undefined ? {} : { service: options.service.socket }),
        ...(options.engineArguments === undefined ? {} : { arguments: options.engineArguments }),
        ...(options.timing === undefined ? {} : { timing: options.timing }),
      },
      {
        up: (hello) => this.#up(hello),
        down: (reason, wasUp) => this.#down(reason, wasUp),
        message: (message) => this.#message(message),
        audio: (payload) => decodeAudio(payload, (leg, at, samples) => this.#legs.get(leg)?.receiveAudio(at, samples)),
        fork: (payload) => decodeFork(payload, (leg, ...piece) => this.#legs.get(leg)?.receiveFork(...piece)),
      },
    )
    this.#idle = new IdleExchange({
      path: options.enginePath,
      engine: () => this.#hello,
      busy: () => this.#legs.size > 0 || this.#draining || this.texts.busy,
      exchange: () => this.#process.exchange(),
    })
    this.#clips = new ClipStore((...frames) => this.#process.send(...frames), options.clipBytes)
    const port = { send: (frame: Buffer) => this.#process.send(frame), isUp: () => this.#process.isUp }
    this.texts = new TextExchange({ log: options.log, ...port })
    this.bans = new BanExchange(port)
    this.lamps = new LampBook({
      send: port.send,
      realm: () => this.#configuration.realm,
      fault: (error) => this.#log.error({ error: describe(error) }, 'A lamp could not be served'),
    })
    this.#port = {
      send: (frame) => this.#process.send(frame),
      clips: this.#clips,
      spool: this.#spool,
      bridge: (number) => this.bridge(number),
      leg: (number) => this.#legs.get(number) ?? null,
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
    this.#spool.clear()
  }

  leave(): void {
    this.#cancelBinding()
    this.#process.leave()
  }

  /** No leg bears the largest number: the engine says that there is nothing to replace. */
  dialReplacing(request: DialRequest, leg: Leg): SipLeg {
    return this.#dial(request, { replaces: leg instanceof SipLeg && !leg.isTerminal ? leg.number : 0xffffffff })
  }

  dial(request: DialRequest): SipLeg {
    return this.#dial(request, {})
  }

  #dial(request: DialRequest, more: { replaces?: number }): SipLeg {
    const { via, diversion, headers, silenceMs } = request
    const [trunkId, extension] = via.kind === 'trunk' ? [via.trunkId, ''] : ['', request.to]
    const number = this.#nextLeg
    this.#nextLeg += 2
    const leg = this.#leg({ number, direction: 'outbound', trunkId, extension })
    if (!this.#process.isUp) {
      // The owner sets onEvent after this returns.
      setImmediate(() => leg.end({ ...driverLost, text: `The SIP engine is not running: ${this.#fault}` }))
      return leg
    }
    this.#process.send(
      encodeMessage({
        t: 'dial',
        leg: number,
        ...(via.kind === 'trunk' ? { trunk: trunkId } : { extension }),
        to: request.to,
        from: request.from,
        callerName: request.callerName,
        ...{ diversion, headers, silenceMs },
        timeout: request.timeoutSeconds,
        ...{ fax: request.fax, help: request.help },
        ...more,
      }),
    )
    return leg
  }

  bridge(number = this.#nextBridge++): LineBridge {
    return new SipBridge(number, (frame) => this.#process.send(frame))
  }

  onReplacing(take: (call: InboundCall, replaced: ReplacedCall) => void): void {
    this.#replacing.onReplacing(take)
  }

  onStanding(take: (legs: readonly StandingLeg[]) => readonly Leg[]): void {
    this.#standing.onStanding(take)
  }

  #onAdopt(message: Message): void {
    this.#nextLeg = whole(message['lastLeg']) + 2 - (whole(message['lastLeg']) % 2)
    this.#nextBridge = whole(message['lastBridge']) + 1
    this.#standing.came(message, (origin) => this.#leg(origin))
    this.#idle.look()
    this.#settled()
  }

  lines(): readonly LineStatus[] {
    return this.#lines.list(this.#configuration, this.#started, (kind, id) => this.#callsOf(kind, id))
  }

  get isUp(): boolean {
    return this.#hello !== null
  }

  health(): DriverHealth {
    const hello = this.#hello
    const facts: Record<string, string | number | boolean> = {
      restarts: this.#process.restarts,
      legs: this.#legs.size,
      ...this.#figures.facts(),
    }
    if (hello === null) return { ok: false, reason: `pbx-engine is not running: ${this.#fault}`, facts }
    const { engine, pjsip, pid, realtime, realtimeReason } = hello
    Object.assign(facts, { engine, pjsip, pid, realtime, realtimeReason, clipBytes: this.#clips.bytes })
    if (this.#lastWarning !== '') facts['lastWarning'] = this.#lastWarning
    const bound = this.bound()
    for (const name of listenerNames) if (bound[name] !== null) facts[name] = bound[name]
    if (this.#configured === null) return { ok: false, reason: 'pbx-engine was started and has not opened its listeners yet', facts }
    const reason = unfitness(this.#configured)
    return { ok: reason === '', reason, facts }
  }

  configure(configuration: SipConfiguration): void {
    this.#configuration = this.#lines.changed(this.#configuration, configuration)
    if (this.#process.isUp) this.#sendConfiguration()
    this.#handlers.statusChanged()
  }

  drain(on = true, silent = false): void {
    this.#draining = on
    this.#process.send(encodeMessage({ t: 'drain', on, silent }))
  }

  bound(): Bound {
    return boundIn(this.#configured)
  }

  closedListeners(): readonly EngineFault[] {
    return closedListeners(this.#configured)
  }

  #sendConfiguration(): void {
    const configuration = this.#lines.withRegistrations(this.#spool.configuration(this.#configuration))
    this.#process.send(encodeMessage({ t: 'configure', ...configuration }))
  }

  #up(hello: EngineHello): void {
    this.#generation += 1
    this.#nextLeg = 2
    this.#hello = hello
    this.#faultFacts = 0
    this.#lines.engineUp()
    // Of an engine that has died.
    if (!hello.returning) this.#spool.clear()
    const { engine, pjsip, pid, realtime, realtimeReason } = hello
    this.#log.info({ engine, pjsip, pid, realtime }, 'pbx-engine is up')
    if (!realtime) this.#log.warn({ reason: realtimeReason }, 'The media clock runs without real-time priority')
    this.#sendConfiguration()
    if (this.#draining) this.#process.send(encodeMessage({ t: 'drain', on: true }))
  }

  #down(reason: string, wasUp: boolean): void {
    this.#cancelBinding()
    this.#faultsLogged = ''
    this.#fault = reason
    this.#hello = null
    this.#configured = null
    this.#figures.lost()
    for (const leg of this.#legs.values()) leg.end({ ...driverLost, text: `The SIP engine was lost: ${reason}` })
    this.texts.lost(reason)
    for (const part of [this.bans, this.lamps, this.#standing]) part.lost()
    this.#clips.reset()
    this.#lines.engineDown(reason)
    this.#faultFacts += 1
    this.#settled()
    if (wasUp || this.#faultFacts === 1) this.#handlers.statusChanged()
  }

  #message(message: Message): void {
    switch (message.t) {
      case 'invite':
        return this.#invite(message)
      case 'pong':
        return this.#figures.answered(message)
      case 'stats':
        return this.#figures.take(message)
      case 'configured':
        return this.#onConfigured(message)
      case 'adopt':
        return this.#onAdopt(message)
      case 'trunk':
        this.#lines.trunk(message)
        return this.#handlers.statusChanged()
      case 'registration': {
        const contacts = (Array.isArray(message['contacts']) ? message['contacts'] : []) as readonly SipContact[]
        this.#lines.registration(text(message['extension']), contacts)
        this.#options.onRegistration?.(text(message['extension']), contacts, text(message['userAgent']))
        return this.#handlers.statusChanged()
      }
      case 'banned':
        this.#log.warn({ address: message['address'], seconds: message['seconds'] }, 'An address was banned after repeated failures')
        this.#options.onBanned?.(text(message['address']))
        return
      case 'log':
        // The engine has printed the same line, and what it prints is logged already.
        if (this.#hello?.apart === true) this.#log.warn({ source: 'pbx-engine' }, text(message['text']))
        if (message['level'] !== 'info') this.#lastWarning = text(message['text'])
        return
      case 'recorded': {
        // Also of a leg that nobody has any more.
        const placed = this.#placed(message)
        return this.#legs.get(whole(message['leg']))?.receive(placed)
      }
      default:
        if ([this.refusals, this.bans, this.texts, this.lamps, this.helped].some((part) => part.receive(message))) return
        this.#legs.get(whole(message['leg']))?.receive(message)
    }
  }

  #placed(message: Message): Message {
    return this.#spool.recorded(text(message['file']), message['reason'] !== 'failed') ? message : { ...message, reason: 'failed' }
  }

  #onConfigured(message: Message): void {
    this.#configured = message
    const errors = faultsIn(message)
    const faults = JSON.stringify(errors)
    // The same faults again, from asking again, are no news.
    if (faults !== this.#faultsLogged) for (const error of errors) this.#log.error({ part: error.part }, error.text)
    const changed = faults !== this.#faultsLogged || errors.length === 0
    this.#faultsLogged = faults
    this.#cancelBinding()
    if (errors.some(({ part }) => isListener(part))) {
      this.#bindTimer = setTimeout(() => this.#sendConfiguration(), bindAgainMs)
    }
    if (this.#hello?.returning !== true) this.#settled()
    if (changed) this.#handlers.statusChanged()
  }

  #cancelBinding(): void {
    this.#idle.cancel()
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
    const leg = this.#leg({ number, direction: 'inbound', trunkId, extension })
    try {
      const { replaces } = message
      if (typeof replaces === 'object' && replaces !== null) this.#replacing.hand({ ...call, leg }, replaces, this.#legs)
      else this.#handlers.inbound({ ...call, leg })
      leg.take()
    } catch (error) {
      this.#log.error({ error: describe(error) }, 'A call could not be taken')
      leg.reject(503)
    }
  }

  #leg(origin: Omit<LegOrigin, 'id'>): SipLeg {
    const leg = new SipLeg(this.#port, { id: `sip-${this.#generation}-${origin.number}`, ...origin })
    this.#legs.set(leg.number, leg)
    return leg
  }

  #forget(leg: SipLeg): void {
    if (this.#legs.get(leg.number) === leg) this.#legs.delete(leg.number)
    this.#idle.look()
  }

  #callsOf(kind: 'trunk' | 'extension', id: string): number {
    return [...this.#legs.values()].filter((leg) =>
      leg.trunkId === '' ? kind === 'extension' && leg.extension === id : kind === 'trunk' && leg.trunkId === id,
    ).length
  }
}
