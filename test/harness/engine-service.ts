/**
 * pbx-engine as a service of its own, as an installed box has it: another user's where root runs the tests, restarted whenever it has
 * ended, and with one folder in common with the daemon. systemd's part of it is in test/proofs/box.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { enginePath } from '../engine/engine.ts'
import type { Daemon } from './daemon.ts'
import { endWithUs } from './processes.ts'
import { eventually, pause } from './scene.ts'

const nobody = 65_534
const asNobody = process.getuid?.() === 0 ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : []
const restartMs = 100

export class EngineService {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pbxd-engine-'))
  readonly socket = join(this.#folder, 'engine.sock')
  /** How often it was started. */
  starts = 0
  output = ''
  #child: ChildProcess | null = null
  #ended: Promise<unknown> = Promise.resolve()
  #wanted = false
  /** What is started. */
  program = enginePath

  constructor() {
    if (asNobody.length > 0) chownSync(this.#folder, nobody, nobody)
  }

  /** The daemon's environment for it. */
  get env(): Record<string, string> {
    return { PBXD_ENGINE_SOCKET: this.socket }
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Another file of the same program, as an upgrade leaves it behind. */
  before(): string {
    const copy = join(this.#folder, 'pbx-engine')
    copyFileSync(enginePath, copy)
    chmodSync(copy, 0o755)
    return copy
  }

  /** As tmpfiles.d makes it; the engine passes through the folders above and looks into none. */
  share(daemon: Daemon): string {
    const spool = join(daemon.dir, 'var', 'spool')
    mkdirSync(spool, { recursive: true })
    for (const above of [daemon.dir, join(daemon.dir, 'var')]) chmodSync(above, 0o711)
    if (asNobody.length > 0) chownSync(spool, 0, nobody)
    chmodSync(spool, 0o2770)
    return spool
  }

  async start(): Promise<void> {
    this.#wanted = true
    this.#spawn()
    await eventually('the engine listens', () => existsSync(this.socket))
  }

  #spawn(): void {
    this.starts += 1
    const [program = '', ...words] = [...asNobody, this.program, '--serve', this.socket]
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    endWithUs(child)
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (this.output += text))
    this.#child = child
    this.#ended = once(child, 'exit').then(async () => {
      await pause(restartMs)
      if (this.#wanted) this.#spawn()
    })
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#ended
  }

  /** As `systemctl stop`. */
  async stop(): Promise<void> {
    this.#wanted = false
    this.#child?.kill('SIGTERM')
    await this.#ended
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
