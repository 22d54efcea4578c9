/** How many calls a second an application in another process can answer: INVITE, event, document, 200, ACK, BYE. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createSocket } from 'node:dgram'
import { root } from '../../harness/daemon.ts'
import { cpuMs } from '../../harness/processes.ts'
import type { Scene } from '../../harness/scene.ts'
import { atLeast, fact, type Measurement } from './measure.ts'
import { placeCalls, stage, type Stage } from './stage.ts'

/** A program of this folder that prints its port and serves until it is killed. */
export async function serve(name: string, ...words: string[]): Promise<{ port: number; close(): void }> {
  const child = spawn(process.execPath, [join(root, 'test', 'proofs', 'bench', name), ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())))
    child.once('exit', () => reject(new Error(`${name} ended`)))
  })
  return { port, close: () => void child.kill('SIGKILL') }
}

export interface Answered {
  readonly asked: number
  readonly perSecond: number
  readonly good: number
  readonly calls: number
  readonly retransmissions: string
  /** Of each process, for one call. */
  readonly cpuMs: { readonly daemon: number; readonly engine: number }
}

function spent({ daemon }: Scene): { daemon: number; engine: number } {
  return { daemon: cpuMs(daemon.pid), engine: cpuMs(daemon.enginePids()[0] ?? 0) }
}

/** Eight seconds of calls at each of these rates, as long as nearly all of them are good. */
export async function calling(open: Stage, rates: readonly number[]): Promise<Answered[]> {
  const seen: Answered[] = []
  const app = await serve('application.ts')
  const scene = await open({ appUrl: `http://127.0.0.1:${app.port}` })
  // Takes the audio of the calls, so that the engine does not run into closed ports.
  const sink = createSocket('udp4')
  await new Promise<void>((done) => sink.bind(0, '127.0.0.1', done))
  try {
    const fields = Array.from({ length: 1000 }, (_, i) => `${sink.address().port};+1555${String(4000000 + i)}`)
    for (const rate of rates) {
      const calls = rate * 8
      const began = performance.now()
      const before = spent(scene)
      const load = await placeCalls(scene.daemon.sipPort, 'hold.xml', fields, { calls, rate, holdMs: 100, atOnce: 240 })
      await load.done
      const seconds = (performance.now() - began) / 1000
      const after = spent(scene)
      const s = load.statistics()
      const good = Number(s['SuccessfulCall(C)'])
      seen.push({
        asked: rate,
        perSecond: good / seconds,
        good,
        calls,
        retransmissions: s['Retransmissions(C)'] ?? '',
        cpuMs: { daemon: (after.daemon - before.daemon) / calls, engine: (after.engine - before.engine) / calls },
      })
      await load.close()
      if (good < calls * 0.9) break
    }
    return seen
  } finally {
    sink.close()
    app.close()
    await scene.close()
  }
}

export const answered: Measurement = {
  name: 'answered',
  title: 'Calls answered by an application',
  async run() {
    const seen = await calling(stage, [100, 200, 300, 400])
    const best = Math.max(0, ...seen.filter(({ good, calls }) => good >= calls * 0.999).map(({ perSecond }) => perSecond))
    return [
      atLeast('calls a second, 99.9 % good', 300, '/s', best),
      ...seen.map(({ asked, perSecond, good, calls, retransmissions }) =>
        fact(`asked ${asked}/s`, `${perSecond.toFixed(0)}/s`, `${good} of ${calls} calls good, ${retransmissions} retransmissions`),
      ),
    ]
  },
}
