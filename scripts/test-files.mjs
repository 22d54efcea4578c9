/**
 * Runs files of tests, each as a program of its own, which a file of tap's tests is, and reads what they say. Not by tap's own runner: for
 * the sake of coverage it gives a loader to every program below it, with which a daemon takes twice the processor to start.
 */
import { spawn } from 'node:child_process'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { Watch } from './test-machine.mjs'

/** Seconds that a file may take; tap's default is 30. A file that wants more says so by `t.setTimeout`. */
const mostSeconds = 240
/** A program that has not ended by then is ended (ms). */
const mostMs = 600_000

/** What V8 compiled, kept for the next process that loads the same: daemons, commands and files of tests are started hundreds of times. */
const compiled = resolve(import.meta.dirname, '..', '.cache', 'compiled')
export const ahead = pathToFileURL(resolve(import.meta.dirname, 'test-ahead.mjs')).href

/** Runs a program; resolves with its exit code after its last line. A signal counts as code 1. `ms`: after that it is killed. `yields`: to others. */
export async function run(program, args, onLine, { env = {}, ms, yields = false } = {}) {
  const [command, words] = yields ? ['nice', ['-n', '15', program, ...args]] : [program, args]
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NO_COLOR: '1', ...env } })
  const ended = new Promise((done) => child.once('close', (code) => done(code ?? 1)))
  child.once('error', (error) => onLine(String(error)))
  const timer = ms === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), ms)
  for await (const line of createInterface(child.stdout)) onLine(line)
  clearTimeout(timer)
  return ended
}

/** Reads what one file says in TAP: a failed assertion is kept with the tests around it, and not again for each of those. */
class TapReader {
  /** null until the file has ended its tests. */
  passed = null
  failed = 0
  failures = []
  /** What was left out, and why. */
  skipped = []
  /** Seconds of a processor, the kernel's with them (scripts/test-ahead.mjs); undefined where the file was ended. */
  processor
  #open = []
  #detail = null

  line(line) {
    const indent = line.search(/\S/)
    const text = line.trim()
    if (this.#detail) return this.#readDetail(line, text)
    const opened = /^# Subtest: (.*)$/.exec(text)
    if (opened) {
      this.#open = [...this.#open.filter((test) => test.indent < indent), { indent, name: opened[1], failures: this.failures.length }]
      return
    }
    const whole = indent === 0 && /^1\.\.0 # (?:SKIP )?(.*)$/i.exec(text)
    if (whole) {
      this.passed = 0
      this.skipped.push(whole[1])
      return
    }
    const spent = indent === 0 && /^# spent user=(\d+) kernel=(\d+) /.exec(text)
    if (spent) {
      this.processor = (Number(spent[1]) + Number(spent[2])) / 100
      return
    }
    const totals = indent === 0 && /^# (\{ total: .*\})$/.exec(text)
    if (totals) {
      const count = (key) => Number(new RegExp(`\\b${key}: (\\d+)`).exec(totals[1])?.[1] ?? 0)
      this.passed = count('pass')
      this.failed = count('fail')
      return
    }
    const point = /^(not ok|ok) \d+ - (.*?)( # time=[\d.]+ms)?( \{)?$/.exec(text)
    if (point) this.#point(indent, point[1] === 'ok', point[2])
  }

  #point(indent, ok, name) {
    const skip = /^(.*?) # SKIP\b *(.*)$/i.exec(name)
    if (skip) this.skipped.push(`${skip[1]}: ${skip[2]}`)
    const own = this.#open.find((test) => test.indent === indent && test.name === name)
    const toldInside = own !== undefined && this.failures.length > own.failures
    if (!ok && !toldInside && !/ # (SKIP|TODO)\b/i.test(name)) {
      const around = this.#open.filter((test) => test.indent < indent).map((test) => test.name)
      this.failures.push({ name: [...around, name].join(' > '), lines: [] })
      this.#detail = { indent }
    }
    if (own) this.#open = this.#open.filter((test) => test.indent < indent)
  }

  /** The YAML under a failed assertion; an assertion may have none. */
  #readDetail(line, text) {
    const inside = line.search(/\S/) > this.#detail.indent || text === ''
    if (inside && text !== '...') {
      if (text !== '---') this.failures.at(-1).lines.push(line.slice(this.#detail.indent))
      return
    }
    this.#detail = null
    if (!inside) this.line(line)
  }
}

/**
 * Memory comes in pages of 2 MiB where this system has some, and in small ones elsewhere: a third to a half fewer page faults in whatever a run
 * starts, each of which costs 16 microseconds on a small virtual machine.
 */
process.env['GLIBC_TUNABLES'] ??= 'glibc.malloc.hugetlb=1'

/** How many times longer than on the machine that the run is laid out for a file, and what it waits for, may take. */
const patience = () => Number(process.env['TEST_PATIENCE'] ?? 1)

/**
 * `place`: which of those that run at once it is, 0 to 11; each has ports of its own (test/harness/daemon.ts). `bad`: the file, where it failed, with
 * its first failure.
 */
async function runFile(file, place, yields) {
  const reader = new TapReader()
  const began = performance.now()
  const env = {
    TAP: '1',
    TAP_JOB_ID: String(place),
    TAP_TIMEOUT: String(mostSeconds * patience()),
    NODE_COMPILE_CACHE: compiled,
  }
  const code = await run(process.execPath, ['--enable-source-maps', '--import', ahead, file], (line) => reader.line(line), {
    env,
    ms: mostMs * patience(),
    yields,
  })
  const good = code === 0 && reader.passed !== null && reader.failed === 0
  for (const { name, lines } of reader.failures) console.log([`not ok ${file} > ${name}`, ...lines.map((line) => `    ${line}`)].join('\n'))
  if (!good && reader.failures.length === 0) console.log(`not ok ${file} ended with ${code}`)
  const seconds = Number(((performance.now() - began) / 1000).toFixed(1))
  const { processor } = reader
  const took = processor === undefined ? '' : `, ${processor.toFixed(1)} s of a processor`
  console.log(`${good ? 'ok    ' : 'FAILED'} ${file} (${seconds.toFixed(1)} s)${took}`)
  const first = firstOf(reader.failures[0]) ?? `ended with ${code}`
  return {
    passed: reader.passed ?? 0,
    failed: good ? 0 : Math.max(reader.failed, 1),
    bad: good ? [] : [{ file, first }],
    skipped: reader.skipped.map((what) => `${file}: ${what}`),
    times: [{ file, seconds, processor }],
  }
}

/** A failure in one line: its test, and what its first details say. */
function firstOf(failure) {
  if (failure === undefined) return undefined
  const said = failure.lines.map((line) => line.trim()).filter((line) => /^(found|wanted|message|error): \S/.test(line))
  return [failure.name, ...said.slice(0, 2)].join('; ').slice(0, 300)
}

/** How idle the processors were in the last seconds, 0 to 1; 0 until that is known, and again after `forget`. */
class Idle {
  #seen = []

  look() {
    const all = cpus().map(({ times }) => ({ idle: times.idle, all: Object.values(times).reduce((sum, ms) => sum + ms, 0) }))
    const sum = (key) => all.reduce((total, each) => total + each[key], 0)
    this.#seen.push({ idle: sum('idle'), all: sum('all') })
    if (this.#seen.length > idleSeconds + 1) this.#seen.shift()
  }

  forget() {
    this.#seen = []
  }

  get share() {
    const [first, last] = [this.#seen[0], this.#seen.at(-1)]
    return this.#seen.length <= idleSeconds || last.all === first.all ? 0 : (last.idle - first.idle) / (last.all - first.all)
  }
}

const idleSeconds = 3

/**
 * Files of several kinds, of which each waits for its own turn: of a lane `most(lanes, idle, hurries)` run at once, in their order, where `idle` is
 * the share of the processors that has nothing to do, and `hurries` says that what plays is late already (one file more begins only where none of
 * its lane runs). They share the places, of which there are `places`; a lane that stands before another takes a free one first. `yields`: whose
 * processes let those of other lanes go first. `runFile`: how the files of a lane are run, where not as tests; with a file, its place and `yields`
 * it resolves as for a file of tests.
 */
export async function runLanes(lanes, places = 12) {
  const free = Array.from({ length: places }, (_, place) => place)
  const state = lanes.map(({ files, most, yields = false, runFile: begin = runFile }) => ({
    waiting: [...files],
    running: 0,
    most,
    yields,
    begin,
  }))
  const results = []
  const idle = new Idle()
  const watch = new Watch()
  const next = () => state.find(({ waiting, running, most }) => waiting.length > 0 && running < most(state, idle.share, watch.hurries))
  let looks
  await new Promise((done, broken) => {
    const begin = () => {
      for (let lane = next(); lane !== undefined && free.length > 0; lane = next()) {
        const place = free.shift()
        lane.running++
        idle.forget()
        lane.begin(lane.waiting.shift(), place, lane.yields).then((result) => {
          results.push(result)
          lane.running--
          free.push(place)
          begin()
        }, broken)
      }
      if (free.length === places) done()
    }
    looks = setInterval(() => {
      idle.look()
      watch.look()
      begin()
    }, 1000)
    begin()
  }).finally(() => {
    clearInterval(looks)
    watch.end()
  })
  return { ...sumOf(results), late: watch.late, seconds: watch.seconds }
}

/** In their order, so many at once. */
export const runFiles = (files, jobs) => runLanes([{ files, most: () => jobs }])

export function sumOf(results) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    bad: results.flatMap((result) => result.bad),
    skipped: results.flatMap((result) => result.skipped ?? []),
    times: results.flatMap((result) => result.times ?? []),
  }
}
