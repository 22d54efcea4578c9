/** Modem lines as fax lines. A modem dials, answers and hangs up by itself; its faxes are calls in `pbx calls` all the same. */
import type { FaxLine as ModemLine, FaxLineResult, FaxProgress } from '../../drivers/fax.ts'
import type { InboundCall } from '../../drivers/line.ts'
import type { Calls } from '../calls/calls.ts'
import { newCallRow } from '../calls/new-call.ts'
import type { Clock } from '../base/clock.ts'
import { normaliseNumber, nationalDigits } from '../numbers/numbers.ts'
import type { Config } from '../schema/config.ts'
import type { FaxCall, FaxCallRequest, FaxLine, FaxLines, LineCondition } from './line.ts'
import { ModemLeg } from './modem-leg.ts'
import type { FaxOutcome } from './outcome.ts'
import { faxNotes, longestFaxSeconds, noteProgress } from './sip-line.ts'
import { getCountryCallingCode, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max'
import type { LineDialConfig } from '../schema/config/lines.ts'

// What is dialled on an analog line to reach a number: as the country does, and as the line wants where it lies behind an exchange.

/**
 * `number`: E.164, or a short code, which is dialled as it is. The result has digits, of the prefix also `*`, `#`, `,` and `W`, and `P` before
 * them where pulses are dialled (ITU-T V.250 clause 6.3.1).
 */
export function lineDigits(number: string, country: string, { pulse, ...form }: LineDialConfig): string {
  return (pulse ? 'P' : '') + toneDigits(number, country, form)
}

function toneDigits(number: string, country: string, { prefix, national, localArea }: Omit<LineDialConfig, 'pulse'>): string {
  const usual = prefix + nationalDigits(number, country)
  const parsed = number.startsWith('+') ? parsePhoneNumberFromString(number) : undefined
  if (parsed?.countryCallingCode !== getCountryCallingCode(country.toUpperCase() as CountryCode)) return usual
  const significant = String(parsed.nationalNumber)
  const local = localArea?.split(/ *, */).some((area) => significant.startsWith(area)) === true
  if (local || national === 'none') return prefix + significant
  return national === undefined ? usual : prefix + national + significant
}

export interface ModemFaxOptions {
  readonly config: Config
  readonly calls: Calls
  readonly clock: Clock
  /** Those with the role fax. */
  readonly modems: readonly ModemLine[]
}

const usualDial = { prefix: '', pulse: false }

export class ModemFaxLines implements FaxLines {
  readonly #options: ModemFaxOptions
  readonly #reserved = new Set<string>()

  constructor(options: ModemFaxOptions) {
    this.#options = options
  }

  configured(): boolean {
    return this.#modems().length > 0
  }

  number(): string {
    const modem = this.#modems()[0]
    return modem === undefined ? '' : this.#numberOf(modem)
  }

  conditions(): readonly LineCondition[] {
    return this.#modems().map((modem) => {
      const { state, text } = modem.status()
      const ok = modemServes(state)
      return { id: modem.id, ok, reason: ok ? '' : text || state }
    })
  }

  /** Only a modem that is ready: after a call it is set up again. */
  reserve(_to: string, without: ReadonlySet<string>): FaxLine | null {
    const free = this.#modems().find((modem) => !without.has(modem.id) && !this.#reserved.has(modem.id) && modem.status().state === 'ready')
    if (free === undefined) return null
    this.#reserved.add(free.id)
    const release = (): void => void this.#reserved.delete(free.id)
    const from = this.#numberOf(free)
    return {
      id: free.id,
      from,
      release,
      place: (request, onProgress) => {
        const call = this.#place(free, from, request, onProgress)
        release()
        return call
      },
    }
  }

  #modems(): readonly ModemLine[] {
    const { config, modems } = this.#options
    const { line } = config.fax
    if (line === 'off') return []
    return line === 'auto' ? modems : modems.filter(({ id }) => id === line)
  }

  #numberOf(modem: ModemLine): string {
    const { site } = this.#options.config
    const { dial } = normaliseNumber(modem.number, site.country)
    return modem.number === '' ? (site.number ?? '') : dial || modem.number
  }

  #place(modem: ModemLine, from: string, request: FaxCallRequest, onProgress: (progress: FaxProgress) => void): FaxCall {
    const { calls, clock, config } = this.#options
    const row = newCallRow(clock.now(), 'outbound')
    const { carrierSeconds = 0, dial = usualDial } = config.lines.find(({ id }) => id === modem.id) ?? {}
    Object.assign(row, { from, to: request.to, trunkId: modem.id, callerName: config.site.name, timeoutSeconds: carrierSeconds })
    row.maxSeconds = longestFaxSeconds
    if (request.token !== '') row.token = request.token
    const call = calls.add(row)
    call.note('fax', `fax ${request.faxId}, from page ${request.send.firstPage + 1}, ${request.send.modems.join(' ')}`)
    const leg = new ModemLeg(null)
    calls.dial(call, leg)
    const over = Promise.withResolvers<FaxLineResult>()
    let last: FaxProgress | null = null
    const session = modem.sendFax(lineDigits(request.to, config.site.country, dial), request.send, {
      ...faxNotes(call),
      progress: (progress) => {
        if (last === null) {
          leg.taken()
          call.limit(longestFaxSeconds)
        }
        noteProgress(call, last, progress)
        last = progress
        onProgress(progress)
      },
      ended: over.resolve,
    })
    leg.carry(session)
    const ended = over.promise.then((result) => {
      const { dial, text, code, pages } = result
      call.note('fax', dial === 'connected' ? `ended: ${text} (${code}), ${pages} pages` : `${dial}: ${text}`)
      const outcome = outcomeOf(result, call.talkSeconds)
      const busyOrNot = outcome.kind === 'unanswered' ? outcome.sipCode : 0
      leg.end({ by: outcome.kind === 'unanswered' ? 'remote' : 'local', sipCode: busyOrNot, text })
      return outcome
    })
    calls.drive(call, async () => {
      await ended
    })
    return { callId: call.id, ended, seconds: () => call.talkSeconds, stop: () => call.end({ reason: 'canceled', by: 'app' }) }
  }
}

/** What became of a modem's call, in the terms of all lines. */
export function outcomeOf(result: FaxLineResult, durationSeconds: number): FaxOutcome {
  const { dial, text, heardFax, code, unconfirmedLastPage } = result
  const session = { kind: 'session', text, progress: result, unconfirmedLastPage, durationSeconds } as const
  switch (dial) {
    case 'busy':
      return { kind: 'unanswered', sipCode: 486, rang: false, text }
    case 'no-answer':
      return { kind: 'unanswered', sipCode: 480, rang: true, text }
    case 'no-dialtone':
    case 'glare':
    case 'delayed':
    case 'blacklisted':
      return { kind: 'line', text }
    case 'not-a-fax':
    case 'no-carrier':
      return { ...session, code: 2, heardFax: false }
    case 'canceled':
      return { kind: 'interrupted', progress: heardFax ? result : null, durationSeconds, text }
    case 'modem-fault':
      return heardFax ? { ...session, code, heardFax } : { kind: 'line', text }
    case 'connected':
      return { ...session, code, heardFax }
  }
}

/** Whether the line works, now or as soon as its call has ended. */
export function modemServes(state: ReturnType<ModemLine['status']>['state']): boolean {
  return state !== 'unplugged' && state !== 'faulty' && state !== 'stopped' && state !== 'starting'
}

/** Calls that ring on modems go the way of all calls, until the returned function is called. */
export function takeRings(modems: readonly ModemLine[], lines: Config['lines'], inbound: (info: InboundCall) => void): () => void {
  for (const modem of modems) {
    modem.onRing = (ring) => {
      const { callerNumber, callerName, cadence } = ring
      const known = lines.find(({ id }) => id === modem.id)?.rings.find((each) => each.cadence === cadence)
      const to = known?.number ?? modem.number
      const headers: InboundCall['headers'] = cadence === '' ? {} : { 'x-ring-cadence': cadence }
      const others = { extension: '', calledName: '', diversion: '', source: '', headers }
      inbound({ leg: ring.voice?.() ?? new ModemLeg(ring), trunkId: modem.id, from: callerNumber, to, callerName, ...others })
    }
  }
  return () => {
    for (const modem of modems) modem.onRing = null
  }
}

/** Several kinds of lines as one: the first that has a free one. */
export class CombinedLines implements FaxLines {
  readonly #parts: readonly FaxLines[]

  /** The preferred one first. */
  constructor(parts: readonly FaxLines[]) {
    this.#parts = parts
  }

  configured(): boolean {
    return this.#parts.some((part) => part.configured())
  }

  number(): string {
    return this.#parts.find((part) => part.configured())?.number() ?? ''
  }

  conditions(): readonly LineCondition[] {
    return this.#parts.flatMap((part) => part.conditions())
  }

  reserve(to: string, without: ReadonlySet<string>): FaxLine | null {
    for (const part of this.#parts) {
      const line = part.reserve(to, without)
      if (line !== null) return line
    }
    return null
  }
}
