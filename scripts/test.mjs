/**
 * All checks of `npm test`: the types, the engine's own tests, the tests of test/ through tap, the attacks. With file names as arguments only
 * those tests. Shows one line a file and each failure once, says how many properties and sites of assertions the files have (an assertion in
 * a loop is one site, and passes often), and ends with "N passed, N failed"; exit code 0 when none failed.
 * Calls are tested in real time, four files at once, for these wait most of their time; other tests two files at once. Up to three of the
 * engine's tests that failed, up to six files (twice at most) and up to three areas of attacks are run again by themselves, and named when they
 * pass then.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const mostAgain = 6
const mostRounds = 2
const mostAreasAgain = 3
const mostTestsAgain = 3
/**
 * Their files play calls in real time: each uses about a third of a processor. Not those in which a killed daemon must be back before its
 * engine gives up the calls: a start takes a processor.
 */
const inRealTime = /^test\/(engine|e2e)\/(?!crashes|engine-killed|history|outliving|vanished)/
const realTimeJobs = 4
const otherJobs = 2
const engineTests = 'drivers/sip/engine/test/run'
process.chdir(root)

/** Runs a program; resolves with its exit code after its last line. A signal counts as code 1. */
async function run(program, args, onLine) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NO_COLOR: '1' } })
  const ended = new Promise((done) => child.once('close', (code) => done(code ?? 1)))
  child.once('error', (error) => onLine(String(error)))
  for await (const line of createInterface(child.stdout)) onLine(line)
  return ended
}

async function checkTypes() {
  const lines = []
  const code = await run(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit'], (line) => lines.push(line))
  console.log(code === 0 ? 'ok     types' : `FAILED types\n${lines.join('\n')}`)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** Reads tap's stream: a failed assertion is printed with the tests around it, and not again for each of those. */
class TapReader {
  passed = 0
  failed = 0
  /** Files of which every test passed. */
  good = new Set()
  #open = []
  #failures = 0
  #detail = null

  line(line) {
    const indent = line.search(/\S/)
    const text = line.trim()
    if (this.#detail) return this.#readDetail(line, text)
    const opened = /^# Subtest: (.*)$/.exec(text)
    if (opened) {
      this.#open = [...this.#open.filter((test) => test.indent < indent), { indent, name: opened[1], failures: this.#failures }]
      return
    }
    const totals = indent === 0 && /^# (\{ total: .*\})$/.exec(text)
    if (totals) {
      const count = (key) => Number(new RegExp(`\\b${key}: (\\d+)`).exec(totals[1])?.[1] ?? 0)
      this.passed = count('pass')
      this.failed = count('fail')
      return
    }
    const point = /^(not ok|ok) \d+ - (.*?)( # time=([\d.]+)ms)?$/.exec(text)
    if (point) this.#point(indent, point[1] === 'ok', point[2], point[4])
  }

  #point(indent, ok, name, time) {
    const own = this.#open.find((test) => test.indent === indent && test.name === name)
    const toldInside = own !== undefined && this.#failures > own.failures
    if (!ok && !toldInside) {
      this.#failures++
      const around = this.#open.filter((test) => test.indent < indent).map((test) => test.name)
      console.log(`not ok ${[...around, name].join(' > ')}`)
      this.#detail = { indent }
    }
    if (indent === 0 && ok) this.good.add(name)
    if (indent === 0) console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}${time ? ` (${(time / 1000).toFixed(1)} s)` : ''}`)
    if (own) this.#open = this.#open.filter((test) => test.indent < indent)
  }

  /** The YAML under a failed assertion; an assertion may have none. */
  #readDetail(line, text) {
    const inside = line.search(/\S/) > this.#detail.indent || text === ''
    if (inside && text !== '...') {
      if (text !== '---') console.log(`    ${line.slice(this.#detail.indent)}`)
      return
    }
    this.#detail = null
    if (!inside) this.line(line)
  }
}

/** Those in real time have their own run, with more at once, and first: nothing that computes is beside them. */
async function runTap(files, jobs) {
  const waiting = files.filter((file) => inRealTime.test(file))
  const others = files.filter((file) => !inRealTime.test(file))
  const runs = []
  if (waiting.length > 0) runs.push(await runTapOnce(waiting, jobs ?? realTimeJobs))
  if (others.length > 0) runs.push(await runTapOnce(others, jobs ?? otherJobs))
  const sum = (key) => runs.reduce((total, run) => total + run[key], 0)
  return { passed: sum('passed'), failed: sum('failed'), bad: runs.flatMap((run) => run.bad) }
}

async function runTapOnce(files, jobs) {
  const reader = new TapReader()
  const code = await run(process.execPath, ['node_modules/.bin/tap', '--reporter=tap', `--jobs=${jobs}`, ...files], (line) =>
    reader.line(line),
  )
  const bad = files.filter((file) => !reader.good.has(file))
  return { passed: reader.passed, failed: code === 0 ? reader.failed : Math.max(reader.failed, 1), bad }
}

/** What fails beside others and passes by itself is a matter of the machine's load; told, so that it is looked at. */
async function runTapAgain(files) {
  const first = await runTap(files)
  if (first.failed === 0 || first.bad.length === 0 || first.bad.length > mostAgain) return first
  let { bad } = first
  for (let round = 0; round < mostRounds && bad.length > 0; round++) {
    console.log(`again, by themselves: ${bad.join(' ')}`)
    const { failed, bad: still } = await runTap(bad, 1)
    if (failed > 0 && still.length === 0) return first
    bad = still
  }
  if (bad.length > 0) return first
  console.log(`FLAKY  passed only by themselves: ${first.bad.join(' ')}`)
  return { passed: first.passed + first.failed, failed: 0 }
}

/** `part`: only the tests whose name holds it. */
async function runEngineTests(...part) {
  const lines = []
  const code = await run('sh', [engineTests, ...part], (line) => lines.push(line))
  const [, passed = 0, failed = 0] = /(\d+) passed, (\d+) failed/.exec(lines.at(-1) ?? '')?.map(Number) ?? []
  console.log(code === 0 ? `ok     ${engineTests}` : `FAILED ${engineTests}\n${lines.join('\n')}`)
  const bad = lines.map((line) => /^not ok - (.*) \(\d+ ms\)$/.exec(line)?.[1]).filter((name) => name !== undefined)
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1), bad }
}

async function runEngineTestsTwice() {
  const first = await runEngineTests()
  if (first.failed === 0 || first.bad.length === 0 || first.bad.length > mostTestsAgain) return first
  for (const name of first.bad) {
    console.log(`again, by itself: ${name}`)
    if ((await runEngineTests(name)).failed > 0) return first
  }
  console.log(`FLAKY  passed only by themselves: ${first.bad.join(', ')}`)
  return { passed: first.passed + first.failed, failed: 0 }
}

/** What an enemy tries (test/proofs/attack): prints its table as it goes. Without areas all of them, two at a time. */
async function runAttacks(...areas) {
  let last = ''
  const fell = new Set()
  const words = areas.length === 0 ? [] : [...areas, '--jobs', '1']
  const code = await run(process.execPath, ['test/proofs/attack/main.ts', ...words], (line) => {
    console.log((last = line))
    const [, area] = /^FELL\s+(\S+)/.exec(line) ?? []
    if (area !== undefined) fell.add(area)
  })
  const [, passed = 0, failed = 0] = /^(\d+) passed, (\d+) failed/.exec(last)?.map(Number) ?? []
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1), fell: [...fell] }
}

async function runAttacksTwice() {
  const first = await runAttacks()
  if (first.failed === 0 || first.fell.length === 0 || first.fell.length > mostAreasAgain) return first
  console.log(`again, by themselves: attacks on ${first.fell.join(' ')}`)
  const second = await runAttacks(...first.fell)
  if (second.failed > 0) return first
  console.log(`FLAKY  stood only by themselves: attacks on ${first.fell.join(' ')}`)
  return { passed: first.passed + first.failed, failed: 0 }
}

/** Helpers of the tests too: they assert for them. */
const sourceFiles = () =>
  readdirSync('test', { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('proofs/'))
    .map((file) => `test/${file}`)

const testFiles = () =>
  readdirSync('test', { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${file}`)
    .toSorted()

/** What the source of the tests holds: assertions where they are written, properties that are tried with many random inputs, and tests. */
function sitesOf(files) {
  const text = files.map((file) => readFileSync(file, 'utf8').replaceAll(/^\s*(\/\/|\*).*$/gm, '')).join('\n')
  const count = (pattern) => text.match(pattern)?.length ?? 0
  return {
    tests: count(/\bt\.test\(/g),
    sites: count(
      /\bt\.(ok|notOk|equal|not|same|notSame|strictSame|match|notMatch|hasStrict|has|throws|doesNotThrow|rejects|resolves|fail|pass|type)\(/g,
    ),
    properties: count(/\bfc\.(asyncProperty|property)\(/g),
  }
}

const asked = process.argv.slice(2)
const results = []
if (asked.length === 0) {
  results.push(await checkTypes())
  if (existsSync(engineTests)) results.push(await runEngineTestsTwice())
}
results.push(await (asked.length > 0 ? runTap(asked) : runTapAgain(testFiles())))
if (asked.length === 0) results.push(await runAttacksTwice())
const { tests, sites, properties } = sitesOf(
  (asked.length > 0 ? asked : sourceFiles()).filter((file) => file.endsWith('.ts') && existsSync(file)),
)
console.log(`${tests} tests, ${sites} sites of assertions, ${properties} properties in the sources`)
const sum = (key) => results.reduce((total, result) => total + result[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') === 0 ? 0 : 1)
