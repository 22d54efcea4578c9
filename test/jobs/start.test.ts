/**
 * What a start and a sweep read of a store that has kept 100,000 rows: those that are pending, and those that go. Counted, for what is
 * parsed is what it costs, on any machine.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { FaxQueue } from '../../daemon/fax/queue.ts'
import { createLog } from '../../daemon/base/log.ts'
import { MailAccount } from '../../daemon/mail/account.ts'
import { MailFiles } from '../../daemon/mail/files.ts'
import { MailQueue } from '../../daemon/mail/queue.ts'
import { createMessaging, sweepTexts } from '../../daemon/messaging/messaging.ts'
import { createReminders, sweepReminders } from '../../daemon/reminders/reminders.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { createOutbox } from '../../daemon/outbox/outbox.ts'
import { FaxDocuments } from '../../daemon/fax/documents.ts'
import { removeEnded } from '../../daemon/store/remove-old.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { policiesOf } from '../../daemon/outbox/policies.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import { tableSpecs } from '../../daemon/store/tables.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { keptRows, keptTables } from '../harness/kept-rows.ts'
import { ScriptedTrunk } from '../messaging/scripted-trunk.ts'
import { ScriptedCaller } from '../reminders/scripted-caller.ts'

const log = createLog({ level: 'silent' })
const dir = mkdtempSync(join(tmpdir(), 'pbxd-kept-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))
const storeDir = join(dir, 'store')
const dayMs = 86_400_000
const now = Date.now()
const clock = new FakeClock(now)
const each = 25_000
/** Of each table so many wait; they lie between the others. */
const waiting = 5

/** Rows that are parsed while `work` runs; what is small is a mark of an index, or a setting. */
async function parsed(work: () => unknown): Promise<number> {
  const { parse } = JSON
  let rows = 0
  JSON.parse = (text: string, ...more: []) => {
    const value = parse(text, ...more) as unknown
    // Rows of a range are parsed several at a time.
    const all = text.startsWith('[') ? (value as readonly unknown[]) : [value]
    rows += all.filter((one) => JSON.stringify(one).length > 100).length
    return value
  }
  try {
    await work()
  } finally {
    JSON.parse = parse
  }
  return rows
}

/** As the version before wrote it, which had no index. */
async function writeOldStore(): Promise<void> {
  const old = { version: 1, migrations: [] }
  const { indexes: _, ...specs } = { ...tableSpecs, faxes: old, sms: old, mails: old, reminders: { version: 2, migrations: [] } }
  const store = await openStore(storeDir, log, { specs })
  const batch = [...keptRows(each, now)]
  for (let at = 0; at < batch.length; at += 5000)
    await store.transaction(() => {
      for (const [n, { table, key, row }] of batch.slice(at, at + 5000).entries()) {
        const waits = Math.floor((at + n) / keptTables.length) % (each / waiting) === 0
        const state = table === 'reminders' ? 'scheduled' : 'queued'
        const due = {
          state,
          completedAt: null,
          outcome: null,
          expiresAt: now + dayMs,
          appointmentAt: now + 3 * dayMs,
          nextAttemptAt: now + 3_600_000,
        }
        store.tables[table].put(key, (waits ? { ...row, ...due } : row) as never)
      }
    })
  await store.close()
}

const texts = { hasTrunk: () => false, prepare: () => ({ error: 'none' }) }

function parts(store: Store) {
  const settings = { site: { country: 'US' }, storage: { dir }, sms: { trunks: [{ id: 'gsm', kind: 'sim', number: '+15550001999' }] } }
  const { config } = parseConfig(JSON.stringify(settings), join(dir, 'pbxd.yaml'))
  const policy = { allowLoopback: true, ownPorts: [] }
  const outbox = createOutbox({ store, clock, log, policy, secret: () => 'whsec', version: '0' })
  const inbox = new Inbox({ store, clock, log, dir, keepDays: 90, mailboxes: [] })
  const shared = { config, store, clock, log }
  const account = new MailAccount({ server: '127.0.0.1:1', from: 'office@example.com', tls: 'off' } as never, { log, name: 'clinic' })
  return {
    fax: new FaxQueue({
      settings: { stationId: '', header: '', timeZone: 'UTC', ecm: true, v17: true },
      most: { waiting: 1000, calls: 1 },
      store,
      outbox,
      clock,
      log,
      documents: new FaxDocuments(join(dir, 'fax')),
      lines: { reserve: () => null, conditions: () => [], configured: () => false, number: () => '' },
      render: () => new Promise(() => undefined),
      alert: () => undefined,
    }),
    texts: createMessaging({ ...shared, inbox, trunks: [new ScriptedTrunk('gsm', '+15550001999')], policies: policiesOf(config) }).queue,
    mail: new MailQueue({ account, files: new MailFiles(join(dir, 'mail')), store, clock, log, most: 1000, keepMs: 90 * dayMs }),
    reminders: createReminders({ ...shared, outbox, caller: new ScriptedCaller(), texts, policy }).queue,
  }
}

t.test('a store of before gets its indexes once', async (t) => {
  await writeOldStore()
  const first = await parsed(async () => (await openStore(storeDir, log)).close())
  t.ok(first >= 4 * each, `${first} rows are read as the indexes are made`)
  t.equal(readdirSync(storeDir).filter((name) => name.startsWith('before-migration-')).length, 1, 'a copy of before was kept')
  const second = await parsed(async () => {
    const store = await openStore(storeDir, log)
    for (const table of keptTables) t.equal([...store.tables[table].pending()].length, waiting, table)
    await store.close()
  })
  t.equal(second, 4 * waiting, 'and no row is read again but those that are pending')
})

t.test('a start reads the pending rows alone, of 100,000', async (t) => {
  const store = await openStore(storeDir, log)
  t.equal(
    keptTables.reduce((sum, table) => sum + store.tables[table].count(), 0),
    4 * each,
  )
  const { fax, texts, mail, reminders } = parts(store)
  for (const [name, queue] of Object.entries({ fax, texts, mail })) {
    const rows = await parsed(() => queue.start())
    t.ok(rows >= waiting && rows <= 2 * waiting, `${name}: ${rows} rows`)
  }
  // Each is read once more in the transaction that takes it up.
  const rows = await parsed(async () => {
    reminders.start()
    await reminders.settled()
  })
  t.ok(rows >= waiting && rows <= 3 * waiting, `reminders: ${rows} rows`)
  t.same([fax.waiting, texts.waiting, mail.condition().waiting, reminders.waiting], [waiting, waiting, waiting, waiting])
  for (const queue of [fax, texts, reminders]) queue.drain()
  await Promise.all([mail.stop(), reminders.settled()])
  await store.close()
})

t.test('a sweep reads what it removes, in pieces, and leaves what is pending however old it is', async (t) => {
  const store = await openStore(storeDir, log)
  const { tables } = store
  const kept = { store, clock, keepMs: 75 * dayMs, timeZone: 'UTC' }
  const sweeps = {
    faxes: () => removeEnded(store, tables.faxes, now - kept.keepMs),
    sms: () => sweepTexts(kept),
    mails: () => removeEnded(store, tables.mails, now - kept.keepMs),
    reminders: () => sweepReminders(kept),
  }
  for (const [table, sweep] of Object.entries(sweeps) as [keyof typeof sweeps, () => Promise<number>][]) {
    const before = tables[table].count()
    let turns = 0
    const ticking = setInterval(() => (turns += 1), 0)
    let removed = 0
    const rows = await parsed(async () => (removed = await sweep()))
    clearInterval(ticking)
    t.ok(removed > 1000, `${table}: ${removed} are past their time`)
    t.equal(tables[table].count(), before - removed)
    // Once as it is removed, and once for the mark that goes with it.
    t.ok(rows <= 2 * removed, `${table}: ${rows} rows read`)
    t.ok(turns > removed / 500, `${table}: the event loop turned ${turns} times meanwhile`)
    t.equal([...tables[table].pending()].length, waiting, `${table}: the pending ones are there`)
    t.equal(await sweep(), 0, `${table}: nothing is left to do`)
  }
  await store.close()
})
