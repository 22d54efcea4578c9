/**
 * Three boxes behind two machines with Kamailio, HAProxy and keepalived on one Linux machine, each in a network namespace of its own, from one cluster.yaml. To be
 * run as root in fresh namespaces of the network, of mounts and of processes: `unshare --net --mount --pid --fork --kill-child --mount-proc`.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { root } from '../../daemon/base/root.ts'
import type { Cluster } from '../../daemon/schema/cluster.ts'
import { clusterFiles } from '../cli/cluster/files.ts'
import { parseCluster } from '../cli/cluster/read.ts'

export const edge = '10.211.0.10'
export const provider = '10.211.0.20'
/** Where the application answers, and where clients are. */
export const application = '10.211.0.1'
export const token = 'fleet-0123456789abcdef'
/** Further addresses outside the namespaces of the edge and of the boxes: of phones and of clients. */
const outside = [application, provider, '10.211.0.30', '10.211.0.31', '10.211.0.41', '10.211.0.42', '10.211.0.43']

const description = `# Three boxes behind one address; programs poll the inbox of 001, which collects those of the others.
edge:
  address: ${edge}/24
  interface: eth0
  machines: [{ name: e1, address: 10.211.0.8 }, { name: e2, address: 10.211.0.9 }]
  providers: [${provider}]
boxes:
  - { id: "001", address: 10.211.0.11, extensions: "1xx", http: "http://10.211.0.11:8080" }
  - { id: "002", address: 10.211.0.12, extensions: "2xx", http: "http://10.211.0.12:8080" }
  - { id: "003", address: 10.211.0.13, extensions: "3xx", http: "http://10.211.0.13:8080" }
inbox: "001"
`

/** Why this machine cannot have a fleet; null where it can. */
export function whyNoFleet(): string | null {
  if (process.getuid?.() !== 0) return 'namespaces need root'
  const missing = ['/usr/sbin/kamailio', '/usr/sbin/haproxy', '/usr/sbin/keepalived'].filter((file) => !existsSync(file))
  if (missing.length > 0) return `${missing.join(' and ')} is not there: apt-get install kamailio haproxy keepalived`
  return spawnSync('unshare', ['--net', '--mount', 'true']).status === 0 ? null : 'this machine lets nobody make namespaces'
}

export class FleetBox {
  readonly id: string
  readonly address: string
  readonly dir: string
  readonly api: string
  #child: ChildProcess | undefined

  constructor(id: string, address: string, dir: string) {
    Object.assign(this, { id, address, dir })
    this.id = id
    this.address = address
    this.dir = dir
    this.api = `http://${address}:8080`
  }

  start(): void {
    const program = join(root, '.cache/program/daemon/main.js')
    this.#child = inside(this.id, join(this.dir, 'log'), process.execPath, program, '--config', join(this.dir, 'pbxd.yaml'))
  }

  async ready(ms = 60_000): Promise<void> {
    await until(`box ${this.id} is ready`, async () => (await fetch(`${this.api}/readyz`).catch(() => null))?.status === 200, ms)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** kill -9 of the daemon. `engine`: of pbx-engine as well, as when the machine dies. */
  async kill(engine: boolean): Promise<void> {
    const gone = new Promise((done) => this.#child?.once('exit', done))
    this.signal('SIGKILL')
    await gone
    if (!engine) return
    for (const pid of this.pids()) process.kill(pid, 'SIGKILL')
  }

  /** Changes the configuration file; the next start reads it. */
  write(change: (config: Written) => void): void {
    const file = join(this.dir, 'pbxd.yaml')
    const config = parse(readFileSync(file, 'utf8')) as Written
    change(config)
    writeFileSync(file, stringify(config))
  }

  /** SIGTERM, its end, and the next start. */
  async restart(): Promise<void> {
    const gone = new Promise((done) => this.#child?.once('exit', done))
    this.signal('SIGTERM')
    await gone
    this.start()
    await this.ready()
  }

  /** Processes that run on this machine. */
  pids(): number[] {
    return pidsOf(this.id)
  }

  pbx(...words: string[]): { readonly code: number | null; readonly out: string } {
    const env = { ...process.env, PBXD_CONFIG: join(this.dir, 'pbxd.yaml'), PBXD_SOCKET: join(this.dir, 'run/pbxd.sock') }
    const { status, stdout, stderr } = spawnSync(join(root, 'scripts/pbx'), words, { env, encoding: 'utf8' })
    return { code: status, out: stdout + stderr }
  }
}

/** Processes that run on a machine or a box. */
export function pidsOf(name: string): number[] {
  return spawnSync('ip', ['netns', 'pids', name], { encoding: 'utf8' })
    .stdout.split('\n')
    .flatMap((pid) => (pid === '' ? [] : [Number(pid)]))
}

/** A configuration as it is written. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Written = Record<string, any>

export type EdgeProgram = 'kamailio' | 'haproxy' | 'keepalived'

export interface FleetOptions {
  readonly describe?: (description: string) => string
  readonly settings?: (config: Written, box: FleetBox) => void
}

export class Fleet {
  readonly boxes: readonly FleetBox[]
  readonly file: string
  readonly cluster: Cluster
  readonly #machines: ReadonlyMap<string, EdgeMachine>

  private constructor(boxes: readonly FleetBox[], machines: ReadonlyMap<string, EdgeMachine>, file: string, cluster: Cluster) {
    this.boxes = boxes
    this.#machines = machines
    this.file = file
    this.cluster = cluster
  }

  /** `dir` is empty. Ready when the edge sends calls to all boxes. */
  static async open(dir: string, { describe = (text) => text, settings }: FleetOptions = {}): Promise<Fleet> {
    const file = join(dir, 'cluster.yaml')
    const text = describe(description)
    writeFileSync(file, text)
    const cluster = parseCluster(text, file)
    network(cluster)
    for (const { machine, path, text: content } of clusterFiles(cluster)) {
      mkdirSync(dirname(join(dir, machine, path)), { recursive: true })
      writeFileSync(join(dir, machine, path), content)
    }
    const boxes = cluster.boxes.map(({ id, address }) => new FleetBox(id, address, join(dir, id)))
    for (const box of boxes) {
      writeFileSync(join(box.dir, 'pbxd.yaml'), stringify(configOf(box, cluster)))
      if (settings !== undefined) box.write((config) => settings(config, box))
      box.start()
    }
    const machines = new Map(cluster.edge.machines.map(({ name }) => [name, new EdgeMachine(name, join(dir, name))]))
    await Promise.all(boxes.map((box) => box.ready()))
    const fleet = new Fleet(boxes, machines, file, cluster)
    await until('HAProxy serves', async () => (await fleet.api('GET', '/readyz').catch(() => null))?.status === 200, 20_000)
    return fleet
  }

  /** The machine of the edge that has the address; '' for none, or for two. */
  holder(): string {
    const has = ({ name }: { readonly name: string }): boolean =>
      spawnSync('ip', ['-n', name, '-o', 'address', 'show', 'dev', 'eth0'], { encoding: 'utf8' }).stdout.includes(` ${edge}/`)
    const all = this.cluster.edge.machines.filter(has)
    return all.length === 1 ? all[0]!.name : ''
  }

  /** kill -9 of a program of a machine of the edge. */
  killProgram(machine: string, program: EdgeProgram): void {
    this.#machines.get(machine)?.kill(program)
  }

  startProgram(machine: string, program: EdgeProgram): void {
    this.#machines.get(machine)?.start(program)
  }

  /** Pulls the cable of a machine or a box, or plugs it in. */
  cable(name: string, on: boolean): void {
    run('ip', 'link', 'set', `to-${name}`, on ? 'up' : 'down')
  }

  /** A request to the edge with the token of the fleet. */
  async api(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<FleetAnswer> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(`http://${edge}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const parsed: unknown = answer.headers.get('content-type')?.startsWith('application/json') && text !== '' ? JSON.parse(text) : text
    return { status: answer.status, box: answer.headers.get('x-box') ?? '', headers: answer.headers, body: parsed as FleetAnswer['body'] }
  }
}

export interface FleetAnswer {
  readonly status: number
  /** The box that answered; '' for HAProxy itself. */
  readonly box: string
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Ends all others of this namespace of processes, so that none writes into the folder any more, and removes it. */
export function clear(dir: string): void {
  if (process.pid === 1) process.kill(-1, 'SIGKILL')
  rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
}

export async function until(what: string, is: () => boolean | Promise<boolean>, ms: number): Promise<number> {
  const began = performance.now()
  while (!(await is())) {
    if (performance.now() - began > ms) throw new Error(`not within ${ms} ms: ${what}`)
    await pause(50)
  }
  return performance.now() - began
}

function run(program: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`)
}

/** One bridge with a cable to each namespace; what is outside is on the bridge itself. */
function network({ edge: { machines: all }, boxes }: Cluster): void {
  const machines = all.map(({ name, address }) => [name, address] as const)
  const ip = (...words: string[]): void => run('ip', ...words)
  mkdirSync('/run/netns', { recursive: true })
  run('mount', '--make-rprivate', '/')
  run('mount', '-t', 'tmpfs', 'none', '/run/netns')
  ip('link', 'set', 'lo', 'up')
  ip('link', 'add', 'name', 'bridge0', 'type', 'bridge')
  ip('link', 'set', 'bridge0', 'up')
  for (const address of outside) ip('address', 'add', `${address}/24`, 'dev', 'bridge0')
  for (const [name, address] of [...machines, ...boxes.map((box) => [box.id, box.address] as const)]) {
    ip('netns', 'add', name)
    ip('link', 'add', 'name', `to-${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    ip('link', 'set', `to-${name}`, 'master', 'bridge0', 'up')
    ip('-n', name, 'link', 'set', 'lo', 'up')
    ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
    ip('-n', name, 'link', 'set', 'eth0', 'up')
  }
}

/** A machine of the edge: its programs find their files where the description puts them, and see no processes but those of this machine. */
class EdgeMachine {
  readonly #name: string
  readonly #dir: string
  readonly #shell: ChildProcess

  constructor(name: string, dir: string) {
    this.#name = name
    this.#dir = dir
    run('ip', 'netns', 'exec', name, 'sysctl', '-qw', 'net.ipv4.ip_nonlocal_bind=1')
    const folders = ['kamailio', 'haproxy', 'keepalived'].map((one) => `mount --bind ${dir}/etc/${one} /etc/${one}`).join(' && ')
    // The first process of the machine starts what it reads a line of, and buries who dies, as an init does.
    const first = `${folders} && while read -r line; do eval "exec $line" & done`
    const apart = ['--pid', '--mount', '--fork', '--kill-child', '--mount-proc']
    this.#shell = spawn('ip', ['netns', 'exec', name, 'unshare', ...apart, 'bash', '-c', first], { stdio: ['pipe', 'ignore', 'inherit'] })
    for (const program of ['kamailio', 'haproxy', 'keepalived'] as const) this.start(program)
  }

  start(program: EdgeProgram): void {
    const dir = this.#dir
    const words = {
      kamailio: `-DD -E -f /etc/kamailio/kamailio.cfg -P ${join(dir, 'kamailio.pid')} -Y ${dir} -m 64 -M 8`,
      haproxy: '-db -f /etc/haproxy/haproxy.cfg',
      keepalived: `-nlD -f /etc/keepalived/keepalived.conf -p ${join(dir, 'keepalived.pid')} -r ${join(dir, 'vrrp.pid')}`,
    }[program]
    this.#shell.stdin?.write(`/usr/sbin/${program} ${words} >> ${join(dir, `${program}.log`)} 2>&1\n`)
  }

  /** kill -9 of all its processes. */
  kill(program: EdgeProgram): void {
    const pids = spawnSync('pgrep', ['-x', program], { encoding: 'utf8' }).stdout.split('\n').map(Number)
    for (const pid of pidsOf(this.#name)) if (pids.includes(pid)) process.kill(pid, 'SIGKILL')
  }
}

/** Runs a program in a namespace; what it prints goes to a file. */
function inside(namespace: string, log: string, program: string, ...words: string[]): ChildProcess {
  const child = spawn('ip', ['netns', 'exec', namespace, program, ...words], {
    env: { ...process.env, PBXD_ROOT: root },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const file = createWriteStream(log, { flags: 'a' })
  child.stdout.pipe(file, { end: false })
  child.stderr.pipe(file, { end: false })
  return child
}

/** All boxes have the same configuration but for what the cluster says of each. */
function configOf({ id, address, dir }: FleetBox, cluster: Cluster): object {
  const app = `http://${application}:9000`
  const edges = [edge, ...cluster.edge.machines.map((machine) => machine.address)]
  const sha256 = createHash('sha256').update(token).digest('hex')
  return {
    box: { id, inbox: cluster.inbox },
    ...(id === cluster.inbox
      ? { collect: { boxes: cluster.boxes.filter((box) => box.id !== id).map((box) => ({ id: box.id, api: box.http, token })) } }
      : {}),
    site: { name: `Box ${id}`, country: 'US', timeZone: 'America/New_York' },
    storage: { dir: join(dir, 'var') },
    http: { listen: `${address}:8080`, trustedProxies: edges },
    control: { socket: join(dir, 'run/pbxd.sock') },
    auth: { tokens: [{ name: 'fleet', sha256, scopes: ['send', 'inbox', 'voice', 'crm', 'admin'] }] },
    sip: { udp: `${address}:5060`, tcp: 'off', edges, rtpPorts: '10000-10999' },
    trunks: [
      {
        ...{ id: 'main', server: provider, outboundProxy: edge, username: 'clinic', password: 'secret', register: false },
        ...{ numbers: ['+15550001000'], channels: 100, default: true, srtp: 'off' },
      },
    ],
    extensions: [`101`, `201`, `301`].map((number) => ({ number, password: `a-long-password-of-${number}` })),
    voice: { endpoints: [{ id: 'app', controlUrl: `${app}/voice`, secret: 'whsec_voice_0123456789abcdef' }] },
    outbound: [{ to: '+1*', trunks: ['main'] }],
    inbound: [{ trunk: 'main', destination: 'endpoint:app' }],
    sms: { trunks: [{ id: 'voip', kind: 'sip', trunk: 'main', number: '+15550001000' }] },
    limits: { requestsPerSecond: 1000, burst: 1000 },
  }
}

/** The last lines of what each program said. */
export function saidIn(dir: string): string {
  const files = ['e1/kamailio.log', 'e1/haproxy.log', 'e1/keepalived.log', 'e2/keepalived.log', '001/log', '002/log', '003/log'].map(
    (name) => join(dir, name),
  )
  return files.flatMap((file) => (existsSync(file) ? [`== ${file}`, readFileSync(file, 'utf8').slice(-1500)] : [])).join('\n')
}
