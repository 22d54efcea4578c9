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

  /** The device of a modem on the line of this number. @param digits as it is dialled. Rejects where no pseudo terminal can be had. */
  async plug(digits: string): Promise<string> {
    const host = new AnalogHost(this.#programs, this.#exchange.line(digits))
    this.#hosts.push(host)
    await host.plug()
    return host.open()
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.splice(0).map((host) => host.close()))
  }
}
