/** Asterisk 22 in the folder that test/proofs/fax/asterisk/install.sh makes, as a provider: its accounts, its manager interface, what it heard. */
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linearToUlaw, readWav, toEightKhz, tone } from '../../../harness/audio.ts'
import { Authority } from '../../../harness/authority.ts'
import { freePort } from '../../../harness/daemon.ts'
import { childrenOf, endWithUs } from '../../../harness/processes.ts'
import { pause, type Far } from '../box.ts'
import { levelOf } from '../sound.ts'
import { settings, type AccountName, type Places } from './asterisk-settings.ts'

export { whyNot } from '../../fax/asterisk/asterisk.ts'

const system = process.env['PBXD_ASTERISK'] ?? '/var/tmp/asterisk'
export const host = '127.0.0.5'
const amplitude = 8000

type Event = Readonly<Record<string, string>>

export class Asterisk {
  readonly places: Places
  readonly caFile: string
  readonly authority: Authority
  readonly events: Event[] = []
  readonly #work: string
  readonly #child: ChildProcess
  readonly #over: Promise<void>
  #manager: Socket | undefined
  #actions = 0

  private constructor(places: Places, work: string, authority: Authority, child: ChildProcess) {
    this.places = places
    this.#work = work
    this.#child = child
    this.authority = authority
    this.caFile = authority.file
    this.#over = new Promise((resolve) => child.once('close', () => resolve()))
  }

  /** `quiet`: without a log of the messages, as for measurements. `more` changes its files, by name. */
  static async start({
    quiet = false,
    more = (files: Record<string, string>) => files,
  }: { quiet?: boolean; more?: (files: Record<string, string>) => Record<string, string> } = {}): Promise<Asterisk> {
    const work = mkdtempSync(join(tmpdir(), 'asterisk-'))
    chmodSync(work, 0o755)
    for (const name of ['etc', 'var', 'spool', 'log', 'in', 'out', 'keys']) mkdirSync(join(work, name), { recursive: true })
    const authority = await Authority.create(join(work, 'authority'))
    const { cert, key } = await authority.issue('asterisk', 'DNS:asterisk.clinic.test')
    for (const [from, to] of [
      [cert, 'asterisk.pem'],
      [key, 'asterisk.key'],
      [authority.file, 'ca.pem'],
    ] as const)
      cpSync(from, join(work, 'keys', to))
    writeFileSync(join(work, 'out/tone.sln'), Buffer.from(tone(1000, 30_000, amplitude).buffer))
    writeFileSync(join(work, 'out/short.sln'), Buffer.from(tone(1000, 2000, amplitude).buffer))
    writeFileSync(join(work, 'out/load.ulaw'), Uint8Array.from(tone(1000, 180_000, amplitude), linearToUlaw))
    const places: Places = {
      host,
      udp: await freePort(host),
      tls: await freePort(host),
      manager: await freePort(host),
      http: await freePort(host),
    }
    const libraries = join(system, 'usr/lib')
    const modules = readdirSync(libraries).find((name) => existsSync(join(libraries, name, 'asterisk/modules')))
    for (const [name, text] of Object.entries(more(settings(places, `/usr/lib/${modules}/asterisk/modules`, [50_000, 59_999]))))
      writeFileSync(join(work, 'etc', name), text)
    const script = join(import.meta.dirname, '../../fax/asterisk/root.sh')
    const words = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private', 'sh', script, system, work]
    const child = spawn('unshare', words, { stdio: 'ignore' })
    endWithUs(child)
    const asterisk = new Asterisk(places, work, authority, child)
    try {
      for (let attempt = 0; !asterisk.log().includes('Asterisk Ready'); attempt += 1) {
        if (attempt > 300 || child.exitCode !== null) throw new Error('it is not ready')
        await pause(100)
      }
      await asterisk.#login()
      if (!quiet) await asterisk.action({ Action: 'Command', Command: 'pjsip set logger on' })
    } catch (error) {
      const said = asterisk.log().slice(-1500)
      await asterisk.close()
      throw new Error(`Asterisk did not start: ${said}`, { cause: error })
    }
    return asterisk
  }

  async #login(): Promise<void> {
    const socket = (this.#manager = connect(this.places.manager, host))
    await new Promise<void>((resolve, reject) => socket.once('error', reject).once('connect', resolve))
    socket.on('error', () => undefined)
    let rest = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      const blocks = (rest + text).split('\r\n\r\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) this.events.push(fields(block))
    })
    await this.action({ Action: 'Login', Username: 'matrix', Secret: 'secret' })
  }

  /** Sends an order of the manager interface; gives the first answer to it. */
  async action(members: Event): Promise<Event> {
    const id = `m${++this.#actions}`
    const lines = Object.entries({ ...members, ActionID: id }).map(([name, text]) => `${name}: ${text}\r\n`)
    this.#manager?.write(`${lines.join('')}\r\n`)
    return this.event(`an answer to ${members['Action']}`, (one) => one['ActionID'] === id && one['Response'] !== undefined)
  }

  async event(what: string, fits: (event: Event) => boolean, ms = 10_000): Promise<Event> {
    for (const deadline = Date.now() + ms; ; await pause(20)) {
      const found = this.events.find(fits)
      if (found) return found
      if (Date.now() > deadline) throw new Error(`Asterisk: no ${what}`)
    }
  }

  /** Calls a number of the box of an account, or (without one) its registered contact; the answering party is led to `extension`. */
  async call(account: AccountName, extension: string, number = '+15550001000'): Promise<void> {
    const channel = number === '' ? `PJSIP/${account}` : `PJSIP/${number}@${account}`
    const order = {
      Action: 'Originate',
      Channel: channel,
      Context: 'calls',
      Exten: extension,
      Priority: '1',
      Async: 'true',
      Timeout: '30000',
    }
    const answer = await this.action({ ...order, CallerID: '15551230001' })
    if (answer['Response'] !== 'Success') throw new Error(`Asterisk does not call: ${answer['Message']}`)
  }

  /** Everything it wrote down, SIP messages included. */
  log(): string {
    const file = join(this.#work, 'log/full')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  /** What the call of that name (the digits of its extension) sent it, once it has ended. */
  ear(name: string): Far {
    const heard = async (): Promise<Int16Array> => {
      const file = join(this.#work, 'in', `rx-${name}.wav`)
      let size = -1
      for (let attempt = 0; attempt < 100; attempt += 1) {
        const now = existsSync(file) ? readFileSync(file).length : -1
        if (now === size && now > 8000) break
        size = now
        await pause(100)
      }
      if (!existsSync(file)) throw new Error('Asterisk recorded nothing')
      const { samples, sampleRate } = readWav(readFileSync(file))
      return toEightKhz(samples, sampleRate)
    }
    return { hz: 1000, level: levelOf(amplitude), heard }
  }

  /** Its process, in this system's numbers. */
  get pid(): number {
    return childrenOf(this.#child.pid ?? 0)[0] ?? 0
  }

  async close(): Promise<void> {
    this.#manager?.destroy()
    this.#child.kill('SIGKILL')
    await this.#over
    rmSync(this.#work, { recursive: true, force: true })
  }
}

function fields(block: string): Event {
  const found: Record<string, string> = {}
  for (const line of block.split('\r\n')) {
    const colon = line.indexOf(': ')
    if (colon > 0) found[line.slice(0, colon)] = line.slice(colon + 2)
  }
  return found
}
