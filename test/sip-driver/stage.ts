/** The test's end of the stand-in engine, and a call owner that remembers. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { InboundCall, LegEvent } from '../../drivers/line.ts'
import type { SipDriverOptions } from '../../drivers/sip/driver.ts'
import type { SipConfiguration } from '../../drivers/sip/configuration.ts'
import { eventually } from '../harness/waiting.ts'

export const configuration: SipConfiguration = {
  udp: '127.0.0.1:0',
  tcp: null,
  tls: null,
  rtpPorts: [10000, 10100],
  realm: 'pbx',
  nameservers: [],
  inbandDigits: true,
  mediaTimeoutSeconds: 60,
  phoneNetworks: ['127.0.0.0/8'],
  ban: { failures: 5, windowSeconds: 30, seconds: 3600 },
  trunks: [
    {
      id: 'main',
      server: 'sip.example.net',
      transport: 'udp',
      username: 'u',
      password: 'p',
      register: true,
      numbers: [],
      channels: 30,
      srtp: 'off',
      keepAliveSeconds: 30,
      codecs: ['PCMU'],
      allow: [],
    },
  ],
  extensions: [{ number: '101', password: 'x', name: 'Desk', srtp: 'auto', contacts: [] }],
}

export type Received = Record<string, unknown> & { t: string }

/** The test's end of the stand-in engine: what it received, in order, over all its lives. */
export class Stage {
  readonly directory = mkdtempSync(join(tmpdir(), 'pbx-sip-'))
  readonly path = join(this.directory, 'control')
  readonly received: Received[] = []
  readonly logged: string[] = []
  socket: Socket | null = null
  lives = 0
  #waiting: { match: (m: Received) => boolean; resolve: (m: Received) => void }[] = []
  readonly #server = createServer((socket) => {
    this.socket = socket
    this.lives += 1
    socket.on('error', () => undefined)
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as Received
      this.received.push(message)
      this.#waiting = this.#waiting.filter((waiter) => {
        if (!waiter.match(message)) return true
        waiter.resolve(message)
        return false
      })
    })
  })

  async open(): Promise<void> {
    this.#server.listen(this.path)
    await once(this.#server, 'listening')
  }

  close(): void {
    this.#server.close()
    this.socket?.destroy()
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** The next message of that type, from now on. */
  next(type: string, match: (m: Received) => boolean = () => true): Promise<Received> {
    return new Promise((resolve) => this.#waiting.push({ match: (m) => m.t === type && match(m), resolve }))
  }

  order(order: object): void {
    this.socket!.write(`${JSON.stringify(order)}\n`)
  }

  options(more: Partial<SipDriverOptions> = {}): SipDriverOptions {
    const log = (_: object, text: string): void => void this.logged.push(text)
    return {
      enginePath: process.execPath,
      engineArguments: ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'stand-in-engine.ts'), this.path],
      configure: configuration,
      log: { debug: log, info: log, warn: log, error: log },
      timing: { restartFirst: 20, restartMost: 200, pingEvery: 100 },
      ...more,
    }
  }
}

export async function until(condition: () => boolean): Promise<void> {
  await eventually('what was waited for', () => condition(), undefined, 5)
}

export class Phone {
  readonly calls: InboundCall[] = []
  readonly events: LegEvent[] = []
  changes = 0
  inbound(call: InboundCall): void {
    this.calls.push(call)
    call.leg.onEvent = (event) => this.events.push(event)
  }
  statusChanged(): void {
    this.changes += 1
  }
  of(type: LegEvent['type']): LegEvent[] {
    return this.events.filter((event) => event.type === type)
  }
}
