/**
 * Durable POSTs a second: POST /api/voice/originate, which answers 200 only when the call's row is flushed to disk, against
 * a bare uWebSockets.js handler that stores the same body in LMDB and waits for the same flush, in turns, on the same disk,
 * by the same client.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../test/harness/daemon.ts'
import { serve } from './answered.ts'
import { atLeast, fact, spread } from './measure.ts'
import type { Measurement } from './measure.ts'
import { stage } from './stage.ts'

const requests = 1500
const connections = 32
const rounds = 5

interface Result {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly statuses: Record<string, number>
}

/** Sends the requests from a process of its own. */
function hammer(port: number, token: string): Promise<Result> {
  const words = [join(root, 'scripts', 'bench', 'hammer.ts'), String(port), String(requests), String(connections), token]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (d: Buffer) => (out += d.toString()))
  return new Promise((resolve) => child.once('close', () => resolve(JSON.parse(out) as Result)))
}

export const durable: Measurement = {
  name: 'durable',
  title: `Durable POSTs (POST /api/voice/originate, ${connections} connections, ${rounds} rounds of ${requests})`,
  async run() {
    const dir = mkdtempSync(join(tmpdir(), 'pbxd-bare-'))
    const bare = await serve('bare.ts', dir)
    const scene = await stage({ startsPerSecond: 1 })
    try {
      const port = Number(new URL(scene.daemon.http).port)
      const ours: Result[] = []
      const theirs: Result[] = []
      for (let round = 0; round < rounds; round++) {
        const turns = [async () => ours.push(await hammer(port, scene.daemon.token)), async () => theirs.push(await hammer(bare.port, ''))]
        for (const turn of round % 2 ? turns.toReversed() : turns) await turn()
      }
      const of = (list: Result[]) => spread(list.map((r) => r.perSecond)).p50
      const ratios = spread(ours.map((r, i) => r.perSecond / (theirs[i]?.perSecond ?? NaN)))
      const line = (list: Result[]) =>
        `median of rounds; latency p50 ${spread(list.map((r) => r.p50)).p50.toFixed(1)} p99 ${spread(list.map((r) => r.p99)).p50.toFixed(1)} ms; ${JSON.stringify(list.at(-1)?.statuses)}`
      return [
        atLeast(
          'ratio to the bare handler',
          0.7,
          '',
          ratios.p50,
          `rounds: ${ours.map((r, i) => (r.perSecond / (theirs[i]?.perSecond ?? NaN)).toFixed(2)).join(' ')}`,
        ),
        fact('pbxd', `${of(ours).toFixed(0)}/s`, line(ours)),
        fact('bare uWebSockets.js + LMDB', `${of(theirs).toFixed(0)}/s`, line(theirs)),
      ]
    } finally {
      bare.close()
      // Thousands of calls wait to be dialled: they need no clean end.
      await scene.daemon.kill()
      await scene.close()
      rmSync(dir, { recursive: true, force: true })
    }
  },
}
