/** How long the caller's voice is on its way to an echo and back, and what many streams at once cost. */
import { cpuMs } from '../../../harness/processes.ts'
import { eventually, pause } from '../../../harness/scene.ts'
import { spread, type Spread } from '../../bench/measure.ts'
import { Meter, placeCalls, type MeterReport } from '../../bench/stage.ts'
import { Probe } from './probe.ts'
import { Child, type Target } from './targets.ts'

/** Before these the call is not settled yet. */
const unsettled = 4
/** A telephone's packets come at any moment of the 20 ms between two of the other side. */
const phases = [0, 5, 10, 15]

/** The time a datagram needs there and back, and what this process adds to it: the network's part of every figure. */
export async function network(pulses: number): Promise<Spread> {
  const { child, line } = await Child.start('echo.ts', 'udp')
  const probe = await Probe.open()
  try {
    probe.sendTo(Number(line), '127.0.0.1')
    await eventually('the pulses', async () => probe.times.length >= pulses, pulses * 1000 + 5000)
    return spread(probe.times)
  } finally {
    probe.close()
    await child.close()
  }
}

export async function roundTrip(target: Target, pulses: number): Promise<Spread> {
  const times: number[] = []
  for (const lateMs of phases) times.push(...(await tripsOfOne(target, pulses / phases.length, lateMs)))
  return spread(times)
}

async function tripsOfOne(target: Target, pulses: number, lateMs: number): Promise<readonly number[]> {
  const probe = await Probe.open(target.from, { lateMs })
  const options = { calls: 1, rate: 1, holdMs: 150_000, from: target.from, to: target.host }
  const call = await placeCalls(target.port, 'hold.xml', [`${probe.port};+15551230001`], options)
  try {
    await eventually('pulses that come back', async () => probe.times.length >= pulses + unsettled, (pulses + unsettled) * 700 + 10_000)
    return probe.times.slice(unsettled, unsettled + pulses)
  } catch (error) {
    throw new Error(`${probe.times.length} pulses came back, in ${probe.packets} packets`, { cause: error })
  } finally {
    await call.close()
    probe.close()
  }
}

export interface Crowd {
  readonly calls: number
  /** Percent of a core by process, while the streams run. */
  readonly cpu: Readonly<Record<string, number>>
  readonly cpuPerCall: number
  readonly framesPerSecond: number
  readonly rtp: MeterReport
}

const spent = (target: Target): Record<string, number> =>
  Object.fromEntries(Object.entries(target.processes()).map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + cpuMs(pid), 0)]))
const total = (parts: Readonly<Record<string, number>>): number => Object.values(parts).reduce((sum, one) => sum + one, 0)

/** Percent of a core while nothing happens: not before the work that follows a start is done. */
async function atRest(target: Target): Promise<number> {
  let least = Infinity
  for (let window = 0; window < 6; window++) {
    const before = total(spent(target))
    await pause(1500)
    least = Math.min(least, (total(spent(target)) - before) / 15)
  }
  return least
}

/** So many calls at once, their evenness taken by the kernel's time stamps. */
export async function crowd(target: Target, calls: number, seconds: number): Promise<Crowd> {
  const meter = await Meter.open(calls, target.from)
  const idle = await atRest(target)
  const rows = Array.from({ length: calls }, (_, n) => `${meter.basePort + 2 * n};+1555${String(2_000_000 + n)}`)
  const options = { calls, rate: 16, holdMs: 120_000, from: target.from, to: target.host }
  const load = await placeCalls(target.port, 'hold.xml', rows, options)
  try {
    await eventually(`${calls} calls with audio`, async () => (await meter.phones()) >= calls, 30_000)
    await pause(2000)
    const before = { cpu: spent(target), frames: await target.echoed() }
    await meter.start()
    await pause(seconds * 1000)
    const rtp = await meter.report()
    const after = { cpu: spent(target), frames: await target.echoed() }
    const cpu = Object.fromEntries(Object.entries(after.cpu).map(([part, ms]) => [part, (ms - (before.cpu[part] ?? 0)) / seconds / 10]))
    return {
      calls,
      cpu,
      cpuPerCall: (total(cpu) - idle) / calls,
      framesPerSecond: (after.frames - before.frames) / seconds,
      rtp,
    }
  } finally {
    await load.close()
    meter.close()
  }
}

/** What the frames of so many streams alone cost a process that does nothing else, percent of a core for each; and its echo. */
export async function bare(echoKind: 'uws' | 'ws', streams: number, seconds: number): Promise<{ caller: number; echo: number }> {
  const { child: echo, line } = await Child.start('echo.ts', echoKind)
  const { child: caller } = await Child.start('bare-caller.ts', `ws://127.0.0.1:${line}/`, String(streams))
  try {
    await pause(2000)
    const cpu = (): number[] => [cpuMs(caller.process.pid!), cpuMs(echo.process.pid!)]
    const before = cpu()
    await pause(seconds * 1000)
    const [callerShare = 0, echoShare = 0] = cpu().map((ms, n) => (ms - before[n]!) / seconds / 10 / streams)
    return { caller: callerShare, echo: echoShare }
  } finally {
    await caller.close()
    await echo.close()
  }
}
