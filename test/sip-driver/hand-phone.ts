/** A registered telephone whose SIP the test writes itself and whose voice is a tone: for what baresip does not do. */
import { tone } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { register } from '../engine/registering.ts'
import { Dialog, SipPeer, type Extra, type SipMessage } from '../engine/sip-peer.ts'
import { authorization, sdp } from '../engine/sip-text.ts'
import { password } from './phones.ts'

export interface HandCall {
  readonly dialog: Dialog
  readonly rtp: RtpPhone
}

export class HandPhone {
  readonly peer: SipPeer
  readonly user: string
  readonly #rtp: RtpPhone[] = []
  readonly #hz: number

  private constructor(peer: SipPeer, user: string, hz: number) {
    this.peer = peer
    this.user = user
    this.#hz = hz
  }

  /** `port`: the driver's. An address of its own, so that its bans and its registration are its own. */
  static async register(
    port: number,
    user: string,
    hz: number,
    address = '127.0.0.1',
    transport: 'udp' | 'tcp' = 'udp',
  ): Promise<HandPhone> {
    const peer = await SipPeer[transport](port, address)
    const registered = await register(peer, user, password)
    if (registered?.status !== 200) throw new Error(`${user} is not registered: ${registered?.start}`)
    return new HandPhone(peer, user, hz)
  }

  async #voice(): Promise<RtpPhone> {
    const rtp = await RtpPhone.open(this.peer.address)
    rtp.say(tone(this.#hz, 60_000))
    this.#rtp.push(rtp)
    return rtp
  }

  #sdp(rtp: RtpPhone, direction = 'sendrecv'): string {
    return sdp(rtp.port, { address: this.peer.address, direction })
  }

  /** Answers the call that rings. */
  async takes(ms?: number): Promise<HandCall> {
    const rtp = await this.#voice()
    const invite = await this.peer.request('INVITE', ms)
    this.peer.answer(invite, 200, { body: this.#sdp(rtp) })
    const dialog = Dialog.of(this.peer, invite)
    await dialog.request('ACK')
    return { dialog, rtp }
  }

  /** Calls, and proves who it is; the call is answered when `answered` of its dialog resolves. */
  async calls(to: string, headers: readonly string[] = []): Promise<HandCall> {
    const rtp = await this.#voice()
    const from = `<sip:${this.user}@pbx>`
    const dialog = new Dialog(this.peer)
    const extra: Extra = { body: this.#sdp(rtp), headers }
    dialog.invite(to, { from, ...extra })
    const challenge = await dialog.final('INVITE')
    dialog.send('ACK')
    const proof = authorization(challenge, 'INVITE', dialog.target, this.user, password)
    dialog.send('INVITE', { ...extra, headers: [...headers, proof] })
    return { dialog, rtp }
  }

  /** Watches something; the answer is the last one, and says what the dialog then is. */
  async watches(name: string, event: 'dialog' | 'message-summary' = 'dialog'): Promise<{ dialog: Dialog; answer: SipMessage }> {
    const dialog = new Dialog(this.peer)
    dialog.local = `<sip:${this.user}@pbx>;tag=w${name.replace(/\W/, 's')}`
    dialog.remote = `<sip:${name}@127.0.0.1>`
    dialog.target = `sip:${name}@127.0.0.1:${this.peer.target}`
    const headers = [`Event: ${event}`, 'Expires: 600']
    const challenge = await dialog.ask('SUBSCRIBE', { headers })
    const proof = authorization(challenge, 'SUBSCRIBE', dialog.target, this.user, password)
    const answer = await dialog.ask('SUBSCRIBE', { headers: [...headers, proof] })
    dialog.learn(answer)
    return { dialog, answer }
  }

  /** Answers a re-INVITE by what it asks for. */
  async agrees({ dialog, rtp }: HandCall): Promise<SipMessage> {
    const invite = await dialog.request('INVITE')
    const asked = /a=(sendonly|recvonly|inactive)/.exec(invite.body)?.[1]
    const direction = asked === 'sendonly' ? 'recvonly' : asked === 'recvonly' ? 'sendonly' : (asked ?? 'sendrecv')
    this.peer.answer(invite, 200, { body: this.#sdp(rtp, direction) })
    await dialog.request('ACK')
    return invite
  }

  async hungUp({ dialog, rtp }: HandCall): Promise<SipMessage> {
    const bye = await dialog.request('BYE')
    this.peer.answer(bye, 200)
    rtp.close()
    return bye
  }

  close(): void {
    for (const rtp of this.#rtp) rtp.close()
    this.peer.close()
  }
}
