/**
 * The analog lines of kind `sim` of a box: voice and fax modems on pseudo terminals, all on one simulated exchange, on which they call each other by their
 * numbers. For trying applications, menus and trunks without hardware: above the serial port everything is as with a real modem.
 */
import type { ToneCountry } from '../../tones.ts'
import { realClock } from '../time.ts'
import { Exchange } from './exchange.ts'
import { AnalogHost, type ModemPrograms } from './host.ts'

export class SimLines {
  readonly #programs: ModemPrograms
  readonly #exchange: Exchange
  readonly #hosts: AnalogHost[] = []

  constructor(programs: ModemPrograms, country: ToneCountry) {
    this.#programs = programs
    this.#exchange = new Exchange({ clock: realClock, country, delayMs: 60 })
  }

  /**
   * The device of a modem on the line of this number. Rejects where no pseudo terminal can be had.
   * @param digits as it is dialled. @param rings further numbers, and how the line rings for them.
   */
  async plug(digits: string, rings: readonly { readonly digits: string; readonly cadence: string }[] = []): Promise<string> {
    const line = this.#exchange.line(digits)
    for (const ring of rings) this.#exchange.alias(ring.digits, line, ring.cadence)
    const host = new AnalogHost(this.#programs, line)
    this.#hosts.push(host)
    await host.plug()
    return host.open()
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.splice(0).map((host) => host.close()))
  }
}
