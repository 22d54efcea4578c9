/**
 * The far end of the trunk: one UDP port that answers the daemon's OPTIONS keep-alive, takes texts, and hands each call to a phone
 * (sipp on a port of its own) that waits for it. Messages pass unchanged.
 */
import { createSocket, type Socket } from 'node:dgram'
import { freePort } from './daemon.ts'
import { callee, type Manner, type Phone } from './sipp.ts'

export class Trunk {
  readonly port: number
  /** Every request line received from the daemon. */
  readonly requests: string[] = []
  /** Every INVITE as it came. */
  readonly invites: string[] = []
  readonly #socket: Socket
  readonly #ports = new Map<string, number>()
  readonly #waiting: number[] = []
  #open = true
  #daemon: { port: number; address: string } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    this.port = socket.address().port
    socket.on('message', (data, from) => this.#receive(data, from))
  }

  /** `at`: a port that it had before. */
  static async open(at?: number): Promise<Trunk> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
    const port = at ?? (await freePort())
    await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(port, '127.0.0.1', resolve))
    return new Trunk(socket)
  }

  /** A phone behind the trunk takes the next call in this manner. */
  async expect(manner: Manner, ringMs = 200): Promise<Phone> {
    const phone = await callee(await freePort(), manner, ringMs)
    this.#waiting.push(phone.sip.port)
    return phone
  }

  #receive(data: Buffer, from: { port: number; address: string }): void {
    const text = data.toString('latin1')
    const callId = /^(?:Call-ID|i)\s*:\s*(\S+)/im.exec(text)?.[1]
    if (callId === undefined) return
    const local = [...this.#ports.values()].includes(from.port) || this.#waiting.includes(from.port)
    if (local) {
      if (this.#daemon) this.#socket.send(data, this.#daemon.port, this.#daemon.address)
      return
    }
    this.#daemon = { port: from.port, address: from.address }
    const line = text.slice(0, text.indexOf('\r\n'))
    if (!line.startsWith('SIP/2.0')) this.requests.push(line)
    if (line.startsWith('INVITE ')) this.invites.push(text)
    if (/^(OPTIONS|MESSAGE) /.test(line)) return this.#socket.send(reply(text, '200 OK'), from.port, from.address)
    if (line.startsWith('INVITE ') && !this.#ports.has(callId)) {
      const port = this.#waiting.shift()
      if (port === undefined)
        return line.includes('SIP/2.0') ? this.#socket.send(reply(text, '404 Not Found'), from.port, from.address) : undefined
      this.#ports.set(callId, port)
    }
    const port = this.#ports.get(callId)
    if (port !== undefined) this.#socket.send(data, port, '127.0.0.1')
  }

  close(): void {
    if (this.#open) this.#socket.close()
    this.#open = false
  }
}

/** A final answer made from the request's own headers (RFC 3261, 8.2.6). */
function reply(request: string, status: string): string {
  const kept = request.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq|v|f|i)\s*:/i.test(line))
  const to = /^(?:To|t)\s*:.*$/im.exec(request)?.[0] ?? ''
  return [`SIP/2.0 ${status}`, ...kept, /;tag=/.test(to) ? to : `${to};tag=trunk`, 'Content-Length: 0', '', ''].join('\r\n')
}
