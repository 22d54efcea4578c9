import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { ApiError } from '../../daemon/base/errors.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore, StoreError, type Store, type StoreOptions } from '../../daemon/store/store.ts'
import { tableSpecs } from '../../daemon/store/tables.ts'

const log = createLog({ level: 'silent' })

function directory(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-store-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function opened(t: Test, options: StoreOptions = {}): Promise<{ store: Store; dir: string }> {
  const dir = directory(t)
  const store = await openStore(dir, log, options)
  t.teardown(() => store.close())
  return { store, dir }
}

t.test('what was written is there after closing and opening again', async (t) => {
  const dir = directory(t)
  const store = await openStore(dir, log)
  const result = await store.transaction(() => {
    store.tables.tokens.put('a', { name: 'a', sha256: 'x', scopes: ['send'], createdAt: 1 })
    store.tables.meta.put('greeting', 'hello ☎')
    return 42
  })
  t.equal(result, 42)
  t.equal(store.tables.meta.get('greeting'), 'hello ☎')
  t.match(store.health(), { ok: true, reason: '' })
  t.ok(store.health().bytes > 0)
  await store.close()
  t.match(store.health(), { ok: false })
  await t.rejects(
    store.transaction(() => store.tables.meta.put('x', 1)),
    { code: 'closed' },
  )
  const again = await openStore(dir, log)
  t.same(again.tables.tokens.get('a'), { name: 'a', sha256: 'x', scopes: ['send'], createdAt: 1 })
  t.equal(again.tables.meta.get('absent'), undefined)
  await again.close()
  t.equal(statSync(dir).mode & 0o077, 0, 'nobody else may read it')
  t.equal(statSync(join(dir, 'store.mdb')).mode & 0o077, 0)
})

t.test('a range of long rows is the same as one of short ones, and may be left in the middle', async (t) => {
  const { store } = await opened(t)
  const { meta } = store.tables
  const long = (n: number): string => `${n} ${'ü'.repeat(n % 3 === 0 ? 40_000 : 9_000)}`
  const keys = Array.from({ length: 12 }, (_, n) => `long ${String(n).padStart(2, '0')}`)
  await store.transaction(() => keys.forEach((key, n) => meta.put(key, long(n))))
  const range = { start: 'long ', end: 'long!' }
  t.strictSame(
    [...meta.range(range)],
    keys.map((key, n) => ({ key, value: long(n) })),
  )
  t.strictSame(meta.rows(range), [...meta.range(range)])
  for (let most = 0; most <= keys.length; most++) {
    t.strictSame(meta.rows({ ...range, limit: most }), [...meta.range({ ...range, limit: most })])
    t.strictSame(
      [...meta.range({ ...range, limit: most })].map(({ key }) => key),
      keys.slice(0, most),
    )
    const seen: string[] = []
    for (const { key } of meta.range(range)) {
      if (seen.length === most) break
      seen.push(key)
    }
    t.strictSame(seen, keys.slice(0, most))
  }
})

t.test('a transaction writes all or nothing, and is seen by others only when it is committed', async (t) => {
  const { store } = await opened(t)
  const { meta, tokens } = store.tables
  await t.rejects(
    store.transaction(() => {
      meta.put('a', 1)
      tokens.put('t', { name: 't', sha256: '', scopes: [], createdAt: 0 })
      t.equal(meta.get('a'), 1, 'its own writes are seen')
      throw new Error('no')
    }),
    { message: 'no' },
  )
  t.equal(meta.get('a'), undefined)
  t.equal(tokens.get('t'), undefined)

  const first = store.transaction(() => meta.put('n', 1))
  t.equal(meta.get('n'), undefined, 'not committed, not seen')
  const second = store.transaction(() => {
    const seen = meta.get('n') as number
    meta.put('n', seen + 1)
    return seen
  })
  t.equal(await second, 1, 'a transaction sees those before it')
  await first
  t.equal(meta.get('n'), 2)
  t.equal(await store.transaction(() => meta.remove('n')), true)
  t.equal(await store.transaction(() => meta.remove('n')), false)
  t.equal(meta.get('n'), undefined)
})

t.test('a row that was put cannot be changed from outside', async (t) => {
  const { store } = await opened(t)
  const row = { name: 'a', sha256: '', scopes: ['send'], createdAt: 0 }
  await store.transaction(() => {
    store.tables.tokens.put('a', row)
    row.scopes.push('admin')
    t.same(store.tables.tokens.get('a')?.scopes, ['send'])
  })
  t.same(store.tables.tokens.get('a')?.scopes, ['send'])
})

t.test('misuse is told', async (t) => {
  const { store } = await opened(t)
  const { meta } = store.tables
  t.throws(() => meta.put('a', 1), { message: /inside a transaction/ })
  t.throws(() => meta.remove('a'), { message: /inside a transaction/ })
  await t.rejects(
    store.transaction(() => store.transaction(() => 1).then((value) => meta.put('x', value))),
    { message: /synchronous/ },
  )
  await t.rejects(
    store.transaction(() => meta.put('', 1)),
    { message: /cannot be a key/ },
  )
  await t.rejects(
    store.transaction(() => meta.put('é', 1)),
    { message: /cannot be a key/ },
  )
  await t.rejects(
    store.transaction(() => meta.put('x'.repeat(501), 1)),
    { message: /cannot be a key/ },
  )
  t.equal(meta.get('x'), undefined)
})

t.test('ranges agree with a plain sorted map, with and without writes on their way', async (t) => {
  const { store } = await opened(t)
  const { meta, idempotency } = store.tables
  const key = fc.stringMatching(/^[ -~]{1,6}$/)
  const own = (rows: Iterable<{ key: string; value: unknown }>): [string, unknown][] => [...rows].map((row) => [row.key, row.value])
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(key, fc.option(fc.nat())), { maxLength: 30 }),
      fc.array(fc.tuple(key, fc.option(fc.nat())), { maxLength: 15 }),
      fc.record({ start: key, end: key, limit: fc.nat(10), reverse: fc.boolean() }, { requiredKeys: [] }),
      async (before, during, options) => {
        const model = new Map<string, number>()
        const apply = (changes: [string, number | null][]): void => {
          for (const [name, value] of changes) {
            if (value === null) {
              if (meta.remove(name) !== model.delete(name)) throw new Error(`remove of ${name} disagrees`)
            } else {
              meta.put(name, value)
              model.set(name, value)
            }
          }
        }
        const expected = (): [string, unknown][] => {
          let rows = [...model].filter(
            ([name]) => (options.start === undefined || name >= options.start) && (options.end === undefined || name < options.end),
          )
          rows.sort(([a], [b]) => (a < b ? -1 : 1))
          if (options.reverse) rows.reverse()
          return rows.slice(0, options.limit ?? Infinity)
        }
        await store.transaction(() => {
          for (const { key: name } of meta.range()) meta.remove(name)
        })
        await store.transaction(() => apply(before))
        t.strictSame(own(meta.range(options)), expected())
        await store.transaction(() => {
          apply(during)
          const seen = own(meta.range(options))
          if (JSON.stringify(seen) !== JSON.stringify(expected()))
            throw new Error(`${JSON.stringify(seen)} is not ${JSON.stringify(expected())}`)
          if (JSON.stringify(own(meta.rows(options))) !== JSON.stringify(seen)) throw new Error('rows() is not range()')
        })
        t.strictSame(own(meta.range(options)), expected())
        t.equal(meta.count(), model.size)
      },
    ),
    { numRuns: 60 },
  )
  t.equal(idempotency.count(), 0, 'tables are apart')
})

t.test('one directory has one daemon', async (t) => {
  const { store, dir } = await opened(t)
  await t.rejects(openStore(dir, log), { code: 'in-use', message: new RegExp(`process ${process.pid}.*storage.dir`) })
  await store.close()
  await (await openStore(dir, log)).close()
})

t.test('a directory that cannot be used is told', async (t) => {
  const dir = directory(t)
  writeFileSync(join(dir, 'file'), '')
  await t.rejects(openStore(join(dir, 'file', 'below'), log), { code: 'not-writable' })
})

t.test('backup while writing goes on can be opened as it is', async (t) => {
  const { store, dir } = await opened(t)
  await store.transaction(() => store.tables.meta.put('before', 1))
  const writing = Array.from({ length: 50 }, (_, i) => store.transaction(() => store.tables.meta.put(`k${i}`, i)))
  await Promise.all([store.backup(join(dir, 'copy')), ...writing])
  const copy = await openStore(join(dir, 'copy'), log)
  t.equal(copy.tables.meta.get('before'), 1)
  await copy.close()
})

t.test('migrations', async (t) => {
  const step = (to: number) => ({
    to,
    row: (old: { n: number; path?: string }, key: string) => (key === 'drop' ? undefined : { ...old, n: old.n * 10 + to, path: key }),
  })
  const at = (version: number) => ({
    specs: { ...tableSpecs, tokens: { version, migrations: [step(2), step(3)].filter(({ to }) => to <= version) as never } },
  })
  const dir = directory(t)
  const first = await openStore(dir, log, at(1))
  await first.transaction(() => {
    first.tables.tokens.put('a', { n: 1 } as never)
    first.tables.tokens.put('drop', { n: 1 } as never)
  })
  await first.close()

  t.test('run in order over every row, after a copy was made', async (t) => {
    const third = await openStore(dir, log, at(3))
    t.same(third.tables.tokens.get('a'), { n: 123, path: 'a' })
    t.equal(third.tables.tokens.get('drop'), undefined)
    t.equal(third.tables.meta.get('schema:tokens'), 3)
    await third.close()
    const copies = readdirSync(dir).filter((name) => name.startsWith('before-migration-'))
    t.equal(copies.length, 1)
    const copy = await openStore(join(dir, copies[0]!), log, at(1))
    t.same(copy.tables.tokens.get('a'), { n: 1 })
    await copy.close()
    const again = await openStore(dir, log, at(3))
    t.same(again.tables.tokens.get('a'), { n: 123, path: 'a' }, 'once')
    await again.close()
  })
  t.test('a store of a newer version is refused, and stays as it is', async (t) => {
    await t.rejects(openStore(dir, log, at(2)), { code: 'newer', message: /newer version.*table tokens: version 3, known here: 2/ })
    await (await openStore(dir, log, at(3))).close()
  })
  t.test('one that fails leaves the store as it was', async (t) => {
    const broken = {
      specs: {
        ...at(3).specs,
        meta: tableSpecs.meta,
        tokens: {
          version: 4,
          migrations: [
            {
              to: 4,
              row: () => {
                throw new Error('bad step')
              },
            },
          ],
        },
      },
    }
    await t.rejects(openStore(dir, log, broken), StoreError)
    const same = await openStore(dir, log, at(3))
    t.same(same.tables.tokens.get('a'), { n: 123, path: 'a' })
    await same.close()
  })
})

t.test('a disk with too little room refuses writes, goes on reading, and recovers', async (t) => {
  const { store } = await opened(t, { reserveBytes: Number.MAX_SAFE_INTEGER })
  await t.rejects(
    store.transaction(() => store.tables.meta.put('a', 1)),
    { code: 'storage_full', status: 503, retryAfterSeconds: 30 },
  )
  t.match(store.health(), { ok: false, reason: /free on the disk/ })
})

t.test('a disk that runs full in the middle of a commit loses nothing that was acknowledged', async (t) => {
  const dir = directory(t)
  mkdirSync(join(dir, 'small'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', join(dir, 'small')], { stdio: 'ignore' })
  } catch {
    t.comment('a small file system cannot be mounted here')
    return
  }
  t.teardown(() => execFileSync('umount', [join(dir, 'small')]))
  const filler = join(dir, 'small', 'filler')
  writeFileSync(filler, Buffer.alloc(5_000_000))
  const store = await openStore(join(dir, 'small', 'store'), log, { reserveBytes: 0 })
  const big = 'x'.repeat(20_000)
  let acknowledged = 0
  let failure: unknown
  while (failure === undefined && acknowledged < 1000) {
    await store
      .transaction(() => store.tables.meta.put(`k${acknowledged}`, big))
      .then(
        () => acknowledged++,
        (error: unknown) => (failure = error),
      )
  }
  t.match(failure, { code: 'storage_full', status: 503 })
  t.match(store.health(), { ok: false })
  for (let i = 0; i < acknowledged; i++) if (store.tables.meta.get(`k${i}`) !== big) t.fail(`k${i} is lost`)
  t.equal(store.tables.meta.get(`k${acknowledged}`), undefined)
  rmSync(filler)
  await store.transaction(() => store.tables.meta.put('after', 1))
  t.equal(store.tables.meta.get('after'), 1)
  t.match(store.health(), { ok: true })
  await store.close()
})

t.test('kill -9 in the middle of writing loses no acknowledged transaction, and tears none', { timeout: 120_000 }, async (t) => {
  const dir = directory(t)
  const child = join(import.meta.dirname, 'writing-child.ts')
  let next = 0
  for (let round = 0; round < 20; round++) {
    const writer = spawn(process.execPath, [...process.execArgv, child, dir, String(next)], { stdio: ['ignore', 'pipe', 'inherit'] })
    let acknowledged = -1
    const lines = createInterface({ input: writer.stdout })
    lines.on('line', (line) => {
      acknowledged = Number(line)
      // Some rounds die after a few commits, some after many.
      if (acknowledged >= next + 20 * round) writer.kill('SIGKILL')
    })
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => writer.on('close', (...end) => resolve(end)))
    if (signal !== 'SIGKILL') {
      t.fail(`the child ended by itself: ${code}`)
      return
    }
    const store = await openStore(dir, log)
    for (let i = next; i <= acknowledged; i++) {
      if (store.tables.meta.get(`left${i}`) !== i || store.tables.outboxDone.get(`right${i}`) === undefined)
        t.fail(`round ${round}: transaction ${i} is lost`)
    }
    let last = acknowledged
    for (let i = next; store.tables.meta.get(`left${i}`) !== undefined; i++) {
      last = i
      if (store.tables.outboxDone.get(`right${i}`) === undefined) t.fail(`round ${round}: transaction ${i} is torn`)
    }
    await store.close()
    next = last + 1
  }
  t.ok(next > 100, `${next} transactions over 20 rounds`)
})

t.test('the file grows ahead of what is written, in steps and not with each commit', async (t) => {
  const dir = directory(t)
  const store = await openStore(dir, log)
  const value = 'x'.repeat(20_000)
  const sizes = new Set<number>()
  for (let row = 0; row < 300; row++) {
    await store.transaction(() => store.tables.meta.put(`row ${row}`, value))
    sizes.add(store.health().bytes)
  }
  t.ok(store.health().bytes > 300 * value.length, 'all of it is in the file')
  t.ok(sizes.size <= 10, `the file had ${sizes.size} lengths`)
  await store.close()
  const again = await openStore(dir, log)
  t.equal([...again.tables.meta.range({ start: 'row ', end: 'row!' })].filter((row) => row.value === value).length, 300)
  await again.close()
})

t.test('a key that no row can have finds nothing, however long it is', async (t) => {
  const store = await openStore(directory(t), log)
  t.teardown(() => store.close())
  for (const key of ['', 'x'.repeat(501), 'x'.repeat(5000), 'a\u0000b', '\u00e9'.repeat(1000)]) {
    t.equal(store.tables.meta.get(key), undefined)
    t.equal(store.tables.people.get(key), undefined)
    t.equal(await store.transaction(() => store.tables.people.remove(key)), false)
  }
})
