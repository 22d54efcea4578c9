/** What an older version has stored, as this one reads it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '../../daemon/base/clock.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openOrStandIn } from '../../daemon/stand-in.ts'
import { openStore } from '../../daemon/store/store.ts'
import { tableSpecs } from '../../daemon/store/tables.ts'
import { eventSpecs } from '../../daemon/schema/events.ts'
import { misfitsOf } from '../harness/events-fit.ts'

const log = createLog({ level: 'silent' })

t.test('a reminder that was cancelled is canceled, and so is what is told of it', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-migrations-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const old = { version: 1, migrations: [] }
  const before = { ...tableSpecs, reminders: old, outbox: old, outboxDone: old, deadLetters: old }
  const [example] = eventSpecs['reminder.canceled'].schema.examples as { event: string }[]
  const body = JSON.stringify({ ...example, event: 'reminder.cancelled', outcome: 'cancelled', externalRef: 'cancelled visits' })
  const first = await openStore(dir, log, { specs: before })
  await first.transaction(() => {
    first.tables.reminders.put('a', { outcome: 'cancelled', recorded: 'cancelled keypad' } as never)
    first.tables.reminders.put('b', { outcome: null, recorded: '' } as never)
    first.tables.outbox.put('1', { kind: 'reminder.cancelled', body } as never)
    first.tables.outbox.put('2', { kind: 'fax.sent', body: '{"message":"cancelled"}' } as never)
    first.tables.deadLetters.put('3', { kind: 'reminder.cancelled', body } as never)
    first.tables.outboxDone.put('4', { kind: 'reminder.cancelled', body: '' } as never)
  })
  await first.close()

  const { tables, close } = await openStore(dir, log)
  t.same(tables.reminders.get('a'), { outcome: 'canceled', recorded: 'canceled keypad' })
  t.same(tables.reminders.get('b'), { outcome: null, recorded: '' })
  for (const row of [tables.outbox.get('1')!, tables.deadLetters.get('3')!]) {
    t.equal(row.kind, 'reminder.canceled')
    t.match(JSON.parse(row.body), { event: 'reminder.canceled', outcome: 'canceled', externalRef: 'cancelled visits' })
    t.same(misfitsOf(JSON.parse(row.body) as object), [])
  }
  t.same(tables.outbox.get('2'), { kind: 'fax.sent', body: '{"message":"cancelled"}' })
  t.same(tables.outboxDone.get('4'), { kind: 'reminder.canceled', body: '' })
  await close()
})

t.test('notices that wait name their ways as the configuration does', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-migrations-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const first = await openStore(dir, log, { specs: { ...tableSpecs, voicemailNotices: { version: 1, migrations: [] } } })
  await first.transaction(() => {
    first.tables.voicemailNotices.put('a', { ext: '101', ways: ['mail', 'text'], createdAt: 1 } as never)
    first.tables.voicemailNotices.put('b', { ext: '101', ways: ['mail'], createdAt: 2 } as never)
  })
  await first.close()
  const { tables, close } = await openStore(dir, log)
  t.same(tables.voicemailNotices.get('a'), { kind: 'voicemail', place: '101', ways: ['mail', 'sms'], createdAt: 1 })
  t.same(tables.voicemailNotices.get('b'), { kind: 'voicemail', place: '101', ways: ['mail'], createdAt: 2 })
  await close()
})

t.test('a migration that fails leaves the rows as they were and no copy of them, and is not tried again and again', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-migrations-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const first = await openStore(dir, log)
  await first.transaction(() => first.tables.boxEvents.put('1', { text: 'as it was' } as never))
  await first.close()
  let tries = 0
  const row = (): never => {
    tries++
    throw new Error('such a row cannot be')
  }
  const specs = { ...tableSpecs, boxEvents: { version: 99, migrations: [{ to: 99, row }] } }
  const { store, comeBack } = await openOrStandIn({ dir, log, clock: systemClock, historyDays: 1, specs })
  t.match(store.health(), { ok: false, reason: /such a row cannot be/ })
  for (let n = 0; n < 3; n++) t.notOk(await comeBack!())
  t.equal(tries, 1)
  await store.close()
  t.same(
    readdirSync(dir).filter((name) => name.startsWith('before-')),
    [],
  )
  const { tables, close } = await openStore(dir, log)
  t.same(tables.boxEvents.get('1'), { text: 'as it was' })
  await close()
})

/** Each table whose shape has changed, as the version before knew it. */
for (const [name, { version, migrations }] of Object.entries(tableSpecs).filter(([, spec]) => spec.version > 1))
  t.test(`${name}: the version before starts again on its own store once the upgrade is undone, and on no other`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'pbx-migrations-'))
    t.teardown(() => rmSync(dir, { recursive: true, force: true }))
    const specs = { ...tableSpecs, [name]: { version: version - 1, migrations: migrations.slice(0, -1) } }
    const row = {
      kind: 'fax.sent',
      body: '',
      ext: '101',
      ways: ['mail'],
      recorded: '',
      outcome: null,
      state: 'queued',
      createdAt: 1,
      entries: [],
      dropped: 0,
    }
    const table = name as 'mails'
    const old = await openStore(dir, log, { specs })
    await old.transaction(() => old.tables[table].put('a', row as never))
    const stored: unknown = old.tables[table].get('a')
    await old.close()
    const upgradedAt = Date.now()

    const later = await openStore(dir, log)
    t.ok(later.tables[table].get('a') !== undefined, 'the new one knows the row')
    await later.transaction(() => later.tables[table].put('b', row as never))
    await later.close()

    await t.rejects(openStore(dir, log, { specs }), { code: 'newer' }, 'rows of another shape are not touched')
    const back = await openStore(dir, log, { specs, undoSince: upgradedAt - 1000 })
    t.same(back.tables[table].get('a'), stored)
    t.equal(back.tables[table].get('b'), undefined)
    await back.close()

    const again = await openStore(dir, log)
    t.ok(again.tables[table].get('a') !== undefined, 'and the way forward is open')
    await again.close()
  })
