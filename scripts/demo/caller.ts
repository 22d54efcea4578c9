/**
 * The scripted caller: a second pbx-engine as a softphone. It speaks SIP and RTP with the daemon as any phone does,
 * presses keys by RFC 4733, and keeps what it hears as a WAV.
 */
import { lineDrivers, synthesisers } from '../../drivers/index.ts'
import type { Leg, LegEnd, LegEvent } from '../../drivers/line.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'

/** The configuration of a pbx-engine that is a telephone. */
interface SoftphoneOptions {
  /** `host:port` that its calls go to. */
  readonly box: string
  /** The extension that it registers as; left out: it is the far end of a trunk. */
  readonly account?: { readonly number: string; readonly password: string }
  /** First of a thousand. */
  readonly rtpPort?: number
}

export function softphone({ box, account, rtpPort = 30_000 }: SoftphoneOptions): Parameters<SipDriver['configure']>[0] {
  return {
    udp: '127.0.0.1:0',
    tcp: null,
    tls: null,
    rtpPorts: [rtpPort, rtpPort + 999],
    realm: 'caller',
    nameservers: [],
    inbandDigits: false,
    mediaTimeoutSeconds: 30,
    phoneNetworks: [],
    ban: { failures: 5, windowSeconds: 30, seconds: 60 },
    extensions: [],
    trunks: [
      {
        id: 'box',
        server: box,
        transport: 'udp',
        username: account?.number ?? '',
        password: account?.password ?? '',
        register: account !== undefined,
        numbers: [],
        channels: 4,
        srtp: 'off',
        keepAliveSeconds: 0,
        codecs: ['PCMU', 'PCMA'],
        allow: [],
      },
    ],
  }
}

export interface CallerHandlers {
  /** What the caller does or hears, for the display. */
  shows(kind: 'caller' | 'hears' | 'key', text: string): void
}

const silentLog = { debug() {}, info() {}, warn() {}, error() {} }
/** A prompt has ended when the far end has been silent for so long. */
const quietMs = 700

export class Caller {
  readonly #driver: SipDriver
  readonly #handlers: CallerHandlers
  readonly #ended = Promise.withResolvers<LegEnd>()
  readonly #recorded = Promise.withResolvers<{ file: string; durationMs: number }>()
  readonly #played = new Map<number, () => void>()
  #leg: Leg | undefined
  #farVoice = false
  #voiceChanged = Promise.withResolvers<void>()
  #lastPlay = 0

  private constructor(driver: SipDriver, handlers: CallerHandlers) {
    this.#recorded.promise.catch(() => undefined)
    this.#driver = driver
    this.#handlers = handlers
  }

  /** Opens a softphone on a free port of the loopback address whose calls go to `box`. */
  static async start(enginePath: string, box: string, handlers: CallerHandlers): Promise<Caller> {
    const create = await lineDrivers.sip()
    const driver = create({ enginePath, log: silentLog, configure: softphone({ box }) })
    await driver.start({ inbound: ({ leg }) => leg.reject(486), statusChanged: () => undefined })
    if (driver.bound().udp === null) throw new Error(`the caller's phone did not start: ${driver.health().reason}`)
    return new Caller(driver, handlers)
  }

  /** `host:port` the calls come from. */
  get address(): string {
    return this.#driver.bound().udp ?? ''
  }

  call(from: string, to: string, recording: string): void {
    this.#handlers.shows('caller', `INVITE ${from} -> ${to}`)
    const leg = this.#driver.dial({ via: { kind: 'trunk', trunkId: 'box' }, to, from, callerName: 'Ann Lee', timeoutSeconds: 20 })
    leg.onEvent = (event) => this.#heard(leg, event, recording)
    this.#leg = leg
  }

  press(keys: string): void {
    this.#handlers.shows('key', keys)
    this.#leg?.audio?.sendDigits(keys)
  }

  /** Resolves when the words have been said. */
  async say(text: string): Promise<void> {
    const voice = (await synthesisers.flite())()
    const samples = await voice.synthesise({ text, language: 'en-US', voice: '', rate: 1 })
    this.#handlers.shows('caller', `says "${text}"`)
    const playId = ++this.#lastPlay
    const done = new Promise<void>((resolve) => this.#played.set(playId, resolve))
    this.#leg?.audio?.play(playId, { kind: 'clip', clip: { key: text, samples, text } })
    await done
  }

  /** Resolves when the box speaks. */
  async hearsVoice(): Promise<void> {
    while (!this.#farVoice) await this.#voiceChanged.promise
  }

  /** Resolves when the box has spoken and fallen silent. */
  async hearsPromptEnd(): Promise<void> {
    await this.hearsVoice()
    for (;;) {
      while (this.#farVoice) await this.#voiceChanged.promise
      const spokeAgain = await Promise.race([this.#voiceChanged.promise.then(() => true), later(quietMs)])
      if (!spokeAgain) return
    }
  }

  hangup(): void {
    this.#leg?.hangup()
  }

  /** The end of the call. */
  get ended(): Promise<LegEnd> {
    return this.#ended.promise
  }

  /** The finished recording of what was heard. */
  get recorded(): Promise<{ file: string; durationMs: number }> {
    return this.#recorded.promise
  }

  async stop(): Promise<void> {
    await this.#driver.stop()
  }

  #heard(leg: Leg, event: LegEvent, recording: string): void {
    switch (event.type) {
      case 'ringing':
        return this.#handlers.shows('hears', `${event.sipCode} ringing`)
      case 'answered':
        this.#handlers.shows('hears', `200 answered, ${event.codec}`)
        leg.audio!.record(1, { file: recording, maxMs: 300_000 })
        return leg.audio!.listen(true)
      case 'voice': {
        this.#farVoice = event.active
        this.#handlers.shows('hears', event.active ? 'a voice' : 'silence')
        const changed = this.#voiceChanged
        this.#voiceChanged = Promise.withResolvers()
        return changed.resolve()
      }
      case 'played':
        return this.#played.get(event.playId)?.()
      case 'recorded':
        return this.#recorded.resolve(event)
      case 'ended':
        this.#handlers.shows('hears', `the end of the call (${event.end.text || event.end.reason})`)
        this.#recorded.reject(new Error(`nothing was heard: ${event.end.text || event.end.reason}`))
        return this.#ended.resolve(event.end)
    }
  }
}

function later(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, ms, false))
}
