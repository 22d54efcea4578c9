/**
 * Modems that lie, seen from both sides of a port: the Class 1 half of pbx-fax in virtual time, and the driver of drivers/modem
 * with a whole pbx-fax for each call, both under sanitizers and at the same time. After each call the modem becomes honest: then
 * it has to be ready again, and to ring.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { renderJob } from '../../../daemon/fax/pages/pages.ts'
import { AtSession } from '../../../drivers/modem/at-session.ts'
import { runnerOf, type CallGround } from '../../../drivers/modem/fax-call.ts'
import { testLine } from '../../../drivers/modem/probe.ts'
import { RingWatch } from '../../../drivers/modem/ring-watch.ts'
import { hangUp, prepare } from '../../../drivers/modem/setup.ts'
import type { FaxLineResult } from '../../../drivers/fax.ts'
import { letter } from '../../fax-pages/documents.ts'
import { fuzzFax, run, type FaxFuzzOptions } from './fax.ts'
import { LyingModem } from './lying-modem.ts'
import { Random } from '../../../scripts/cli/selftest/corpus.ts'

const root = join(import.meta.dirname, '../../..')
const atOnce = 40
const speed = 100
const answerMs = 60
/** Of an honest modem, however busy the machine is. */
const honestMs = 3000
const carrierSeconds = 60
/** None of the steps of a call, however the modem lies, may take longer on a busy machine. */
const mostMs = 90_000

/** Resolves with 0 when nothing was found. */
export async function fuzzAt({ seconds, seed }: FaxFuzzOptions): Promise<number> {
  process.stdout.write('building pbx-fax under sanitizers\n')
  const made = await run('make', ['-s', '-C', join(root, 'drivers/modem/class1'), 'SANITIZE=1', '-j2'])
  if (made !== 0) return made
  // Its process ends with the call, and takes along what spandsp forgets.
  process.env['ASAN_OPTIONS'] ??= 'detect_leaks=0'
  const [dialogues, sessions] = await Promise.all([fuzzFax({ seconds, seed, line: 'modem' }), fuzzSessions({ seconds, seed })])
  return dialogues !== 0 ? dialogues : sessions
}

interface Counts {
  cases: number
  ready: number
  connected: number
  withPages: number
}

async function fuzzSessions({ seconds, seed }: FaxFuzzOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-fuzz-at-'))
  const counts: Counts = { cases: 0, ready: 0, connected: 0, withPages: 0 }
  const results = new Map<string, number>()
  const faults: string[] = []
  const fault = (text: string): void => void (faults.length < 50 && faults.push(text))
  const onThrown = (error: unknown): void => fault(`thrown where nobody caught it: ${error instanceof Error ? error.stack : String(error)}`)
  process.on('uncaughtException', onThrown)
  process.on('unhandledRejection', onThrown)
  const until = Date.now() + seconds * 1000
  try {
    const pdf = join(folder, 'letter.pdf')
    writeFileSync(pdf, await letter(2))
    const document = await renderJob({ pdf, directory: join(folder, 'document') })
    const worker = async (): Promise<void> => {
      while (Date.now() < until && faults.length === 0) {
        const number = counts.cases++
        await new Case(new Random(seed * 1_000_003 + number), number, document, folder, fault).run(counts, results)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  } finally {
    process.off('uncaughtException', onThrown)
    process.off('unhandledRejection', onThrown)
    rmSync(folder, { recursive: true, force: true })
  }
  const { cases, ready, connected, withPages } = counts
  process.stdout.write(
    `${cases} modems that lied to the driver: ${ready} were taken for fax modems, ${connected} heard a fax machine, ${withPages} moved a page\n`,
  )
  for (const [name, times] of [...results].toSorted((a, b) => b[1] - a[1])) process.stdout.write(`${String(times).padStart(8)} x ${name}\n`)
  const megabytes = Math.round(process.memoryUsage().rss / 2 ** 20)
  process.stdout.write(`${megabytes} MB in use at the end; ${faults.length} faults\n`)
  for (const text of faults) process.stdout.write(`${text}\n`)
  return faults.length > 0 || megabytes > 700 ? 1 : 0
}

class Case {
  readonly #random: Random
  readonly #number: number
  readonly #document: { readonly fine: string; readonly standard: string }
  readonly #folder: string
  readonly #fault: (text: string) => void
  readonly #modem: LyingModem
  readonly #session: AtSession
  readonly #rings: RingWatch
  #rang = 0
  #unplugged = false
  /** The last words of both sides. */
  readonly #said: string[] = []

  constructor(
    random: Random,
    number: number,
    document: { readonly fine: string; readonly standard: string },
    folder: string,
    fault: (text: string) => void,
  ) {
    this.#random = random
    this.#number = number
    this.#document = document
    this.#folder = folder
    this.#fault = (text) => fault(`case ${number}: ${text}\n  ${this.#said.join('\n  ')}`)
    this.#modem = new LyingModem(random, random.pick(['1', '1', '2', '2.0']), random.pick([0, 0.01, 0.05, 0.05, 0.3, 1]), (bytes) =>
      this.#session.onData(bytes),
    )
    this.#rings = new RingWatch(speed, { rings: () => (this.#rang += 1) > 0, quiet: () => undefined })
    this.#session = new AtSession(this.#modem.port, {
      ring: () => this.#rings.ring(),
      caller: (field, value) => this.#rings.caller(field, value),
      trace: (sent, text) => {
        this.#said.push(`${sent ? '>' : '<'} ${text.slice(0, 80)}`)
        if (this.#said.length > 40) this.#said.shift()
      },
    })
  }

  async run(counts: Counts, results: Map<string, number>): Promise<void> {
    const random = this.#random
    const lies = this.#modem.lies
    const chatter = setInterval(() => random.chance(lies / 3) && this.#modem.noise(), 20)
    // The setup itself is lied to in some cases only, or few calls would come to pass.
    if (random.chance(0.6)) this.#modem.lies = 0
    const prepared = await this.#within('the setup', this.#prepare())
    this.#modem.lies = lies
    if (prepared !== null && 'modem' in prepared) {
      counts.ready += 1
      const { modem } = prepared
      const kind = random.integer(10)
      if (kind === 0) await this.#within('the test of the line', testLine(this.#session, answerMs, speed))
      else {
        const result = await this.#call(modem, kind < 6)
        if (result !== null) {
          const name = `class ${modem.faxClass} ${kind < 6 ? 'sending' : 'receiving'}: ${result.dial}`
          results.set(name, (results.get(name) ?? 0) + 1)
          if (result.heardFax) counts.connected += 1
          if (result.pages > 0) counts.withPages += 1
          this.#judge(result)
        }
      }
      this.#session.releaseData()
      await this.#within('hanging up', hangUp(this.#session, this.#modem.port, answerMs))
    }
    clearInterval(chatter)
    if (!this.#unplugged) await this.#honest()
    this.#rings.forget()
    this.#session.closed()
    await this.#modem.port.close()
    rmSync(this.#received(), { force: true })
  }

  /** It has learnt its lesson. */
  async #honest(): Promise<void> {
    this.#modem.lies = 0
    await delay(20)
    const again = await this.#within('the setup of the honest modem', this.#prepare(honestMs))
    if (again === null || 'failed' in again) this.#fault(`an honest modem is of no use afterwards: ${again?.failed}`)
    this.#rings.forget()
    this.#rang = 0
    this.#modem.tell('RING')
    this.#modem.tell('RING')
    for (let tries = 0; tries < 100 && this.#rang === 0; tries++) await delay(20)
    if (this.#rang === 0) this.#fault('an honest modem rings and is not heard')
  }

  #received(): string {
    return join(this.#folder, `received-${this.#number}.tif`)
  }

  #prepare(within = answerMs): ReturnType<typeof prepare> {
    const extra = this.#random.chance(0.2) ? ['AT+VERY=LONG'] : []
    return prepare(this.#session, this.#modem.port, { faxClass: 'auto', blindDial: false, carrierSeconds, extra, answerMs: within }, null)
  }

  async #call(modem: CallGround['modem'], sends: boolean): Promise<FaxLineResult | null> {
    const random = this.#random
    const handlers = { progress: () => undefined, frame: () => undefined, ended: () => undefined }
    const tell = (_: object, text: string): void => {
      if (/Sanitizer|runtime error|SUMMARY/.test(text)) this.#fault(text)
    }
    const ground: CallGround = {
      port: this.#modem.port,
      session: this.#session,
      modem,
      faxProgram: join(root, '.cache/fax-asan/pbx-fax'),
      log: { debug: tell, info: tell, warn: tell },
      speed,
      answerMs,
      carrierSeconds,
      handlers,
      connected: () => undefined,
    }
    const { fine, standard } = this.#document
    const both = { stationId: '+1555', ecm: random.chance(0.5), t38: false }
    const runner = runnerOf(modem.faxClass)
    const running = sends
      ? runner.place(ground, '5551234', {
          ...both,
          file: fine,
          standardFile: standard,
          firstPage: random.integer(3),
          header: 'Clinic',
          timeZone: 'UTC',
          modems: modem.modems,
        })
      : runner.take(ground, { ...both, file: this.#received() })
    const stops = [setTimeout(() => running.stop(), random.chance(0.3) ? random.integer(1000) : 4000)]
    if (random.chance(0.1)) {
      stops.push(
        setTimeout(() => {
          this.#unplugged = true
          this.#session.closed()
          running.lost()
        }, random.integer(1500)),
      )
    }
    const result = await this.#within(`a call of class ${modem.faxClass}`, running.result)
    for (const stop of stops) clearTimeout(stop)
    return result
  }

  #judge(result: FaxLineResult): void {
    if (!Number.isInteger(result.pages) || result.pages < 0 || !Number.isInteger(result.code))
      this.#fault(`a result of ${JSON.stringify(result)}`)
    if (/ended without a result|gave no sign/.test(result.text)) this.#fault(result.text)
  }

  async #within<T>(what: string, work: Promise<T>): Promise<T | null> {
    const patience = new AbortController()
    try {
      const late = delay(mostMs, 'late' as const, { signal: patience.signal })
      late.catch(() => undefined)
      const done = await Promise.race([work, late])
      if (done !== 'late') return done as T
      this.#fault(`${what} did not end within ${mostMs / 1000} s`)
    } catch (error) {
      this.#fault(`${what} threw ${error instanceof Error ? error.stack : String(error)}`)
    } finally {
      patience.abort()
    }
    return null
  }
}
