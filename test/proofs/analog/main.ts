/**
 * Voice calls on an analog line, measured: the driver in this process, the modem and its exchange in another.
 *
 *   scripts/run test/proofs/analog/main.ts bench [--minutes N]
 *   scripts/run test/proofs/analog/main.ts unplug [--times N]
 *   scripts/run test/proofs/analog/main.ts bridge [--minutes N] [--ppm N]
 *   scripts/run test/proofs/analog/main.ts documents
 *
 * `bench`: prompt to first sound, key to silence, processor of a line, and prompts for N minutes (1) while the event loop stands still for 200 ms of
 * every second. `unplug`: the modem is pulled out of N calls (100) and put back. `bridge`: a SIP phone
 * talks for N minutes over a modem whose crystal is off (100 ppm). `documents`: an application's document to the first sound, a key to silence, through a
 * whole daemon. Ends with status 1 where a goal is missed.
 */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createLog } from '../../../daemon/base/log.ts'
import { goFirst } from '../../../daemon/base/rest.ts'
import { createModemLine, type ModemLine } from '../../../drivers/modem/driver.ts'
import { tone } from '../../harness/audio.ts'
import { WatchedLeg } from '../../modem-voice/rig.ts'
import { bridge } from './bridge.ts'
import { documents } from './documents.ts'
import type { TownOrder, TownWord } from './town.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '1' },
    times: { type: 'string', default: '100' },
    ppm: { type: 'string', default: '100' },
  },
})
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined }
const now = (): number => Number(process.hrtime.bigint()) / 1e6
const clip = (ms: number) => ({ kind: 'clip', clip: { key: `tone-${ms}`, samples: tone(500, ms) } }) as const

class Town {
  readonly #child = fork(join(import.meta.dirname, 'town.ts'))
  #words: TownWord[] = []
  #waiting: (() => void)[] = []

  constructor() {
    this.#child.on('message', (word: TownWord) => {
      this.#words.push(word)
      for (const go of this.#waiting.splice(0)) go()
    })
  }

  async word<T extends TownWord['t']>(t: T, ms = 30_000): Promise<Extract<TownWord, { t: T }>> {
    const deadline = now() + ms
    for (;;) {
      const index = this.#words.findIndex((word) => word.t === t)
      if (index >= 0) return this.#words.splice(index, 1)[0] as Extract<TownWord, { t: T }>
      if (now() > deadline) throw new Error(`the town does not say ${t}`)
      await Promise.race([new Promise<void>((go) => this.#waiting.push(go)), delay(500)])
    }
  }

  async order(order: TownOrder): Promise<void> {
    this.#child.send(order)
    await this.word('done')
  }

  close(): void {
    this.#child.disconnect()
  }
}

async function is(line: ModemLine, state: string, ms = 30_000): Promise<number> {
  const began = now()
  while (line.status().state !== state) {
    if (now() - began > ms) throw new Error(`the line is ${line.status().state}, not ${state}`)
    await delay(20)
  }
  return now() - began
}

async function taken(town: Town, line: ModemLine): Promise<WatchedLeg> {
  const ring = new Promise<Parameters<NonNullable<ModemLine['onRing']>>[0]>((resolve) => (line.onRing = resolve))
  await town.order({ t: 'call' })
  const call = new WatchedLeg((await ring).voice!())
  call.leg.answer()
  await call.until('answered')
  return call
}

const p = (all: readonly number[], share: number): string =>
  `${all.toSorted((a, b) => a - b)[Math.floor((all.length - 1) * share)]!.toFixed(1)} ms`
const spread = (all: readonly number[]): string => `p50 ${p(all, 0.5)}, p95 ${p(all, 0.95)}, max ${p(all, 1)} (${all.length})`

async function bench(town: Town, line: ModemLine): Promise<boolean> {
  const call = await taken(town, line)
  const audio = call.leg.audio!
  const first: number[] = []
  const silence: number[] = []
  for (let i = 1; i <= 30; i++) {
    await town.order({ t: 'watch', loud: true })
    const played = now()
    audio.play(i, clip(10_000))
    first.push((await town.word('heard')).at - played)
    await delay(400 + i * 7)
    const keys = call.of('digit').length
    await town.order({ t: 'press', key: '5' })
    const { at } = await town.word('pressed')
    await call.until('digit', keys + 1)
    await town.order({ t: 'watch', loud: false })
    const told = now()
    audio.clear()
    silence.push((await town.word('heard')).at - told)
    first.length === 1 && console.log(`key (100 ms) -> told: ${(told - at).toFixed(0)} ms`)
    await delay(300)
  }
  console.log(`prompt -> first sound at the telephone: ${spread(first)}`)
  console.log(`cleared -> silence at the telephone:    ${spread(silence)}`)
  const before = process.cpuUsage()
  const since = now()
  audio.play(1000, clip(20_000))
  audio.record(1, { file: join('/tmp', `analog-${process.pid}.wav`), maxMs: 60_000 })
  await delay(20_000)
  const spent = process.cpuUsage(before)
  const used = (spent.user + spent.system) / 1000 / (now() - since)
  console.log(`processor of a line that speaks and records: ${(100 * used).toFixed(2)} % of a core`)
  audio.stopRecord(1)
  audio.clear()
  const good = await underBlocks(town, line, call)
  call.leg.hangup()
  await call.ended()
  return good && first.every((ms) => ms < 200)
}

/** A prompt of so many minutes while the event loop stands still; each gap with how long either process stood still around it. */
async function underBlocks(town: Town, line: ModemLine, call: WatchedLeg): Promise<boolean> {
  const minutes = Number(values.minutes)
  const counted = async () => {
    await town.order({ t: 'underruns' })
    return town.word('underruns')
  }
  const { count: earlier } = await counted()
  const told = line.voice!.underruns
  const longest: number[] = []
  const own = monitorEventLoopDelay({ resolution: 10 })
  own.enable()
  const began = now()
  let seen = earlier
  const look = async (): Promise<void> => {
    const { count, stoodMs } = await counted()
    if (count > seen)
      console.log(
        `after ${((now() - began) / 1000).toFixed(0)} s: ${count - seen} underruns; this process stood still for ${(own.max / 1e6).toFixed(0)} ms, the town for ${stoodMs.toFixed(0)} ms`,
      )
    seen = count
    own.reset()
  }
  const looks = setInterval(() => void look(), 10_000)
  const blocks = setInterval(() => {
    const began = now()
    while (now() - began < 200);
    longest.push(now() - began)
  }, 1000)
  const minute = clip(60_000)
  const before = call.of('played').length
  for (let i = 0; i < minutes; i++) call.leg.audio!.play(2000 + i, minute)
  await call.until('played', before + minutes, minutes * 60_000 + 30_000)
  clearInterval(blocks)
  clearInterval(looks)
  await look()
  const underruns = seen - earlier
  console.log(
    `${longest.length} times 200 ms without the event loop, in ${minutes} min of speech: ${underruns} underruns, of which the line has told ${line.voice!.underruns - told}`,
  )
  return underruns === 0
}

async function unplug(town: Town, line: ModemLine): Promise<boolean> {
  const back: number[] = []
  let hung = 0
  for (let i = 0; i < Number(values.times); i++) {
    const call = await taken(town, line)
    call.leg.audio!.play(1, clip(60_000))
    await delay(20 * (i % 20))
    await town.order({ t: 'unplug' })
    await call.until('ended', 1, 5000).catch(() => hung++)
    await town.order({ t: 'hang-up' })
    await delay(50)
    const plugged = now()
    await town.order({ t: 'plug' })
    await is(line, 'ready')
    back.push(now() - plugged)
  }
  console.log(`${back.length} calls whose modem was unplugged: ${hung} hung; ready again after ${spread(back)}`)
  return hung === 0 && back.every((ms) => ms <= 15_000)
}

if (positionals[0] === 'bridge') process.exit((await bridge(Number(values.minutes), Number(values.ppm))) ? 0 : 1)
if (positionals[0] === 'documents') process.exit((await documents()) ? 0 : 1)
const town = new Town()
// As the daemon does, in which the driver is; the town has a higher rank, for its modem is hardware elsewhere.
goFirst(createLog({ level: 'silent' }))
const { device } = await town.word('open')
const line = createModemLine({
  id: 'line1',
  device,
  number: '200',
  faxProgram: '/bin/false',
  log: silent,
  voice: { country: 'US' },
  rtscts: false,
})
line.start()
await is(line, 'ready')
const good = await (positionals[0] === 'unplug' ? unplug(town, line) : bench(town, line))
await line.stop()
town.close()
process.exit(good ? 0 : 1)
