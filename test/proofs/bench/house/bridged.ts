/** Phones that talk with phones through the engine: what a call costs, and how evenly its packets leave. */
import { LightPhone } from '../../../harness/light-phone.ts'
import { atMost, fact, type Row } from '../measure.ts'
import { Meter } from '../stage.ts'
import { eventually, pause } from '../../../harness/scene.ts'
import { atRest, besides, shares, used } from './cost.ts'
import { openHouse } from './daemon.ts'

const seconds = 12

/** `n` calls, each between two phones. */
async function listened(n: number): Promise<Row[]> {
  const scene = await openHouse(2 * n)
  const meter = await Meter.open(2 * n)
  try {
    const phones = await LightPhone.registered(scene, 2 * n)
    const rest = await atRest(scene)
    for (let i = 0; i < n; i++) {
      const [from, to] = [phones[i]!, phones[n + i]!]
      const port = meter.basePort + 4 * i
      await Promise.all([from.calls(to.user, port), to.takes(port + 2)])
    }
    await eventually(`${2 * n} phones hear`, async () => (await meter.phones()) === 2 * n, 20_000)
    await pause(2000)
    await meter.start()
    const busy = await used(scene, seconds)
    const heard = await meter.report()
    const packets = `${heard.packets} packets, ${heard.lost} lost, ${heard.over40ms} later than 40 ms`
    const cost = besides(busy, rest) / n
    const figures = shares(busy, rest)
    return [
      n === 100
        ? atMost(`${n} bridged G.711 calls: CPU of a call`, 0.2, '% of a core', cost, figures)
        : fact(`${n} bridged G.711 calls: CPU of a call`, `${cost.toFixed(2)} % of a core`, figures),
      n === 50
        ? atMost(`${n} bridged G.711 calls: RTP interval deviation, p99`, 2, 'ms', heard.p99, packets)
        : fact(`${n} bridged G.711 calls: RTP interval deviation, p99`, `${heard.p99.toFixed(2)} ms`, packets),
      fact(`${n} bridged G.711 calls: RTP interval deviation, max`, `${heard.max.toFixed(2)} ms`),
    ]
  } finally {
    meter.close()
    await scene.close()
  }
}

export const bridged = async (): Promise<Row[]> => [...(await listened(50)), ...(await listened(100))]
