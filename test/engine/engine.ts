/** pbx-engine alone: started on a socket pair as the daemon does, spoken to in the messages of PROTOCOL.md. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { SipConfiguration } from '../../drivers/sip/configuration.ts'
import { decodeAudio, encodeMessage, FrameDecoder, frameKind, parseMessage, type Message } from '../../drivers/sip/frames.ts'
import { Waiting } from '../harness/waiting.ts'

export const enginePath = process.env['PBX_ENGINE'] ?? join(import.meta.dirname, '../../.cache/engine/pbx-engine')
export const skip = existsSync(enginePath) ? false : 'pbx-engine is not built'

/** After so long a request that nobody answers is given up by the rules of SIP: 64 times T1 (RFC 3261 17.1.1.2, timer B). */
export const sipGivesUpMs = 32_000

/** A trunk without registration at an address; every member may be changed. */
export function trunk(server: string, more: object = {}): SipConfiguration['trunks'][number] {
  const usual = { id: 'main', server, transport: 'udp' as const, username: '', password: '', register: false, numbers: [], channels: 30 }
  return { ...usual, srtp: 'off', keepAliveSeconds: 0, codecs: [], allow: [], ...more }
}

export function extension(number: string, password: string, more: object = {}): SipConfiguration['extensions'][number] {
  return { number, password, name: '', srtp: 'auto', contacts: [], ...more }
}

let nextPorts = 30_000 + (process.pid % 20) * 1000

export class Engine {
  readonly messages: Message[] = []
  readonly audio: { leg: number; at: number; samples: Int16Array }[] = []
  output = ''
  readonly child: ChildProcess
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  configuration: SipConfiguration
  /** What it said of itself at the start. */
  hello: Message = { t: '' }
  readonly #socket: Duplex
  readonly #waiting = new Waiting()
  #nextOutbound = 2
  #bridges = 100

  private constructor(configuration: Partial<SipConfiguration>, environment: NodeJS.ProcessEnv, through: readonly string[]) {
    const first = nextPorts
    nextPorts += 200
    this.configuration = {
      udp: '127.0.0.1:0',
      tcp: '127.0.0.1:0',
      tls: null,
      rtpPorts: [first, first + 198],
      realm: 'pbx',
      nameservers: [],
      inbandDigits: true,
      mediaTimeoutSeconds: 60,
      phoneNetworks: ['127.0.0.0/8'],
      ban: { failures: 5, windowSeconds: 30, seconds: 3600 },
      trunks: [],
      extensions: [],
      ...configuration,
    }
    const [program = enginePath, ...rest] = [...through, enginePath]
    this.child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { ...process.env, ...environment } })
    const collect = (text: Buffer): void => void (this.output += text.toString())
    this.child.stdout?.on('data', collect)
    this.child.stderr?.on('data', collect)
    this.exit = new Promise((resolve) => this.child.once('exit', (code, signal) => resolve({ code, signal })))
    this.#socket = this.child.stdio[3] as Duplex
    this.#socket.on('error', () => undefined)
    const decoder = new FrameDecoder((kind, payload) => {
      if (kind === frameKind.audio) decodeAudio(payload, (leg, at, samples) => this.audio.push({ leg, at, samples }))
      else this.messages.push(parseMessage(payload))
      this.#waiting.wake()
    })
    this.#socket.on('data', (chunk: Buffer) => decoder.push(chunk))
  }

  /** `through`: a program that becomes the engine, such as `nsenter -t 7 -n`. */
  static async start(
    configuration: Partial<SipConfiguration> = {},
    environment: NodeJS.ProcessEnv = {},
    through: readonly string[] = [],
  ): Promise<Engine> {
    const engine = new Engine(configuration, environment, through)
    engine.send('hello', { version: 2 })
    engine.hello = await engine.next('hello')
    await engine.configure({})
    return engine
  }

  async configure(change: Partial<SipConfiguration>): Promise<Message> {
    this.configuration = { ...this.configuration, ...change }
    this.send('configure', { ...this.configuration })
    return this.next('configured')
  }

  /** The listener's port as bound. */
  port(transport: 'udp' | 'tcp' | 'tls' = 'udp'): number {
    const said = this.#seen.find((m) => m.t === 'configured' && typeof m[transport] === 'string')?.[transport]
    return Number(String(said).split(':').at(-1))
  }

  send(t: string, members: object = {}): void {
    this.#socket.write(encodeMessage({ t, ...members }))
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  dial(members: object): number {
    const leg = this.#nextOutbound
    this.#nextOutbound += 2
    this.send('dial', { leg, from: '+15550001000', callerName: '', timeout: 30, ...members })
    return leg
  }

  /** Two legs in a bridge of their own. */
  bridge(...legs: readonly [number, number]): void {
    this.#bridges += 1
    for (const leg of legs) this.send('join', { leg, bridge: this.#bridges, hears: true, speaks: true })
  }

  readonly #seen: Message[] = []

  /** Takes the oldest message not taken yet that fits. */
  async next(t: string, members: object | ((m: Message) => boolean) = {}, ms = 8000): Promise<Message> {
    const fits =
      typeof members === 'function'
        ? (members as (m: Message) => boolean)
        : (m: Message) => Object.entries(members).every(([name, value]) => m[name] === value)
    const missing = (why: string) =>
      `no ${t} ${JSON.stringify(members)}: ${why}; waiting: ${JSON.stringify(this.messages)}\n${this.output.slice(-3000)}`
    const taken = () => {
      const at = this.messages.findIndex((m) => m.t === t && fits(m))
      if (at < 0 && this.child.exitCode !== null) throw new Error(missing('the engine has ended'))
      const [message] = at < 0 ? [] : this.messages.splice(at, 1)
      if (message !== undefined) this.#seen.push(message)
      return message
    }
    return this.#waiting.until(taken, ms, missing, 200)
  }

  #pings = 1000
  /** Resolves when it has answered all that came to it before: what is not among its messages then does not come of that. */
  async settled(): Promise<void> {
    const n = ++this.#pings
    this.send('ping', { n })
    await this.next('pong', { n })
  }

  /** Messages of a type that nobody took. */
  of(t: string, members: object = {}): Message[] {
    return this.messages.filter((m) => m.t === t && Object.entries(members).every(([name, value]) => m[name] === value))
  }

  /** What a tapped leg said, in order. */
  heard(leg: number): Int16Array {
    const frames = this.audio.filter((frame) => frame.leg === leg)
    const all = new Int16Array(frames.length * 160)
    frames.forEach((frame, i) => all.set(frame.samples, i * 160))
    return all
  }

  /** Gives the engine its end of file. */
  async stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.#socket.end()
    const kill = setTimeout(() => this.child.kill('SIGKILL'), 6000)
    const result = await this.exit
    clearTimeout(kill)
    this.#socket.destroy()
    return result
  }
}

export { pause } from '../harness/waiting.ts'
