/** The end under test: pbx-engine as the daemon runs it, with calls that are answered, listened to and ended. */
import type { SipConfiguration } from '../../../drivers/sip/configuration.ts'
import type { Message } from '../../../drivers/sip/frames.ts'
import { Engine } from '../../engine/engine.ts'
import { check } from './cell.ts'
import { judge, ourLevel } from './sound.ts'

export { extension, pause, trunk } from '../../engine/engine.ts'

/** What is at the other end of a call: the tone that it says all the time, and what it heard. */
export interface Far {
  readonly hz: number
  /** dB below full scale. */
  readonly level: number
  /** What it heard, at 8 kHz; asked for when the call has ended. */
  heard(): Int16Array | Promise<Int16Array>
}

let ranges = 0

export class Box {
  readonly engine: Engine

  private constructor(engine: Engine) {
    this.engine = engine
  }

  static async open(configuration: Partial<SipConfiguration> = {}): Promise<Box> {
    // Below the ports of baresip and of programs that ask the kernel for one.
    const first = 10_000 + 200 * (ranges++ % 55)
    return new Box(await Engine.start({ rtpPorts: [first, first + 198], phoneNetworks: [], ...configuration }))
  }

  /** `127.0.0.1:PORT`. */
  address(transport: 'udp' | 'tcp' | 'tls' = 'udp'): string {
    return `127.0.0.1:${this.engine.port(transport)}`
  }

  /** Waits until a trunk is in a state; fails when it is refused. */
  async trunk(id: string, state: 'registered' | 'reachable', ms = 15_000): Promise<void> {
    const told = await this.engine.next('trunk', (m) => m['id'] === id && [state, 'refused', 'untrusted'].includes(String(m['state'])), ms)
    check(told['state'] === state, `the trunk is ${told['state']} (${told['code']} ${told['reason']})`)
  }

  /** Takes the next call; listens to it from its answer on. */
  async answer(ms?: number): Promise<{ leg: number; invite: Message; answered: Message }> {
    const invite = await this.engine.next('invite', {}, ms)
    const leg = invite['leg'] as number
    this.engine.send('answer', { leg })
    return { leg, invite, answered: await this.answered(leg) }
  }

  async answered(leg: number, ms?: number): Promise<Message> {
    const told = await this.engine.next('answered', { leg }, ms).catch((error: unknown) => {
      const ended = this.engine.of('ended', { leg })[0]
      throw ended === undefined ? error : new Error(`the call ended: ${ended['reason']} ${ended['code']} ${ended['text']}`)
    })
    this.engine.send('tap', { leg, on: true })
    return told
  }

  /** A call through a trunk (or to an extension) that is answered. */
  async call(members: object): Promise<{ leg: number; answered: Message }> {
    const leg = this.engine.dial(members)
    return { leg, answered: await this.answered(leg, 12_000) }
  }

  async hangUp(leg: number, ms?: number): Promise<Message> {
    this.engine.send('hangup', { leg })
    return this.engine.next('ended', { leg }, ms)
  }

  /** Plays 440 Hz to the far end and waits for its end. */
  async play(leg: number, ms: number): Promise<void> {
    this.engine.send('play', { leg, play: 1, tone: { hz: [440], ms, dbm0: -10 } })
    await this.engine.next('played', { leg, play: 1 }, ms + 8000)
  }

  /** Both directions of a call that stands, for `ms`, and its end by us. Gives the levels next to those that were sent. */
  async bothWays(leg: number, far: Far, { ms = 2000, ended = async (): Promise<void> => undefined } = {}): Promise<string> {
    await this.play(leg, ms)
    const heard = this.engine.heard(leg)
    const end = await this.hangUp(leg)
    check(end['by'] === 'local' && end['reason'] === 'hangup', `ended by ${end['by']}, ${end['reason']}`)
    await ended()
    const least = Math.min(1000, ms - 600)
    const theirs = judge('we hear', heard, far.hz, far.level, least)
    return `${theirs}, ${judge('it hears', await far.heard(), 440, ourLevel, least)}`
  }

  async close(): Promise<void> {
    await this.engine.stop()
  }
}
