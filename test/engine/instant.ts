/**
 * Programs in C that run next to pbx-engine, compiled when they are newer than their binaries: a far end that answers within microseconds,
 * and what stops a thread.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

/** A C program of a folder, by its name without ending: the path of its binary. */
export function compiled(name: string, flags: readonly string[] = [], folder = import.meta.dirname): string {
  const source = join(folder, `${name}.c`)
  const binary = join(import.meta.dirname, '../../.cache/engine-test', name)
  if (!existsSync(binary) || statSync(binary).mtimeMs < statSync(source).mtimeMs) {
    mkdirSync(dirname(binary), { recursive: true })
    const part = `${binary}.${process.pid}`
    execFileSync('cc', ['-O2', '-Wall', '-Wextra', ...flags, '-o', part, source], { stdio: 'inherit' })
    renameSync(part, binary)
  }
  return binary
}

export interface InstantReport {
  /** Calls that came in. */
  readonly invites: number
  /** Calls it accepted that are to stand. */
  readonly standing: number
  /** Calls among them that were hung up. */
  readonly byes: number
}

export class InstantPeer {
  readonly port: number
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(port: number, child: ChildProcess, lines: AsyncIterator<string>) {
    this.port = port
    this.#child = child
    this.#lines = lines
  }

  static async open(address = '127.0.0.1'): Promise<InstantPeer> {
    const child = spawn(compiled('instant-peer'), [address], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const first = String((await lines.next()).value)
    return new InstantPeer(Number(/^ready (\d+)$/.exec(first)?.[1]), child, lines)
  }

  async report(): Promise<InstantReport> {
    this.#child.stdin?.write('report\n')
    return JSON.parse(String((await this.#lines.next()).value)) as InstantReport
  }

  async close(): Promise<void> {
    this.#child.stdin?.end()
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
  }
}

/** Stops one thread of a process until the function that is given back is called; `undefined` where the system does not let us. */
export async function stopThread(pid: number, name: string): Promise<(() => Promise<void>) | undefined> {
  const child = spawn(compiled('stopped-thread'), [String(pid), name], { stdio: ['pipe', 'pipe', 'inherit'] })
  const goOn = async (): Promise<void> => {
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  }
  const said: unknown = (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()).value
  if (said === 'stopped') return goOn
  await goOn()
  if (said === 'none') throw new Error(`process ${pid} has no thread ${name}`)
  return undefined
}
