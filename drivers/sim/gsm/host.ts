/** Where a simulated modem is plugged in: network, SIM card and modem on a pseudo terminal that can be pulled out. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realClock, type SimClock } from '../time.ts'
import { SimCard } from './card.ts'
import { SimModem } from './modem.ts'
import { SimNetwork, type SentText } from './network.ts'
import type { Quirks } from './quirks.ts'
import { openTerminal, type Terminal } from './terminal.ts'

export interface SimModemHostOptions {
  /** The built pbx-pty. */
  readonly ptyProgram: string
  readonly clock?: SimClock
  readonly quirks?: Partial<Quirks>
  /** Asked for by the card where it is given. */
  readonly pin?: string
  readonly reportMs?: number
  readonly onSent?: (text: SentText) => void
}

/** A simulated modem in a socket that it can be pulled from, as a technician would. */
export class SimModemHost {
  readonly network: SimNetwork
  readonly card: SimCard
  quirks: Partial<Quirks>
  readonly #options: SimModemHostOptions
  readonly #clock: SimClock
  #directory: string | null = null
  #terminal: Terminal | null = null
  #modem: SimModem | null = null

  constructor(options: SimModemHostOptions) {
    this.#options = options
    this.#clock = options.clock ?? realClock
    this.quirks = options.quirks ?? {}
    const { reportMs, onSent } = options
    this.network = new SimNetwork({
      clock: this.#clock,
      ...(reportMs === undefined ? {} : { reportMs }),
      ...(onSent === undefined ? {} : { onSent }),
    })
    this.card = new SimCard(options.pin ?? null)
  }

  /** While it is plugged in. */
  get modem(): SimModem | null {
    return this.#modem
  }

  /** The path of its device, which is there while the modem is plugged in. */
  async open(): Promise<string> {
    this.#directory ??= await mkdtemp(join(tmpdir(), 'pbx-sim-gsm-'))
    return join(this.#directory, 'modem')
  }

  async plug(): Promise<void> {
    if (this.#terminal !== null) return
    const link = await this.open()
    this.#terminal = await openTerminal(this.#options.ptyProgram, link, (bytes) => this.#modem?.input(bytes))
    const terminal = this.#terminal
    const { network, card, quirks } = this
    this.#modem = new SimModem({ clock: this.#clock, network, card, quirks, output: (bytes) => terminal.write(bytes) })
  }

  async unplug(): Promise<void> {
    const terminal = this.#terminal
    this.#terminal = null
    this.#modem?.powerOff()
    this.#modem = null
    await terminal?.close()
  }

  async close(): Promise<void> {
    await this.unplug()
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true })
    this.#directory = null
  }
}
