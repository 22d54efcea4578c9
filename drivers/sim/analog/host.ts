/** Where simulated voice modems are plugged in: each on a pseudo terminal that can be pulled out, and on a line of an exchange. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTerminal, type Terminal } from '../gsm/terminal.ts'
import { realClock, type SimClock } from '../time.ts'
import type { ExchangeLine } from './exchange.ts'
import { SimVoiceModem, type VoiceModemQuirks } from './modem.ts'

export class AnalogHost {
  readonly #ptyProgram: string
  readonly #line: ExchangeLine
  readonly #clock: SimClock
  readonly #quirks: Partial<VoiceModemQuirks>
  #directory: string | null = null
  #terminal: Terminal | null = null
  #modem: SimVoiceModem | null = null

  constructor(ptyProgram: string, line: ExchangeLine, quirks: Partial<VoiceModemQuirks> = {}, clock: SimClock = realClock) {
    this.#ptyProgram = ptyProgram
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
    const terminal = await openTerminal(this.#ptyProgram, await this.open(), (bytes) => this.#modem?.input(bytes))
    this.#terminal = terminal
    this.#modem = new SimVoiceModem(this.#line, this.#clock, (bytes) => terminal.write(bytes), this.#quirks)
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
