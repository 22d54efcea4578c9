/** Real telephones (baresip) around a driver with the real engine: each says a tone of its own, so that a recording shows who was heard when. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { FaxLeg } from '../../drivers/fax.ts'
import type { InboundCall, Leg, LegEvent } from '../../drivers/line.ts'
import type { PbxLeg } from '../../drivers/pbx.ts'
import { createSipDriver, type SipDriver } from '../../drivers/sip/driver.ts'
import { toneLevel, tone } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { eventually } from '../harness/scene.ts'
import { configuration } from './stage.ts'
import { Waiting } from '../harness/waiting.ts'

const enginePath = join(import.meta.dirname, '../../.cache/engine/pbx-engine')
export const skip = existsSync(enginePath) ? false : 'pbx-engine is not built'

export const password = 'of-the-phones'

export type PhoneLeg = Leg & FaxLeg & PbxLeg

let nextPorts = 24_000

/** A leg and all that was said of it. */
export class Talk {
  readonly events: LegEvent[] = []
  readonly leg: PhoneLeg
  readonly #waiting = new Waiting()
  #records = 0

  constructor(leg: PhoneLeg) {
    this.leg = leg
    leg.onEvent = (event) => {
      this.events.push(event)
      this.#waiting.wake()
    }
  }

  async until<T extends LegEvent['type']>(
    type: T,
    fits: (event: Extract<LegEvent, { type: T }>) => boolean = () => true,
    ms = 10_000,
  ): Promise<Extract<LegEvent, { type: T }>> {
    const of = this.events as Extract<LegEvent, { type: T }>[]
    return this.#waiting.until(
      () => of.find((event) => event.type === type && fits(event)),
      ms,
      (within) => `no ${type}: ${within}; seen: ${JSON.stringify(this.events)}`,
    )
  }

  /** So much of the call's own time goes by. */
  async passes(ms: number): Promise<void> {
    const dir = mkdtempSync(join(tmpdir(), 'pbxd-passes-'))
    const recordId = 900_000 + this.#records++
    this.leg.audio?.record(recordId, { file: join(dir, 'x.wav'), maxMs: ms })
    await this.until('recorded', (event) => event.recordId === recordId)
    rmSync(dir, { recursive: true })
  }
}

export class PhoneRig {
  readonly driver: SipDriver
  readonly phones = new Map<string, Baresip>()
  readonly calls: { call: InboundCall; talk: Talk }[] = []

  private constructor(driver: SipDriver) {
    this.driver = driver
  }

  /** `voices`: extension and the frequency that its phone says; `others`: extensions whose phones the test brings. */
  static async start(t: Test, voices: Readonly<Record<string, number>>, others: readonly string[] = []): Promise<PhoneRig> {
    const first = nextPorts
    nextPorts += 200
    const log = () => undefined
    const extensions = [...Object.keys(voices), ...others].map((number) => ({
      number,
      password,
      name: '',
      srtp: 'auto' as const,
      contacts: [],
    }))
    const driver = createSipDriver({
      enginePath,
      configure: { ...configuration, tcp: '127.0.0.1:0', trunks: [], extensions, rtpPorts: [first, first + 198], inbandDigits: false },
      log: { debug: log, info: log, warn: log, error: log },
    })
    const rig = new PhoneRig(driver)
    t.teardown(async () => {
      await Promise.all([...rig.phones.values()].map((phone) => phone.close()))
      await driver.stop()
    })
    await driver.start({
      inbound: (call) => rig.calls.push({ call, talk: new Talk(call.leg as PhoneLeg) }),
      statusChanged: () => undefined,
    })
    await eventually('the engine', () => driver.bound().udp !== null, 20_000)
    await Promise.all(
      Object.entries(voices).map(async ([user, hz]) => {
        const phone = await Baresip.start({
          registrar: String(driver.bound().udp),
          user,
          password,
          voice: tone(hz, 60_000),
          autoAnswer: true,
        })
        rig.phones.set(user, phone)
        await phone.until('REGISTER_OK')
      }),
    )
    return rig
  }

  /** Where the driver listens. */
  get port(): number {
    return Number(String(this.driver.bound().udp).split(':').at(-1))
  }

  phone(number: string): Baresip {
    return this.phones.get(number)!
  }

  ring(number: string): Talk {
    return new Talk(
      this.driver.dial({ via: { kind: 'extension' }, to: number, from: '900', callerName: '', timeoutSeconds: 20 }) as PhoneLeg,
    )
  }

  async answered(number: string): Promise<Talk> {
    const talk = this.ring(number)
    await talk.until('answered')
    return talk
  }

  /** Ends the legs and waits until the phones have written what they heard. */
  async hangUp(...talks: Talk[]): Promise<void> {
    for (const { leg } of talks) leg.hangup()
    await Promise.all(talks.map((talk) => talk.until('ended')))
    await Promise.all([...this.phones.values()].map((phone) => phone.until('CALL_CLOSED')))
  }
}

/** Which of these tones is heard, piece by piece of 40 ms; 0: none. Runs of the same, with their length in ms. */
export function course(samples: Int16Array, tones: readonly number[]): { hz: number; ms: number }[] {
  const piece = 320
  const runs: { hz: number; ms: number }[] = []
  for (let at = 0; at + piece <= samples.length; at += piece) {
    const part = samples.subarray(at, at + piece)
    const [best = { hz: 0, level: -90 }] = tones.map((hz) => ({ hz, level: toneLevel(part, hz) })).toSorted((a, b) => b.level - a.level)
    const hz = best.level > -30 ? best.hz : 0
    const last = runs.at(-1)
    if (last?.hz === hz) last.ms += 40
    else runs.push({ hz, ms: 40 })
  }
  return runs
}

/** The tones in their order, what lasts shorter than `shortest` left out: the pieces in which one becomes another. */
export function inOrder(runs: readonly { hz: number; ms: number }[], shortest = 200): number[] {
  const long = runs.filter(({ ms }) => ms >= shortest).map(({ hz }) => hz)
  return long.filter((hz, i) => hz !== long[i - 1])
}

/** A WAV file of two channels. */
export function bothChannels(file: string): { left: Int16Array; right: Int16Array } {
  const data = readFileSync(file)
  if (data.readUInt16LE(22) !== 2) throw new Error('not two channels')
  const count = Math.floor((data.length - 44) / 4)
  const channel = (offset: number) => Int16Array.from({ length: count }, (_, i) => data.readInt16LE(44 + i * 4 + offset))
  return { left: channel(0), right: channel(2) }
}
