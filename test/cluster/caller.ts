/** Calls of a provider through the edge of a fleet, and what became of them. */
import { Dialog, type SipPeer } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'
import { edge, until, type FleetBox } from '../../scripts/cluster/fleet.ts'
import { pause } from '../harness/waiting.ts'

export function look(what: string, good: boolean, seen: unknown = ''): void {
  console.log(JSON.stringify({ what, good, seen }))
}

export interface Outcome {
  /** 0: no answer. */
  readonly status: number
  /** Where its sound goes: the address of the box. */
  readonly sound: string
  readonly tookMs: number
  readonly rang: boolean
  readonly dialog: Dialog
}

export const hangUp = (all: readonly Outcome[]): void =>
  all.filter(({ status }) => status === 200).forEach(({ dialog }) => dialog.send('BYE'))
export const count = (all: readonly Outcome[], address: string): number => all.filter(({ sound }) => sound === address).length
export const slowest = (all: readonly Outcome[]): number => Math.max(...all.map(({ tookMs }) => tookMs))

export class Caller {
  readonly #line: SipPeer

  readonly #to: string

  /** `to`: whom it calls, at the address that the line sends to. */
  constructor(line: SipPeer, to = edge) {
    this.#line = line
    this.#to = to
  }

  async call(): Promise<Outcome> {
    const line = this.#line
    const dialog = new Dialog(line)
    const since = performance.now()
    dialog.invite('+15550001000', { target: `sip:+15550001000@${this.#to}`, body: sdp(4000) })
    const answer = await dialog.final('INVITE', 9000).catch(() => undefined)
    const tookMs = Math.round(performance.now() - since)
    const rang = line.received.some((m) => m.status === 180 && m.header('Call-ID') === dialog.callId)
    if (answer === undefined) return { status: 0, sound: '', tookMs, rang, dialog }
    dialog.learn(answer)
    dialog.send('ACK')
    return { status: answer.status, sound: /^c=IN IP4 (\S+)/m.exec(answer.body)?.[1] ?? '', tookMs, rang, dialog }
  }

  /** So many calls, each so long after the one before. */
  async calls(
    many: number,
    everyMs: number,
    meanwhile?: (n: number) => void,
    answered?: (all: readonly Outcome[]) => void,
  ): Promise<Outcome[]> {
    const all: Promise<Outcome>[] = []
    for (let n = 0; n < many; n++) {
      meanwhile?.(n)
      const call = this.call()
      all.push(call)
      if (answered !== undefined) void call.then((one) => answered([one]))
      await pause(everyMs)
    }
    return Promise.all(all)
  }

  /** A talk at this box. */
  async talkAt(box: FleetBox): Promise<Outcome> {
    for (let n = 0; n < 6; n++) {
      const one = await this.call()
      if (one.sound === box.address) return one
      hangUp([one])
    }
    throw new Error(`no call came to box ${box.id}`)
  }

  /** Waits until one call after the other reaches all of these. */
  async reaches(boxes: readonly FleetBox[]): Promise<void> {
    const round = async (): Promise<boolean> => {
      const all: Outcome[] = []
      for (const _ of boxes) all.push(await this.call())
      hangUp(all)
      return boxes.every(({ address }) => count(all, address) === 1)
    }
    await until('calls reach every box', round, 20_000)
  }
}
