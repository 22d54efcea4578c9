/** SIP trunks as fax lines: each fax is a call like any other, seen in `pbx calls`, with the frames of T.30 in its trace. */
import type { FaxLeg, FaxProgress, FaxResult, FaxSession } from '../../drivers/fax.ts'
import type { Leg } from '../../drivers/line.ts'
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import { newCallRow } from '../calls/new-call.ts'
import type { Clock } from '../base/clock.ts'
import type { Claim, Trunks } from '../routing/trunks.ts'
import type { Config, TrunkConfig } from '../schema/config.ts'
import type { FaxCall, FaxCallRequest, FaxLine, FaxLines, LineCondition } from './line.ts'
import type { FaxOutcome } from './outcome.ts'

export interface SipFaxOptions {
  readonly config: Config
  readonly calls: Calls
  readonly trunks: Trunks
  readonly clock: Clock
}

interface ClaimedLine {
  readonly trunk: TrunkConfig
  readonly claim: Claim
  readonly from: string
}

/** Longest call of one fax; ITU-T knows none. */
export const longestFaxSeconds = 3600

export class SipFaxLines implements FaxLines {
  readonly #options: SipFaxOptions

  constructor(options: SipFaxOptions) {
    this.#options = options
  }

  configured(): boolean {
    return this.#trunks().length > 0
  }

  number(): string {
    const trunk = this.#trunks()[0]
    return trunk === undefined ? '' : this.#numberOf(trunk)
  }

  conditions(): readonly LineCondition[] {
    return this.#trunks().map(({ id }) => {
      const fault = this.#options.trunks.fault(id)
      return { id, ok: fault === null, reason: fault ?? '' }
    })
  }

  reserve(to: string, without: ReadonlySet<string>): FaxLine | null {
    for (const trunk of this.#trunks()) {
      if (without.has(trunk.id)) continue
      const { claim } = this.#options.trunks.claim({ purpose: 'fax', trunkId: trunk.id, to })
      if (claim !== null) return this.#line(trunk, claim)
    }
    return null
  }

  /** Those that may send faxes, the preferred one first. */
  #trunks(): readonly TrunkConfig[] {
    const { trunks, fax } = this.#options.config
    if (fax.line === 'off') return []
    if (fax.line !== 'auto') return trunks.filter((trunk) => trunk.id === fax.line)
    return trunks.toSorted((a, b) => Number(b.default) - Number(a.default))
  }

  #numberOf(trunk: TrunkConfig): string {
    const { fax, site } = this.#options.config
    return fax.number ?? trunk.numbers[0] ?? site.number ?? ''
  }

  #line(trunk: TrunkConfig, claim: Claim): FaxLine {
    const from = this.#numberOf(trunk)
    return {
      id: trunk.id,
      from,
      release: () => claim.release(),
      place: (request, onProgress) => this.#place({ trunk, claim, from }, request, onProgress),
    }
  }

  #place({ trunk, claim, from }: ClaimedLine, request: FaxCallRequest, onProgress: (progress: FaxProgress) => void): FaxCall {
    const { calls, clock, config } = this.#options
    const row = newCallRow(clock.now(), 'outbound')
    const { name: callerName } = config.site
    const { ringSeconds: timeoutSeconds } = config.fax
    Object.assign(row, { from, to: request.to, trunkId: trunk.id, callerName, timeoutSeconds })
    row.maxSeconds = longestFaxSeconds
    if (request.token !== '') row.token = request.token
    const call = calls.add(row)
    call.note('fax', `fax ${request.faxId}, from page ${request.send.firstPage + 1}, ${request.send.modems.join(' ')}`)
    const leg = claim.dial({ to: request.to, from, callerName, timeoutSeconds, fax: true }, call.over)
    calls.dial(call, leg)
    const sending = new Sending(call, leg, clock)
    const send = { ...request.send, t38: request.send.t38 && trunk.t38 }
    const ended = Promise.withResolvers<FaxOutcome>()
    calls.drive(call, async () => {
      try {
        ended.resolve(await sending.run(send, onProgress))
      } catch (error) {
        ended.resolve({ kind: 'line', text: (error as Error).message })
        throw error
      } finally {
        call.end({ reason: 'app-hangup', by: 'app' })
      }
    })
    return { callId: call.id, ended: ended.promise, seconds: () => call.talkSeconds, stop: () => sending.stop() }
  }
}

/** How long the far end may take to hear our goodbye before we hang up. */
const goodbyeMs = 5000

class Sending {
  readonly #call: Call
  readonly #leg: Leg
  readonly #clock: Clock
  #session: FaxSession | null = null
  #stopped = false

  constructor(call: Call, leg: Leg, clock: Clock) {
    this.#call = call
    this.#leg = leg
    this.#clock = clock
  }

  stop(): void {
    this.#stopped = true
    if (this.#session === null) return this.#call.end({ reason: 'canceled', by: 'app' })
    this.#session.stop()
    this.#clock.after(goodbyeMs, () => this.#call.end({ reason: 'canceled', by: 'app' }))
  }

  async run(request: FaxCallRequest['send'], onProgress: (progress: FaxProgress) => void): Promise<FaxOutcome> {
    const call = this.#call
    let rang = false
    const unlisten = call.listen((signal) => {
      if (signal.type === 'ringing') rang = true
    })
    const answered = await call.answer()
    unlisten()
    if (!answered) return unanswered(call, rang)
    if (this.#stopped) return { kind: 'interrupted', progress: null, durationSeconds: 0, text: 'canceled' }
    const leg = this.#leg
    if (!isFaxLeg(leg)) return { kind: 'line', text: 'this line carries no faxes' }
    call.limit(longestFaxSeconds)
    let heardFax = false
    let last: FaxProgress | null = null
    const result = await new Promise<FaxResult>((resolve) => {
      this.#session = leg.sendFax(request, {
        ...faxNotes(call),
        progress: (progress) => {
          heardFax = true
          noteProgress(call, last, progress)
          last = progress
          onProgress(progress)
        },
        ended: resolve,
      })
    })
    // The end of the leg follows at once where the call or the engine was lost.
    await Promise.resolve()
    const durationSeconds = call.talkSeconds
    const { code, text, unconfirmedLastPage } = result
    call.note('fax', `ended: ${text} (${code}), ${result.pages} pages`)
    if (code !== 0 && endedByUs(call)) return { kind: 'interrupted', progress: heardFax ? result : null, durationSeconds, text }
    return {
      kind: 'session',
      code,
      text,
      heardFax: heardFax || result.remoteId !== '',
      progress: result,
      unconfirmedLastPage,
      durationSeconds,
    }
  }
}

/** The daemon stops, or the engine was lost. */
function endedByUs(call: Call): boolean {
  const { endReason, endedBy } = call.row
  return call.over.aborted && (endReason === 'shutdown' || (endReason === 'failed' && endedBy === 'system'))
}

function unanswered(call: Call, rang: boolean): FaxOutcome {
  const { endReason, sipCode } = call.row
  if (endReason === 'shutdown') return { kind: 'interrupted', progress: null, durationSeconds: 0, text: 'the daemon stopped' }
  if (endReason === 'no-answer') return { kind: 'unanswered', sipCode: sipCode === 0 ? 487 : sipCode, rang, text: 'no answer' }
  if (sipCode === 0) return { kind: 'line', text: 'the call could not be placed' }
  return { kind: 'unanswered', sipCode, rang, text: `${sipCode}` }
}

/** Adds the frames to the trace of the call, for a driver that reports them. */
export function faxNotes(call: Call): { frame(frame: { received: boolean; name: string; fif: string }): void } {
  return {
    frame: ({ received, name, fif }) => call.note('frame', `${received ? '<' : '>'} ${name}`, fif === '' ? undefined : { fif }),
  }
}

export function noteProgress(call: Call, before: FaxProgress | null, now: FaxProgress): void {
  if (before?.phase === now.phase && before.pages === now.pages && before.bitRate === now.bitRate) return
  const rate = now.bitRate === 0 ? '' : `, ${now.bitRate} bit/s${now.ecm ? ' ECM' : ''}, ${now.transport}`
  call.note('fax', `${now.phase}: ${now.pages} pages${rate}`)
}

export function isFaxLeg(leg: Leg): leg is Leg & FaxLeg {
  return 'receiveFax' in leg
}
