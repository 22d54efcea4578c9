/** Models over a bad network: gone on with, refused, one at a time. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { installModel, readModel } from '../../daemon/speech/models/models.ts'
import { content, loose, optionsIn, serveModels, sizeOf, temporaryFolder } from './stage.ts'
import { eventually } from '../harness/waiting.ts'

const server = await serveModels()
t.teardown(() => server.close())
t.beforeEach(() => {
  server.faults.length = 0
  server.asked.length = 0
  server.etag = '"one"'
  server.pace = 0
})

t.test('a connection that breaks goes on where it was', async (t) => {
  const data = content(400_000)
  const entry = loose(server, 'cut', { model: data })
  for (const [what, fault, requests] of [
    ['cut twice', [{ cutAfter: 100_000 }, { cutAfter: 50_000 }], 3],
    ['busy', [{ status: 503 }, { status: 429 }], 3],
    ['stalled', [{ stall: true }], 2],
    ['a server that does not do parts', [{ cutAfter: 100_000 }, { ignoreRange: true }], 2],
    ['a part that does not exist there', [{ cutAfter: 100_000 }, { status: 416 }], 3],
  ] as const) {
    const dir = temporaryFolder(t)
    server.asked.length = 0
    server.faults.push(...fault)
    const { state } = await installModel(entry, optionsIn(dir, { stallMs: 1100 }))
    t.equal(state, 'installed', what)
    t.equal(server.asked.length, requests, `${what}: requests`)
    t.ok(readFileSync(join(dir, 'cut/model.bin')).equals(data))
  }
  t.match(server.asked, [{ range: '' }, { range: 'bytes=100000-', ifRange: '"one"' }, { range: '' }])
})

t.test('an earlier run is gone on with, unless the file at the address is another now', async (t) => {
  const data = content(200_000)
  const entry = loose(server, 'resumed', { model: data })
  const start = async (dir: string): Promise<void> => {
    const stop = new AbortController()
    server.faults.push({ cutAfter: 120_000 }, { status: 503 })
    const options = optionsIn(dir, { signal: stop.signal, retryMs: 10_000, onProgress: ({ bytes }) => bytes >= 120_000 && stop.abort() })
    await t.rejects(installModel(entry, options), { code: 'aborted' })
    server.faults.length = 0
    server.asked.length = 0
    const lying = sizeOf(join(dir, '.incoming/resumed/model.bin.part'))
    t.ok(lying > 0 && lying <= 120_000)
  }
  const dir = temporaryFolder(t)
  await start(dir)
  t.equal((await installModel(entry, optionsIn(dir))).state, 'installed')
  t.match(server.asked, [{ range: /bytes=\d+-/ }])

  const other = temporaryFolder(t)
  await start(other)
  server.etag = '"two"'
  t.equal((await installModel(entry, optionsIn(other))).state, 'installed', 'another etag: the whole again')

  const spoiled = temporaryFolder(t)
  await start(spoiled)
  const part = join(spoiled, '.incoming/resumed/model.bin.part')
  const bytes = readFileSync(part)
  bytes[5] = (bytes[5] ?? 0) ^ 1
  writeFileSync(part, bytes)
  server.etag = '"one"'
  t.equal((await installModel(entry, optionsIn(spoiled))).state, 'installed', 'a spoiled part is noticed and fetched anew')
})

t.test('what is wrong at the server is told, and nothing is installed', async (t) => {
  const data = content(100_000)
  for (const [change, code, text] of [
    [() => server.files.set('/bad/model.bin', content(100_000)), 'wrong-content', /sha256/],
    [() => server.files.set('/bad/model.bin', data.subarray(0, 5000)), 'wrong-content', /5000 bytes instead of 100000/],
    [() => server.files.delete('/bad/model.bin'), 'network', /answered 404/],
    [() => server.faults.push(...Array.from({ length: 9 }, () => ({ status: 500 }))), 'network', /answered 500/],
    [() => server.faults.push({ status: 302, location: 'http://192.0.2.1/x' }), 'network', /not HTTPS/],
    [
      () => server.faults.push(...Array.from({ length: 9 }, () => ({ status: 302, location: '/bad/model.bin' }))),
      'network',
      /redirects too often/,
    ],
  ] as const) {
    const dir = temporaryFolder(t)
    const entry = loose(server, 'bad', { model: data })
    server.faults.length = 0
    change()
    await t.rejects(installModel(entry, optionsIn(dir)), { code, message: text })
    t.equal(readModel(entry, optionsIn(dir).places).state, 'not-installed')
    t.notOk(existsSync(join(dir, 'bad')))
  }
})

t.test('redirects are followed', async (t) => {
  const entry = loose(server, 'moved', { model: content(10_000) })
  server.faults.push({ status: 302, location: '/moved/model.bin?x=1' })
  server.files.set('/moved/model.bin?x=1', server.files.get('/moved/model.bin') ?? Buffer.alloc(0))
  t.equal((await installModel(entry, optionsIn(temporaryFolder(t)))).state, 'installed')
})

t.test('two at once, a folder that cannot be written, a full disk', async (t) => {
  const dir = temporaryFolder(t)
  const entry = loose(server, 'slow', { model: content(200_000) })
  server.pace = 100_000
  const first = installModel(entry, optionsIn(dir))
  await eventually('it has begun', () => sizeOf(join(dir, '.incoming/slow/model.bin.part')) > 0)
  await t.rejects(installModel(entry, optionsIn(dir)), { code: 'busy', message: new RegExp(String(process.pid)) })
  t.equal((await first).state, 'installed')
  server.pace = 0
  const huge = { ...entry, id: 'huge', diskMB: 4e9 }
  await t.rejects(installModel(huge, optionsIn(dir)), { code: 'no-space', message: /are needed in .* are free/ })
  if (process.getuid?.() === 0) return void t.pass('a folder that cannot be written', { skip: 'root may write everywhere' })
  const closed = temporaryFolder(t)
  chmodSync(closed, 0o500)
  await t.rejects(installModel(entry, optionsIn(closed)), { message: /cannot be written/ })
})

t.test('a disk that becomes full in the middle: told, and gone on with when there is room', async (t) => {
  const disk = temporaryFolder(t)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'none', disk]).status !== 0)
    return void t.pass('a full disk', { skip: 'no small disk can be made here' })
  t.teardown(() => spawnSync('umount', [disk]))
  const entry = loose(server, 'full', { model: content(2_000_000) })
  server.pace = 1_000_000
  const filler = join(disk, 'filler')
  const begun = installModel(entry, optionsIn(disk))
  const failed = t.rejects(begun, { code: 'no-space', message: /the disk is full after \d+ bytes/ })
  await eventually('some of it is there', () => sizeOf(join(disk, '.incoming/full/model.bin.part')) >= 300_000, undefined, 5)
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M'])
  await failed
  rmSync(filler)
  server.pace = 0
  server.asked.length = 0
  t.equal((await installModel(entry, optionsIn(disk))).state, 'installed')
  t.match(server.asked[0]?.range, /^bytes=[1-9]\d+-$/)
})
