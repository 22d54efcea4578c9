/**
 * What the machine of a test run can do: measured in about a second before the first file begins, and watched until the last one ends. A file that
 * plays calls in real time needs its share of the processors at every moment, so how many of them run at once depends on what is found here.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The start of a file of tests takes so much of a processor (ms) on the machine that the run is laid out for, which has two. */
const usualStartMs = 75
const usualProcessors = 2
const spinMs = 400

/** Works on one thread for a while, and says how much of a processor it was given. */
const spinner = `const began = performance.now(), before = process.cpuUsage()
while (performance.now() - began < ${spinMs});
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000 / (performance.now() - began))`
/** What a file of tests loads before it begins: computing, and pages of memory that are touched for the first time. */
const starter = `await import('tap')
const { user, system } = process.cpuUsage()
console.log((user + system) / 1000)
process.exit()`

/** The number that a program prints. */
function numberOf(...words) {
  return new Promise((done, broken) => {
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.once('error', broken)
    child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece))
    child.once('close', () => done(Number(text)))
  })
}

/**
 * `processors`: how many this run is given, whatever their number is (a limit of a control group, a neighbour). `startMs`: what the start of a file
 * of tests costs of one. `capacity`: how much of the machine that the run is laid out for this one is, 1 at most. `patience`: how many times longer
 * than there a wait may take.
 */
export async function measureMachine(ahead) {
  const shares = await Promise.all(cpus().map(() => numberOf('-e', spinner)))
  const starts = []
  for (let round = 0; round < 3; round++) starts.push(await numberOf('--import', ahead, '--input-type=module', '-e', starter))
  const processors = shares.reduce((sum, share) => sum + share, 0)
  const startMs = Math.min(...starts)
  const found = processors / usualProcessors / Math.max(1, startMs / usualStartMs)
  // The rest of the machine always takes a little.
  const capacity = found > allButALittle ? 1 : found
  return { processors, startMs, capacity, patience: Math.min(mostPatience, Math.max(1, 1 / capacity)) }
}

const allButALittle = 0.75
const mostPatience = 8

/** How late a clock of 20 ms is on this machine: what plays loses sound where that is more than the far end waits for. */
const clockMs = 20
const lateMs = 40
/** The share of the last ten seconds in which something waited for a processor (Linux's pressure), per cent. */
const mostPressure = 99

export class Watch {
  /** Seconds in which the clock was late, of all. */
  late = 0
  seconds = 0
  #clock = monitorEventLoopDelay({ resolution: clockMs })
  #hurries = false

  constructor() {
    this.#clock.enable()
  }

  /** Once a second. */
  look() {
    const p95 = this.#clock.percentile(95) / 1e6 - clockMs
    this.#clock.reset()
    this.#hurries = p95 > lateMs || pressure() > mostPressure
    this.seconds++
    if (this.#hurries) this.late++
  }

  /** Whether nothing more that plays should begin now. */
  get hurries() {
    return this.#hurries
  }

  end() {
    this.#clock.disable()
  }
}

function pressure() {
  try {
    return Number(/^some avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1] ?? 0)
  } catch {
    return 0 // This kernel does not say.
  }
}
