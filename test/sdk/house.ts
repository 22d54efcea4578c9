/** A real box with an application on each of some numbers, and programs that run as a reader of the pages runs them. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { box } from 'pbxd'
import t from 'tap'
import { accepts } from '../../scripts/demo/processes.ts'
import { freePort, secret } from '../harness/daemon.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { password } from '../sip-driver/phones.ts'

export interface Program {
  readonly child: ChildProcess
  readonly said: () => string
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** An endpoint for each of `numbers`, which phones of the house dial; `+15550001001` reaches the last one from outside. */
export async function openHouse(numbers: readonly string[]) {
  const ports = new Map<string, number>()
  for (const number of numbers) ports.set(number, await freePort())
  const scene = await Scene.open({
    settings: (base) => {
      base['extensions'] = [{ number: '101', name: 'Front desk', password }]
      base['lines'] = [
        { id: 'line1', kind: 'sim', roles: ['fax'], number: '+15551230091' },
        { id: 'line2', kind: 'sim', roles: ['fax'], number: '+15551230092' },
      ]
      base['fax'] = { line: 'line1' }
      base['voice'] = {
        trace: 'full',
        endpoints: Array.from(ports, ([id, port]) => ({ id: `e${id}`, controlUrl: `http://127.0.0.1:${port}/voice`, secret })),
      }
      base['inbound'] = [
        ...numbers.map((to) => ({ extension: '*', to, destination: `endpoint:e${to}` })),
        { trunk: 'main', to: '+15550001000', destination: '101' },
        { trunk: 'main', to: '+15550001001', destination: `endpoint:e${numbers.at(-1)}` },
        { to: '+15551230092', destination: 'fax' },
      ]
    },
  })
  const { daemon } = scene
  const house = box({ url: daemon.http, token: daemon.token })
  t.teardown(() => scene.close())

  function started(file: string, env: Record<string, string> = {}, python = 'python3'): Program {
    const [program, words] = file.endsWith('.py')
      ? [python, ['-u', file]]
      : [process.execPath, ['--disable-warning=ExperimentalWarning', file]]
    const own = { PBX: daemon.http, TOKEN: daemon.token, SECRET: secret }
    const child = spawn(program, words, {
      env: { PATH: process.env['PATH'], PYTHONPATH: resolve('scripts/sdk/python'), ...own, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    const stop = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    }
    t.teardown(() => stop())
    return { child, said: () => text, stop }
  }

  return {
    scene,
    daemon,
    house,
    started,
    /** The program listens where the box asks for `number`. */
    async serving(file: string, number: string, env: Record<string, string> = {}, python?: string): Promise<Program> {
      const port = ports.get(number)!
      const program = started(file, { PORT: String(port), ...env }, python)
      await eventually(`${file} listens: ${program.said()}`, () => accepts(port))
      return program
    },
    /** All that a simulated call shows, as text. */
    async simulated(from: string, to: string, ...keys: string[]): Promise<string> {
      const lines: unknown[] = []
      for await (const line of house.simulateCall({ from, to, keys, say: '', speed: 20 })) lines.push(line)
      return JSON.stringify(lines)
    },
  }
}
