/**
 * A SIP user agent by hand, for what finished telephones do not do: every message is written and read by the test itself.
 * Nothing is repeated or answered on its own, except OPTIONS, and repeated requests are dropped.
 */
import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { randomBytes } from 'node:crypto'
import { Waiting } from '../harness/waiting.ts'

export interface SipMessage {
  readonly text: string
  readonly start: string
  /** '' for an answer. */
  readonly method: string
  /** 0 for a request. */
  readonly status: number
  readonly body: string
  readonly host: string
  readonly port: number
  header(name: string): string
  headers(name: string): string[]
}

const compact: Record<string, string> = {
  'call-id': 'i',
  contact: 'm',
  from: 'f',
  to: 't',
  via: 'v',
  'content-type': 'c',
  'content-length': 'l',
}

export function parse(text: string, port: number, host = '127.0.0.1'): SipMessage {
  const split = text.indexOf('\r\n\r\n')
  const [start = '', ...lines] = text.slice(0, split < 0 ? undefined : split).split('\r\n')
  const headers = (name: string): string[] => {
    const names = [name.toLowerCase(), compact[name.toLowerCase()] ?? '']
    return lines
      .filter((line) => names.includes(line.slice(0, line.indexOf(':')).trim().toLowerCase()))
      .map((line) => line.slice(line.indexOf(':') + 1).trim())
  }
  const status = Number(/^SIP\/2\.0 (\d+)/.exec(start)?.[1] ?? 0)
  const method = status === 0 ? start.slice(0, start.indexOf(' ')) : ''
  return {
    text,
    start,
    method,
    status,
    body: split < 0 ? '' : text.slice(split + 4),
    host,
    port,
    headers,
    header: (name) => headers(name)[0] ?? '',
  }
}

export interface Extra {
  readonly headers?: readonly string[]
  readonly body?: string
  readonly type?: string
}

function tail({ headers = [], body = '', type = 'application/sdp' }: Extra): string {
  const lines = [...headers, ...(body === '' ? [] : [`Content-Type: ${type}`]), `Content-Length: ${Buffer.byteLength(body)}`]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

export const token = (): string => randomBytes(6).toString('hex')

export class SipPeer {
  readonly address: string
  readonly transport: 'UDP' | 'TCP' | 'TLS'
  readonly received: SipMessage[] = []
  port = 0
  /** Where requests go. */
  readonly target: number
  host: string
  answersOptions = true
  /** What becomes of each message on its way out. */
  changes: ((text: string) => string) | undefined
  /** Bytes that came in, of any kind. */
  bytes = 0
  readonly #write: (text: string | Buffer, port: number, host: string) => void
  readonly #close: () => void
  readonly #known = new Set<string>()
  readonly #waiting = new Waiting()

  private constructor(
    address: string,
    target: number,
    transport: 'UDP' | 'TCP' | 'TLS',
    write: (text: string | Buffer, port: number, host: string) => void,
    close: () => void,
    host = '127.0.0.1',
  ) {
    this.address = address
    this.target = target
    this.host = host
    this.transport = transport
    this.#write = write
    this.#close = close
  }

  /** `target`: the engine's port on `host`, 0 for a peer that is only called; `port`: its own, 0 for any. */
  static async udp(target: number, address = '127.0.0.1', host = '127.0.0.1', port = 0): Promise<SipPeer> {
    const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 })
    await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(port, address, resolve))
    const peer = new SipPeer(
      address,
      target,
      'UDP',
      (text, port, to) => socket.send(text, port, to),
      () => socket.close(),
      host,
    )
    peer.port = socket.address().port
    socket.on('message', (data, from) => peer.#receive(data.toString('latin1'), from.port, from.address))
    return peer
  }

  static async stream(socket: Socket, transport: 'TCP' | 'TLS', target: number): Promise<SipPeer> {
    const peer = new SipPeer(
      socket.localAddress ?? '127.0.0.1',
      target,
      transport,
      (text) => socket.write(text),
      () => socket.destroy(),
    )
    peer.port = socket.localPort ?? 0
    let rest = ''
    socket.on('error', () => undefined)
    socket.on('data', (data: Buffer) => {
      rest += data.toString('latin1')
      for (;;) {
        rest = rest.replace(/^(\r\n)+/, '')
        const split = rest.indexOf('\r\n\r\n')
        if (split < 0) return
        const length = Number(/^(?:content-length|l)\s*:\s*(\d+)/im.exec(rest.slice(0, split))?.[1] ?? 0)
        if (rest.length < split + 4 + length) return
        peer.#receive(rest.slice(0, split + 4 + length), socket.remotePort ?? 0)
        rest = rest.slice(split + 4 + length)
      }
    })
    return peer
  }

  static async tcp(target: number, address = '127.0.0.1'): Promise<SipPeer> {
    const socket = connect({ port: target, host: '127.0.0.1', localAddress: address })
    await new Promise<void>((resolve, reject) => socket.once('error', reject).once('connect', resolve))
    return SipPeer.stream(socket, 'TCP', target)
  }

  #receive(text: string, port: number, host?: string): void {
    this.bytes += text.length
    const message = parse(text, port, host)
    // A repetition is the same text again; ACK belongs to one.
    if (this.#known.has(text)) return
    this.#known.add(text)
    if (message.method === 'OPTIONS' && this.answersOptions) {
      this.answer(message, 200)
      return
    }
    this.received.push(message)
    this.#waiting.wake()
  }

  #send(text: string | Buffer, port: number, host: string): void {
    this.#write(typeof text === 'string' && this.changes !== undefined ? this.changes(text) : text, port, host)
  }

  raw(text: string | Buffer, port = this.target): void {
    this.#send(text, port, this.host)
  }

  /** As it stands in an address of SIP. */
  get #named(): string {
    return this.address.includes(':') ? `[${this.address}]` : this.address
  }

  via(): string {
    return `Via: SIP/2.0/${this.transport} ${this.#named}:${this.port};rport;branch=z9hG4bK${token()}`
  }

  get contact(): string {
    return `<sip:peer@${this.#named}:${this.port}${this.transport === 'UDP' ? '' : `;transport=${this.transport.toLowerCase()}`}>`
  }

  /** An answer to a request; a final one gets `tag` in To. */
  answer(
    request: SipMessage,
    code: number,
    { tag = 'peer', reason = 'Whatever', ...extra }: Extra & { tag?: string; reason?: string } = {},
  ): void {
    const to = request.header('To')
    const copied = [
      ...request.headers('Via').map((value) => `Via: ${value}`),
      ...request.headers('Record-Route').map((value) => `Record-Route: ${value}`),
      `From: ${request.header('From')}`,
      `To: ${to}${code === 100 || /;\s*tag=/.test(to) ? '' : `;tag=${tag}`}`,
      `Call-ID: ${request.header('Call-ID')}`,
      `CSeq: ${request.header('CSeq')}`,
    ]
    const contact = code > 100 && code < 300 && ['INVITE', 'UPDATE'].includes(request.method) ? [`Contact: ${this.contact}`] : []
    this.#send(`SIP/2.0 ${code} ${reason}\r\n${[...copied, ...contact].join('\r\n')}\r\n${tail(extra)}`, request.port, request.host)
  }

  /** Takes the oldest message not taken yet that fits. */
  async next(what: string, fits: (m: SipMessage) => boolean, ms = 6000): Promise<SipMessage> {
    const taken = () => {
      const at = this.received.findIndex(fits)
      return at >= 0 && this.received.splice(at, 1)[0]!
    }
    const left = () => this.received.map((m) => `${m.start} (${m.header('CSeq')})`).join(', ')
    return this.#waiting.until(taken, ms, (within) => `no ${what}: ${within}; waiting: ${left()}`)
  }

  request(method: string, ms?: number): Promise<SipMessage> {
    return this.next(method, (m) => m.method === method, ms)
  }

  /** Sends a request outside any call and gives the final answer; `undefined` when there is none in time. */
  async ask(
    method: string,
    uri: string,
    extra: Extra & { from?: string; to?: string; ms?: number; callId?: string; cseq?: number } = {},
  ): Promise<SipMessage | undefined> {
    const callId = extra.callId ?? token()
    const cseq = extra.cseq ?? 1
    const head = [
      this.via(),
      `From: <${extra.from ?? 'sip:peer@pbx'}>;tag=${token()}`,
      `To: <${extra.to ?? uri}>`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq} ${method}`,
      'Max-Forwards: 70',
    ]
    this.raw(
      `${method} ${uri} SIP/2.0\r\n${[...head, ...(extra.headers?.some((h) => /^(contact|m)\s*:/i.test(h)) ? [] : [`Contact: ${this.contact}`])].join('\r\n')}\r\n${tail(extra)}`,
    )
    return this.next(
      `answer to ${method}`,
      (m) => m.status >= 200 && m.header('Call-ID') === callId && m.header('CSeq') === `${cseq} ${method}`,
      extra.ms ?? 3000,
    ).catch(() => undefined)
  }

  close(): void {
    this.#close()
  }
}

/** One call, from either end. */
export class Dialog {
  readonly peer: SipPeer
  readonly callId: string
  local = ''
  remote = ''
  target = ''
  /** Of the proxies that stay on the way (RFC 3261 section 12.1.2). */
  routes: readonly string[] = []
  cseq = 1
  #port: number
  #inviteVia = ''

  constructor(peer: SipPeer, callId: string = token()) {
    this.peer = peer
    this.callId = callId
    this.#port = peer.target
  }

  /** A call that came in. */
  static of(peer: SipPeer, invite: SipMessage): Dialog {
    const dialog = new Dialog(peer, invite.header('Call-ID'))
    dialog.local = `${invite.header('To')};tag=peer`
    dialog.remote = invite.header('From')
    dialog.target = /<([^>]+)>/.exec(invite.header('Contact'))?.[1] ?? ''
    dialog.#port = invite.port
    return dialog
  }

  /** The port that requests go to from now on. */
  reach(port: number): void {
    this.#port = port
  }

  invite(to: string, { from = '<sip:+15551230001@pbx>', target = '', ...extra }: Extra & { from?: string; target?: string } = {}): void {
    this.local = `${from};tag=${token()}`
    this.remote = `<sip:${to}@127.0.0.1>`
    this.target = target || `sip:${to}@127.0.0.1:${this.peer.target}`
    this.send('INVITE', extra)
  }

  /** Any request inside the call; INVITE remembers its Via for ACK and CANCEL. */
  send(method: string, extra: Extra = {}): void {
    const own = method === 'ACK' || method === 'CANCEL'
    if (!own && method !== 'INVITE') this.cseq++
    if (method === 'INVITE' && this.#inviteVia !== '') this.cseq++
    if (method === 'INVITE') this.#inviteCseq = this.cseq
    const via = method === 'CANCEL' ? this.#inviteVia : this.peer.via()
    if (method === 'INVITE') this.#inviteVia = via
    const head = [
      via,
      `From: ${this.local}`,
      `To: ${this.remote}`,
      `Call-ID: ${this.callId}`,
      `CSeq: ${own ? this.#inviteCseq : this.cseq} ${method}`,
      'Max-Forwards: 70',
      ...this.routes.map((route) => `Route: ${route}`),
      `Contact: ${this.peer.contact}`,
    ]
    this.peer.raw(`${method} ${this.target} SIP/2.0\r\n${head.join('\r\n')}\r\n${tail(extra)}`, this.#port)
  }
  #inviteCseq = 1

  async answered(ms?: number): Promise<SipMessage> {
    const message = await this.final('INVITE', ms)
    this.learn(message)
    this.send('ACK')
    return message
  }

  learn(message: SipMessage): void {
    this.remote = message.header('To')
    this.routes = message.headers('Record-Route').toReversed()
    this.target = /<([^>]+)>/.exec(message.header('Contact'))?.[1] ?? this.target
  }

  final(method: string, ms?: number): Promise<SipMessage> {
    return this.peer.next(
      `final answer to ${method}`,
      (m) => m.status >= 200 && m.header('Call-ID') === this.callId && m.header('CSeq').endsWith(` ${method}`),
      ms,
    )
  }

  provisional(code: number, ms?: number): Promise<SipMessage> {
    return this.peer.next(`${code}`, (m) => m.status === code && m.header('Call-ID') === this.callId, ms)
  }

  async ask(method: string, extra: Extra = {}): Promise<SipMessage> {
    this.send(method, extra)
    return this.final(method)
  }

  request(method: string, ms?: number): Promise<SipMessage> {
    return this.peer.next(method, (m) => m.method === method && m.header('Call-ID') === this.callId, ms)
  }
}
