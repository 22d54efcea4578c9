/** A fleet in namespaces with a provider, phones, sound and an application outside it, for the courses of this proof. */
import { createSocket, type Socket } from 'node:dgram'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { register } from '../../engine/registering.ts'
import { Dialog, SipPeer, type SipMessage } from '../../engine/sip-peer.ts'
import { authorization, sdp } from '../../engine/sip-text.ts'
import { application, edge, Fleet, provider, token, until, type FleetBox, type FleetOptions } from '../../../scripts/cluster/fleet.ts'
import { Caller } from '../../cluster/caller.ts'

export const bearer = { authorization: `Bearer ${token}` }
export const outside = '+12125551234'
const frameMs = 20

/** 20 ms of sound every 20 ms to wherever, and how much comes back. */
export class Sound {
  readonly address: string
  received = 0
  readonly #socket: Socket
  #timer: NodeJS.Timeout | undefined

  private constructor(socket: Socket, address: string) {
    this.#socket = socket
    this.address = address
    socket.on('message', () => (this.received += 1))
  }

  static async open(address: string): Promise<Sound> {
    for (;;) {
      const socket = createSocket('udp4')
      await new Promise<void>((done) => socket.bind(0, address, done))
      if (socket.address().port % 2 === 0) return new Sound(socket, address)
      socket.close()
    }
  }

  get offer(): string {
    return sdp(this.#socket.address().port, { address: this.address, codecs: '0' })
  }

  /** `description`: SDP of the far end. */
  speak(description: string): void {
    const host = /^c=IN IP4 (\S+)/m.exec(description)?.[1] ?? ''
    const port = Number(/^m=audio (\d+)/m.exec(description)?.[1])
    let n = 0
    this.#timer = setInterval(() => {
      const packet = Buffer.alloc(172, 0xd5)
      packet.writeUInt16BE(0x8000, 0)
      packet.writeUInt16BE(++n & 0xffff, 2)
      packet.writeUInt32BE(n * 160, 4)
      packet.writeUInt32BE(7, 8)
      this.#socket.send(packet, port, host)
    }, frameMs)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#socket.close()
  }
}

export const passwordOf = (number: string): string => `a-long-password-of-${number}`

export class Phone {
  readonly peer: SipPeer
  readonly number: string
  readonly #password: string

  constructor(peer: SipPeer, number: string, password = passwordOf(number)) {
    this.peer = peer
    this.number = number
    this.#password = password
  }

  static async at(address: string, number: string): Promise<Phone> {
    return new Phone(await SipPeer.udp(5060, address, edge), number)
  }

  async register(): Promise<number> {
    const contact = `Contact: <sip:${this.number}@${this.peer.address}:${this.peer.port};line=x>;expires=300`
    return (await register(this.peer, this.number, this.#password, [contact, 'Supported: path']))?.status ?? 0
  }

  /** The first answer that is not 100, or is a challenge that was met; the dialog knows it where it is 200. */
  async dials(number: string, body = sdp(4000), ms = 12_000): Promise<{ readonly dialog: Dialog; readonly answer: SipMessage }> {
    const dialog = new Dialog(this.peer)
    dialog.invite(number, { from: `<sip:${this.number}@pbx>`, body })
    const first = (m: SipMessage): boolean =>
      m.status > 100 && m.header('Call-ID') === dialog.callId && m.header('CSeq') === `${dialog.cseq} INVITE`
    for (let tries = 0; ; tries++) {
      const answer = await this.peer.next('an answer to INVITE', first, ms)
      if (answer.status !== 401 || tries === 3) return { dialog, answer }
      dialog.send('ACK')
      dialog.send('INVITE', { body, headers: [authorization(answer, 'INVITE', dialog.target, this.number, this.#password)] })
    }
  }
}

export class Stage {
  readonly fleet: Fleet
  /** The provider. */
  readonly line: SipPeer
  readonly caller: Caller
  /** What the application answers. */
  document: unknown = [{ gather: { timeout: 60 } }]

  private constructor(fleet: Fleet, line: SipPeer) {
    this.fleet = fleet
    this.line = line
    this.caller = new Caller(line)
    createServer((_, answer) => {
      answer.setHeader('content-type', 'application/json')
      answer.end(JSON.stringify(this.document))
    }).listen(9000, application)
  }

  static async open(dir: string, options: FleetOptions = {}): Promise<Stage> {
    const fleet = await Fleet.open(dir, options)
    const stage = new Stage(fleet, await SipPeer.udp(5060, provider, edge, 5060))
    await until('the edge takes calls', async () => (await stage.line.ask('OPTIONS', `sip:${edge}`, { ms: 500 }))?.status === 200, 15_000)
    await stage.caller.reaches(fleet.boxes)
    return stage
  }

  get boxes(): readonly [FleetBox, FleetBox, FleetBox] {
    return this.fleet.boxes as [FleetBox, FleetBox, FleetBox]
  }

  /** The provider at this box itself, past the edge. */
  direct(box: FleetBox): Promise<SipPeer> {
    return SipPeer.udp(5060, provider, box.address)
  }

  /** What a box answers to OPTIONS of the provider; 0: nothing. */
  async options(direct: SipPeer, ms = 1000): Promise<number> {
    return (await direct.ask('OPTIONS', 'sip:pbx', { ms }))?.status ?? 0
  }

  /** `pbx drain` in the time of a request. */
  async drains(box: FleetBox, on: boolean): Promise<void> {
    const asked = { socketPath: join(box.dir, 'run/pbxd.sock'), path: '/api/drain', method: on ? 'POST' : 'DELETE' }
    const status = await new Promise<number>((resolve, reject) =>
      request({ ...asked, headers: { 'content-type': 'application/json' } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
        .on('error', reject)
        .end(on ? '{}' : undefined),
    )
    if (status >= 300) throw new Error(`drain of ${box.id}: ${status}`)
  }

  /** A box is killed as a machine dies, and is back with calls again. */
  async back(box: FleetBox): Promise<void> {
    box.start()
    await box.ready()
    await this.caller.reaches(this.fleet.boxes)
  }

  async at(box: FleetBox, path: string, init: RequestInit = {}): Promise<{ readonly status: number; readonly body: any }> {
    const answer = await fetch(`${box.api}${path}`, { ...init, headers: { ...bearer, 'content-type': 'application/json' } })
    const text = await answer.text()
    return { status: answer.status, body: answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text }
  }

  /** A conversation of a phone with somebody outside, with sound both ways. */
  async talk(phone: Phone): Promise<Talk> {
    const [near, far] = await Promise.all([Sound.open(phone.peer.address), Sound.open(provider)])
    this.line.received.length = 0
    const dialling = phone.dials(outside, near.offer)
    const invite = await this.line.request('INVITE', 10_000)
    this.line.answer(invite, 200, { body: far.offer })
    const { dialog, answer: first } = await dialling
    const answer = first.status >= 200 ? first : await dialog.final('INVITE', 10_000)
    dialog.learn(answer)
    dialog.send('ACK')
    near.speak(answer.body)
    far.speak(invite.body)
    return { dialog, near, far, callId: invite.header('Call-ID') }
  }

  /** Packets that each side of a talk got within a second. */
  async heard({ near, far }: Talk): Promise<readonly [number, number]> {
    const before = [near.received, far.received] as const
    await new Promise((done) => setTimeout(done, 1000))
    return [near.received - before[0], far.received - before[1]]
  }

  /** The phone hangs up: whether the provider gets its BYE. */
  async ends({ dialog, near, far, callId }: Talk): Promise<boolean> {
    dialog.send('BYE')
    const bye = await this.line.next('BYE', (m) => m.method === 'BYE' && m.header('Call-ID') === callId, 6000).catch(() => null)
    if (bye !== null) this.line.answer(bye, 200)
    near.close()
    far.close()
    return bye !== null
  }
}

export interface Talk {
  readonly dialog: Dialog
  readonly near: Sound
  readonly far: Sound
  /** Of the call to the provider. */
  readonly callId: string
}

export const lives = ([near, far]: readonly [number, number]): boolean => near > 25 && far > 25
