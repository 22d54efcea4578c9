/** Two engines on loopback, each under the real driver, that call each other and fax. */
import { createSocket } from 'node:dgram'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FaxHandlers, FaxLeg, FaxProgress, FaxReceiveRequest, FaxResult, FaxSendRequest } from '../../drivers/fax.ts'
import type { InboundCall, Leg, LegEvent } from '../../drivers/line.ts'
import { createSipDriver, type SipDriver } from '../../drivers/sip/driver.ts'
import type { FaxFrame } from '../../drivers/sip/fax.ts'
import { configuration } from '../sip-driver/stage.ts'
import type { SilentRelay } from './silent-relay.ts'

export const enginePath = process.env['PBX_ENGINE'] ?? join(import.meta.dirname, '../../.cache/engine/pbx-engine')
export const skip = existsSync(enginePath) ? false : 'pbx-engine is not built'

const trunk = { ...configuration.trunks[0]!, username: '', password: '', register: false, keepAliveSeconds: 0, codecs: [] }

/** Both engines must know the other's address before they start. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1', () => {
      const { port } = socket.address()
      socket.close(() => resolve(port))
    })
  })
}

/** A fax as its owner sees it. */
export class FaxStory implements FaxHandlers {
  readonly phases: string[] = []
  readonly frames: FaxFrame[] = []
  readonly progressed: FaxProgress[] = []
  readonly ended: (result: FaxResult) => void
  readonly result: Promise<FaxResult>
  ends = 0
  readonly #waiting: { phase: string; pages: number; resolve: () => void }[] = []
  constructor() {
    const { promise, resolve } = Promise.withResolvers<FaxResult>()
    this.result = promise
    this.ended = (result) => {
      this.ends += 1
      resolve(result)
    }
  }
  progress(progress: FaxProgress): void {
    this.phases.push(progress.phase)
    this.progressed.push(progress)
    for (const w of this.#waiting) if (w.phase === progress.phase && progress.pages >= w.pages) w.resolve()
  }
  frame(frame: FaxFrame): void {
    this.frames.push(frame)
  }
  reached(phase: FaxProgress['phase'], pages: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ phase, pages, resolve }))
  }
}

export type Line = Leg & FaxLeg

/** A leg and its events, to be awaited. */
export class Call {
  readonly leg: Line
  readonly events: LegEvent[] = []
  #waiting: (() => void)[] = []
  constructor(leg: Line) {
    this.leg = leg
    leg.onEvent = (event) => {
      this.events.push(event)
      for (const wake of this.#waiting.splice(0)) wake()
    }
  }
  async seen(type: LegEvent['type']): Promise<LegEvent> {
    for (;;) {
      const event = this.events.find((e) => e.type === type)
      if (event !== undefined) return event
      if (this.events.at(-1)?.type === 'ended') throw new Error(`ended before ${type}: ${JSON.stringify(this.events)}`)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }
}

/** Where the two engines are, when it is not this system's loopback: their addresses, and programs that start an engine there. */
export interface Places {
  readonly hosts: readonly [string, string]
  readonly engines: readonly [string, string]
}

export class Rig {
  static #opened = 0
  readonly directory = mkdtempSync(join(tmpdir(), 'fax-engine-'))
  readonly logged: string[] = []
  caller!: SipDriver
  callee!: SipDriver
  lateness = 0
  readonly #expected = new Map<string, (call: InboundCall) => void>()
  #timer: NodeJS.Timeout | null = null
  #next = 100
  readonly #places: Places

  constructor(places: Places = { hosts: ['127.0.0.1', '127.0.0.1'], engines: [enginePath, enginePath] }) {
    this.#places = places
  }

  /** `relay`: stands between the two. */
  async open({ relay, mediaTimeoutSeconds = 60 }: { relay?: SilentRelay; mediaTimeoutSeconds?: number } = {}): Promise<void> {
    const { hosts, engines } = this.#places
    const log = (_: object, text: string): void => void this.logged.push(text)
    const first = 40_000 + (process.pid % 20) * 800 + (Rig.#opened++ % 2) * 400
    const [one, two] = await Promise.all([freePort(), freePort()])
    const make = (end: 0 | 1, own: number, other: number, rtp: number): SipDriver => {
      const server = `${hosts[1 - end]}:${other}`
      return createSipDriver({
        enginePath: engines[end],
        configure: {
          ...configuration,
          udp: `${hosts[end]}:${own}`,
          extensions: [],
          mediaTimeoutSeconds,
          rtpPorts: [rtp, rtp + 198],
          trunks: [
            { ...trunk, id: 'main', server },
            { ...trunk, id: 'wide', server, codecs: ['G722', 'PCMU'] },
          ],
        },
        log: { debug: log, info: log, warn: log, error: log },
      })
    }
    relay?.between(one, two)
    const [toCallee, toCaller] = relay?.ports ?? [two, one]
    this.caller = make(0, one, toCallee, first)
    this.callee = make(1, two, toCaller, first + 200)
    const statusChanged = (): void => undefined
    await this.caller.start({ inbound: (call) => call.leg.reject(404), statusChanged })
    await this.callee.start({ inbound: (call) => (this.#expected.get(call.to) ?? ((c) => c.leg.reject(404)))(call), statusChanged })
    this.#timer = setInterval(() => {
      for (const driver of [this.caller, this.callee]) {
        this.lateness = Math.max(this.lateness, Number(driver.health().facts['tickLatenessMaxMs'] ?? 0))
      }
    }, 1000)
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await Promise.all([this.caller.stop(), this.callee.stop()])
    rmSync(this.directory, { recursive: true, force: true })
  }

  file(name: string): string {
    return join(this.directory, name)
  }

  /** An answered call between the two. */
  async call(options: { fax?: boolean; trunk?: string } = {}): Promise<{ caller: Call; callee: Call }> {
    const number = String(this.#next++)
    const { promise, resolve } = Promise.withResolvers<Call>()
    this.#expected.set(number, (inbound) => {
      const call = new Call(inbound.leg as Line)
      inbound.leg.answer()
      resolve(call)
    })
    const caller = new Call(
      this.caller.dial({
        via: { kind: 'trunk', trunkId: options.trunk ?? 'main' },
        to: number,
        from: '+1555100',
        callerName: '',
        timeoutSeconds: 20,
        fax: options.fax ?? true,
      }),
    )
    await caller.seen('answered')
    const callee = await promise
    await callee.seen('answered')
    return { caller, callee }
  }

  sendRequest(file: string, more: Partial<FaxSendRequest> = {}): FaxSendRequest {
    const usual = { file, standardFile: '', firstPage: 0, stationId: '+1 555 100', header: 'Clinic', timeZone: 'Europe/Berlin' }
    return { ...usual, ecm: true, modems: ['v17', 'v29', 'v27ter'], t38: false, ...more }
  }

  receiveRequest(file: string, more: Partial<FaxReceiveRequest> = {}): FaxReceiveRequest {
    return { file, stationId: '+1 555 200', ecm: true, t38: false, ...more }
  }
}
