/** Another machine, as far as its network goes: a namespace, kept by a process, joined to ours by pairs of interfaces. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { endWithUs } from '../../harness/processes.ts'

/** Runs in our own namespace; a command as words, or one without blanks in them. */
export function run(command: string | readonly string[]): string {
  const [program = '', ...args] = typeof command === 'string' ? command.split(' ') : command
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

run('ip link set lo up')

const namespaceOf = (pid: number | string): string => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`)
  } catch {
    return ''
  }
}

export class Machine {
  readonly #keeper: ChildProcess
  readonly #ours: string[] = []

  private constructor(keeper: ChildProcess) {
    this.#keeper = keeper
  }

  static async open(): Promise<Machine> {
    const keeper = spawn('unshare', ['-n', 'sleep', '600'], { stdio: 'ignore' })
    endWithUs(keeper)
    const ours = namespaceOf('self')
    while ([ours, ''].includes(namespaceOf(keeper.pid ?? 0))) await new Promise((resolve) => setTimeout(resolve, 5))
    const machine = new Machine(keeper)
    machine.run('ip link set lo up')
    return machine
  }

  get pid(): number {
    return this.#keeper.pid ?? 0
  }

  /** What makes a program run there. */
  get through(): string[] {
    return ['nsenter', '-t', String(this.pid), '-n']
  }

  run(command: string | readonly string[]): string {
    return run([...this.through, ...(typeof command === 'string' ? command.split(' ') : command)])
  }

  /** A line from here to there. `other`: the far end is another machine's, ours otherwise. */
  join(name: string, here: string, there: string, other?: Machine): void {
    run(`ip link add ${name} type veth peer name ${name}x`)
    run(`ip link set ${name} netns ${this.pid}`)
    if (other) run(`ip link set ${name}x netns ${other.pid}`)
    else this.#ours.push(`${name}x`)
    const far = other ? (command: string) => other.run(command) : run
    for (const [execute, device, address] of [[(c: string) => this.run(c), name, here] as const, [far, `${name}x`, there] as const]) {
      execute(`ip addr add ${address} dev ${device}${address.includes(':') ? ' nodad' : ''}`)
      execute(`ip link set ${device} up`)
    }
  }

  close(): void {
    for (const device of this.#ours) run(`ip link del ${device}`)
    this.#keeper.kill('SIGKILL')
  }
}
