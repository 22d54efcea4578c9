/** 50 conversations while the daemon is restarted, and while it dies: how many go on, and what their parties hear of it. */
import { LightPhone } from '../../../harness/light-phone.ts'
import { eventually, pause, type Scene } from '../../../harness/scene.ts'
import { atMost, fact, type Row } from '../measure.ts'
import { Meter, type MeterReport } from '../stage.ts'
import { openHouse } from './daemon.ts'

const talks = 50
const awayMs = 500

async function live({ daemon }: Scene): Promise<number> {
  const { body } = await daemon.api('GET', '/api/voice/calls')
  return body.calls.filter((call: { state: string }) => call.state === 'in-progress').length
}

async function answeredCalls({ daemon }: Scene): Promise<number> {
  const { items } = (await daemon.api('GET', '/api/pbx/calls/history?limit=200')).body
  return items.filter((call: { outcome: string }) => call.outcome === 'answered').length
}

/** One of a run's two kinds of end. */
async function through(scene: Scene, meter: Meter, how: 'restart' | 'kill'): Promise<{ heard: MeterReport; kept: number; ms: number }> {
  await meter.start()
  const began = performance.now()
  if (how === 'kill') await scene.daemon.kill()
  else await scene.daemon.stop()
  await pause(how === 'kill' ? awayMs : 0)
  await scene.daemon.start()
  const ms = performance.now() - began
  await pause(2000)
  return { heard: await meter.report(), kept: await live(scene), ms }
}

export async function restart(): Promise<Row[]> {
  const scene = await openHouse(2 * talks)
  const meter = await Meter.open(2 * talks)
  try {
    const phones = await LightPhone.registered(scene, 2 * talks)
    const dialogs: Awaited<ReturnType<LightPhone['calls']>>[] = []
    for (let i = 0; i < talks; i++) {
      const port = meter.basePort + 4 * i
      const [calling] = await Promise.all([phones[i]!.calls(phones[talks + i]!.user, port), phones[talks + i]!.takes(port + 2)])
      dialogs.push(calling)
    }
    await eventually(`${2 * talks} phones hear`, async () => (await meter.phones()) === 2 * talks, 20_000)
    await pause(2000)
    await meter.start()
    await pause(5000)
    const before = await meter.report()
    const rows = [fact('longest pause between two packets, nothing done', `${(20 + before.max).toFixed(1)} ms`, packets(before))]
    for (const how of ['restart', 'kill'] as const) {
      const { heard, kept, ms } = await through(scene, meter, how)
      const name = how === 'restart' ? 'SIGTERM and start' : 'kill -9 and start'
      rows.push(
        atMost(`${name} under ${talks} talks: dropped`, 0, '', talks - kept, `ready again after ${(ms / 1000).toFixed(1)} s`),
        atMost(`${name}: longest pause between two packets`, 40, 'ms', 20 + heard.max, packets(heard)),
      )
    }
    for (const dialog of dialogs) await dialog.ask('BYE')
    await eventually('all have ended', async () => (await live(scene)) === 0)
    rows.push(atMost('talks without a row of the history that says answered', 0, '', talks - (await answeredCalls(scene))))
    return rows
  } finally {
    meter.close()
    await scene.close()
  }
}

const packets = (heard: MeterReport): string => `${heard.packets} packets, ${heard.lost} lost, ${heard.over40ms} later than 40 ms`
