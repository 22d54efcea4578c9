/**
 * The daemon as a stranger runs it: a configuration file with the names of the operations contract, a child process,
 * its readiness route, its log. Every instance has its own directory and free ports.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { PbxCommands } from './pbx-commands.ts'
import { certificate, endProcessesOf, endWithUs, processesOf } from './processes.ts'
import { found, patience } from './waiting.ts'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
/** What the voice endpoint, and the callbacks that belong to none, are signed with. */
export const secret = 'whsec_voice_0123456789abcdef'
export const callbacksSecret = 'whsec_callbacks_0123456789abcdef'

const million = { texts: 1_000_000, faxes: 1_000_000, callMinutes: 1_000_000, internationalMinutes: 1_000_000 }
/** `limits.perDay` of a box that is measured, or damaged, for longer than any day of a clinic. */
export const endlessDay = { ...million, perToken: million }

/** `limits` of a test that looks again and again until something is so. */
export const oftenAsked = { requestsPerSecond: 1000, burst: 1000 }

type Settings = Record<string, unknown>

export interface DaemonOptions {
  /** Base of the application's addresses, such as `http://127.0.0.1:40000`. */
  readonly app: string
  /** UDP port of the far end of the trunk `main` (127.0.0.1). */
  readonly trunkPort: number
  /** Merged over the generated configuration, section by section. */
  readonly settings?: (base: Settings) => void
  readonly env?: Record<string, string>
  readonly nodeArguments?: readonly string[]
  /** Words before the program, of something that becomes it: its process is the daemon's. Asked at each start. */
  readonly through?: () => readonly string[]
  /** The daemon runs as this user, and its folder is that user's. Root alone can do that. */
  readonly uid?: number
  /** Runs what `npm start` runs, the bundled program that scripts/setup made (so by default), or the sources, into which `nodeArguments` can reach. */
  readonly compiled?: boolean
}

export interface LogLine {
  readonly level?: number | string
  readonly msg?: string
  readonly [key: string]: unknown
}

/** A run of tests has memory come in large pieces (scripts/test-files.mjs); a daemon that is measured by itself has what it ships with. */
const inLargePieces = process.env['GLIBC_TUNABLES']?.includes('hugetlb') === true

/** Commands of `pbx` that speak to the daemon and end: none of them starts it again, or gives rights up. */
const shows = new Set([
  'audit',
  'calls',
  'doctor',
  'events',
  'fax',
  'history',
  'lines',
  'mailbox',
  'modem',
  'queue',
  'recordings',
  'sms',
  'status',
  'trace',
])
/** About as much as the start of the one program costs. */
const shownByThemselves = 3

/** Files of tests that run at once ask for ports at once: each has some of its own. */
const portsEach = 375
const firstPort = 61_000 + (Number(process.env['TAP_JOB_ID'] ?? 0) % 12) * portsEach
/** Given out, and perhaps not bound yet. */
const given = new Set<number>()

/** An even port above those that the kernel gives out by itself, free for both TCP and UDP just now. The next one stays free: baresip's TLS is there. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const port = firstPort + 2 * Math.floor((Math.random() * portsEach) / 2)
    if (given.has(port)) continue
    if (given.size > portsEach / 4) given.clear()
    given.add(port)
    const server = createServer()
    const tcp = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, address, () => resolve(true)),
    )
    const socket = createSocket('udp4')
    const udp = await new Promise<boolean>((resolve) => socket.once('error', () => resolve(false)).bind(port, address, () => resolve(true)))
    if (udp) socket.close()
    if (tcp) await new Promise((done) => server.close(done))
    if (tcp && udp) return port
  }
  throw new Error('no free port')
}

export class Daemon {
  readonly dir: string
  readonly http: string
  readonly sipPort: number
  readonly tlsPort: number
  readonly token: string
  readonly configFile: string
  readonly log: LogLine[] = []
  stderr = ''
  /** Milliseconds from spawn to the first 200 of /readyz, of the last start. */
  readyMs = 0
  /** Exit code or signal of the last child; undefined while it runs. */
  exit: { code: number | null; signal: NodeJS.Signals | null } | undefined
  readonly #options: DaemonOptions
  #child: ChildProcess | undefined
  #gone: Promise<void> = Promise.resolve()
  #commands: PbxCommands | undefined
  #shown = 0

  private constructor(options: DaemonOptions, dir: string, ports: { http: number; sip: number; tls: number; rtp: number }) {
    this.#options = options
    this.dir = dir
    this.http = `http://127.0.0.1:${ports.http}`
    this.sipPort = ports.sip
    this.tlsPort = ports.tls
    this.token = `test-${randomBytes(12).toString('hex')}`
    this.configFile = join(dir, 'pbxd.yaml')
    const settings: Settings = {
      site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York', language: 'en-US', number: '+15550001000' },
      storage: { dir: join(dir, 'var') },
      http: { listen: `127.0.0.1:${ports.http}` },
      control: { socket: join(dir, 'run', 'pbxd.sock') },
      auth: {
        tokens: [
          {
            name: 'acceptance',
            sha256: createHash('sha256').update(this.token).digest('hex'),
            scopes: ['send', 'inbox', 'voice', 'crm', 'admin'],
          },
        ],
      },
      callbacks: { secret: callbacksSecret, allowLoopback: true },
      console: {},
      sip: {
        udp: `127.0.0.1:${ports.sip}`,
        tcp: `127.0.0.1:${ports.sip}`,
        tls: { listen: `127.0.0.1:${ports.tls}`, cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') },
        rtpPorts: `${ports.rtp}-${ports.rtp + 998}`,
      },
      trunks: [
        {
          id: 'main',
          kind: 'sip',
          server: `127.0.0.1:${options.trunkPort}`,
          transport: 'udp',
          username: 'clinic',
          password: 'secret',
          register: false,
          numbers: ['+15550001000', '+15550001001', '+15550001002'],
          channels: 30,
          default: true,
          srtp: 'off',
        },
      ],
      extensions: [
        { number: '101', name: 'Front desk', password: 'a-long-password' },
        { number: '102', name: 'Nurse', password: 'another-long-password' },
      ],
      voice: {
        endpoints: [
          {
            id: 'reception',
            controlUrl: `${options.app}/voice`,
            secret,
            fallbackDestination: '101',
            destinations: ['101'],
            statusCallbackUrl: `${options.app}/status`,
          },
        ],
      },
      inbound: [{ trunk: 'main', to: '+15550001000', destination: 'endpoint:reception' }],
    }
    options.settings?.(settings)
    writeFileSync(this.configFile, stringify(settings))
  }

  static async create(options: DaemonOptions): Promise<Daemon> {
    const dir = mkdtempSync(join(tmpdir(), 'pbxd-e2e-'))
    await certificate(dir)
    // Below the phones' ports and those that the kernel gives out; a thousand for each instance.
    const rtp = 10000 + 2 * Math.floor(Math.random() * 5500)
    const daemon = new Daemon(options, dir, { http: await freePort(), sip: await freePort(), tls: await freePort(), rtp })
    const { uid } = options
    if (uid !== undefined) for (const name of ['', ...readdirSync(dir)]) chownSync(join(dir, name), uid, uid)
    return daemon
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Starts the child and waits for /readyz 200 (`waitReady` false: only starts it). */
  async start(waitReady = true): Promise<this> {
    const began = performance.now()
    this.exit = undefined
    const { nodeArguments = [], env, uid, through = () => [] } = this.#options
    const compiled = this.#options.compiled ?? nodeArguments.length === 0
    const program = compiled
      ? [...startWords('NODE_FLAGS'), join(root, '.cache', 'program', 'daemon', 'main.js')]
      : [join(root, 'daemon', 'main.ts')]
    const [first = '', ...words] = [...through(), process.execPath, ...nodeArguments, ...program, '--config', this.configFile]
    const child = spawn(first, words, {
      cwd: this.dir,
      env: {
        ...process.env,
        PBXD_ROOT: root,
        ...(compiled && !inLargePieces ? Object.fromEntries(startWords('NODE_MEMORY').map((pair) => pair.split('='))) : {}),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    })
    this.#child = child
    endWithUs(child)
    let rest = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.log.push(parseLine(line))
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.#gone = new Promise((resolve) =>
      child.once('exit', (code, signal) => {
        this.exit = { code, signal }
        resolve()
      }),
    )
    if (waitReady) {
      await this.ready()
      this.readyMs = performance.now() - began
    }
    return this
  }

  async ready(ms = 60_000): Promise<void> {
    const deadline = Date.now() + ms * patience
    let last = ''
    while (Date.now() < deadline) {
      if (this.exit) throw new Error(`the daemon ended (${JSON.stringify(this.exit)}) before it was ready:\n${this.tail()}`)
      try {
        const answer = await fetch(`${this.http}/readyz`)
        last = `${answer.status} ${await answer.text()}`
        if (answer.status === 200) return
      } catch (e) {
        last = String(e)
      }
      await new Promise((done) => setTimeout(done, 10))
    }
    throw new Error(`not ready after ${ms} ms: ${last}\n${this.tail()}`)
  }

  /** The end of what the daemon said, for a failing test. */
  tail(lines = 25): string {
    return [...this.log.slice(-lines).map((l) => JSON.stringify(l)), this.stderr.slice(-2000)].join('\n')
  }

  /** Sends a request with the access token; the answer's body is parsed. */
  async api(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; body: any }> {
    const answer = await fetch(this.http + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    let parsed: unknown = text
    try {
      parsed = JSON.parse(text)
    } catch {
      // Not every answer is JSON.
    }
    return { status: answer.status, headers: answer.headers, body: parsed }
  }

  /**
   * Waits until the newest call's trace says it: what `pbx trace last` would show, without the start of a program each time. Asked five times a
   * second: there is a limit of requests.
   */
  async traced(what: RegExp, ms = 30_000): Promise<void> {
    const look = async () => {
      const calls = await this.api('GET', '/api/voice/calls?limit=1')
      if (calls.status !== 200) throw new Error(`the list of calls: ${calls.status} ${JSON.stringify(calls.body)}`)
      const [last] = calls.body.items as { callId: string }[]
      return last !== undefined && what.test(JSON.stringify((await this.api('GET', `/api/voice/calls/${last.callId}/trace`)).body))
    }
    await found(`${what} is not in the trace`, look, ms, 200)
  }

  /**
   * Runs `scripts/pbx` against this daemon. Of a test that asks and asks, the commonest commands run in one program after the first
   * few: to start one each time is most of what they cost.
   */
  pbx(...words: string[]): Promise<{ code: number | null; out: string; error: string }> {
    if (shows.has(words[0] ?? '') && !words.includes('--follow') && ++this.#shown > shownByThemselves) {
      this.#commands ??= new PbxCommands(this)
      if (this.#commands.idle) return this.#commands.run(...words)
    }
    const child = spawn(join(root, 'scripts', 'pbx'), words, {
      env: { ...process.env, PBXD_CONFIG: this.configFile, PBXD_SOCKET: join(this.dir, 'run', 'pbxd.sock') },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let error = ''
    child.stdout.setEncoding('utf8').on('data', (t: string) => (out += t))
    child.stderr.setEncoding('utf8').on('data', (t: string) => (error += t))
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, error })))
  }

  /** Process ids of pbx-engine, the child of this daemon, or of the one before it. */
  enginePids(): number[] {
    return processesOf('pbx-engine\0--standby', this.dir)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** kill -9, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#gone
  }

  /** SIGTERM, and waits; after `ms` kill -9 (and says so by `exit.signal`). Talks outlive it; SIGINT ends them. */
  async stop(ms = 10000, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (!this.#child || this.exit) return
    this.#child.kill(signal)
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), ms)
    await this.#gone
    clearTimeout(timer)
  }

  /** Stops and removes everything; no engine is left with a conversation that no daemon adopts any more. */
  async close(): Promise<void> {
    this.#commands?.close()
    await this.stop(10_000, 'SIGINT')
    endProcessesOf('pbx-engine', this.dir)
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return { msg: line, unparsed: true }
  }
}

/** The flags that scripts/start gives to Node. */
function startWords(name: 'NODE_FLAGS' | 'NODE_MEMORY'): string[] {
  const words = new RegExp(`^${name}="(.*)"$`, 'm').exec(readFileSync(join(root, 'scripts', 'lib.sh'), 'utf8'))?.[1] ?? ''
  return words.split(' ').filter((word) => word !== '')
}
