/**
 * The `stream` verb and programs that were written for Twilio:
 *
 *   scripts/run test/proofs/stream/main.ts install [--npm]
 *   scripts/run test/proofs/stream/main.ts peers [--against box|stand-in] [--json]
 *   scripts/run test/proofs/stream/main.ts hostile [--minutes N] [--only WORDS] [--json]
 *   scripts/run test/proofs/stream/main.ts floods [--only WORDS] [--json]
 *   scripts/run test/proofs/stream/main.ts memory [--streams N] [--rest SECONDS]
 *
 * `install` puts them into `.cache/stream-peers` (94 MB, from npm and github.com; PBXD_MEDIA_STREAMS names another copy of Twilio's repository; with
 * `--npm`, as for the tests, from npm alone);
 * `peers` runs them unmodified, those that are there; `hostile` plays servers that stall, crash, flood and send garbage, in real calls;
 * `floods` has four calls at once with servers that send as fast as they can, and says how long the event loop stood still; `memory` says what is
 * left of 4,000 streams a minute after the last. Ends with status 1 when one was not content. What a stream costs: npm run bench -- stream.
 */
import { parseArgs } from 'node:util'
import { hostile } from './hostile.ts'
import { everyFlood } from './floods.ts'
import { memory } from './memory.ts'
import { install } from './packages.ts'
import { peerCases } from './peers.ts'
import { boxSide, standInSide } from './sides.ts'

const usage = `usage: scripts/run test/proofs/stream/main.ts install [--npm]
       scripts/run test/proofs/stream/main.ts peers [--against box|stand-in] [--json]
       scripts/run test/proofs/stream/main.ts hostile [--minutes N] [--only WORDS] [--json]
       scripts/run test/proofs/stream/main.ts floods [--only WORDS] [--json]
       scripts/run test/proofs/stream/main.ts memory [--streams N] [--rest SECONDS]
`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string', default: 'box' },
    minutes: { type: 'string', default: '1' },
    only: { type: 'string' },
    streams: { type: 'string', default: '4000' },
    rest: { type: 'string', default: '60' },
    npm: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
})
const [command = ''] = positionals
if (
  values.help ||
  positionals.length !== 1 ||
  !['install', 'peers', 'hostile', 'floods', 'memory'].includes(command) ||
  !['box', 'stand-in'].includes(values.against)
) {
  process.stderr.write(usage)
  process.exit(values.help ? 0 : 2)
}

interface Outcome {
  readonly peer: string
  readonly verdict: 'good' | 'BAD' | 'left out'
  readonly seen: string
}

async function peers(): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const side = values.against === 'box' ? await boxSide() : standInSide()
  try {
    for (const one of peerCases) {
      const reason = one.whyNot()
      const outcome = await (reason === false
        ? one.run(side).then(
            (seen) => ({ verdict: 'good' as const, seen }),
            (error: unknown) => ({ verdict: 'BAD' as const, seen: error instanceof Error ? error.message : String(error) }),
          )
        : { verdict: 'left out' as const, seen: reason })
      outcomes.push({ peer: one.name, ...outcome })
      if (!values.json) console.log(`${outcome.verdict.padEnd(8)} ${one.name}: ${outcome.seen}`)
    }
  } finally {
    await side.close()
  }
  return outcomes
}

if (command === 'install') {
  const missing = install(values.npm)
  for (const line of missing) console.error(`left out: ${line}`)
  if (missing.length === 0) console.log('all peers are there')
  process.exit(missing.length === 0 ? 0 : 1)
}
if (command === 'hostile') {
  const seen = await hostile({ minutes: Number(values.minutes), only: values.only }, ({ name, good, seen: text, grownMb }) => {
    if (!values.json) console.log(`${good ? 'good    ' : 'BAD     '} ${name}: ${text} (${grownMb.toFixed()} MB)`)
  })
  if (values.json) console.log(JSON.stringify(seen, null, 2))
  process.exit(seen.every(({ good }) => good) ? 0 : 1)
}
if (command === 'floods') {
  const seen = await everyFlood(values.only, 4000, ({ name, good, seen: text }) => {
    if (!values.json) console.log(`${good ? 'good    ' : 'BAD     '} ${name}: ${text}`)
  })
  if (values.json) console.log(JSON.stringify(seen, null, 2))
  process.exit(seen.every(({ good }) => good) ? 0 : 1)
}
if (command === 'memory') {
  const stayed = await memory({ streams: Number(values.streams), restSeconds: Number(values.rest) }, (line) => console.log(line))
  process.exit(stayed ? 0 : 1)
}
const outcomes = await peers()
if (values.json) console.log(JSON.stringify(outcomes, null, 2))
process.exit(outcomes.some(({ verdict }) => verdict === 'BAD') ? 1 : 0)
