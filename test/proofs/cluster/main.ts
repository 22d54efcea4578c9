/**
 * npm run proofs cluster [COURSE...]: a fleet with real Kamailio, HAProxy and keepalived in namespaces, of which nothing is seen outside:
 * boxes that die in each way, are full, drain, phones by the hundred, 200 texts with kills, and figures. Exits with 1 where a look is not
 * as it should be.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { whyNoFleet } from '../../../scripts/cluster/fleet.ts'

const why = whyNoFleet()
if (why !== null) {
  console.log(`left out: ${why}`)
  process.exit(0)
}
const apart = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
const child = spawn('unshare', [...apart, process.execPath, join(import.meta.dirname, 'course.ts'), ...process.argv.slice(2)], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = new Promise<number>((done) => child.once('exit', (code) => done(code ?? 1)))
const began = performance.now()
let [good, bad] = [0, 0]
for await (const line of createInterface(child.stdout)) {
  const look = JSON.parse(line) as { what: string; good: boolean; seen: unknown }
  if (look.good) good += 1
  else bad += 1
  console.log(`${look.good ? 'good' : 'BAD '}  ${look.what}${look.seen === '' ? '' : `: ${String(look.seen)}`}`)
}
console.log(`${good} good, ${bad} bad, ${Math.round((performance.now() - began) / 1000)} s`)
process.exitCode = bad === 0 && (await ended) === 0 ? 0 : 1
