/** A telephone on a desk: a pbx-engine that registers as an extension, answers, talks, asks a colleague back and brings both together. */
import { lineDrivers, synthesisers } from '../../drivers/index.ts'
import type { Leg } from '../../drivers/line.ts'
import { pbxLeg } from '../../drivers/pbx.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import { softphone } from './caller.ts'

export interface DeskPhoneOptions {
  readonly enginePath: string
  /** `host:port` of the box. */
  readonly box: string
  readonly number: string
  readonly password: string
  readonly rtpPort: number
}

const silentLog = { debug() {}, info() {}, warn() {}, error() {} }

export class DeskPhone {
  readonly #driver: SipDriver
  readonly #number: string
  readonly #rung = Promise.withResolvers<Leg>()
  readonly #waiting = new Map<Leg, Map<string, () => void>>()
  #lastPlay = 0

  private constructor(driver: SipDriver, number: string) {
    this.#driver = driver
    this.#number = number
  }

  /** Resolves when it is registered. */
  static async start({ enginePath, ...account }: DeskPhoneOptions): Promise<DeskPhone> {
    const create = await lineDrivers.sip()
    const { box, rtpPort, ...rest } = account
    const registered = Promise.withResolvers<void>()
    const driver = create({ enginePath, log: silentLog, configure: softphone({ box, rtpPort, account: rest }) })
    const phone = new DeskPhone(driver, account.number)
    const statusChanged = (): void => {
      if (driver.lines().some(({ state }) => state === 'registered')) registered.resolve()
    }
    await driver.start({ inbound: ({ leg }) => phone.#rings(leg), statusChanged })
    await registered.promise
    return phone
  }

  /** The call that rings here. */
  get rung(): Promise<Leg> {
    return this.#rung.promise
  }

  async answer(leg: Leg): Promise<void> {
    leg.answer()
    await this.#until(leg, 'answered')
  }

  /** Calls somebody else; resolves when they have answered. */
  async consult(to: string): Promise<Leg> {
    const leg = this.#driver.dial({ via: { kind: 'trunk', trunkId: 'box' }, to, from: this.#number, callerName: '', timeoutSeconds: 20 })
    this.#watch(leg)
    await this.#until(leg, 'answered')
    return leg
  }

  hold(leg: Leg): void {
    pbxLeg(leg)?.hold(true)
  }

  /** Sends the far end of `leg` to a number, or to the far end of another leg; resolves when the box has done so. */
  transfer(leg: Leg, to: string | Leg): Promise<number> {
    return new Promise((resolve) => pbxLeg(leg)?.transfer(to, (sipCode, final) => final && resolve(sipCode)))
  }

  /** Resolves when the words have been said. */
  async say(leg: Leg, text: string, voice = ''): Promise<void> {
    const speaker = (await synthesisers.flite())()
    const samples = await speaker.synthesise({ text, language: 'en-US', voice, rate: 1 })
    const playId = ++this.#lastPlay
    leg.audio?.play(playId, { kind: 'clip', clip: { key: text, samples, text } })
    await this.#until(leg, `played ${playId}`)
  }

  async stop(): Promise<void> {
    await this.#driver.stop()
  }

  #rings(leg: Leg): void {
    this.#watch(leg)
    leg.progress(180)
    this.#rung.resolve(leg)
  }

  #watch(leg: Leg): void {
    const waiting = new Map<string, () => void>()
    this.#waiting.set(leg, waiting)
    leg.onEvent = (event) => {
      if (event.type === 'ended') for (const wake of waiting.values()) wake()
      else waiting.get(event.type === 'played' ? `played ${event.playId}` : event.type)?.()
    }
  }

  #until(leg: Leg, what: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.get(leg)?.set(what, resolve))
  }
}
