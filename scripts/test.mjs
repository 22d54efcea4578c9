/**
 * All checks of `npm test`: the types, the engine's own tests, the tests of test/ through tap, the attacks. With file names as arguments
 * only those tests. Shows one line a file and each failure once, says how many properties and sites of assertions the files have (an
 * assertion in a loop is one site, and passes often), and ends with "N passed, N failed"; exit code 0 when none failed. Calls are tested in
 * real time, ten files at once and more on a machine that has time for them, for these wait most of their time; then other tests, three
 * files and more, while the attacks run. On a machine that can do less (scripts/test-machine.mjs), or does at the moment, fewer files run
 * at once and waits are longer; what is asserted stays. Up to three of the engine's tests that failed, up to ten files (twice at most) and
 * up to five areas of attacks are run again by themselves; those that pass then are listed with what failed first, and counted.
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ahead, run, runFiles, runLanes } from './test-files.mjs'
import { runsFile } from './test-flaky.mjs'
import { measureMachine } from './test-machine.mjs'
import { stripTypes } from './test-stripped.mjs'

const root = resolve(import.meta.dirname, '..')
const mostAgain = 10
const mostRounds = 2
const mostAreasAgain = 5
const mostTestsAgain = 3
/**
 * Two at a time, while others compute: here a killed daemon must be back before its engine gives up the calls, and a start takes a
 * processor; modems that run faster than time do in 300 ms what others do in ten seconds; and a conversation between two clocks loses sound
 * where the box is busy; callers of a fleet count the moment in which the edge takes a dead box out.
 */
const hurries = /^test\/(cluster\/fleet|e2e\/(one-suite-sim|crashes|engine-killed|history|outliving|vanished)|modem\/)/
/** These play calls, faxes or texts in real time: each uses about a sixth of a processor. */
const plays =
  /^test\/(e2e|engine|fax-engine|gsm|modem-voice|network|reminder-calls|sip-driver|sip-messages|streams|docs\/played|box\/(alarms|events)|fax\/(two-boxes|engine-service))/
const playing = 10
const hurrying = 2
const browsing = 3
/** What only computes lets the rest go first, so it is as many as fill the processors: how long the start of a file takes does not matter to it. */
const computing = 3
/** Where more than this share of the processors has nothing to do, one more file begins, up to so many. */
const idleEnough = 0.3
const mostPlaying = 11
const mostComputing = 4
/** A browser is several processes: where one starts next to a killed daemon, this is back too late. */
const browses = /^test\/console\//
/** For a minute and more they only wait, for a timer of a standard to run out. */
const waits = /^test\/(engine|e2e)\/session-timer/
/** They take longest (a minute and more, or half of one), and begin first: nobody waits for them in the end. */
const longest = [
  ...[
    'config-apply',
    'mailbox-menu',
    'e2e/full-disk',
    'e2e/notices',
    'e2e/help',
    'e2e/languages',
    'console/everywhere',
    'console/live',
    'fax/peers',
    'fax/pictures',
    'cli/hostile-service',
    'e2e/operating',
    'e2e/closed-folders',
    'sip-driver/lamps',
    'e2e/backup',
    'analog-pair-fax',
    'analog-pair.',
    'analog-sim',
    'one-suite',
    'setup-dialogue',
    'fax/engine-service',
    'e2e/engine-service',
    'box/alarms',
    'mailbox-settings',
    'network/network',
    'fax-engine/fax.',
    'voicemail.',
    'e2e/stream.',
    'recording',
    'e2e/speech',
  ],
  ...['class2-calls', 'e2e/reminders', 'crm-failures', 'menus', 'phones', 'inbound', 'transfer', 'e2e/failures', 'transcripts'],
  ...['crashes', 'two-boxes', 'outliving', 'history', 'hostile', 'vanished', 'golden'],
]
const engineTests = 'drivers/sip/engine/test/run'
process.chdir(root)

async function checkTypes() {
  const lines = []
  const check = (...words) => run(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit', ...words], (line) => lines.push(line))
  const code = (await check()) || (await check('-p', 'daemon/console'))
  console.log(code === 0 ? 'ok     types' : `FAILED types\n${lines.join('\n')}`)
  if (code !== 0) failures.push(`types: ${lines[0]}`)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/**
 * Those in real time first, with more at once: tests that compute run one at a time in what these leave of two processors. Those that only
 * wait take no turn of the others. A slower machine runs fewer at once until it has time for more, and there what computes comes after what
 * plays.
 */
async function runTests(files, jobs, beside) {
  if (jobs !== undefined) return runFiles(files, jobs)
  const of = (kind) => files.filter((file) => kindOf(file) === kind)
  const left = ({ running, waiting }) => running + waiting.length > 0
  const playsLeft = ([, plays]) => left(plays)
  const share = (usual) => Math.max(1, Math.floor(usual * capacity))
  const filling = (usual) => Math.max(1, Math.round(usual * Math.min(1, processors / 2)))
  return runLanes([
    { files: of('waits'), most: () => Infinity },
    { files: of('plays'), most: (_, idle, hurries) => (hurries ? 1 : idle > idleEnough ? mostPlaying : share(playing)) },
    { files: of('hurries'), most: (lanes) => (playsLeft(lanes) ? 0 : share(hurrying)) },
    { files: of('browses'), most: (lanes) => (playsLeft(lanes) || left(lanes[2]) ? 0 : filling(browsing)), yields: true },
    ...(beside === undefined ? [] : [{ files: ['attacks'], most: (lanes) => (playsLeft(lanes) ? 0 : 1), yields: true, runFile: beside }]),
    {
      files: of('computes'),
      most: (lanes, idle) => (playsLeft(lanes) ? (capacity === 1 ? 1 : 0) : idle > idleEnough ? mostComputing : filling(computing)),
      yields: true,
    },
  ])
}

function kindOf(file) {
  if (waits.test(file)) return 'waits'
  if (hurries.test(file)) return 'hurries'
  if (browses.test(file)) return 'browses'
  return plays.test(file) ? 'plays' : 'computes'
}

/** What passed only when it was run again, each with what failed first; listed and counted at the end. */
const secondTries = []
/** What failed for good, listed once more at the end: of a long log often only the end is kept. */
const failures = []

/**
 * A file that fails in company and passes alone is shown at the end with its first failure. The second argument is other work for one of
 * the files' places; it keeps its own result.
 */
async function runTestsAgain(files, beside) {
  const first = await runTests(files, undefined, beside)
  const lineOf = ({ file, first: failure }) => `${file}: ${failure}`
  let { bad } = first
  for (let round = 0; round < mostRounds && bad.length > 0 && first.bad.length <= mostAgain; round++) {
    console.log(`again, by themselves: ${bad.map(({ file }) => file).join(' ')}`)
    const again = await runTests(
      bad.map(({ file }) => file),
      1,
    )
    bad = again.bad
  }
  failures.push(...bad.map(lineOf))
  if (bad.length > 0) return first
  secondTries.push(...first.bad.map(lineOf))
  return { ...first, passed: first.passed + first.failed, failed: 0 }
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
  if (first.failed === 0) return first
  const few = first.bad.length > 0 && first.bad.length <= mostTestsAgain
  const bad = []
  for (const name of few ? first.bad : []) {
    console.log(`again, by itself: ${name}`)
    if ((await runEngineTests(name)).failed > 0) bad.push(name)
  }
  failures.push(...(few ? bad : [...first.bad, 'more of them']).map((name) => `${engineTests}: ${name}`))
  if (!few || bad.length > 0) return first
  secondTries.push(...first.bad.map((name) => `${engineTests}: ${name}`))
  return { passed: first.passed + first.failed, failed: 0 }
}

/** What an enemy tries (test/proofs/attack): prints its table as it goes. Without areas all of them, three at a time. `place`, `yields`: as of a file. */
async function runAttacks({ place, yields }, ...areas) {
  let last = ''
  const fell = []
  const words = areas.length === 0 ? ['--jobs', '3'] : [...areas, '--jobs', '1']
  const onLine = (line) => {
    console.log((last = line))
    const [, area, seen] = /^FELL\s+(\S+)\s+(.*)/.exec(line) ?? []
    if (area !== undefined) fell.push({ area, seen: seen.replaceAll(/\s+/g, ' ') })
  }
  const code = await run(process.execPath, ['test/proofs/attack/main.ts', ...words], onLine, { env: { TAP_JOB_ID: String(place) }, yields })
  const [, passed = 0, failed = 0] = /^(\d+) passed, (\d+) failed/.exec(last)?.map(Number) ?? []
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1), fell }
}

/** The areas that fell, by themselves; `first`: what came of all of them. */
async function runFallenAgain(first) {
  if (first.failed === 0) return first
  const lineOf = ({ area, seen }) => `attacks: ${area}: ${seen}`
  const areas = [...new Set(first.fell.map(({ area }) => area))]
  const few = areas.length > 0 && areas.length <= mostAreasAgain
  if (few) console.log(`again, by themselves: attacks on ${areas.join(' ')}`)
  const second = few ? await runAttacks({ place: 0, yields: false }, ...areas) : first
  if (second.failed > 0) {
    failures.push(...(second.fell.length === 0 ? ['attacks: ended early'] : second.fell.map(lineOf)))
    return first
  }
  secondTries.push(...first.fell.map(lineOf))
  return { passed: first.passed + first.failed, failed: 0 }
}

/** Helpers of the tests too: they assert for them. */
const sourceFiles = () =>
  readdirSync('test', { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('proofs/'))
    .map((file) => `test/${file}`)

const rank = (file) => (longest.findIndex((part) => file.includes(part)) + longest.length + 1) % (longest.length + 1)

const testFiles = () =>
  readdirSync('test', { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${file}`)
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))

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

/** What this run and all that it started and saw end took of the processors (proc(5)); an engine that outlives its daemon is not in it. */
function spent() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ').map(Number)
  const ofChildren = { faults: fields[8], user: fields[13], kernel: fields[14] }
  const minutes = (ticks) => (ticks / 100 / 60).toFixed(1)
  return `took ${minutes(ofChildren.user)} min of a processor, ${minutes(ofChildren.kernel)} min more in the kernel, ${(ofChildren.faults / 1e6).toFixed(1)} M page faults`
}

/** A whole run is kept for docs/figures/flaky.md (scripts/test-flaky.mjs). */
function keepRun() {
  mkdirSync(dirname(runsFile), { recursive: true })
  const { late, seconds, skipped, times } = tests
  const minutes = Math.round(performance.now() / 60_000)
  const counts = { passed: sum('passed'), failed: sum('failed'), skipped: skipped.length, late, seconds }
  const row = { at: new Date().toISOString(), processors: Number(processors.toFixed(2)), minutes, ...counts, secondTries, files: times }
  appendFileSync(runsFile, `${JSON.stringify(row)}\n`)
}

const asked = process.argv.slice(2)
const results = []
stripTypes()
const { processors, startMs, capacity, patience } = await measureMachine(ahead)
process.env['TEST_PATIENCE'] ??= patience.toFixed(2)
const free = `${processors.toFixed(2)} processors free, ${startMs.toFixed(0)} ms of one for the start of a file`
console.log(`machine ${free}: ${Math.max(1, Math.floor(playing * capacity))} play at once, waits x ${process.env['TEST_PATIENCE']}`)
let tests
if (asked.length > 0) {
  tests = await runTests(asked)
  failures.push(...tests.bad.map(({ file, first }) => `${file}: ${first}`))
} else {
  results.push(await checkTypes())
  if (existsSync(engineTests)) results.push(await runEngineTestsTwice())
  let attacks
  const attack = async (_, place, yields) => {
    attacks = await runAttacks({ place, yields })
    return { passed: 0, failed: 0, bad: [] }
  }
  tests = await runTestsAgain(testFiles(), attack)
  results.push(await runFallenAgain(attacks))
}
results.push(tests)
const sites = sitesOf((asked.length > 0 ? asked : sourceFiles()).filter((file) => file.endsWith('.ts') && existsSync(file)))
console.log(`${sites.tests} tests, ${sites.sites} sites of assertions, ${sites.properties} properties in the sources`)
for (const line of tests.skipped) console.log(`SKIPPED     ${line}`)
for (const line of secondTries) console.log(`SECOND TRY  ${line}`)
for (const line of failures) console.log(`FAILED      ${line}`)
console.log(
  `${tests.skipped.length} skipped, ${secondTries.length} needed a second try; what plays was late in ${tests.late} of ${tests.seconds} s`,
)
console.log(spent())
const sum = (key) => results.reduce((total, result) => total + result[key], 0)
if (asked.length === 0) keepRun()
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') === 0 ? 0 : 1)
