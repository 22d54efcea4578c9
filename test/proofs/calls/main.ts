/**
 * Random calls over real SIP while both processes are killed and the clock is set: does the application get everything that a person did?
 * Prints a table of what people did and what was reported of it. Exit code 0: nothing was lost.
 *
 *   scripts/run test/proofs/calls/main.ts [--calls N] [--lines N] [--seed N] [--seconds N] [--pause MS]
 *
 * `--lines`: people who call at once; `--pause`: the longest time between two blows, the shortest is a third of it.
 */
import { parseArgs } from 'node:util'
import { SipPeer } from '../../engine/sip-peer.ts'
import { pause } from '../../harness/scene.ts'
import { Random } from '../../../scripts/cli/selftest/corpus.ts'
import { Desk } from './application.ts'
import { Box, strikes } from './box.ts'
import { call, newPerson } from './people.ts'
import { report } from './report.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    lines: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '3600' },
    pause: { type: 'string', default: '6000' },
  },
})
/** A line that nobody answered is tried again after so long. */
const againMs = 100
/** What people did shows on a display now and then. */
const showEveryMs = 15_000
/** For what is still to be sent at the end. */
const mostWaitMs = 600_000

const chance = new Random(Number(values.seed))
const random = () => chance.next()
const box = await Box.open()
const { app, daemon } = box.scene
const desk = new Desk(app, random)

const wanted = Number(values.calls)
const began = performance.now()
const until = began + Number(values.seconds) * 1000
let begun = 0
let names = 0
let unanswered = 0
let running = true

async function line(): Promise<void> {
  const peer = await SipPeer.udp(daemon.sipPort)
  while (begun < wanted && performance.now() < until) {
    begun += 1
    await box.up
    const person = newPerson((names += 1), random)
    desk.people.set(person.name, person)
    await call(person, { peer, killed: () => box.killed })
    if (person.answered) continue
    // Nobody was there, or the caller heard so: a person calls again.
    desk.people.delete(person.name)
    begun -= 1
    unanswered += 1
    await pause(againMs)
  }
  peer.close()
}

const longest = Number(values.pause)
const striking = strikes(
  box,
  () => !running,
  random,
  () => (longest / 3) * (1 + 2 * random()),
)
const show = setInterval(() => {
  console.error(
    `${Math.round((performance.now() - began) / 1000)} s: ${begun} calls, ${unanswered} not answered, ${box.blows.length} blows`,
  )
}, showEveryMs)
await Promise.all(Array.from({ length: Number(values.lines) }, line))
running = false
await striking
clearInterval(show)
const seconds = (performance.now() - began) / 1000
// A callback that was refused is tried again after up to two minutes; others of its call wait behind it.
for (const deadline = performance.now() + mostWaitMs; performance.now() < deadline; await pause(500))
  if ([...desk.calls.keys()].every((id) => desk.ended.has(id)) || !(await box.hasMore())) break

const good = report({ box, desk, seed: values.seed, seconds, unanswered })
await box.scene.close()
process.exit(good ? 0 : 1)
