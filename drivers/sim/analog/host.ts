/** Where simulated voice modems are plugged in: each on a pseudo terminal that can be pulled out, and on a line of an exchange. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTerminal, type Terminal } from '../gsm/terminal.ts'
import { realClock, type SimClock } from '../time.ts'
import type { ExchangeLine } from './exchange.ts'
import { SimVoiceModem, type VoiceModemQuirks } from './modem.ts'

/** Programs of our own that a simulated modem needs. */
export interface ModemPrograms {
  readonly pty: string
  /** The built pbx-sim-fax; without it the modem receives and sends no fax. */
  readonly simFax?: string
}

export class AnalogHost {
  readonly #programs: ModemPrograms
  readonly #line: ExchangeLine
  readonly #clock: SimClock
  readonly #quirks: Partial<VoiceModemQuirks>
  #directory: string | null = null
  #terminal: Terminal | null = null
  #modem: SimVoiceModem | null = null

  constructor(programs: ModemPrograms, line: ExchangeLine, quirks: Partial<VoiceModemQuirks> = {}, clock: SimClock = realClock) {
    this.#programs = programs
    this.#line = line
    this.#quirks = quirks
    this.#clock = clock
  }

  get modem(): SimVoiceModem | null {
    return this.#modem
  }

  /** The path of its device, which is there while the modem is plugged in. */
  async open(): Promise<string> {
    this.#directory ??= await mkdtemp(join(tmpdir(), 'pbx-sim-analog-'))
    return join(this.#directory, 'modem')
  }

  async plug(): Promise<void> {
    if (this.#terminal !== null) return
    const { pty, simFax } = this.#programs
    const terminal = await openTerminal(pty, await this.open(), (bytes) => this.#modem?.input(bytes))
    this.#terminal = terminal
    this.#modem = new SimVoiceModem(
      {
        line: this.#line,
        clock: this.#clock,
        output: (bytes) => terminal.write(bytes),
        flow: (takes) => terminal.flow(takes),
        ...(simFax === undefined ? {} : { faxProgram: simFax }),
      },
      this.#quirks,
    )
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
