/** Two machines and a witness in namespaces of this one, with the files that `pbx cluster render` writes and Debian's Corosync, Pacemaker and qnetd. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stringify } from 'yaml'
import { root } from '../../../daemon/base/root.ts'
import { clusterFiles } from '../../../scripts/cli/cluster/files.ts'
import { parseCluster } from '../../../scripts/cli/cluster/read.ts'
import { until } from '../../../scripts/cluster/fleet.ts'
import { configuration, description, hub, network, pairAddress, powered } from './house.ts'
import { boot, writeStandIns } from './stand-ins.ts'

export type Name = 'a' | 'b' | 'witness'
const addresses: Readonly<Record<Name, string>> = { a: '10.212.0.2', b: '10.212.0.3', witness: '10.212.0.40' }
const stripPort = 9001

export interface Said {
  readonly code: number | null
  readonly out: string
}

export class Machines {
  readonly dir: string
  /** When a machine was switched off by the strip. */
  readonly fenced: { readonly name: Name; readonly at: number }[] = []
  readonly #running = new Map<Name, ChildProcess>()
  /** The most machines that had a daemon at one look. */
  mostServing = 0

  private constructor(dir: string) {
    this.dir = dir
  }

  /** `dir` is empty. The pair serves when this is done. */
  static async open(dir: string): Promise<Machines> {
    network(addresses)
    run('mount', '-t', 'tmpfs', '-o', 'size=2G', 'none', dir)
    mkdirSync(join(dir, 'disk'))
    run('mount', '-t', 'tmpfs', '-o', 'size=96M', 'none', join(dir, 'disk'))
    mkdirSync(join(dir, 'disk/etc'))
    writeFileSync(join(dir, 'disk/etc/pbxd.yaml'), stringify(configuration))
    const machines = new Machines(dir)
    machines.#install()
    machines.#strip()
    machines.#watch()
    await machines.boot('witness')
    await machines.certificates()
    await Promise.all([machines.boot('a'), machines.boot('b')])
    await until('Pacemaker of both', () => machines.in('a', 'crm_node', '-l').out.match(/member/g)?.length === 2, 60_000)
    const loaded = machines.in('a', 'cibadmin', '--replace', '--xml-file', '/etc/pbxd-pair/cib.xml')
    if (loaded.code !== 0) throw new Error(`the rules of the pair are refused: ${loaded.out}`)
    return machines
  }

  #install(): void {
    const { dir } = this
    for (const { machine, path, text } of clusterFiles(parseCluster(description, 'cluster.yaml'))) {
      const file = join(dir, machine, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, path.endsWith('cib.xml') ? withoutDrbd(text, join(dir, 'disk')) : text)
      if (text.startsWith('#!/')) chmodSync(file, 0o755)
    }
    for (const name of ['a', 'b'] as const) writeStandIns(join(dir, name), `http://${hub}:${stripPort}`, '1.0')
    run('corosync-keygen', '-l', '-k', join(dir, 'a/etc/corosync/authkey'))
    copyFileSync(join(dir, 'a/etc/corosync/authkey'), join(dir, 'b/etc/corosync/authkey'))
    mkdirSync(join(dir, 'witness'))
    writeFileSync(join(dir, 'boot.sh'), boot)
  }

  /** What switches a machine off: it dies at once, with all that runs on it. */
  #strip(): void {
    createServer((request, answer) => {
      const name = /^\/off\/(a|b)$/.exec(request.url ?? '')?.[1] as Name | undefined
      if (name === undefined) return answer.end('a strip')
      this.fenced.push({ name, at: performance.now() })
      void this.kill(name).then(() => answer.end('off'))
      return undefined
    }).listen(stripPort, hub)
  }

  /** Counts all the time on how many machines a daemon is. */
  #watch(): void {
    setInterval(() => {
      this.mostServing = Math.max(this.mostServing, this.serving().length)
    }, 200)
  }

  /** The machines on which a daemon is, by the processes of the host. */
  serving(): string[] {
    const found = new Set<string>()
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue
      try {
        if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('daemon/main.js\0--config\0/etc/pbxd'))
          found.add(readlinkSync(`/proc/${pid}/ns/net`))
      } catch {
        continue
      }
    }
    return [...found]
  }

  async boot(name: Name): Promise<void> {
    powered(name, addresses[name], true)
    const apart = ['--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc']
    const child = spawn('ip', ['netns', 'exec', name, 'unshare', ...apart, 'sh', join(this.dir, 'boot.sh'), name, this.dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#running.set(name, child)
    await new Promise<void>((up, fail) => {
      child.stdout.once('data', () => up())
      child.once('exit', () => fail(new Error(`${name} did not boot: ${this.log(name)}`)))
    })
  }

  /** Death of a machine, as when its power is cut: nobody hears its connections end. */
  async kill(name: Name): Promise<void> {
    const child = this.#running.get(name)
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((done) => child.once('exit', done))
    powered(name, addresses[name], false)
    process.kill(this.#init(name), 'SIGKILL')
    await gone
  }

  isOn(name: Name): boolean {
    const child = this.#running.get(name)
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  #init(name: Name): number {
    const { pid } = this.#running.get(name)!
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
  }

  /** Runs a program on a machine. */
  in(name: Name, ...words: string[]): Said {
    if (!this.isOn(name)) return { code: null, out: 'it is off' }
    const enter = ['--target', String(this.#init(name)), '--mount', '--pid', '--net', '--uts', '--ipc']
    const { status, stdout, stderr } = spawnSync('nsenter', [...enter, ...words], { encoding: 'utf8', timeout: 240_000 })
    return { code: status, out: `${stdout}${stderr}`.trim() }
  }

  /** The same, while others go on. */
  async later(name: Name, ...words: string[]): Promise<Said> {
    const enter = ['--target', String(this.#init(name)), '--mount', '--pid', '--net', '--uts', '--ipc']
    const child = spawn('nsenter', [...enter, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (out += piece.toString()))
    const code = await new Promise<number | null>((done) => child.once('close', done))
    return { code, out: out.trim() }
  }

  pbx(name: Name, ...words: string[]): Promise<Said> {
    return this.later(name, 'env', `PBXD_ROOT=${root}`, join(root, 'scripts/pbx'), ...words)
  }

  /** Pulls the cable of a machine, or plugs it in. */
  cable(name: Name, on: boolean): void {
    run('ip', 'link', 'set', `to-${name}`, on ? 'up' : 'down')
  }

  /** The machine that has the address of the pair; '' for none. Two would be an error of its own. */
  holder(): Name | '' {
    const has = (name: Name): boolean => this.isOn(name) && this.in(name, 'ip', '-o', 'address').out.includes(` ${pairAddress}/`)
    const all = (['a', 'b'] as const).filter(has)
    if (all.length > 1) throw new Error('both machines have the address')
    return all[0] ?? ''
  }

  async ready(ms = 120_000): Promise<number> {
    const is = async (): Promise<boolean> =>
      (await fetch(`http://${pairAddress}:8080/readyz`, { signal: AbortSignal.timeout(1000) }).catch(() => null))?.status === 200
    return until('the pair serves', is, ms)
  }

  /** As docs/pair.md says it: the witness signs the certificate of the pair. */
  async certificates(): Promise<void> {
    const { dir } = this
    const over = (name: Name, path: string): string => join(dir, 'over', name, 'etc/corosync', path)
    const shell = (name: Name, text: string): void => {
      const { code, out } = this.in(name, 'sh', '-ec', text)
      if (code !== 0) throw new Error(`${name}: ${text}: ${out}`)
    }
    await until('the certificate of the witness', () => existsSync(over('witness', 'qnetd/nssdb/qnetd-cacert.crt')), 30_000)
    // The machines have not booted: their folders are made ready with the programs of the host.
    shell('witness', `rm -rf /tmp/pair-nss; mkdir -p ${dir}/nss`)
    for (const name of ['a', 'b'] as const)
      shell(
        'witness',
        `mkdir -p ${dir}/${name}/etc/corosync/qdevice/net && mkdir -p /etc/corosync/qdevice && rm -rf /etc/corosync/qdevice/net && ` +
          `ln -s ${dir}/${name}/etc/corosync/qdevice/net /etc/corosync/qdevice/net && ` +
          `corosync-qdevice-net-certutil -i -c /etc/corosync/qnetd/nssdb/qnetd-cacert.crt && ` +
          (name === 'a'
            ? `corosync-qdevice-net-certutil -r -n pbxd && corosync-qnetd-certutil -s -c /etc/corosync/qdevice/net/nssdb/qdevice-net-node.crq -n pbxd && ` +
              `corosync-qdevice-net-certutil -M -c /etc/corosync/qnetd/nssdb/cluster-pbxd.crt && cp /etc/corosync/qdevice/net/nssdb/qdevice-net-node.p12 ${dir}/nss/`
            : `cp ${dir}/nss/qdevice-net-node.p12 /etc/corosync/qdevice/net/nssdb/ && corosync-qdevice-net-certutil -m -c /etc/corosync/qdevice/net/nssdb/qdevice-net-node.p12`),
      )
    await pause(10)
  }

  log(name: Name): string {
    const file = join(this.dir, `${name}.log`)
    return existsSync(file) ? readFileSync(file, 'utf8').slice(-3000) : ''
  }

  keep(to: string): void {
    for (const name of ['a', 'b', 'witness'] as const) {
      cpSync(join(this.dir, 'over', name, 'var/log'), join(to, name), { recursive: true })
      writeFileSync(join(to, `${name}.log`), existsSync(join(this.dir, `${name}.log`)) ? readFileSync(join(this.dir, `${name}.log`)) : '')
    }
  }
}

export function run(program: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`)
}

/** A folder that is mounted on one machine at a time, in place of the mirrored disk. */
function withoutDrbd(text: string, folder: string): string {
  return text
    .replace('provider="linbit" type="drbd"', 'provider="pacemaker" type="Stateful"')
    .replace('value="/dev/drbd0"', `value="${folder}"`)
    .replace(
      /(<nvpair id="files-values-fstype" name="fstype" value=)"ext4"\/>/,
      '$1"none"/><nvpair id="files-values-options" name="options" value="bind"/>',
    )
}
