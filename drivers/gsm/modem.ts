/**
 * Texts over a GSM modem on a serial line (3GPP TS 27.005, PDU mode): a trunk that opens its modem, unlocks the SIM card,
 * sends part by part, empties the memories, and watches the network. A modem that is unplugged or falls silent is opened
 * again by itself; a text under way then comes back as what it is, temporary or unknown.
 */
import { nextWait } from '../serial/port.ts'
import type { OutboundText, SmsOutcome, SmsTrunk, SmsTrunkHandlers, SmsTrunkLog, SmsTrunkStatus } from '../sms.ts'
import { bringUp, type Modem } from './bring-up.ts'
import { Inbound, type MemoryUse } from './inbound.ts'
import { openLink, type Link } from './link.ts'
import { type Notice, valuesOf } from './lines.ts'
import { LostAnswers } from './lost-answers.ts'
import { sendText } from './sending.ts'
import type { AtChannel } from './at-channel.ts'

/** What a trunk says of itself. A change of state is reported; a signal that wanders is only stored. */
class TrunkStatus {
  readonly #id: string
  readonly #log: SmsTrunkLog
  readonly #changed: () => void
  #status: SmsTrunkStatus = { ok: false, state: 'stopped', text: '', since: Date.now(), facts: {} }

  constructor(id: string, log: SmsTrunkLog, changed: () => void) {
    this.#id = id
    this.#log = log
    this.#changed = changed
  }

  get state(): string {
    return this.#status.state
  }

  now(): SmsTrunkStatus {
    return this.#status
  }

  know(facts: SmsTrunkStatus['facts']): void {
    this.#status = { ...this.#status, facts }
  }

  be(state: string, text = ''): void {
    if (this.#status.state === state && this.#status.text === text) return
    const ok = state === 'ready'
    this.#status = { ...this.#status, ok, state, text, since: Date.now() }
    const quiet = ok || state === 'starting' || state === 'stopped' || state === 'searching'
    this.#log[quiet ? 'info' : 'warn']({ trunk: this.#id, state }, text === '' ? `GSM modem ${this.#id} is ${state}` : text)
    this.#changed()
  }
}

/** Is it on the network, how well, and whose? (3GPP TS 27.007 7.2, 8.5, 7.3) */
interface Health {
  readonly registration: 'home' | 'roaming' | 'searching' | 'refused' | 'unknown'
  /** dBm; null where the modem does not know. */
  readonly signal: number | null
  readonly operator: string
}

const registrations: Readonly<Record<string, Health['registration']>> = { 1: 'home', 5: 'roaming', 6: 'home', 7: 'roaming', 3: 'refused' }

/** Null where the modem did not answer. */
async function readHealth(at: AtChannel): Promise<Health | null> {
  const states: Health['registration'][] = []
  // The circuit-switched network first; modems on LTE alone answer only to the second.
  for (const name of ['+CREG', '+CEREG']) {
    const { code, lines } = await at.command(`AT${name}?`)
    if (code === 'timeout' || code === 'closed') return null
    // One value alone is a notice that got in between.
    const answer = valuesOf(
      lines.filter((line) => line.includes(',')),
      name,
    )
    if (answer === null) continue
    states.push(registrations[answer[1] ?? ''] ?? 'searching')
    if (states.at(-1) === 'home' || states.at(-1) === 'roaming') break
  }
  const registration = (['home', 'roaming', 'refused', 'searching'] as const).find((state) => states.includes(state)) ?? 'unknown'
  const quality = await at.command('AT+CSQ')
  if (quality.code === 'timeout' || quality.code === 'closed') return null
  const level = Number(valuesOf(quality.lines, '+CSQ')?.[0] ?? 99)
  const operator = await at.command('AT+COPS?')
  return {
    registration,
    signal: level >= 0 && level <= 31 ? -113 + 2 * level : null,
    operator: (valuesOf(operator.lines, '+COPS')?.[2] ?? '').slice(0, 64),
  }
}

export interface GsmTrunkOptions {
  readonly id: string
  readonly number: string
  readonly log: SmsTrunkLog
  /** Such as /dev/pbx-gsm0. */
  readonly device: string
  readonly baudRate: number
  readonly pin?: string
  /** E.164; by default that of the SIM card. */
  readonly serviceCentre?: string
  /** Whether the network is asked for status reports. */
  readonly reports: boolean
  /** Every command and line, without the PIN. */
  readonly trace?: (sent: boolean, text: string) => void
  /** Milliseconds, for tests on a modem that is faster than real ones. */
  readonly answerMs?: number
  readonly promptMs?: number
  readonly sendMs?: number
  readonly settleMs?: number
  readonly busyMs?: number
  readonly healthMs?: number
  readonly sweepMs?: number
  readonly stopMs?: number
  readonly reopenMs?: readonly [first: number, most: number]
}

const times = { answerMs: 10_000, promptMs: 10_000, sendMs: 120_000, settleMs: 300, busyMs: 1000 }
const missesBeforeAlarm = 3

export function createGsmTrunk(options: GsmTrunkOptions): SmsTrunk {
  return new GsmTrunk(options)
}

class GsmTrunk implements SmsTrunk {
  readonly id: string
  readonly kind = 'modem'
  readonly number: string
  readonly window = 1
  /** By status reports. */
  readonly lookUp?: (text: OutboundText) => Promise<SmsOutcome>
  readonly #options: GsmTrunkOptions
  readonly #times: typeof times
  readonly #status: TrunkStatus
  readonly #lost = new LostAnswers()
  #handlers: SmsTrunkHandlers | null = null
  #inbound: Inbound | null = null
  #link: Link | null = null
  #modem: Modem | null = null
  #health: Health | null = null
  #use: MemoryUse | null = null
  #notices: Notice[] = []
  #stopping = true
  #misses = 0
  #running: Promise<void> = Promise.resolve()
  #sending: Promise<unknown> = Promise.resolve()
  #wake: (() => void) | null = null

  constructor(options: GsmTrunkOptions) {
    this.id = options.id
    this.number = options.number
    if (options.reports) this.lookUp = async (text) => this.#lost.lookUp(text)
    this.#options = options
    this.#times = {
      answerMs: options.answerMs ?? times.answerMs,
      promptMs: options.promptMs ?? times.promptMs,
      sendMs: options.sendMs ?? times.sendMs,
      settleMs: options.settleMs ?? times.settleMs,
      busyMs: options.busyMs ?? times.busyMs,
    }
    this.#status = new TrunkStatus(options.id, options.log, () => this.#handlers?.statusChanged())
  }

  status(): SmsTrunkStatus {
    return this.#status.now()
  }

  start(handlers: SmsTrunkHandlers): void {
    if (!this.#stopping) return
    this.#stopping = false
    this.#handlers = handlers
    this.#inbound ??= new Inbound(
      { ...this.#options, listMs: 3 * this.#times.answerMs, reported: (report) => this.#lost.reported(report) },
      () => this.#handlers!,
    )
    this.#running = this.#keep(this.#inbound)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#wake?.()
    await Promise.race([this.#sending, new Promise((done) => setTimeout(done, this.#options.stopMs ?? 5000).unref())])
    await this.#link?.close()
    await this.#running
    this.#status.be('stopped')
  }

  send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    const outcome = this.#sending.then(() => this.#send(text, signal))
    this.#sending = outcome
    return outcome
  }

  async #send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    const link = this.#link
    const accepted = text.segments.map((_, i) => text.accepted[i] ?? null)
    const notNow = (reason: string): SmsOutcome => ({ kind: 'temporary', text: reason, accepted })
    if (this.#stopping || signal.aborted) return notNow('The trunk is stopped')
    // The network may be back since it was last asked.
    if (link !== null && this.#modem !== null && this.#status.state !== 'ready') await this.#examine(link)
    const { state, text: reason } = this.#status.now()
    if (link === null || state !== 'ready') return notNow(reason === '' ? `The modem is not ready (${state})` : reason)
    const go = (): boolean => !this.#stopping && !signal.aborted
    return sendText(link.at, text, { reports: this.#options.reports, go, lost: this.#lost })
  }

  /** Opens the device again and again until the trunk is stopped. */
  async #keep(inbound: Inbound): Promise<void> {
    const [first, most] = this.#options.reopenMs ?? [1000, 30_000]
    let wait = first
    this.#status.be('starting')
    while (!this.#stopping) {
      const opened = await openLink(this.#options.device, this.#options.baudRate, this.#times, {
        notice: (notice) => this.#notice(notice),
        deaf: () => this.#deaf(),
        gone: () => this.#wake?.(),
        ...(this.#options.trace === undefined ? {} : { trace: this.#options.trace }),
      })
      if ('fault' in opened) this.#status.be(opened.fault.state, opened.fault.text)
      else {
        this.#link = opened.link
        if (['no-device', 'in-use', 'faulty'].includes(this.#status.state)) this.#status.be('starting')
        if (await this.#serve(opened.link, inbound)) wait = first
        this.#link = null
        this.#modem = null
        this.#notices = []
        await opened.link.close()
      }
      if (this.#stopping) return
      await this.#pause(wait)
      wait = nextWait(wait, most, this.#status.state === 'no-device')
    }
  }

  /** Until the device is gone or deaf. True where the modem was in order at least once. */
  async #serve(link: Link, inbound: Inbound): Promise<boolean> {
    const { healthMs = 30_000, sweepMs = 60_000 } = this.#options
    let served = false
    let sweepAt = 0
    let healthAt = 0
    while (!this.#stopping && !link.isGone()) {
      if (this.#modem === null) {
        if (!(await this.#prepare(link))) {
          if (!link.isGone()) await this.#pause(healthMs)
          continue
        }
        served = true
        sweepAt = healthAt = 0
      }
      const modem: Modem | null = this.#modem
      if (modem === null) continue
      const notice = this.#notices.shift()
      if (notice !== undefined) {
        if (notice.kind === 'stored') await inbound.one(link.at, notice.memory, notice.index)
        else if (notice.kind === 'full') sweepAt = 0
        else if (notice.kind === 'restarted' || notice.kind === 'awake') this.#modem = null
        // Without an acknowledgement the modem stops its notices (27.005 3.4.1).
        else if (notice.kind === 'direct' && !(await inbound.direct(link.at, modem, notice.pdu)) && modem.notices !== null)
          await link.at.command(`AT+CNMI=${modem.notices}`)
      } else if (performance.now() >= healthAt) {
        await this.#examine(link)
        healthAt = performance.now() + (this.#status.state === 'ready' ? healthMs : healthMs / 6)
      } else if (performance.now() >= sweepAt) {
        // A modem that missed an acknowledgement, or restarted unnoticed, announces nothing until it is asked again.
        if (modem.notices !== null) await link.at.command(`AT+CNMI=${modem.notices}`)
        this.#use = await inbound.sweep(link.at, modem)
        this.#facts()
        sweepAt = performance.now() + sweepMs
      } else await this.#pause(Math.max(1, Math.min(healthAt, sweepAt) - performance.now()))
    }
    if (!this.#stopping && this.#misses === 0) this.#status.be('no-device', `${this.#options.device} was unplugged`)
    return served
  }

  /** False, and the state says why, where the modem is of no use yet. */
  async #prepare(link: Link): Promise<boolean> {
    const { device, pin = null, serviceCentre = null } = this.#options
    this.#notices = this.#notices.filter(({ kind }) => kind !== 'restarted' && kind !== 'awake')
    const up = await bringUp(link.at, {
      device,
      pin,
      serviceCentre,
      busyMs: this.#times.busyMs,
      stopped: () => this.#stopping || link.isGone(),
    })
    if ('modem' in up) {
      this.#misses = 0
      this.#modem = up.modem
      return true
    }
    if ('fault' in up) {
      this.#misses = 0
      this.#status.be(up.fault.state, up.fault.text)
    }
    return false
  }

  async #examine(link: Link): Promise<void> {
    const health = await readHealth(link.at)
    if (health === null || this.#stopping || link.isGone()) return
    this.#health = health
    this.#facts()
    if (health.registration === 'refused') this.#status.be('refused', 'The network refuses the SIM card')
    else if (health.registration === 'searching') this.#status.be('searching', 'The modem is searching for its network')
    else this.#status.be('ready')
  }

  #facts(): void {
    const { maker = '', model = '', imei = '', serviceCentre = '' } = this.#modem ?? {}
    const { operator = '', registration = '', signal = null } = this.#health ?? {}
    const unreadable = this.#inbound?.unreadable ?? 0
    this.#status.know({
      model: `${maker} ${model}`.trim(),
      imei,
      operator,
      registration,
      serviceCentre,
      ...(signal === null ? {} : { signal }),
      ...(this.#use === null ? {} : { stored: this.#use.used, storage: this.#use.total }),
      ...(unreadable === 0 ? {} : { unreadable }),
    })
  }

  #notice(notice: Notice): void {
    if (notice.kind === 'other') return
    if (notice.kind === 'restarted' && this.#status.state === 'ready') this.#status.be('starting', 'The modem has restarted')
    this.#notices.push(notice)
    this.#wake?.()
  }

  /** The watchdog: closes the port, so that it is opened again. */
  #deaf(): void {
    this.#misses++
    const { device } = this.#options
    if (this.#misses < missesBeforeAlarm) this.#status.be('starting', `The modem ${device} does not answer; it is opened again`)
    else this.#status.be('no-answer', `The modem ${device} does not answer, even after it was opened again: unplug it and plug it in again`)
    void this.#link?.close()
  }

  /** Ends early when something happens. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.#wake = end
    })
  }
}
