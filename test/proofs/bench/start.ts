/** The time from the start of the process to readiness where the store has kept 100,000 faxes, texts, mails and reminders that ended. */
import { join } from 'node:path'
import { createLog } from '../../../daemon/base/log.ts'
import { openStore } from '../../../daemon/store/store.ts'
import { keptRows } from '../../harness/kept-rows.ts'
import { cpuMs } from '../../harness/processes.ts'
import type { Scene } from '../../harness/scene.ts'
import { atMost, describe, fact, spread, type Measurement, type Row, type Spread } from './measure.ts'
import { stage, type Stage } from './stage.ts'

const rows = 100_000
const starts = 6
const log = createLog({ level: 'silent' })

export interface Started {
  /** Milliseconds to readiness: with an empty store, and with the rows. */
  readonly empty: Spread
  readonly kept: Spread
  /** Processor of the daemon until it was ready, with the rows. */
  readonly cpuMs: number
}

/** `open` and `store`: of the checkout that is measured, so that the store is one that it wrote itself. */
export async function started(open: Stage, store: typeof openStore): Promise<Started> {
  const scene = await open()
  try {
    const empty = await restarted(scene)
    await scene.daemon.stop()
    await fill(join(scene.daemon.dir, 'var', 'store'), store)
    const kept = await restarted(scene)
    return { empty: empty.ready, kept: kept.ready, cpuMs: kept.cpuMs }
  } finally {
    await scene.close()
  }
}

async function restarted({ daemon }: Scene): Promise<{ ready: Spread; cpuMs: number }> {
  const ready: number[] = []
  const spent: number[] = []
  for (let n = 0; n <= starts; n++) {
    if (daemon.exit === undefined) await daemon.stop()
    await daemon.start()
    // The first one after a change fills caches.
    if (n > 0) ready.push(daemon.readyMs)
    if (n > 0) spent.push(cpuMs(daemon.pid))
  }
  return { ready: spread(ready), cpuMs: spread(spent).p50 }
}

async function fill(dir: string, open: typeof openStore): Promise<void> {
  const store = await open(dir, log)
  const all = [...keptRows(rows / 4, Date.now())]
  for (let at = 0; at < all.length; at += 5000)
    await store.transaction(() => {
      for (const { table, key, row } of all.slice(at, at + 5000)) store.tables[table].put(key, row as never)
    })
  await store.close()
}

export function shown(name: string, { empty, kept, cpuMs: spent }: Started): Row {
  return fact(name, `${kept.p50.toFixed(0)} ms`, `${describe(kept)}; empty ${empty.p50.toFixed(0)} ms; processor ${spent.toFixed(0)} ms`)
}

export const start: Measurement = {
  name: 'start',
  title: `Start with ${rows.toLocaleString('en')} rows kept`,
  async run() {
    const seen = await started(stage, openStore)
    return [
      atMost('start to ready', 1000, 'ms', seen.kept.p50, describe(seen.kept)),
      atMost('more than with an empty store', 50, 'ms', Math.max(0, seen.kept.p50 - seen.empty.p50), describe(seen.empty)),
    ]
  },
}
