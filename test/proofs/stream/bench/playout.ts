/** How exact playout is: from `clear` to silence, and from the last sample before a mark to its echo. One clock: this process is server and phone. */
import { freePort } from '../../../harness/daemon.ts'
import { pause } from '../../../harness/scene.ts'
import { placeCalls, stage } from '../../bench/stage.ts'
import { recorder } from '../../../harness/streams/manners.ts'
import { StreamServer } from '../../../harness/streams/server.ts'
import { tonePiece } from '../../../harness/streams/tones.ts'
import { reaching, streamDocument } from '../sides.ts'
import { Probe } from './probe.ts'

export interface Playout {
  /** From `clear` to the arrival of the last packet with sound, ms; 0 when none came after it. */
  readonly clear: readonly number[]
  /** From the arrival of the packet with the last sample before a mark to the arrival of its echo, ms. */
  readonly mark: readonly number[]
  readonly faults: readonly string[]
}

export async function playout(rounds: number): Promise<Playout> {
  const port = await freePort()
  const server = await StreamServer.open(recorder(), { port })
  const scene = await stage({ settings: reaching(port) })
  const probe = await Probe.open('127.0.0.1', { pulses: false })
  scene.app.script = (event) => (event.event === 'call.inbound.pre_route' ? streamDocument(`${server.url}/media`) : [])
  const call = await placeCalls(scene.daemon.sipPort, 'hold.xml', [`${probe.port};+15551230001`], { calls: 1, rate: 1, holdMs: 150_000 })
  try {
    const session = await server.session()
    await session.frame('media', 25)
    const clear: number[] = []
    const mark: number[] = []
    for (let n = 0; n < rounds; n += 1) {
      // Never the same place in the frame of 20 ms.
      session.media(tonePiece(0, 8000 + n * 37))
      await pause(300 + ((n * 7) % 20))
      const at = performance.now()
      session.clear()
      await pause(250)
      clear.push(Math.max(0, probe.lastLoudAt - at))
      session.media(tonePiece(0, 1600 + n * 37))
      session.mark(`m${n}`)
      const { at: echoed } = await session.frame('mark', n + 1)
      await pause(150)
      mark.push(echoed - probe.lastLoudAt)
    }
    return { clear, mark, faults: server.allFaults() }
  } finally {
    await call.close()
    probe.close()
    await scene.close()
    await server.close()
  }
}
