/** What a call costs behind the edge and without it, and how many calls a second one, two and three boxes on these processors answer. */
import { cpus, tmpdir } from 'node:os'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMs } from '../../harness/processes.ts'
import { count, Caller, hangUp, look } from '../../cluster/caller.ts'
import { pause } from '../../harness/waiting.ts'
import { edge, pidsOf, provider, until, type FleetBox } from '../../../scripts/cluster/fleet.ts'
import type { Stage } from './stage.ts'

export interface FigureOptions {
  readonly rounds: number
  readonly calls: number
  readonly seconds: number
}

const everyMs = 50
const offered = [20, 40, 60, 80, 100, 120, 140, 160, 200]
const mostRatio = 1.1

const sum = (pids: readonly number[]): number => pids.reduce((all, pid) => all + cpuMs(pid), 0)
const median = (all: readonly number[]): number => all.toSorted((x, y) => x - y)[Math.floor(all.length / 2)] ?? 0
const edgePids = (): number[] => ['e1', 'e2'].flatMap(pidsOf)

async function only(stage: Stage, boxes: readonly FleetBox[]): Promise<void> {
  for (const box of stage.boxes) box.pbx('drain', ...(boxes.includes(box) ? ['--off'] : []))
  await until(
    `calls reach ${boxes.map(({ id }) => id).join()} alone`,
    async () => {
      const all = await stage.caller.calls(3 * boxes.length, 50)
      hangUp(all)
      return boxes.every(({ address }) => count(all, address) === 3)
    },
    20_000,
  )
  await pause(1000)
}

/** Alternately past the edge and through it, so that both see the same machine. */
export async function costs(stage: Stage, { rounds, calls }: FigureOptions): Promise<void> {
  const [a] = stage.boxes
  await only(stage, [a])
  const direct = new Caller(await stage.direct(a), a.address)
  const alone: number[] = []
  const behind: number[] = []
  const proxy: number[] = []
  for (let round = 0; round < rounds; round++) {
    for (const [caller, to] of [
      [direct, alone],
      [stage.caller, behind],
    ] as const) {
      const before = [sum(a.pids()), sum(edgePids())] as const
      const all = await caller.calls(calls, everyMs, undefined, hangUp)
      await pause(1500)
      to.push((sum(a.pids()) - before[0]) / calls)
      if (to === behind) proxy.push((sum(edgePids()) - before[1]) / calls)
      const bad = all.filter(({ status }) => status !== 200).length
      if (bad > 0) look('a call of the measurement is answered', false, `${bad} of ${calls} are not`)
    }
  }
  const ratio = median(behind) / median(alone)
  const list = (all: readonly number[]): string => all.map((one) => one.toFixed(1)).join(' ')
  look(
    `a call behind Kamailio costs the box at most ${mostRatio} x of one without`,
    ratio <= mostRatio,
    `${ratio.toFixed(2)}: median ${median(behind).toFixed(1)} against ${median(alone).toFixed(1)} ms of processor a call (${calls} calls a round; behind ${list(behind)}, alone ${list(alone)}); the edge ${median(proxy).toFixed(1)} ms`,
  )
  await only(stage, stage.boxes)
}

/** The highest rate at which every call is answered, by sipp. */
export async function rates(stage: Stage, { seconds }: FigureOptions): Promise<void> {
  if (spawnSync('sh', ['-c', 'command -v sipp']).status !== 0) return look('calls a second: left out, sipp is not there', true)
  const [a, b, c] = stage.boxes
  const all = (): number => sum(stage.boxes.flatMap((box) => box.pids()))
  for (const boxes of [[a], [a, b], [a, b, c]]) {
    await only(stage, boxes)
    const seen: string[] = []
    for (const rate of offered) {
      const before = [all(), sum(edgePids())] as const
      const since = performance.now()
      const { good, bad, why, callerMs, repeated } = await sipp(rate, rate * seconds)
      const took = performance.now() - since
      const share = (ms: number): string => `${Math.round((100 * ms) / took / cpus().length)} %`
      seen.push(
        `${rate}/s: ${bad === 0 ? 'all good' : `${bad} of ${good + bad} failed: ${why}`}, ${repeated} messages again (boxes ${share(all() - before[0])}, edge ${share(sum(edgePids()) - before[1])}, caller ${share(callerMs)})`,
      )
      if (bad > 0) break
      await pause(1000)
    }
    look(
      `${boxes.length} box${boxes.length === 1 ? '' : 'es'} on ${cpus().length} processors, calls a second`,
      seen.length > 1,
      seen.join('; '),
    )
  }
}

interface SippRun {
  readonly good: number
  readonly bad: number
  /** What sipp wrote of the calls that failed. */
  readonly why: string
  readonly callerMs: number
  /** INVITEs that got no answer in time. */
  readonly repeated: number
}

async function sipp(rate: number, calls: number): Promise<SippRun> {
  const errors = join(tmpdir(), `pbxd-rates-${process.pid}.log`)
  rmSync(errors, { force: true })
  const words = [
    '-sf',
    join(import.meta.dirname, 'call.xml'),
    '-i',
    provider,
    '-p',
    '5070',
    '-r',
    String(rate),
    '-m',
    String(calls),
    '-l',
    String(calls),
    '-d',
    '500',
    '-nostdin',
    '-timeout',
    '60',
    '-trace_err',
    '-error_file',
    errors,
    edge,
  ]
  const child = spawn('/bin/sh', ['-c', 'sipp "$@"; times', 'sipp', ...words], { env: { ...process.env, TERM: 'dumb' } })
  let out = ''
  child.stdout.setEncoding('latin1').on('data', (text: string) => (out = (out + text).slice(-20_000)))
  child.stderr.resume()
  await new Promise((done) => child.once('close', done))
  const last = (what: RegExp): number => Number([...out.matchAll(what)].at(-1)?.[1] ?? 0)
  const good = last(/Successful call\s*\|\s*\d+\s*\|\s*(\d+)/g)
  const [, userMinutes = '0', user = '0', systemMinutes = '0', system = '0'] = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(out) ?? []
  const why = good < calls && existsSync(errors) ? readFileSync(errors, 'latin1').slice(0, 1500) : ''
  rmSync(errors, { force: true })
  const callerMs = 1000 * (60 * (Number(userMinutes) + Number(systemMinutes)) + Number(user) + Number(system))
  return { good, bad: calls - good, why, callerMs, repeated: last(/INVITE ---------->\s+\d+\s+(\d+)/g) }
}
