import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { bySystem } from '../../daemon/audit/audit.ts'
import { Trail } from '../../daemon/audit/trail.ts'
import { verifyAudit } from '../../daemon/audit/verify.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'

function directory(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-chain-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function open(dir: string) {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ to: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) } })
  const store = await openStore(dir, log)
  return { store, trail: new Trail({ store, clock: new FakeClock(), log }), lines: () => lines.filter(({ msg }) => msg === 'audit') }
}

t.test('rows of many deeds in one commit are one chain without those that failed, and the log has exactly them', async (t) => {
  const { store, trail, lines } = await open(directory(t))
  const deed = (n: number) =>
    store.transaction(() => {
      trail.audit.record(bySystem('fax.delete', `f${n}`))
      if (n % 4 === 2) throw new Error('no deed')
    })
  await Promise.allSettled(Array.from({ length: 50 }, (_, n) => deed(n)))
  // The first of the next commit follows the last of this one.
  await Promise.allSettled([deed(50), deed(51)])
  const done = Array.from({ length: 52 }, (_, n) => n).filter((n) => n % 4 !== 2)
  t.match(await verifyAudit(store), { ok: true, rows: done.length, last: { seq: done.length } })
  const rows = [...store.tables.audit.range()].map(({ value }) => value)
  t.same(
    rows.map(({ object }) => object),
    done.map((n) => `f${n}`),
  )
  await trail.stop()
  t.same(
    lines().map(({ audit, object, hash }) => [audit, object, hash]),
    rows.map(({ seq, object, hash }) => [seq, object, hash]),
  )

  const [key, row] = ['0000000000000007', store.tables.audit.get('0000000000000007')!]
  await store.transaction(() => store.tables.audit.put(key, { ...row, object: 'f9999' }))
  t.match(await verifyAudit(store), { ok: false, faults: [{ seq: 7, kind: 'changed' }] })
  await store.close()
})

t.test('a head that somebody else wrote is followed, not the one that was written last from here', async (t) => {
  const { store, trail } = await open(directory(t))
  await trail.audit.note(bySystem('fax.delete', 'f1'))
  const other = new Trail({ store, clock: new FakeClock(), log: createLog({ level: 'silent' }) })
  await other.audit.note(bySystem('fax.delete', 'f2'))
  await trail.audit.note(bySystem('fax.delete', 'f3'))
  t.match(await verifyAudit(store), { ok: true, rows: 3 })
  await store.close()
})

t.test('kill -9 in the middle of deeds: each that was acknowledged has its row, each row its deed, and the chain holds', async (t) => {
  const dir = directory(t)
  const child = join(import.meta.dirname, 'auditing-child.ts')
  let next = 0
  for (let round = 0; round < 8; round++) {
    const writer = spawn(process.execPath, [...process.execArgv, child, dir, String(next)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const acknowledged: number[] = []
    createInterface({ input: writer.stdout }).on('line', (line) => {
      acknowledged.push(Number(line))
      if (acknowledged.length >= 5 + 40 * round) writer.kill('SIGKILL')
    })
    const signal = await new Promise((resolve) => writer.on('close', (_, name) => resolve(name)))
    if (signal !== 'SIGKILL') return t.fail('the child ended by itself')
    const { store, trail } = await open(dir)
    t.match(await verifyAudit(store), { ok: true, faults: [] }, `round ${round}`)
    const told = [...store.tables.audit.range()].map(({ value }) => value.object)
    const deeds = [...store.tables.outboxDone.range()].map(({ key }) => key.replace('deed', 'f'))
    t.same(told.toSorted(), deeds.toSorted(), 'a deed and its row are there together or not at all')
    t.same(
      acknowledged.filter((n) => !told.includes(`f${n}`)),
      [],
    )
    next = Math.max(...told.map((object) => Number(object.slice(1)))) + 20
    await trail.stop()
    await store.close()
  }
})
