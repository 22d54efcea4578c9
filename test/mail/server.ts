/** A real mail server that misbehaves on command. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'

export interface Received {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
  readonly user: string
  readonly secure: boolean
}

export class MailServer {
  readonly received: Received[] = []
  /** Answer to RCPT TO by address; none accepts. */
  refuse: (to: string) => string | undefined = () => undefined
  /** Runs when a message begins to come; true: the connection is cut in the middle of it. */
  cut = false
  /** Messages are not answered before this. */
  gate: Promise<void> = Promise.resolve()
  logins = 0
  readonly #options: SMTPServerOptions
  #server!: SMTPServer
  #arrivals: (() => void)[] = []
  port = 0

  constructor(options: SMTPServerOptions = {}) {
    this.#options = options
  }

  static async open(t: Test, options: SMTPServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options)
    await server.start()
    t.teardown(() => server.stop())
    return server
  }

  async start(): Promise<void> {
    this.#server = new SMTPServer({
      disabledCommands: this.#options.key === undefined ? ['STARTTLS'] : [],
      allowInsecureAuth: this.#options.key === undefined,
      closeTimeout: 100,
      ...this.#options,
      onAuth: ({ username = '', password }, _session, done) => {
        this.logins += 1
        if (username === 'clinic' && password === 'secret') done(null, { user: username })
        else done(Object.assign(new Error('5.7.8 wrong user or password'), { responseCode: 535 }))
      },
      onRcptTo: ({ address }, _session, done) => {
        const text = this.refuse(address)
        done(text === undefined ? null : Object.assign(new Error(text.slice(4)), { responseCode: Number(text.slice(0, 3)) }))
      },
      onData: (stream, session, done) => {
        const parts: Buffer[] = []
        stream.on('data', (part: Buffer) => {
          parts.push(part)
          if (this.cut) (session as unknown as { _connection?: unknown }, stream.destroy(), this.#cutAll())
        })
        stream.on('end', () => {
          if (this.cut) return this.#cutAll()
          void this.gate.then(() => {
            const { mailFrom, rcptTo } = session.envelope
            this.received.push({
              from: mailFrom === false ? '' : mailFrom.address,
              to: rcptTo.map(({ address }) => address),
              text: Buffer.concat(parts).toString(),
              user: String(session.user ?? ''),
              secure: session.secure,
            })
            for (const arrived of this.#arrivals.splice(0)) arrived()
            done()
          })
        })
      },
    })
    this.#server.on('error', () => undefined)
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server.server, 'listening')
    this.port = (this.#server.server.address() as AddressInfo).port
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  /** Resolves when the next message is taken. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#arrivals.push(resolve))
  }

  #cutAll(): void {
    for (const connection of (this.#server as unknown as { connections: Set<{ _socket: { destroy(): void } }> }).connections) {
      connection._socket.destroy()
    }
  }
}
