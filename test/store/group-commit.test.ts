import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'

const log = createLog({ level: 'silent' })

async function opened(t: Test): Promise<{ store: Store; dir: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-group-'))
  const store = await openStore(dir, log)
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return { store, dir }
}

t.test('a transaction that throws takes back its own writes alone, from the commit that it would have shared', async (t) => {
  const { store, dir } = await opened(t)
  const { meta, usage } = store.tables
  await store.transaction(() => {
    meta.put('stored', 'before')
    meta.put('removed', 'before')
  })
  const first = store.transaction(() => {
    meta.put('shared', 'first')
    meta.remove('removed')
  })
  const second = store.transaction(() => {
    meta.put('shared', 'second')
    meta.put('shared', 'second again')
    meta.put('stored', 'second')
    meta.put('removed', 'second')
    meta.put('new', 'second')
    usage.put('box', {} as never)
    throw new Error('no')
  })
  const third = store.transaction(() => [meta.get('shared'), meta.get('stored'), meta.get('removed'), meta.get('new'), usage.get('box')])
  await t.rejects(second, { message: 'no' })
  t.same(await third, ['first', 'before', undefined, undefined, undefined])
  await first
  const rows = (from: Store) => [...from.tables.meta.range()].filter(({ key }) => !key.includes(':')).map(({ key, value }) => [key, value])
  const wanted = [
    ['shared', 'first'],
    ['stored', 'before'],
  ]
  t.same(rows(store), wanted)
  const copy = join(dir, 'copy')
  mkdirSync(copy)
  await store.backup(copy)
  const again = await openStore(copy, log)
  t.same(rows(again), wanted, 'so it is on the disk')
  await again.close()
})

t.test('what waits for a commit runs when it is on the disk, in order, and not for what was rolled back', async (t) => {
  const { store } = await opened(t)
  const { meta } = store.tables
  const ran: string[] = []
  const write = (name: string, fails = false) =>
    store.transaction(() => {
      meta.put(name, true)
      store.afterCommit(() => ran.push(`${name}: ${meta.get(name)}`))
      if (fails) throw new Error('no')
    })
  const all = [write('a'), write('b', true), write('c')]
  t.same(ran, [])
  t.same(
    (await Promise.allSettled(all)).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  t.same(ran, ['a: true', 'c: true'])
  t.throws(() => store.afterCommit(() => undefined), { message: /no transaction/ })
})

t.test('rows that are kept in memory are those on the disk, whatever was read and written meanwhile', async (t) => {
  const { store } = await opened(t)
  const { meta } = store.tables
  const keys = Array.from({ length: 1500 }, (_, n) => `key${n}`)
  for (const key of keys.slice(0, 20)) t.equal(meta.get(key), undefined)
  for (let round = 0; round < 3; round++) {
    const writing = store.transaction(() => {
      keys.forEach((key, n) => (n % 3 === round ? meta.remove(key) : meta.put(key, round)))
    })
    for (const key of keys) meta.get(key)
    await writing
    const wrong = keys.filter((key, n) => meta.get(key) !== (n % 3 === round ? undefined : round))
    t.same(wrong, [])
    const stored = new Map([...meta.range()].map(({ key, value }) => [key, value]))
    t.same(
      keys.filter((key) => meta.get(key) !== stored.get(key)),
      [],
    )
  }
})
