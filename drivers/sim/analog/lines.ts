/**
 * The analog lines of kind `sim` of a box: voice modems on pseudo terminals, all on one simulated exchange, on which they call each other by their
 * numbers. For trying applications, menus and trunks without hardware: above the serial port everything is as with a real modem.
 */
import type { ToneCountry } from '../../tones.ts'
import { realClock } from '../time.ts'
import { Exchange } from './exchange.ts'
import { AnalogHost } from './host.ts'

export class SimLines {
  readonly #ptyProgram: string
  readonly #exchange: Exchange
  readonly #hosts: AnalogHost[] = []

  constructor(ptyProgram: string, country: ToneCountry) {
    this.#ptyProgram = ptyProgram
    this.#exchange = new Exchange({ clock: realClock, country })
  }

  /** The device of a modem on the line of this number. @param digits as it is dialled. Rejects where no pseudo terminal can be had. */
  async plug(digits: string): Promise<string> {
    const host = new AnalogHost(this.#ptyProgram, this.#exchange.line(digits))
    this.#hosts.push(host)
    await host.plug()
    return host.open()
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.splice(0).map((host) => host.close()))
  }
}
