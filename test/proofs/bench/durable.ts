/**
 * Durable POSTs a second: POST /api/voice/originate, which answers 200 only when the call's row is flushed to disk, against
 * a bare uWebSockets.js handler that stores the same body in LMDB and waits for the same flush, in turns, on the same disk,
 * by the same client.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from './answered.ts'
import type { HammerJob } from './hammer.ts'
import { compare } from './load.ts'
import type { Measurement } from './measure.ts'
import { stage } from './stage.ts'

const requests = 1500
const connections = 32
const rounds = 5

const body = JSON.stringify({ to: '+15559870000', endpoint: 'reception', externalRef: 'bench', params: { visit: '17' } })

/** What is sent to a daemon. */
export function posting({ http, token }: { readonly http: string; readonly token: string }): HammerJob {
  return { requests, connections, method: 'POST', path: '/api/voice/originate', body, port: Number(new URL(http).port), token }
}

export const durable: Measurement = {
  name: 'durable',
  title: `Durable POSTs (POST /api/voice/originate, ${connections} connections, ${rounds} rounds of ${requests})`,
  async run() {
    const dir = mkdtempSync(join(tmpdir(), 'pbxd-bare-'))
    const bare = await serve('bare.ts', dir)
    const scene = await stage({ startsPerSecond: 1 })
    try {
      const job = posting(scene.daemon)
      return await compare({
        rounds,
        ours: () => job,
        theirs: () => ({ ...job, port: bare.port, token: '' }),
        what: 'ratio to the bare handler',
        target: 0.7,
        names: ['pbxd', 'bare uWebSockets.js + LMDB'],
      })
    } finally {
      bare.close()
      // Thousands of calls wait to be dialled: they need no clean end.
      await scene.daemon.kill()
      await scene.close()
      rmSync(dir, { recursive: true, force: true })
    }
  },
}
