/**
 * Voice modems whose bytes are damaged on the wire, both ways: lines of ours on simulated modems behind real pseudo terminals, calls that come in and go
 * out meanwhile. Whatever was damaged: nothing is thrown, no call stays, and once the wire is sound again the line is ready and takes a call.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FaxRing } from '../../../drivers/fax.ts'
import type { Leg } from '../../../drivers/line.ts'
import { createModemLine, type ModemLine } from '../../../drivers/modem/driver.ts'
import { Exchange } from '../../../drivers/sim/analog/exchange.ts'
import { Handset } from '../../../drivers/sim/analog/handset.ts'
import { SimVoiceModem } from '../../../drivers/sim/analog/modem.ts'
import { openTerminal, type Terminal } from '../../../drivers/sim/gsm/terminal.ts'
import { realClock } from '../../../drivers/sim/time.ts'
import { Random } from '../../../scripts/cli/selftest/corpus.ts'
import { chips } from '../../modem-voice/chips.ts'
import { programs } from '../../modem-voice/rig.ts'
import type { FaxFuzzOptions } from './fax.ts'

const atOnce = 24
/** A modem that was lied to is given up and set up again within this, on a busy machine. */
const recoverMs = 60_000
const endMs = 60_000
const DLE = 0x10

const words = [
  'OK',
  'ERROR',
  'CONNECT',
  'VCON',
  'NO CARRIER',
  'BUSY',
  'NO DIALTONE',
  'NO ANSWER',
  'RING',
  'NMBR=' + '7'.repeat(400),
  'DATE=',
  '+VTR',
  '',
]
const shielded = [...'/~bdlsecaqhHtoOuTXZ!0123456789*#ABCDRN\u0000\u0003\u0010\u001b\u00ff'].map((letter) =>
  Buffer.from([DLE, letter.charCodeAt(0)]),
)
const samples = new Int16Array(160).map((_, i) => Math.round(9000 * Math.sin((2 * Math.PI * 440 * i) / 8000)))

class Wire {
  /** Share of the pieces that are damaged. */
  damage = 0
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  carried(bytes: Buffer): Buffer {
    const random = this.#random
    if (!random.chance(this.damage)) return bytes
    const at = random.integer(bytes.length + 1)
    const insert = (more: Buffer): Buffer => Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)])
    switch (random.integer(8)) {
      case 0:
        return bytes.subarray(0, at)
      case 1:
        return Buffer.from(bytes.map((byte) => (random.chance(0.1) ? byte ^ (1 << random.integer(8)) : byte)))
      case 2:
        return insert(random.pick(shielded))
      case 3:
        return insert(Buffer.from(`\r\n${random.pick(words)}\r\n`))
      case 4:
        return insert(random.bytes(1 + random.integer(40)))
      case 5:
        return insert(Buffer.alloc(random.integer(20_000), random.pick([DLE, 0, 0xff, 0x0d])))
      case 6:
        return Buffer.concat([bytes, bytes])
      default:
        return Buffer.alloc(0)
    }
  }
}

class Bench {
  readonly #random: Random
  readonly #wire: Wire
  readonly #number: number
  readonly #handset: Handset
  readonly #exchange = new Exchange({ clock: realClock, country: 'US', ringEveryMs: 1000 })
  readonly #folder: string
  readonly said: string[] = []
  #terminal!: Terminal
  #modem!: SimVoiceModem
  #line!: ModemLine
  #ring: ((ring: FaxRing) => void) | null = null

  constructor(number: number, seed: number, folder: string) {
    this.#number = number
    this.#folder = folder
    this.#random = new Random(seed * 1_000_003 + number)
    this.#wire = new Wire(this.#random)
    this.#handset = new Handset(this.#exchange.line('5550100'), realClock)
  }

  async open(): Promise<void> {
    const device = join(this.#folder, `modem${this.#number}`)
    this.#terminal = await openTerminal(programs.pty, device, (bytes) => this.#modem.input(this.#wire.carried(bytes)))
    const quirks = { ...this.#random.pick(chips).quirks, shielded: this.#random.chance(0.5) }
    const line = this.#exchange.line('200')
    this.#modem = new SimVoiceModem({ line, clock: realClock, output: (bytes) => this.#terminal.write(this.#wire.carried(bytes)) }, quirks)
    this.#line = createModemLine({
      id: `line${this.#number}`,
      device,
      number: '200',
      faxProgram: '/bin/false',
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
      voice: { country: 'US' },
      reopenMs: [50, 200],
      answerMs: 1500,
      rtscts: false,
      trace: (sent, text) => {
        this.said.push(`${sent ? '>' : '<'} ${text.slice(0, 80)}`)
        if (this.said.length > 40) this.said.shift()
      },
    })
    this.#line.onRing = (ring) => this.#ring?.(ring)
    this.#line.start()
    if (!(await this.#ready())) throw new Error(`never ready at first: ${this.#line.status().text}`)
  }

  async close(): Promise<void> {
    this.#handset.hangUp()
    await this.#line.stop()
    this.#modem.powerOff()
    await this.#terminal.close()
  }

  /** One damaged call, then a sound one; what is wrong. */
  async round(): Promise<{ kind: string; fault: string }> {
    // What was heard in earlier ones, which the telephone keeps.
    this.#handset.heard.length = 0
    const kind = this.#random.pick(['in', 'in', 'out'])
    this.#wire.damage = this.#random.pick([0.01, 0.05, 0.2, 0.5])
    const ended = await this.#call(kind === 'in', 500 + this.#random.integer(2500))
    this.#wire.damage = 0
    this.#handset.hangUp()
    if (!ended) return { kind, fault: 'a call did not end' }
    if (!(await this.#ready())) {
      const { state, text } = this.#line.status()
      return { kind, fault: `not ready again: ${state} ${text}; the modem: ${this.#modem.doing}` }
    }
    // What was under way when the wire became sound may still ring off.
    for (let tries = 0; tries < 5; tries++) {
      if (await this.#sound()) return { kind, fault: '' }
      if (!(await this.#ready())) break
    }
    return {
      kind,
      fault: `no sound call afterwards: ${this.#line.status().state} ${this.#line.status().text}, exchange ${this.#exchange.line('200').state}, telephone ${this.#handset.line.state}`,
    }
  }

  async #call(inbound: boolean, ms: number): Promise<boolean> {
    let leg: Leg | null
    if (inbound) leg = await this.#taken(8000)
    else {
      this.#handset.onRing = () => this.#handset.lift()
      leg = this.#line.placeCall('5550100', 10)
    }
    if (leg === null) return true
    const ended = this.#watch(leg)
    leg.answer()
    for (let at = 0; at < ms; at += 200) {
      this.#handset.say(samples)
      if (this.#random.chance(0.3)) this.#handset.press(this.#random.pick(['1', '5', '#']))
      if (this.#random.chance(0.2)) leg.audio?.play(at, { kind: 'samples', samples })
      if (this.#random.chance(0.1)) leg.audio?.clear()
      if (this.#random.chance(0.1)) leg.audio?.sendDigits('12')
      await delay(200)
    }
    if (this.#random.chance(0.5)) this.#handset.hangUp()
    else leg.hangup()
    const over = await Promise.race([ended.then(() => true), delay(5000).then(() => false)])
    if (over) return true
    leg.hangup()
    return Promise.race([ended.then(() => true), delay(endMs).then(() => false)])
  }

  #watch(leg: Leg): Promise<void> {
    return new Promise((resolve) => {
      leg.onEvent = (event) => {
        if (event.type === 'ended') resolve()
      }
    })
  }

  /** null: it did not ring, or rang for nobody. */
  #taken(ms: number): Promise<Leg | null> {
    this.#handset.onRing = () => undefined
    return new Promise((resolve) => {
      const done = (leg: Leg | null): void => {
        clearTimeout(timer)
        this.#ring = null
        resolve(leg)
      }
      const timer = setTimeout(() => done(null), ms)
      this.#ring = (ring) => done(ring.voice?.() ?? null)
      this.#handset.call('200')
    })
  }

  async #sound(): Promise<boolean> {
    const leg = await this.#taken(8000)
    if (leg === null) return (this.#handset.hangUp(), false)
    let answered = false
    const ended = new Promise<void>((resolve) => {
      leg.onEvent = ({ type }) => {
        if (type === 'answered') answered = true
        if (type === 'ended') resolve()
      }
    })
    leg.answer()
    for (let tries = 0; tries < 40 && !answered; tries++) await delay(100)
    leg.hangup()
    const over = await Promise.race([ended.then(() => true), delay(endMs).then(() => false)])
    this.#handset.hangUp()
    return answered && over
  }

  async #ready(): Promise<boolean> {
    const deadline = performance.now() + recoverMs
    while (performance.now() < deadline) {
      if (this.#line.status().state === 'ready') return true
      await delay(100)
    }
    return false
  }
}

/** Resolves with 0 when nothing was found. */
export async function fuzzVoiceModem({ seconds, seed }: FaxFuzzOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-fuzz-voice-'))
  const faults: string[] = []
  const counts = new Map<string, number>()
  const onThrown = (error: unknown): void =>
    void faults.push(`thrown where nobody caught it: ${error instanceof Error ? error.stack : String(error)}`)
  process.on('uncaughtException', onThrown)
  process.on('unhandledRejection', onThrown)
  const until = Date.now() + seconds * 1000
  try {
    await Promise.all(
      Array.from({ length: atOnce }, async (_, number) => {
        const bench = new Bench(number, seed, folder)
        await bench.open()
        while (Date.now() < until && faults.length < 10) {
          const { kind, fault } = await bench.round()
          counts.set(kind, (counts.get(kind) ?? 0) + 1)
          if (fault === '') continue
          faults.push(`line ${number}, ${kind}: ${fault}\n  ${bench.said.slice(-15).join('\n  ')}`)
          break
        }
        await bench.close()
      }),
    )
  } finally {
    process.off('uncaughtException', onThrown)
    process.off('unhandledRejection', onThrown)
    rmSync(folder, { recursive: true, force: true })
  }
  const megabytes = Math.round(process.memoryUsage().rss / 2 ** 20)
  const calls = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')
  process.stdout.write(`damaged voice calls: ${calls}, each followed by a sound one; ${megabytes} MB at the end; ${faults.length} faults\n`)
  for (const text of faults) process.stdout.write(`${text}\n`)
  return faults.length > 0 || megabytes > 700 ? 1 : 0
}
