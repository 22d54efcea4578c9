/**
 * Asterisk as the far end of faxes: an implementation of SIP, SDP and UDPTL that shares nothing with ours. Its T.30 is spandsp, as ours
 * is. Debian 12 has no package of it: install.sh makes a system with one in a folder of its own, and without that folder, or without
 * root, its cells are left out with the reason.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithUs } from '../../../harness/processes.ts'
import { freePort } from '../../../harness/daemon.ts'
import { until } from '../boxes.ts'
import { settings, type Account } from './settings.ts'

const system = process.env['PBXD_ASTERISK'] ?? '/var/tmp/asterisk'

/** Why Asterisk cannot be had on this machine, or false. */
export function whyNot(): string | false {
  if (process.getuid?.() !== 0) return 'Asterisk needs root for a system of its own'
  return existsSync(join(system, 'ready')) ? false : `there is no Asterisk in ${system}; test/proofs/fax/asterisk/install.sh puts it there`
}

/** What Asterisk says of a fax that it sent or received. */
export interface Verdict {
  readonly good: boolean
  readonly pages: number
  readonly text: string
}

export class Asterisk {
  readonly port: number
  readonly #work: string
  readonly #child: ChildProcess
  readonly #over: Promise<void>
  #jobs = 0

  private constructor(port: number, work: string, child: ChildProcess) {
    this.port = port
    this.#work = work
    this.#child = child
    this.#over = new Promise((resolve) => child.once('close', () => resolve()))
  }

  /** `accounts` gets the port that it will listen on, since the boxes must know it before. */
  static async start(accounts: (port: number) => Promise<readonly Account[]>): Promise<Asterisk> {
    const work = mkdtempSync(join(tmpdir(), 'asterisk-'))
    for (const name of ['etc', 'var', 'spool/outgoing', 'log', 'in', 'out']) mkdirSync(join(work, name), { recursive: true })
    const port = await freePort()
    const libraries = join(system, 'usr/lib')
    const modules = readdirSync(libraries).find((name) => existsSync(join(libraries, name, 'asterisk/modules')))
    const files = settings(port, [50_000, 50_999], await accounts(port), `/usr/lib/${modules}/asterisk/modules`)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(work, 'etc', name), text)
    const script = join(import.meta.dirname, 'root.sh')
    const words = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private', 'sh', script, system, work]
    const child = spawn('unshare', words, { stdio: 'ignore' })
    endWithUs(child)
    const asterisk = new Asterisk(port, work, child)
    try {
      await until(async () => (asterisk.log().includes('Asterisk Ready') ? true : undefined), 'Asterisk', 30_000, 100)
    } catch (error) {
      const said = asterisk.log().slice(-2000)
      await asterisk.close()
      throw new Error(`Asterisk did not start: ${said}`, { cause: error })
    }
    return asterisk
  }

  log(): string {
    const file = join(this.#work, 'log/full')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  /** The TIFF of a fax that it received under this number. */
  received(number: string): string {
    return join(this.#work, 'in', `${number}.tif`)
  }

  /** A file for a document that it is to send; `make` writes it. */
  document(name: string, make: (file: string) => void): void {
    make(join(this.#work, 'out', `${name}.tif`))
  }

  /** Calls `to` on the box of `account`, and sends document `name`. `options`: of SendFAX(). */
  send(name: string, account: string, to: string, ecm: boolean, options: string): void {
    const lines = [
      `Channel: PJSIP/${to}@${account}`,
      'Context: faxes',
      'Extension: send',
      'Priority: 1',
      'WaitTime: 30',
      `Setvar: JOB=${name}`,
      `Setvar: ECM=${ecm ? 'yes' : 'no'}`,
      `Setvar: OPTIONS=${options}`,
      '',
    ]
    const draft = join(this.#work, 'spool', `call-${this.#jobs++}`)
    writeFileSync(draft, lines.join('\n'))
    renameSync(draft, join(this.#work, 'spool/outgoing', `call-${this.#jobs}`))
  }

  /** Its words on the fax to that number, or the document of that name. */
  async verdict(name: string, ms: number): Promise<Verdict> {
    const file = join(this.#work, 'in', `${name}.verdict`)
    const text = await until(
      async () => {
        const said = existsSync(file) ? readFileSync(file, 'utf8') : ''
        return said.includes('\n') ? said.trim() : undefined
      },
      `what Asterisk says of ${name}`,
      ms,
    )
    const [status = '', pages = ''] = text.split('|')
    return { good: status === 'SUCCESS', pages: Number(pages), text }
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#over
    rmSync(this.#work, { recursive: true, force: true })
  }
}
