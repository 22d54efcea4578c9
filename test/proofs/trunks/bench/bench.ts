/** The same calls by the same sipp, heard by the same meter, answered by pbxd and by Asterisk in turns. */
import { createSocket } from 'node:dgram'
import { loadavg } from 'node:os'
import { cpuMs } from '../../../harness/processes.ts'
import { eventually, pause } from '../../../harness/scene.ts'
import { Meter, placeCalls, type MeterReport } from '../../bench/stage.ts'
import { whyNot } from '../peers/asterisk.ts'
import { pssKb, targets, type Target } from './targets.ts'

export interface Chosen {
  readonly calls?: string | undefined
  readonly rates?: string | undefined
  readonly against?: string | undefined
  /** How long calls are held and rates are kept up. */
  readonly seconds?: string | undefined
  readonly json?: boolean | undefined
}

interface Held {
  readonly target: string
  readonly calls: number
  /** Of one core, percent, by process. */
  readonly cpu: Readonly<Record<string, number>>
  /** What a call adds to the rest, percent of a core. */
  readonly cpuPerCall: number
  readonly kbPerCall: number
  readonly wholeMb: number
  readonly rtp: MeterReport
}

interface Answered {
  readonly target: string
  readonly rate: number
  readonly placed: number
  readonly good: number
  readonly retransmitted: number
  readonly perSecond: number
  readonly cpuMsPerCall: number
}

const list = (text: string | undefined, otherwise: readonly number[]): readonly number[] => text?.split(',').map(Number) ?? otherwise

function cpu(target: Target): Record<string, number> {
  const sums = Object.entries(target.processes()).map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + cpuMs(pid), 0)] as const)
  return Object.fromEntries(sums)
}
const total = (parts: Readonly<Record<string, number>>): number => Object.values(parts).reduce((sum, one) => sum + one, 0)
const memory = (target: Target): number =>
  Object.values(target.processes())
    .flat()
    .reduce((sum, pid) => sum + pssKb(pid), 0)

/** A fresh program, `calls` calls that last, and what they cost while they are heard. */
async function held(name: string, calls: number, seconds: number): Promise<Held> {
  const target = await targets[name]!()
  const meter = await Meter.open(calls, target.from)
  try {
    await pause(1500)
    const idle = cpu(target)
    await pause(1500)
    const atRest = (total(cpu(target)) - total(idle)) / 1500
    const before = memory(target)
    await target.send?.(meter.basePort, calls)
    const rows = Array.from({ length: calls }, (_, at) => `${meter.basePort + 2 * at};+1555${String(2_000_000 + at)}`)
    const load = target.send
      ? undefined
      : await placeCalls(target.port, 'hold.xml', rows, { calls, rate: 40, holdMs: 120_000, from: target.from, to: target.host })
    await eventually(`${calls} calls with audio`, async () => (await meter.phones()) >= calls, 30_000)
    await pause(1500)
    const from = cpu(target)
    await meter.start()
    await pause(seconds * 1000)
    const rtp = await meter.report()
    const to = cpu(target)
    const after = memory(target)
    await load?.close()
    const percent = Object.fromEntries(Object.entries(to).map(([part, ms]) => [part, (ms - (from[part] ?? 0)) / seconds / 10]))
    return {
      target: name,
      calls,
      cpu: percent,
      cpuPerCall: (total(percent) - atRest * 100) / calls,
      kbPerCall: (after - before) / calls,
      wholeMb: after / 1024,
      rtp,
    }
  } finally {
    meter.close()
    await target.close()
  }
}

/** Calls of a tenth of a second, faster and faster, until the first is refused. */
async function answered(name: string, rates: readonly number[], seconds: number): Promise<Answered[]> {
  const target = await targets[name]!()
  const sink = createSocket('udp4')
  await new Promise<void>((done) => sink.bind(0, target.from, done))
  const rows: Answered[] = []
  try {
    await pause(1000)
    const fields = Array.from({ length: 1000 }, (_, at) => `${sink.address().port};+1555${String(4_000_000 + at)}`)
    for (const rate of rates) {
      const placed = rate * seconds
      const before = total(cpu(target))
      const began = performance.now()
      const load = await placeCalls(target.port, 'hold.xml', fields, {
        calls: placed,
        rate,
        holdMs: 100,
        from: target.from,
        to: target.host,
      })
      await load.done
      const perSecond = placed / ((performance.now() - began) / 1000)
      const s = load.statistics()
      await load.close()
      const good = Number(s['SuccessfulCall(C)'])
      const cpuMsPerCall = (total(cpu(target)) - before) / placed
      rows.push({ target: name, rate, placed, good, retransmitted: Number(s['Retransmissions(C)']), perSecond, cpuMsPerCall })
      if (good < placed) break
    }
    return rows
  } finally {
    sink.close()
    await target.close()
  }
}

const round = (value: number, digits = 2): string => value.toFixed(digits)

function print(heldRows: readonly Held[], answeredRows: readonly Answered[]): void {
  console.log(
    '| calls held | | processor, % of a core | a call | RTP deviation p50 / p99 / p99.9 / max, ms | lost | kB a call | whole, MB |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const { calls, target, cpu: parts, cpuPerCall, rtp, kbPerCall, wholeMb } of heldRows) {
    const named = Object.entries(parts).map(([part, percent]) => `${part} ${round(percent, 1)}`)
    const deviation = [rtp.p50, rtp.p99, rtp.p999, rtp.max].map((ms) => round(ms)).join(' / ')
    console.log(
      `| ${calls} | ${target} | ${named.join(', ')} | ${round(cpuPerCall, 3)} | ${deviation} | ${rtp.lost} of ${rtp.packets} | ${round(kbPerCall, 0)} | ${round(wholeMb, 0)} |`,
    )
  }
  console.log('\n| calls a second | | good | retransmitted | reached | processor ms a call |')
  console.log('|---|---|---|---|---|---|')
  for (const { rate, target, good, placed, retransmitted, perSecond, cpuMsPerCall } of answeredRows)
    console.log(`| ${rate} | ${target} | ${good} of ${placed} | ${retransmitted} | ${round(perSecond, 0)} | ${round(cpuMsPerCall)} |`)
}

export async function bench(values: Chosen): Promise<number> {
  const reason = whyNot()
  const asked = values.against?.split(',') ?? Object.keys(targets)
  const names = asked.filter((name) => ['pbxd', 'bare'].includes(name) || reason === false)
  if (names.length < asked.length) console.log(`Asterisk is left out: ${reason}\n`)
  const seconds = Number(values.seconds ?? '8')
  const began = Date.now()
  const heldRows: Held[] = []
  const note = (text: string) => void process.stderr.write(`${Math.round((Date.now() - began) / 1000)} s: ${text}\n`)
  for (const calls of list(values.calls, [50, 100, 200])) {
    for (const name of names) {
      heldRows.push(await held(name, calls, seconds))
      note(`${calls} calls, ${name}: ${round(heldRows.at(-1)!.cpuPerCall, 3)} % a call`)
    }
  }
  const answeredRows: Answered[] = []
  for (const name of names.filter((name) => name !== 'bare')) {
    const rows = await answered(name, list(values.rates, [200, 400, 500, 600, 700, 800]), 5)
    answeredRows.push(...rows)
    note(`${name}: ${rows.map(({ rate, good, placed }) => `${rate}: ${good}/${placed}`).join(', ')}`)
  }
  if (values.json) console.log(JSON.stringify({ load: loadavg(), held: heldRows, answered: answeredRows }, null, 2))
  else print(heldRows, answeredRows)
  return 0
}
