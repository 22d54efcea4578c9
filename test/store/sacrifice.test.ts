/** What is given up as the disk fills, and in which order: a real store on a disk of its own, at each mark and next to it. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { mostParties } from '../../daemon/crm/directory.ts'
import { mostRows as mostOfImport } from '../../daemon/crm/import-look.ts'
import { createLog } from '../../daemon/base/log.ts'
import { classOf, keptClasses, markOf, mostRows, type KeptClass } from '../../daemon/store/sacrifice.ts'
import { openStore, standInStore, type Store } from '../../daemon/store/store.ts'
import { tableSpecs, type TableName } from '../../daemon/store/tables.ts'
import { SmallDisk } from '../harness/small-disk.ts'

const log = createLog({ level: 'silent' })
const diskBytes = 400 * 1024 * 1024
const tables = Object.keys(tableSpecs) as TableName[]
const written = tables.filter((name) => name !== 'indexes')
/** Any row: what is looked at is whether it is taken. */
const put = (store: Store, table: TableName, key: string, text = '{"any":1}') =>
  store.transaction(() => (store.tables[table] as { putText(key: string, json: string): void }).putText(key, text))

async function outcome(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'taken',
    (error: { code?: string; status?: number }) => `${error.code} ${error.status}`,
  )
}

const disk = SmallDisk.mount('size=400m')
const skip = disk === null ? 'a small file system cannot be mounted here' : false
t.teardown(() => disk?.close())

async function opened(t: Test, name: string): Promise<Store> {
  disk!.empty()
  const store = await openStore(join(disk!.dir, name), log)
  t.teardown(() => store.close())
  return store
}

t.test('the marks stand in the order in which classes are given up, on a disk of any size; calls have none', async (t) => {
  for (const bytes of [50e6, 120e6, 1e9, 4e9, 20e9, 1e12]) {
    const marks = keptClasses.map((kept) => markOf(kept, bytes))
    t.same(
      marks,
      marks.toSorted((a, b) => b - a),
      `${bytes}`,
    )
    t.equal(new Set(marks).size, keptClasses.length, `${bytes}: each class has its own`)
    t.equal(marks.at(-1), 0)
    t.ok(marks[0]! <= bytes / 8 + 1, `${bytes}: seven eighths are for everybody`)
  }
  t.same(keptClasses, ['crm', 'mail', 'faxes', 'texts', 'recordings', 'history', 'calls'])
})

t.test('which class is refused at which level: its own error, and those after it go on', { skip }, async (t) => {
  const store = await opened(t, 'levels')
  const types = written.filter((name) => !Object.hasOwn(store.tables[name], 'pending'))
  for (const [at, kept] of keptClasses.entries()) {
    if (kept === 'calls') continue
    const mark = markOf(kept, diskBytes)
    for (const [free, refused] of [
      [mark + 1024 * 1024, keptClasses.slice(0, at)],
      [mark - 64 * 1024, keptClasses.slice(0, at + 1)],
    ] as const) {
      // The file grows ahead of what is written.
      await put(store, 'calls', `before-${free}`)
      await disk!.filledTo(free)
      t.same(store.health().refused, refused, `${free} bytes`)
      for (const table of types) {
        const expected = refused.includes(classOf[table]) ? 'storage_full 503' : 'taken'
        t.equal(await outcome(put(store, table, `${kept}-${free}`)), expected, `${table} with ${free} bytes`)
      }
      for (const one of keptClasses) t.equal(store.takes(one), !refused.includes(one), one)
    }
  }
  await disk!.filledTo(0)
  t.equal(await outcome(put(store, 'calls', 'at-zero')), 'taken', 'the room in the file is for calls')
  t.match(
    store.health().reason,
    /0 MiB are free on the disk of .*: nothing new is accepted of data of the CRM, mail, faxes,.*calls continue$/,
  )
})

t.test('what was accepted goes on: rows that are there change and go; those of the directory only go', { skip }, async (t) => {
  const store = await opened(t, 'changes')
  for (const table of ['voicemails', 'history', 'parties'] as const) {
    await put(store, table, 'a')
    await put(store, table, 'b')
  }
  await disk!.filledTo(0)
  for (const table of ['voicemails', 'history'] as const) t.equal(await outcome(put(store, table, 'a', '{"changed":1}')), 'taken', table)
  t.equal(await outcome(put(store, 'parties', 'a', '{"longer":1}')), 'storage_full 503')
  for (const table of ['voicemails', 'history', 'parties'] as const)
    t.equal(await outcome(store.transaction(() => store.tables[table].remove('b'))), 'taken', table)
})

t.test('a transaction of calls takes whatever is in it, one of the CRM nothing', { skip }, async (t) => {
  const store = await opened(t, 'named')
  await disk!.filledTo(markOf('texts', diskBytes) - 64 * 1024)
  const both = (as: KeptClass) =>
    store.transaction(() => {
      store.tables.calls.putText(`c-${as}`, '{}')
      store.tables.crmPending.putText(`p-${as}`, '{}')
    }, as)
  t.equal(await outcome(both('calls')), 'taken')
  t.equal(await outcome(both('crm')), 'storage_full 503')
  t.equal(store.tables.calls.get('c-crm'), undefined, 'and nothing of it is there')
})

t.test('one transaction that is larger than the share of its class is refused as a whole', { skip }, async (t) => {
  const store = await opened(t, 'large')
  await disk!.filledTo(markOf('crm', diskBytes) + 8 * 1024 * 1024)
  const text = JSON.stringify({ name: 'x'.repeat(1000) })
  const many = store.transaction(() => {
    for (let n = 0; n < 10_000; n++) store.tables.parties.putText(`p${n}`, text)
  })
  t.equal(await outcome(many), 'storage_full 503')
  t.equal(store.tables.parties.count(), 0)
  t.equal(await outcome(put(store, 'mails' as TableName, 'm', '{"state":"queued"}')), 'taken')
})

t.test('a directory has a ceiling, whatever room there is', async (t) => {
  const most = mostRows.crmCards!
  const store = standInStore('for a test', log)
  const all = (count: number) =>
    store.transaction(() => {
      for (let n = 0; n < count; n++) store.tables.crmCards.putText(`n${n}`, '{}')
    }, 'calls')
  t.equal(await outcome(all(most + 1)), 'storage_full 503')
  t.equal(await outcome(all(most)), 'taken')
  t.equal(await outcome(all(most)), 'taken', 'the same rows again')
  t.equal(mostRows.parties, mostParties + mostOfImport, 'a whole list has room beside the one in whose place it comes')
  t.equal(classOf.signatures, 'calls', 'who fills the disk cannot send a signed request again')
})

t.test('a stand-in keeps the rows of calls in memory, in the order of a real store, and refuses what has to last', async (t) => {
  const standIn = standInStore('the disk is gone', log)
  t.match(standIn.health(), {
    ok: false,
    reason: /^NOTHING IS STORED, calls continue: the disk is gone$/,
    refused: keptClasses.slice(0, -1),
  })
  t.equal(await outcome(put(standIn, 'mails', 'm', '{"state":"queued"}')), 'storage_full 503')
  const keys = ['a', 'b/1', 'b/2', 'b0', 'c', 'Z', '0']
  for (const key of keys) t.equal(await outcome(put(standIn, 'registrations', key)), 'taken')
  await standIn.transaction(() => standIn.tables.registrations.remove('c'))
  const ranges = [{}, { start: 'b', end: 'b0' }, { reverse: true }, { reverse: true, start: 'b/1', end: 'b0' }, { start: 'a', limit: 2 }]
  const real = disk === null ? standIn : await opened(t, 'real')
  if (real !== standIn) for (const key of keys.filter((key) => key !== 'c')) await put(real, 'registrations', key)
  const keysOf = (store: Store, range: object): string[] => Array.from(store.tables.registrations.range(range), ({ key }) => key)
  for (const range of ranges) t.same(keysOf(standIn, range), keysOf(real, range), JSON.stringify(range))
  t.equal(standIn.tables.registrations.count(), keys.length - 1)
  await standIn.close()
})
