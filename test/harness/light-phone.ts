/**
 * Desk phones of which a test may have hundreds: SIP written by hand over UDP, each with an address and an extension of its own. It has no
 * audio of its own: calls name the RTP port of whatever speaks for it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Dialog, SipPeer, token, type Extra, type SipMessage } from '../engine/sip-peer.ts'
import { authorization, sdp } from '../engine/sip-text.ts'
import type { Scene } from './scene.ts'

const password = 'of-the-phones'
const registrar = 'sip:pbx'
/** RFC 3261, 17.1.2.2: when a request over UDP is said again; seconds. */
const repetitions = [0.5, 1, 2, 4, 4, 4, 4, 4, 4]

/** The number of the `n`th phone: 1000 and on. */
export const extensionOf = (n: number): string => String(1000 + n)

/** `extensions` of a house with so many phones. */
export const extensionsOf = (count: number): { number: string; name: string; password: string }[] =>
  Array.from({ length: count }, (_, n) => ({ number: extensionOf(n), name: `Desk ${n}`, password }))

export class LightPhone {
  readonly peer: SipPeer
  readonly user: string
  /** Requests of the registration that were sent again. */
  repeated = 0

  private constructor(peer: SipPeer, user: string) {
    this.peer = peer
    this.user = user
  }

  /** The `n`th phone of the house, at an address of its own. */
  static async open(scene: Scene, n: number): Promise<LightPhone> {
    return LightPhone.at(await SipPeer.udp(scene.daemon.sipPort, `127.1.${n >> 7}.${1 + (n & 127)}`), n)
  }

  /** The same where `peer` is. */
  static at(peer: SipPeer, n: number): LightPhone {
    return new LightPhone(peer, extensionOf(n))
  }

  /** Several phones, registered one after the other. */
  static async registered(scene: Scene, count: number, from = 0): Promise<LightPhone[]> {
    const phones: LightPhone[] = []
    for (let n = from; n < from + count; n++) {
      const phone = scene.keep(await LightPhone.open(scene, n))
      if (!(await phone.register())) throw new Error(`${phone.user} is not registered`)
      phones.push(phone)
    }
    return phones
  }

  /** Whether the registrar took it. */
  async register(): Promise<boolean> {
    const callId = token()
    const challenge = await this.#request(callId, 1, [])
    if (challenge?.status !== 401) return false
    const proof = authorization(challenge, 'REGISTER', registrar, this.user, password)
    return (await this.#request(callId, 2, [proof]))?.status === 200
  }

  async #request(callId: string, cseq: number, headers: readonly string[]): Promise<SipMessage | undefined> {
    const who = `<sip:${this.user}@pbx>`
    const head = [
      this.peer.via(),
      `From: ${who};tag=${token()}`,
      `To: ${who}`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq} REGISTER`,
      'Max-Forwards: 70',
      `Contact: ${this.peer.contact}`,
      'Expires: 600',
      ...headers,
      'Content-Length: 0',
    ]
    const text = `REGISTER ${registrar} SIP/2.0\r\n${head.join('\r\n')}\r\n\r\n`
    const answers = (m: SipMessage) => m.status >= 200 && m.header('Call-ID') === callId && m.header('CSeq').startsWith(`${cseq} `)
    for (const [turn, seconds] of repetitions.entries()) {
      if (turn > 0) this.repeated++
      this.peer.raw(text)
      const answer = await this.peer.next('an answer', answers, seconds * 1000).catch(() => undefined)
      if (answer) return answer
    }
    return undefined
  }

  /** Watches an extension (RFC 4235). */
  async watch(extension: string): Promise<Dialog> {
    const dialog = new Dialog(this.peer)
    dialog.local = `<sip:${this.user}@pbx>;tag=${token()}`
    dialog.remote = `<sip:${extension}@127.0.0.1>`
    dialog.target = `sip:${extension}@127.0.0.1:${this.peer.target}`
    const headers = ['Event: dialog', 'Expires: 600']
    const challenge = await dialog.ask('SUBSCRIBE', { headers })
    const proof = authorization(challenge, 'SUBSCRIBE', dialog.target, this.user, password)
    const answer = await dialog.ask('SUBSCRIBE', { headers: [...headers, proof] })
    if (answer.status !== 200) throw new Error(`${this.user} cannot watch ${extension}: ${answer.start}`)
    dialog.learn(answer)
    return dialog
  }

  /** Calls another extension with audio at this port of 127.0.0.1; answers when they have answered. */
  async calls(extension: string, rtpPort: number): Promise<Dialog> {
    const dialog = new Dialog(this.peer)
    const extra: Extra = { body: sdp(rtpPort) }
    dialog.invite(extension, { from: `<sip:${this.user}@pbx>`, ...extra })
    const challenge = await dialog.final('INVITE')
    dialog.send('ACK')
    dialog.send('INVITE', { ...extra, headers: [authorization(challenge, 'INVITE', dialog.target, this.user, password)] })
    const answer = await dialog.answered(20_000)
    if (answer.status !== 200) throw new Error(`${this.user} calls ${extension}: ${answer.start}`)
    return dialog
  }

  /** Takes the next call with audio at this port of 127.0.0.1. */
  async takes(rtpPort: number): Promise<Dialog> {
    const invite = await this.peer.request('INVITE', 20_000)
    this.peer.answer(invite, 200, { body: sdp(rtpPort) })
    return Dialog.of(this.peer, invite)
  }

  /** Rings, and goes on ringing. */
  async rings(): Promise<void> {
    this.peer.answer(await this.peer.request('INVITE', 60_000), 180)
  }

  /** Nothing that came before is of interest any more. */
  async settle(ms = 150): Promise<void> {
    await wait(ms)
    this.peer.received.length = 0
  }

  close(): void {
    this.peer.close()
  }
}
