/**
 * npm run bench [-- NAME...] [--json] [--before DIR]: measures what the product promises, prints each target next to what was seen, and
 * names the machine. Needs sipp and a C compiler, both installed by scripts/setup.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, userInfo } from 'node:os'
import { answered } from './answered.ts'
import { audio, legs } from './audio.ts'
import { comparisons } from './before.ts'
import { consolePages } from './console.ts'
import { crm } from './crm.ts'
import { crmOutage } from './crm-outage.ts'
import { durable } from './durable.ts'
import { fax } from './fax.ts'
import { house, outliving } from './house/main.ts'
import { latency } from './latency.ts'
import { table, type Measurement, type Row } from './measure.ts'
import { messaging } from './messaging.ts'
import { pages } from './pages.ts'
import { recovery } from './recovery.ts'
import { rest } from './rest.ts'
import { engines, voicesOf } from './speech-engines.ts'
import { gathers } from './speech-gather.ts'
import { crowded, transcribing, voicemails } from './speech-load.ts'
import { start } from './start.ts'
import { stalls } from './stalls.ts'
import { stream } from '../stream/bench/stream.ts'

const all: Measurement[] = [
  rest,
  start,
  recovery,
  latency,
  audio,
  legs,
  answered,
  durable,
  gathers,
  engines,
  voicesOf,
  transcribing,
  voicemails,
  crowded,
  pages,
  consolePages,
  fax,
  messaging,
  stalls,
  crm,
  crmOutage,
  house,
  outliving,
  stream,
]

function machine(): Record<string, string> {
  const system = /^PRETTY_NAME="(.*)"/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'Linux'
  return {
    processor: `${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown'}`,
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GB`,
    system: `${system}, Linux ${release()}, Node ${process.version}`,
    user: `${userInfo().username} (root may take real-time priority)`,
    load: loadavg()
      .map((n) => n.toFixed(1))
      .join(' '),
    date: new Date().toISOString().slice(0, 16),
  }
}

const words = process.argv.slice(2)
const beforeAt = words.indexOf('--before')
const before = beforeAt === -1 ? undefined : words.splice(beforeAt, 2)[1]
const offered = before === undefined ? all : comparisons(before)
const json = words.includes('--json')
const names = words.filter((word) => !word.startsWith('-'))
const unknown = names.filter((name) => !offered.some((m) => m.name === name))
const wrong = unknown.length > 0 || (beforeAt !== -1 && before === undefined)
if (wrong || words.includes('--help')) {
  console.error(`usage: npm run bench [-- NAME...] [--json] [--before DIR]\nmeasurements: ${offered.map((m) => m.name).join(', ')}`)
  process.exit(wrong ? 2 : 0)
}

const about = machine()
const results: { name: string; title: string; rows: Row[] }[] = []
if (!json)
  console.log(
    Object.entries(about)
      .map(([name, text]) => `${name.padEnd(10)} ${text}`)
      .join('\n'),
  )
for (const { name, title, run } of offered.filter((m) => names.length === 0 || names.includes(m.name))) {
  if (!json) console.log(`\n${title}`)
  try {
    const rows = await run()
    results.push({ name, title, rows })
    if (!json) console.log(table(rows))
  } catch (e) {
    process.exitCode = 1
    results.push({ name, title, rows: [] })
    console.error(`  ${name} could not be measured: ${e instanceof Error ? e.message : String(e)}`)
  }
}
if (json) console.log(JSON.stringify({ machine: about, results }, null, 2))
else {
  const judged = results.flatMap((r) => r.rows).filter((row) => row.met !== undefined)
  console.log(`\n${judged.filter((row) => row.met).length} of ${judged.length} targets met`)
}
