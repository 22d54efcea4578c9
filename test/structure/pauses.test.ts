/**
 * Tests await what they wait for. A sleep of a fixed length is too long on a fast machine and too short on a slow one, and nobody sees of what it is
 * the time: an event, a condition, a clock that the test moves, or the time of the sound itself (test/harness/ears.ts) say it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

/** They may only become fewer. Those that are left stand for time itself: a process that is stopped, a clock that cannot be moved. */
const mostPauses = 38
/** The same, written out. */
const mostTimers = 31

const root = join(import.meta.dirname, '..')
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith('proofs/'),
)

function places(what: RegExp): string[] {
  return sources.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) => (what.test(line) ? [`test/${file}:${at + 1}`] : [])),
  )
}

for (const [name, what, most] of [
  ['pause(number)', /\bpause\([\d_.]+\)/, mostPauses],
  ['a promise of a timer', /new Promise.*setTimeout\(\w+, [\d_]+\)/, mostTimers],
] as const)
  t.test(`${name}: no more than there were`, async (t) => {
    const found = places(what)
    t.equal(
      found.length,
      most,
      `${found.length < most ? 'fewer: write the new number here' : 'await something instead'}\n${found.join('\n')}`,
    )
  })
