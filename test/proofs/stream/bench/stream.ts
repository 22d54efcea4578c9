/**
 * `npm run bench -- stream`: what the `stream` verb costs in time and processor, compared with bare sockets and, where it can be had,
 * Asterisk.
 */
import { atMost, describe, fact, format, spread, type Measurement, type Row, type Spread } from '../../bench/measure.ts'
import { whyNot } from '../../trunks/peers/asterisk.ts'
import { playout } from './playout.ts'
import { bare, crowd, network, roundTrip, type Crowd } from './round-trip.ts'
import { asterisk, asteriskWays, pbxd, type AsteriskWay, type Target } from './targets.ts'

const pulses = 60
const streams = 32
const seconds = 10
const rounds = 40

async function using<T>(target: Target, work: (target: Target) => Promise<T>): Promise<T> {
  try {
    return await work(target)
  } finally {
    await target.close()
  }
}

function tripRow(name: string, seen: Spread, floor: Spread): Row {
  const ms = (value: number) => format(value - floor.p50)
  return fact(`${name}: caller -> echo -> caller, minus the network`, `p50 ${ms(seen.p50)} p99 ${ms(seen.p99)} ms`, describe(seen))
}

function crowdRows(name: string, { cpu, cpuPerCall, framesPerSecond, rtp }: Crowd, judged: boolean): Row[] {
  const parts = Object.entries(cpu).map(([part, percent]) => `${part} ${format(percent)} %`)
  const note = `p50 ${format(rtp.p50)} p99.9 ${format(rtp.p999)}; ${rtp.packets} packets, ${rtp.lost} lost`
  const deviation = `${name}: RTP interval deviation, ${streams} at once`
  return [
    fact(
      `${name}: processor of a call, ${streams} at once`,
      `${format(cpuPerCall)} % of a core`,
      `${parts.join(', ')}; ${framesPerSecond.toFixed()} frames/s`,
    ),
    ...(judged
      ? [atMost(`${deviation}, p99`, 2, 'ms', rtp.p99, note), atMost(`${deviation}, max`, 8, 'ms', rtp.max)]
      : [fact(deviation, `p99 ${format(rtp.p99)} max ${format(rtp.max)} ms`, note)]),
  ]
}

async function ofTheBox(floor: Spread): Promise<Row[]> {
  const trip = await using(await pbxd(), (target) => roundTrip(target, pulses))
  const { clear, mark, faults } = await playout(rounds)
  if (faults.length > 0) throw new Error(`frames against the format: ${faults.slice(0, 3).join('; ')}`)
  const with32 = await using(await pbxd(), (target) => crowd(target, streams, seconds))
  const without = await using(await pbxd(false), (target) => crowd(target, streams, seconds))
  if (with32.framesPerSecond < streams * 49) throw new Error(`the echo had ${with32.framesPerSecond.toFixed()} frames a second`)
  const floors = { uws: await bare('uws', streams, seconds), ws: await bare('ws', streams, seconds) }
  const added = with32.cpuPerCall - without.cpuPerCall
  const off = spread(mark.map(Math.abs))
  const signed = spread(mark)
  return [
    tripRow('stream', trip, floor),
    atMost('clear -> silence, p95', 20, 'ms', spread(clear).p95, describe(spread(clear))),
    atMost('mark, distance from its playout, p95', 20, 'ms', off.p95, `median ${format(signed.p50)}, ${describe(off)}`),
    ...crowdRows('stream', with32, true),
    fact(
      'what a stream adds to a call',
      `${format(added)} % of a core`,
      `a call without one ${format(without.cpuPerCall)} %; bare ws with the same frames ${format(floors.uws.caller)} %, ratio ${format(added / floors.uws.caller)}`,
    ),
    fact('a bare echo of the same frames', `uWS ${format(floors.uws.echo)} %, ws ${format(floors.ws.echo)} % of a core`, 'a stream'),
  ]
}

async function ofAsterisk(way: AsteriskWay, floor: Spread): Promise<Row[]> {
  const trip = await using(await asterisk(way), (target) => roundTrip(target, pulses))
  const many = await using(await asterisk(way), (target) => crowd(target, streams, seconds))
  return [tripRow(asteriskWays[way], trip, floor), ...crowdRows(asteriskWays[way], many, false)]
}

export const stream: Measurement = {
  name: 'stream',
  title: 'Streams of audio to a WebSocket',
  async run() {
    const floor = await network(pulses)
    const rows = [fact('the network: a datagram there and back', `p50 ${format(floor.p50)} p99 ${format(floor.p99)} ms`)]
    const failed: string[] = []
    const parts: Record<string, () => Promise<Row[]>> = {
      stream: () => ofTheBox(floor),
      ...Object.fromEntries((Object.keys(asteriskWays) as AsteriskWay[]).map((way) => [asteriskWays[way], () => ofAsterisk(way, floor)])),
    }
    const reason = whyNot()
    for (const [name, measure] of Object.entries(parts)) {
      if (name !== 'stream' && reason !== false) {
        rows.push(fact(name, 'left out', reason))
        continue
      }
      try {
        rows.push(...(await measure()))
      } catch (error) {
        failed.push(name)
        rows.push(fact(name, 'not measured', error instanceof Error ? error.message : String(error)))
      }
    }
    if (failed.includes('stream')) process.exitCode = 1
    return rows
  },
}
