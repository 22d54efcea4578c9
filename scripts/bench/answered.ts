/** How many calls a second an application in another process can answer: INVITE, event, document, 200, ACK, BYE. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createSocket } from 'node:dgram'
import { root } from '../../test/harness/daemon.ts'
import { atLeast, fact } from './measure.ts'
import type { Measurement, Row } from './measure.ts'
import { placeCalls, stage } from './stage.ts'

/** A program of this folder that prints its port and serves until it is killed. */
export async function serve(name: string, ...words: string[]): Promise<{ port: number; close(): void }> {
  const child = spawn(process.execPath, [join(root, 'scripts', 'bench', name), ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())))
    child.once('exit', () => reject(new Error(`${name} ended`)))
  })
  return { port, close: () => void child.kill('SIGKILL') }
}

export const answered: Measurement = {
  name: 'answered',
  title: 'Calls answered by an application',
  async run() {
    const rows: Row[] = []
    const app = await serve('application.ts')
    const scene = await stage({ appUrl: `http://127.0.0.1:${app.port}` })
    // Takes the audio of the calls, so that the engine does not run into closed ports.
    const sink = createSocket('udp4')
    await new Promise<void>((done) => sink.bind(0, '127.0.0.1', done))
    try {
      const fields = Array.from({ length: 1000 }, (_, i) => `${sink.address().port};+1555${String(4000000 + i)}`)
      let best = 0
      for (const rate of [100, 200, 300, 400]) {
        const calls = rate * 8
        const began = performance.now()
        const load = await placeCalls(scene.daemon.sipPort, 'hold.xml', fields, { calls, rate, holdMs: 100, atOnce: 240 })
        await load.done
        const seconds = (performance.now() - began) / 1000
        const s = load.statistics()
        const good = Number(s['SuccessfulCall(C)'])
        const perSecond = good / seconds
        rows.push(
          fact(
            `asked ${rate}/s`,
            `${perSecond.toFixed(0)}/s`,
            `${good} of ${calls} calls good, ${s['Retransmissions(C)']} retransmissions`,
          ),
        )
        await load.close()
        if (good >= calls * 0.999) best = Math.max(best, perSecond)
        else if (good < calls * 0.9) break
      }
      rows.unshift(atLeast('calls a second, 99.9 % good', 300, '/s', best))
      return rows
    } finally {
      sink.close()
      app.close()
      await scene.close()
    }
  },
}
