/** Runs many commands of `pbx`, one after the other, in one program of their own (pbx-served.ts). */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Daemon } from './daemon.ts'
import { root } from './daemon.ts'
import { endWithUs } from './processes.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

export class PbxCommands {
  readonly #child: ChildProcess

  constructor(daemon: Daemon, env: Record<string, string> = {}) {
    this.#child = fork(join(import.meta.dirname, 'pbx-served.ts'), [], {
      execArgv: ['--import', join(root, 'scripts', 'test-ahead.mjs')],
      env: {
        ...process.env,
        PBXD_ROOT: root,
        PBXD_CONFIG: daemon.configFile,
        PBXD_SOCKET: join(daemon.dir, 'run', 'pbxd.sock'),
        ...env,
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    endWithUs(this.#child)
  }

  run(...words: string[]): Promise<Ran> {
    return new Promise((done, broken) => {
      const ended = (code: number | null) => broken(new Error(`pbx ${words.join(' ')} ended its program with ${code}`))
      this.#child.once('exit', ended).once('message', (ran: Ran) => {
        this.#child.off('exit', ended)
        done(ran)
      })
      this.#child.send(words)
    })
  }

  close(): void {
    this.#child.disconnect()
  }
}
