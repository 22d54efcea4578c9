/** Runs many commands of `pbx`, one after the other, in one program of their own (pbx-served.ts). */
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Daemon } from './daemon.ts'
import { endWithUs } from './processes.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

export class PbxCommands {
  readonly #child: ChildProcess
  #busy = false

  constructor({ configFile, dir }: Pick<Daemon, 'configFile' | 'dir'>, env: Record<string, string> = {}) {
    const root = join(import.meta.dirname, '..', '..')
    this.#child = fork(join(import.meta.dirname, 'pbx-served.ts'), [], {
      execArgv: ['--import', join(root, 'scripts', 'test-ahead.mjs')],
      env: {
        ...process.env,
        PBXD_ROOT: root,
        PBXD_CONFIG: configFile,
        PBXD_SOCKET: join(dir, 'run', 'pbxd.sock'),
        ...env,
      },
      // A terminal would have colours.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    endWithUs(this.#child)
    this.#child.unref()
    this.#child.channel?.unref()
  }

  /** Whether a command can be run now. */
  get idle(): boolean {
    return !this.#busy && this.#child.connected
  }

  run(...words: string[]): Promise<Ran> {
    this.#busy = true
    this.#child.channel?.ref()
    return new Promise<Ran>((done, broken) => {
      const ended = (code: number | null) => broken(new Error(`pbx ${words.join(' ')} ended its program with ${code}`))
      this.#child.once('exit', ended).once('message', (ran: Ran) => {
        this.#child.off('exit', ended)
        done(ran)
      })
      this.#child.send(words)
    }).finally(() => {
      this.#busy = false
      this.#child.channel?.unref()
    })
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect()
  }
}
