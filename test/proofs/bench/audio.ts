/** Many calls at once: how evenly their RTP leaves, with and without a blocked event loop, and what a call costs. */
import { cpuMs, residentKb } from '../../harness/processes.ts'
import { pause, type Scene } from '../../harness/scene.ts'
import { atMost, fact, type Measurement, type Row } from './measure.ts'
import { Meter, hold, stage, type MeterReport, type Stage } from './stage.ts'

const seconds = 12
const text = 'Please hold the line. The next free member of our staff will speak to you.'

interface Cost {
  readonly cpuMs: number
  readonly kb: number
}

function cost(scene: Scene): { daemon: Cost; engine: Cost } {
  const of = (pid: number): Cost => ({ cpuMs: cpuMs(pid), kb: residentKb(pid) })
  return { daemon: of(scene.daemon.pid), engine: of(scene.daemon.enginePids()[0] ?? 0) }
}

async function listen(meter: Meter): Promise<MeterReport> {
  await meter.start()
  await pause(seconds * 1000)
  return meter.report()
}

const figures = (r: MeterReport) =>
  `p50 ${r.p50.toFixed(2)} p99 ${r.p99.toFixed(2)} p99.9 ${r.p999.toFixed(2)} max ${r.max.toFixed(2)}; ${r.packets} packets, ${r.lost} lost`

/** Of `n` calls: what the meter heard while the loop was blocked, and the rows of the table. */
export async function listened(open: Stage, n: number): Promise<{ blocked: MeterReport; rows: Row[] }> {
  const scene = await open({ block: true })
  const meter = await Meter.open(n)
  try {
    scene.app.script = () => [{ say: { text, loop: 10 } }, { say: { text, loop: 10 } }, { gather: { timeout: 120 } }]
    await pause(1500)
    const idle = cost(scene)
    await pause(3000)
    const before = cost(scene)
    const restMs = (before.engine.cpuMs - idle.engine.cpuMs + before.daemon.cpuMs - idle.daemon.cpuMs) / 3
    const load = await hold(scene, meter, n)
    await pause(2000)
    const from = cost(scene)
    const quiet = await listen(meter)
    const to = cost(scene)
    scene.daemon.signal('SIGUSR2')
    await pause(1500)
    const blocked = await listen(meter)
    scene.daemon.signal('SIGUSR2')
    await load.close()
    const percent = (part: 'daemon' | 'engine') => (to[part].cpuMs - from[part].cpuMs) / seconds / 10
    const perCall = (percent('daemon') + percent('engine') - restMs / 10) / n
    const kb = (part: 'daemon' | 'engine') => (to[part].kb - idle[part].kb) / n
    const rows = [
      atMost(`${n} calls: RTP interval deviation, loop blocked, p99`, 2, 'ms', blocked.p99, figures(blocked)),
      atMost(`${n} calls: RTP interval deviation, loop blocked, max`, 8, 'ms', blocked.max),
      fact(`${n} calls: RTP interval deviation, loop free`, `p99 ${quiet.p99.toFixed(2)} max ${quiet.max.toFixed(2)} ms`, figures(quiet)),
      atMost(
        `${n} calls: CPU of a call`,
        0.15,
        '% of a core',
        perCall,
        `engine ${percent('engine').toFixed(1)} %, daemon ${percent('daemon').toFixed(1)} %, at rest ${(restMs / 10).toFixed(1)} %`,
      ),
      atMost(
        `${n} calls: memory of a call`,
        150,
        'kB',
        kb('engine') + kb('daemon'),
        `engine ${kb('engine').toFixed(0)} kB, daemon ${kb('daemon').toFixed(0)} kB`,
      ),
    ]
    return { blocked, rows }
  } finally {
    meter.close()
    await scene.close()
  }
}

const manyLegs = 800
const room = 1000

/** As many as a large box has, by the clock that carries them all. */
export const legs: Measurement = {
  name: 'legs',
  title: `Audio of ${manyLegs} legs at once, as above`,
  async run() {
    const large: Stage = (options) =>
      stage({
        ...options,
        settings: (base) => {
          Object.assign(base['sip'] as object, { calls: room, rtpPorts: '20000-23999' })
          for (const trunk of base['trunks'] as { channels: number }[]) trunk.channels = room
        },
      })
    return (await listened(large, manyLegs)).rows
  },
}

export const audio: Measurement = {
  name: 'audio',
  title: 'Audio of many calls, while the event loop of the daemon is blocked 500 ms every second',
  async run() {
    return [...(await listened(stage, 50)).rows, ...(await listened(stage, 200)).rows]
  },
}
