/** What the measurements play on: a daemon with room for many calls, a meter for their audio, sipp to place them. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endlessDay, freePort, root } from '../../harness/daemon.ts'
import { childrenOf } from '../../harness/processes.ts'
import { Scene, eventually } from '../../harness/scene.ts'

/** Limits that keep a clinic's box safe, out of the way. */
export const generous = {
  requestsPerSecond: 100000,
  burst: 100000,
  originatesPerMinute: 100000,
  originateQueue: 10000,
  perDay: endlessDay,
}

export type Stage = typeof stage

/** Process ids of a box, asked for each time: the speech process comes and goes. Its engine is the one that it has now. */
export function processesOf(daemon: Scene['daemon']): () => Readonly<Record<'daemon' | 'engine' | 'speech', readonly number[]>> {
  const engine = daemon.enginePids()
  return () => ({ daemon: [daemon.pid], engine, speech: childrenOf(daemon.pid).filter((pid) => !engine.includes(pid)) })
}

/** A daemon without the limits that keep a clinic's box safe. `appUrl`: an application in another process. */
export function stage(
  options: {
    appUrl?: string
    startsPerSecond?: number
    block?: boolean
    speech?: Record<string, unknown>
    settings?: (base: Record<string, unknown>) => void
  } = {},
): Promise<Scene> {
  return Scene.open({
    compiled: true,
    ...(options.block ? { nodeArguments: ['--import', join(root, 'test', 'proofs', 'bench', 'block.ts')] } : {}),
    settings: (base) => {
      base['limits'] = { ...generous, originateStartsPerSecond: options.startsPerSecond ?? 1000 }
      const voice = base['voice'] as { endpoints: { controlUrl: string; statusCallbackUrl?: string }[] }
      base['voice'] = { ...voice, endpointRequests: 1000 }
      const [endpoint] = voice.endpoints
      if (endpoint && options.appUrl) endpoint.controlUrl = `${options.appUrl}/voice`
      if (endpoint) delete endpoint.statusCallbackUrl
      const [trunk] = base['trunks'] as { channels: number }[]
      if (trunk) trunk.channels = 400
      base['log'] = { level: 'warn' }
      if (options.speech) base['speech'] = options.speech
      options.settings?.(base)
    },
  })
}

export interface MeterReport {
  readonly packets: number
  readonly lost: number
  readonly over40ms: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** rtpmeter.c, compiled when it is newer than its binary. */
export class Meter {
  readonly basePort: number
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(basePort: number, child: ChildProcess) {
    this.basePort = basePort
    this.#child = child
    if (!child.stdout) throw new Error('no output')
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  }

  static async open(phones: number, address = '127.0.0.1'): Promise<Meter> {
    const source = join(root, 'test', 'proofs', 'bench', 'rtpmeter.c')
    const binary = join(root, '.cache', 'bench', 'rtpmeter')
    if (!existsSync(binary) || statSync(binary).mtimeMs < statSync(source).mtimeMs) {
      mkdirSync(join(root, '.cache', 'bench'), { recursive: true })
      execFileSync('cc', ['-O2', '-Wall', '-Wextra', '-o', binary, source], { stdio: 'inherit' })
    }
    // Above the daemon's own range and below the kernel's.
    for (let attempt = 0; attempt < 20; attempt++) {
      const base = 30000 + 2 * Math.floor(Math.random() * 400)
      const child = spawn(binary, [address, String(base), String(phones)], { stdio: ['pipe', 'pipe', 'ignore'] })
      const meter = new Meter(base, child)
      if ((await meter.#lines.next()).value === 'ready') return meter
    }
    throw new Error('no free ports for the meter')
  }

  async #ask(command: string): Promise<string> {
    this.#child.stdin?.write(`${command}\n`)
    return String((await this.#lines.next()).value)
  }

  async phones(): Promise<number> {
    return Number(await this.#ask('phones'))
  }

  async start(): Promise<void> {
    await this.#ask('start')
  }

  async report(): Promise<MeterReport> {
    return JSON.parse(await this.#ask('report')) as MeterReport
  }

  close(): void {
    this.#child.stdin?.end()
  }
}

export interface Load {
  /** Ends when all calls have; exit code of sipp. */
  readonly done: Promise<number>
  /** The last line of sipp's statistics, by column name. */
  statistics(): Record<string, string>
  messages(): string
  close(): Promise<void>
}

/** Many calls by one sipp: `rows` are its CSV lines, one for each call (repeated when there are fewer). */
export async function placeCalls(
  sipPort: number,
  scenario: string,
  rows: readonly string[],
  options: {
    calls: number
    rate: number
    atOnce?: number
    holdMs?: number
    trace?: boolean
    /** Own address, and whom it calls; 127.0.0.1 both. */
    from?: string
    to?: string
  },
): Promise<Load> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-load-'))
  const file = (name: string) => join(dir, name)
  writeFileSync(file('rows.csv'), `SEQUENTIAL\n${rows.join('\n')}\n`)
  const port = await freePort()
  const words = ['-sf', join(root, 'test', 'proofs', 'bench', scenario), '-inf', file('rows.csv'), '-nostdin', '-skip_rlimit']
  words.push(
    '-i',
    options.from ?? '127.0.0.1',
    '-p',
    String(port),
    '-cp',
    String(port - 40_000),
    '-t',
    'u1',
    '-default_behaviors',
    'none',
    '-cid_str',
    '%u-%p-load',
  )
  words.push(
    '-m',
    String(options.calls),
    '-l',
    String(options.atOnce ?? options.calls),
    '-r',
    String(options.rate),
    '-d',
    String(options.holdMs ?? 0),
  )
  words.push('-trace_stat', '-stf', file('stat.csv'), '-fd', '1', '-timeout', '180', '-buff_size', '4194304')
  if (options.trace) words.push('-trace_msg', '-message_file', file('messages'))
  words.push(`${options.to ?? '127.0.0.1'}:${sipPort}`)
  const child = spawn('sipp', words, { cwd: dir, stdio: 'ignore', env: { ...process.env, TERM: 'dumb' } })
  let code: number | null | undefined
  const done = new Promise<number>((resolve) => child.once('exit', (c) => resolve((code = c ?? 128))))
  return {
    done,
    statistics() {
      const lines = existsSync(file('stat.csv')) ? readFileSync(file('stat.csv'), 'utf8').trim().split('\n') : []
      const names = lines[0]?.split(';') ?? []
      const values = lines.at(-1)?.split(';') ?? []
      return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']))
    },
    messages: () => (existsSync(file('messages')) ? readFileSync(file('messages'), 'latin1') : ''),
    async close() {
      if (code === undefined) child.kill('SIGKILL')
      await done
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** `n` calls that last, their audio in a meter; resolves when every phone hears something. */
export async function hold(scene: Scene, meter: Meter, n: number): Promise<Load> {
  const rows = Array.from({ length: n }, (_, i) => `${meter.basePort + 2 * i};+1555${String(2000000 + i)}`)
  const load = await placeCalls(scene.daemon.sipPort, 'hold.xml', rows, { calls: n, rate: 25, holdMs: 150000 })
  try {
    await eventually(`${n} calls with audio`, async () => (await meter.phones()) >= n, 60000)
  } catch (e) {
    await load.close()
    throw new Error(`${await meter.phones()} of ${n} calls have audio`, { cause: e })
  }
  return load
}
