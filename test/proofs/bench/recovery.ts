/** kill -9 of the engine under two calls: when the next one is there, when the calls have their end, and how the API answers meanwhile. */
import { eventually, pause } from '../../harness/scene.ts'
import { atMost, describe, spread, type Measurement } from './measure.ts'
import { stage } from './stage.ts'

const rounds = 5

export const recovery: Measurement = {
  name: 'recovery',
  title: 'The engine is killed',
  async run() {
    const scene = await stage()
    const { app, daemon } = scene
    const back: number[] = []
    const ends: number[] = []
    let slowest = 0
    try {
      app.script = () => [{ gather: { timeout: 60 } }]
      for (let round = 0; round < rounds; round++) {
        app.reset()
        for (const caller of [await scene.call(), await scene.call({ from: '+15551230002' })])
          await caller.rtp.until('audio', () => caller.rtp.packets.length > 10)
        const [pid] = daemon.enginePids()
        const killed = performance.now()
        process.kill(pid!, 'SIGKILL')
        await pause(30)
        await eventually(
          'the engine is back',
          async () => {
            const asked = performance.now()
            await fetch(`${daemon.http}/healthz`)
            slowest = Math.max(slowest, performance.now() - asked)
            return daemon.enginePids().some((other) => other !== pid) && (await fetch(`${daemon.http}/readyz`)).status === 200
          },
          30_000,
        )
        back.push(performance.now() - killed)
        for (let n = 1; n <= 2; n++) ends.push((await app.until('call.ended', undefined, 30_000, n)).at - killed)
        await scene.finish()
      }
    } finally {
      await scene.close()
    }
    return [
      atMost('engine back after kill -9', 2000, 'ms', spread(back).max, describe(spread(back))),
      atMost('call.ended of its calls', 3000, 'ms', spread(ends).max, describe(spread(ends))),
      atMost('slowest answer of the API meanwhile', 500, 'ms', slowest),
    ]
  },
}
