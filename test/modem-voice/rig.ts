/** A modem line of ours on a simulated voice modem, whose line leads through a simulated exchange to somebody with a telephone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FaxRing } from '../../drivers/fax.ts'
import type { Leg, LegEnd, LegEvent } from '../../drivers/line.ts'
import { createModemLine, type ModemLine, type ModemLineOptions } from '../../drivers/modem/driver.ts'
import { Exchange, type ExchangeOptions } from '../../drivers/sim/analog/exchange.ts'
import { Handset } from '../../drivers/sim/analog/handset.ts'
import { AnalogHost } from '../../drivers/sim/analog/host.ts'
import type { VoiceModemQuirks } from '../../drivers/sim/analog/modem.ts'
import { realClock } from '../../drivers/sim/time.ts'
import { Waiting } from '../harness/waiting.ts'

const root = join(import.meta.dirname, '../..')
export const programs = { pty: join(root, '.cache/sim/pbx-pty'), simFax: join(root, '.cache/sim/pbx-sim-fax') }
export const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined }

/** A leg with its events, to be awaited. */
export class WatchedLeg {
  readonly leg: Leg
  readonly events: LegEvent[] = []
  readonly #waiting = new Waiting()

  constructor(leg: Leg) {
    this.leg = leg
    leg.onEvent = (event) => {
      this.events.push(event)
      this.#waiting.wake()
    }
  }

  of<T extends LegEvent['type']>(type: T): Extract<LegEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<LegEvent, { type: T }> => event.type === type)
  }

  async until<T extends LegEvent['type']>(type: T, nth = 1, ms = 20_000): Promise<Extract<LegEvent, { type: T }>> {
    return this.#waiting.until(
      () => this.of(type)[nth - 1],
      ms,
      (within) => `no ${type}: ${within}; seen: ${this.events.map((e) => e.type).join(' ')}`,
    )
  }

  async ended(): Promise<LegEnd> {
    return (await this.until('ended')).end
  }
}

export class VoiceRig {
  readonly directory = mkdtempSync(join(tmpdir(), 'modem-voice-'))
  readonly exchange: Exchange
  readonly host: AnalogHost
  readonly handset: Handset
  readonly trace: string[] = []
  line!: ModemLine

  constructor(quirks: Partial<VoiceModemQuirks> = {}, exchange: Partial<ExchangeOptions> = {}) {
    this.exchange = new Exchange({ clock: realClock, country: 'US', ringEveryMs: 2000, ...exchange })
    this.host = new AnalogHost(programs, this.exchange.line('200'), quirks)
    this.handset = new Handset(this.exchange.line('5550100'), realClock)
  }

  async open(options: Partial<ModemLineOptions> = {}): Promise<this> {
    const device = await this.host.open()
    await this.host.plug()
    this.line = createModemLine({
      id: 'line1',
      device,
      number: '200',
      faxProgram: '/bin/false',
      log: silent,
      voice: { country: 'US' },
      reopenMs: [50, 200],
      rtscts: false,
      trace: (sent, text) => void this.trace.push(`${sent ? '>' : '<'} ${text}`),
      ...options,
    })
    this.line.start()
    await this.is('ready')
    return this
  }

  async is(state: string): Promise<void> {
    const waiting = new Waiting()
    this.line.statusChanged = () => waiting.wake()
    const seen = () => `${this.line.status().state}, not ${state}\n${this.trace.slice(-20).join('\n')}`
    await waiting.until(
      () => this.line.status().state === state,
      15_000,
      (within) => `${within}: ${seen()}`,
      500,
    )
  }

  rings(): Promise<FaxRing> {
    return new Promise((resolve) => (this.line.onRing = resolve))
  }

  /** A call that is taken. */
  async taken(): Promise<WatchedLeg> {
    const rings = this.rings()
    this.handset.call('200')
    const call = new WatchedLeg((await rings).voice!())
    call.leg.answer()
    await call.until('answered')
    return call
  }

  file(name: string): string {
    return join(this.directory, name)
  }

  async close(): Promise<void> {
    this.handset.hangUp()
    await this.line.stop()
    await this.host.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}
