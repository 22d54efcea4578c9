/**
 * Fax programs of strangers as Debian packs them, fetched once into .cache and unpacked only inside a system of their own (root.sh).
 * No maintainer's script of a package is ever run.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endWithUs } from '../harness/processes.ts'
import { patience } from '../harness/waiting.ts'

const run = promisify(execFile)
const cache = join(import.meta.dirname, '../../.cache/fax-peers')
const apart = [
  '--mount',
  '--pid',
  '--net',
  '--fork',
  '--kill-child',
  '--propagation',
  'private',
  'sh',
  join(import.meta.dirname, 'root.sh'),
]

export type PeerName = 'hylafax' | 'mgetty' | 'vgetty' | 'iaxmodem'

const packs: Readonly<Record<PeerName, { readonly packages: readonly string[]; readonly programs: readonly string[] }>> = {
  hylafax: {
    packages: ['hylafax-server', 'hylafax-client'],
    programs: ['/usr/sbin/faxq', '/usr/sbin/hfaxd', '/usr/sbin/faxgetty', '/usr/lib/hylafax/bin/faxsend', '/usr/bin/sendfax'],
  },
  mgetty: { packages: ['mgetty', 'mgetty-fax'], programs: ['/usr/sbin/mgetty', '/usr/sbin/sendfax', '/usr/bin/pbm2g3', '/usr/bin/g32pbm'] },
  vgetty: { packages: ['mgetty', 'mgetty-voice'], programs: ['/usr/sbin/vgetty', '/usr/bin/vm'] },
  iaxmodem: { packages: ['iaxmodem'], programs: ['/usr/bin/iaxmodem'] },
}

const missing = (name: string): boolean => !readdirSync(cache).some((file) => file.startsWith(`${name}_`))

/** The files of the packages; throws apt's words when they cannot be had. */
async function fetch(peer: PeerName): Promise<string[]> {
  const { packages } = packs[peer]
  mkdirSync(cache, { recursive: true })
  const wanted = packages.filter(missing)
  if (wanted.length > 0) {
    const part = mkdtempSync(join(cache, 'part-'))
    try {
      await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', ...wanted], { cwd: part, timeout: 60_000 })
      for (const file of readdirSync(part)) renameSync(join(part, file), join(cache, file))
    } finally {
      rmSync(part, { recursive: true, force: true })
    }
  }
  return readdirSync(cache)
    .filter((file) => packages.some((name) => file.startsWith(`${name}_`)))
    .map((file) => join(cache, file))
}

/** Why a peer cannot be used on this system, or false. */
export async function whyNot(peer: PeerName): Promise<string | false> {
  if (process.getuid?.() !== 0) return `${peer} needs root for a system of its own`
  let packages: string[]
  try {
    packages = await fetch(peer)
  } catch (error) {
    return `${peer} cannot be fetched: ${lastLine(error)}`
  }
  const place = mkdtempSync(join(tmpdir(), 'fax-peer-'))
  try {
    const look = 'LD_LIBRARY_PATH=/usr/lib/hylafax ldd "$@" | sed -n "s/.not found//p"; getent passwd uucp > /dev/null || echo user uucp'
    const { stdout } = await run('unshare', [...apart, place, ...packages, '--', 'sh', '-c', look, 'sh', ...packs[peer].programs])
    return stdout.trim() === '' ? false : `${peer} lacks ${stdout.replaceAll(/\s+/g, ' ').trim()}`
  } catch (error) {
    return `${peer} cannot have a system of its own here: ${lastLine(error)}`
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  return (stderr || message).trim().split('\n').at(-1) ?? ''
}

/** A peer that runs: a script of this folder in a system of its own. It says "ready" when it is. */
export class Peer {
  readonly #child: ChildProcess
  readonly #place: string
  readonly #over: Promise<void>
  #said = ''
  #heard = 0
  #waiting: (() => void)[] = []
  #ended = false

  private constructor(child: ChildProcess, place: string) {
    this.#child = child
    this.#place = place
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (bytes: Buffer) => {
        this.#said += bytes.toString('latin1')
        this.#wake()
      })
    }
    this.#over = new Promise((resolve) =>
      child.once('close', () => {
        this.#ended = true
        this.#wake()
        resolve()
      }),
    )
  }

  static async start(peer: PeerName, script: string, words: readonly string[]): Promise<Peer> {
    const packages = await fetch(peer)
    const place = mkdtempSync(join(tmpdir(), 'fax-peer-'))
    const child = spawn('unshare', [...apart, place, ...packages, '--', 'sh', join(import.meta.dirname, script), ...words], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    endWithUs(child)
    return new Peer(child, place)
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  order(line: string): void {
    this.#child.stdin!.write(`${line}\n`)
  }

  /** The next line that it says and that is like this. */
  async says(what: RegExp, usualMs = 100_000): Promise<string> {
    const ms = usualMs * patience
    const late = setTimeout(() => this.#wake(), ms)
    try {
      for (const until = Date.now() + ms; ;) {
        const whole = this.#said.lastIndexOf('\n') + 1
        for (const line of this.#said.slice(this.#heard, whole).split(/(?<=\n)/)) {
          this.#heard += line.length
          if (what.test(line)) return line.trim()
        }
        if (this.#ended || Date.now() >= until) throw new Error(`${what} was not said: ${this.#said.slice(-600)}`)
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
    } finally {
      clearTimeout(late)
    }
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#over
    rmSync(this.#place, { recursive: true, force: true })
  }
}
