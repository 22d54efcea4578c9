/** Two soft modems of ours on pseudo terminals, joined by a telephone line of 60 ms; the program is built when it is first needed. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { FaxLineFrame, FaxLineHandlers, FaxLineResult, FaxLineState, FaxProgress, FaxRing, FaxSendRequest } from '../../drivers/fax.ts'
import { createModemLine, type ModemLine, type ModemLineOptions } from '../../drivers/modem/driver.ts'

const root = join(import.meta.dirname, '../..')
const cache = join(root, '.cache')
export const faxProgram = process.env['PBX_FAX'] ?? join(cache, 'fax/pbx-fax')
const source = join(import.meta.dirname, 'softmodem/softmodem.cc')
const softmodem = join(cache, 'softmodem/softmodem')
const class2Source = join(import.meta.dirname, 'class2sim')
/** Modems that run the fax themselves; its orders are in its main file. */
export const class2sim = join(cache, 'class2sim/class2sim')
const run = promisify(execFile)

export async function build(): Promise<void> {
  if (process.env['PBX_FAX'] === undefined) await run('make', ['-C', join(root, 'drivers/modem/class1'), `CACHE=${cache}`])
  await compile(softmodem, [source], ['-lspandsp', '-lutil'])
  await compile(
    class2sim,
    readdirSync(class2Source).map((name) => join(class2Source, name)),
    ['-lutil'],
  )
}

async function compile(program: string, sources: readonly string[], libraries: readonly string[]): Promise<void> {
  if (existsSync(program) && sources.every((file) => statSync(program).mtimeMs > statSync(file).mtimeMs)) return
  mkdirSync(dirname(program), { recursive: true })
  const part = `${program}.${process.pid}`
  await run('g++', ['-std=c++20', '-O2', '-o', part, ...sources.filter((file) => file.endsWith('.cc')), ...libraries])
  renameSync(part, program)
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined }

/** A line with its states and rings, to be awaited. */
export class Watched {
  readonly line: ModemLine
  readonly states: string[] = []
  readonly trace: string[] = []
  #waiting: { state: FaxLineState; resolve: () => void }[] = []
  constructor(options: Omit<ModemLineOptions, 'log' | 'faxProgram'>) {
    const trace = (sent: boolean, text: string): void => void this.trace.push(`${sent ? '>' : '<'} ${text}`)
    this.line = createModemLine({ reopenMs: [50, 200], answerMs: 600, trace, ...options, faxProgram, log: silent })
    this.line.statusChanged = ({ state }) => {
      this.states.push(state)
      for (const w of this.#waiting) if (w.state === state) w.resolve()
      this.#waiting = this.#waiting.filter((w) => w.state !== state)
    }
  }
  is(state: FaxLineState): Promise<void> {
    if (this.line.status().state === state) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ state, resolve }))
  }
  rings(): Promise<FaxRing> {
    return new Promise((resolve) => (this.line.onRing = resolve))
  }
}

export class Rig {
  readonly directory = mkdtempSync(join(tmpdir(), 'modem-'))
  readonly speed: number
  readonly #lines: ModemLine[] = []
  #child: ChildProcess | null = null

  readonly #numbers: readonly [string, string]
  readonly #program: string

  /** `program`: the soft modems of class 1, or class2sim, whose numbers may have knobs behind them. */
  constructor(speed: number, numbers: readonly [string, string] = ['100:ALICE', '200:BOB'], program = softmodem) {
    this.speed = speed
    this.#numbers = numbers
    this.#program = program
  }

  async open(): Promise<this> {
    const child = spawn(
      this.#program,
      ['-d', '60', '-s', String(this.speed), `${this.device(0)}:${this.#numbers[0]}`, `${this.device(1)}:${this.#numbers[1]}`],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    )
    this.#child = child
    await new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
    return this
  }

  device(index: number): string {
    return join(this.directory, `modem${index}`)
  }

  file(name: string): string {
    return join(this.directory, name)
  }

  order(text: string): void {
    this.#child!.stdin!.write(`${text}\n`)
  }

  async line(index: number, options: Partial<ModemLineOptions> = {}): Promise<Watched> {
    const watched = new Watched({
      id: `modem${index}`,
      device: this.device(index),
      number: index === 0 ? '100' : '200',
      speed: this.speed,
      ...options,
    })
    this.#lines.push(watched.line)
    watched.line.start()
    await watched.is('ready')
    return watched
  }

  async close(): Promise<void> {
    await Promise.all(this.#lines.map((line) => line.stop()))
    this.#child?.kill()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** A fax as its owner sees it. */
export class Story implements FaxLineHandlers {
  readonly phases: string[] = []
  readonly frames: FaxLineFrame[] = []
  readonly #done = Promise.withResolvers<FaxLineResult>()
  readonly result = this.#done.promise
  #waiting: { phase: string; resolve: () => void }[] = []
  ends = 0
  progress({ phase }: FaxProgress): void {
    this.phases.push(phase)
    for (const w of this.#waiting) if (w.phase === phase) w.resolve()
  }
  frame(frame: FaxLineFrame): void {
    this.frames.push(frame)
  }
  ended(result: FaxLineResult): void {
    this.ends += 1
    this.#done.resolve(result)
  }
  reached(phase: FaxProgress['phase']): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ phase, resolve }))
  }
}

export function sending(file: string, options: Partial<FaxSendRequest> = {}): FaxSendRequest {
  return {
    file,
    standardFile: '',
    firstPage: 0,
    stationId: '+1555100',
    header: 'TEST',
    timeZone: 'Europe/Berlin',
    ecm: true,
    modems: ['v17', 'v29', 'v27ter'],
    t38: false,
    ...options,
  }
}

/** efax, somebody else's Class 1 program; its exit status and words. */
export function efax(parameters: readonly string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    const child = spawn('efax', parameters, { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')))
    child.on('close', (code) => resolve({ code: code ?? -1, said }))
    child.on('error', (error) => resolve({ code: -1, said: error.message }))
  })
}
