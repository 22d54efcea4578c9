/**
 * Three boxes behind a real Kamailio and a real HAProxy, from one cluster.yaml: calls, texts, ids, keys, phones, a drain, and boxes that
 * stand still and die. In namespaces of its own, so nothing of it is seen outside.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import t from 'tap'
import { whyNoFleet } from '../../scripts/cluster/fleet.ts'

const skip = whyNoFleet() ?? false

t.test('three boxes behind one edge', { skip, timeout: 240_000 }, async (t) => {
  const apart = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const child = spawn('unshare', [...apart, process.execPath, join(import.meta.dirname, 'inside.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let looks = 0
  for await (const line of createInterface(child.stdout)) {
    const { what, good, seen } = JSON.parse(line) as { what: string; good: boolean; seen: unknown }
    t.ok(good, `${what}${good || seen === '' ? '' : `: ${String(seen)}`}`)
    looks += 1
  }
  t.ok(looks >= 30, `${looks} looks`)
})
