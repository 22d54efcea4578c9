/** What a version has to show before it stays, the hour of an upgrade, and the store after one that was taken back. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DateTime } from 'luxon'
import t from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import type { StatusView } from '../../daemon/schema/operation.ts'
import { openStore, StoreError } from '../../daemon/store/store.ts'
import { tableSpecs } from '../../daemon/store/tables.ts'
import { readUpgrade, storeBackSince } from '../../daemon/base/upgrade-notes.ts'
import { nextTime } from '../../scripts/cli/upgrade/upgrade.ts'
import { faultsOf } from '../../scripts/cli/commands/upgrade.ts'

type Line = StatusView['lines'][number]
const line = (id: string, kind: Line['kind'], ok: boolean): Line => ({
  ...{ id, kind, ok, state: ok ? 'registered' : 'refused', reason: ok ? '' : 'the provider refused the password' },
  ...{ since: '2026-03-02T09:00:00.000Z', activeCalls: 0, channels: 0 },
})
const part = (name: string, ok: boolean) => ({ name, ok, reason: ok ? '' : 'not running' })

function status(changes: Partial<StatusView> = {}): StatusView {
  const view = { version: '2.0', pid: 200, uptimeSeconds: 12, ready: true, parts: [part('store', true), part('engine', true)], lines: [] }
  return { ...view, ...changes } as unknown as StatusView
}
const before = status({
  version: '1.0',
  pid: 100,
  uptimeSeconds: 90_000,
  lines: [line('main', 'trunk', true), line('spare', 'trunk', false)],
})
const well = [line('main', 'trunk', true), line('spare', 'trunk', false)]

t.test('what was well before must be well again', async (t) => {
  const table: [string, StatusView, RegExp | null][] = [
    ['as before; what was down may stay down', status({ lines: well }), null],
    ['a phone that is off is not its fault', status({ lines: [...well, line('101', 'extension', false)] }), null],
    [
      'the trunk that was up',
      status({ lines: [line('main', 'trunk', false), line('spare', 'trunk', true)] }),
      /trunk main was up .* refused the password/,
    ],
    ['a trunk that is not there', status({ lines: [] }), /main was up and no longer exists/],
    ['a part', status({ lines: well, ready: false, parts: [part('store', true), part('engine', false)] }), /engine: not running/],
    ['too early to say', status({ lines: well, uptimeSeconds: 9 }), /has run for 9 s/],
    ['the daemon from before', { ...before, uptimeSeconds: 90_010 }, /previous daemon still runs/],
    ['the same process number after a power cut', status({ lines: well, pid: 100, uptimeSeconds: 10 }), null],
    ['another version', status({ lines: well, version: '1.5' }), /running daemon has version 1\.5/],
  ]
  for (const [what, now, expected] of table) {
    const faults = faultsOf(before, now, '2.0')
    if (expected === null) t.same(faults, [], what)
    else t.match(faults.join('; '), expected, what)
  }
  t.same(faultsOf({}, status(), '2.0'), [], 'where nobody could be asked before, ready is enough')
  t.match(faultsOf({}, status({ ready: false, parts: [part('store', false)] }), '2.0')[0], /not running/)
})

t.test('an upgrade at an hour is at the next time that the clocks of the site show it', async (t) => {
  const now = DateTime.fromISO('2026-03-08T06:30:00Z')
  const at = (text: string, zone: string) => nextTime(text, zone, now)?.toUTC().toISO()
  t.equal(at('02:00', 'Europe/Berlin'), '2026-03-09T01:00:00.000Z', 'tomorrow')
  t.equal(at('8:15', 'Europe/Berlin'), '2026-03-08T07:15:00.000Z', 'today')
  t.equal(at('02:30', 'America/New_York'), '2026-03-08T07:30:00.000Z', 'a time that this night does not have is the next one there is')
  for (const wrong of ['24:00', '2', '02:60', 'two']) t.equal(nextTime(wrong, 'UTC', now), null, wrong)
})

t.test('the notes of an upgrade, and half of them', async (t) => {
  const dir = t.testdir({ state: 'phase=returned\nfrom=1.0\nto=2.0\nbegan=2026-03-02T09:00:00Z\nended=\nreason=a=b, it said\n' })
  t.match(readUpgrade(dir), { phase: 'returned', from: '1.0', to: '2.0', ended: '', reason: 'a=b, it said' })
  t.equal(storeBackSince(dir), null)
  writeFileSync(join(dir, 'store-back'), '2026-03-02T09:00:00Z\n')
  t.equal(storeBackSince(dir), Date.parse('2026-03-02T09:00:00Z'))
  for (const text of ['', 'phase=', 'phase=somewhere\n']) {
    writeFileSync(join(dir, 'state'), text)
    t.equal(readUpgrade(dir), null)
  }
})

t.test('a version that is taken back gives the store as it was; what it wrote stays beside it', async (t) => {
  const dir = t.testdir()
  const log = createLog({ level: 'silent' })
  const old = await openStore(dir, log)
  await old.transaction(() => old.tables.meta.put('who', 'the old one'))
  await old.close()
  const specs = { ...tableSpecs, meta: { version: tableSpecs.meta.version + 1, migrations: [] } }
  const began = Date.now()
  const newer = await openStore(dir, log, { specs })
  await newer.transaction(() => newer.tables.meta.put('who', 'the new one'))
  await newer.close()
  await t.rejects(openStore(dir, log), StoreError, 'the old one cannot read it')
  await t.rejects(openStore(dir, log, { undoSince: Date.now() + 1000 }), StoreError, 'nor is a migration undone that was before')
  const back = await openStore(dir, log, { undoSince: began - 1000 })
  t.equal(back.tables.meta.get('who'), 'the old one')
  await back.transaction(() => back.tables.meta.put('who', 'the old one, later'))
  await back.close()
  const again = await openStore(dir, log, { undoSince: began - 1000 })
  t.equal(again.tables.meta.get('who'), 'the old one, later', 'once is enough')
  await again.close()
  const [copy] = readdirSync(dir).filter((name) => name.startsWith('before-migration-'))
  t.same(
    readdirSync(join(dir, copy!))
      .toSorted()
      .filter((name) => !name.endsWith('-lock')),
    ['newer.mdb', 'put-back', 'store.mdb'],
  )
})
