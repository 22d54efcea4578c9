/**
 * The trunk `sim`: texts without a modem, for trying the box out and for tests. The driver of real modems on a simulated
 * one, through a real pseudo terminal, so that all but the radio is as it will be.
 */
import type { OutboundText, SmsOutcome, SmsTrunk, SmsTrunkHandlers, SmsTrunkLog, SmsTrunkStatus } from '../../sms.ts'
import { SimModemHost, type SimModemHostOptions } from './host.ts'

/** The driver of real modems: it is handed in, because no driver knows another. */
export type CreateModemTrunk = (options: {
  readonly id: string
  readonly number: string
  readonly log: SmsTrunkLog
  readonly device: string
  readonly baudRate: number
  readonly reports: boolean
}) => SmsTrunk

export interface SimTrunkOptions extends SimModemHostOptions {
  readonly id: string
  readonly number: string
  readonly log: SmsTrunkLog
  readonly createModemTrunk: CreateModemTrunk
}

export interface SimTrunk extends SmsTrunk {
  readonly host: SimModemHost
}

export function createSimTrunk(options: SimTrunkOptions): SimTrunk {
  return new SimulatedTrunk(options)
}

class SimulatedTrunk implements SimTrunk {
  readonly id: string
  readonly kind = 'sim'
  readonly number: string
  readonly window = 1
  readonly host: SimModemHost
  readonly #options: SimTrunkOptions
  readonly #since = Date.now()
  #trunk: SmsTrunk | null = null
  #fault = ''
  #starting: Promise<void> = Promise.resolve()

  constructor(options: SimTrunkOptions) {
    this.id = options.id
    this.number = options.number
    this.#options = options
    this.host = new SimModemHost(options)
  }

  start(handlers: SmsTrunkHandlers): void {
    this.#starting = this.#start(handlers).catch((error: unknown) => {
      this.#fault = error instanceof Error ? error.message : String(error)
      this.#options.log.error({ trunk: this.id, error: this.#fault }, 'The simulated modem could not be started')
      handlers.statusChanged()
    })
  }

  async #start(handlers: SmsTrunkHandlers): Promise<void> {
    const { id, number, log } = this.#options
    await this.host.plug()
    this.#trunk = this.#options.createModemTrunk({ id, number, log, device: await this.host.open(), baudRate: 115_200, reports: true })
    this.#trunk.start(handlers)
  }

  async stop(): Promise<void> {
    await this.#starting
    await this.#trunk?.stop()
    await this.host.close()
    this.#trunk = null
  }

  async send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    await this.#starting
    if (this.#trunk !== null) return this.#trunk.send(text, signal)
    return {
      kind: 'temporary',
      text: this.#fault || 'The trunk is stopped',
      accepted: text.segments.map((_, i) => text.accepted[i] ?? null),
    }
  }

  async lookUp(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    const outcome = await this.#trunk?.lookUp?.(text, signal)
    return outcome ?? { kind: 'unknown', text: 'The trunk is stopped', accepted: text.accepted }
  }

  status(): SmsTrunkStatus {
    if (this.#trunk !== null) return this.#trunk.status()
    return { ok: false, state: this.#fault === '' ? 'starting' : 'faulty', text: this.#fault, since: this.#since, facts: {} }
  }
}
