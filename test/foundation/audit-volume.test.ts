/** What programs read all day fills no disk: rows a minute, not rows a look; and what the disk does not take is written later. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bySystem } from '../../daemon/audit/audit.ts'
import type { NamedDeed } from '../../daemon/audit/deed.ts'
import { hashOfList } from '../../daemon/audit/looks.ts'
import { Trail } from '../../daemon/audit/trail.ts'
import { verifyAudit } from '../../daemon/audit/verify.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { AuditRow } from '../../daemon/store/tables.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { eventually } from '../harness/scene.ts'
import { SmallDisk } from '../harness/small-disk.ts'

const log = createLog({ level: 'silent' })
const gathered = { name: 'party.read', gathered: true } as const

interface Opened {
  readonly dir: string
  readonly clock: FakeClock
  readonly store: Store
  readonly trail: Trail
}

async function opened(t: Test, dir = mkdtempSync(join(tmpdir(), 'pbxd-audit-')), clock = new FakeClock()): Promise<Opened> {
  const store = await openStore(dir, log)
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return { dir, clock, store, trail: new Trail({ store, clock, log }) }
}

const look = (trail: Trail, deed: NamedDeed, object: string, actor = 'token:desk', address = '::1'): Promise<void> | undefined =>
  trail.begin(deed, { actor, address, requestId: 'r' }, object).settle()
const rowsOf = (store: Store): AuditRow[] => Array.from(store.tables.audit.range(), ({ value }) => value)

t.test('a thousand look-ups in a minute are one row of each token, with their count and the hash of the list', async (t) => {
  const { trail, clock, store } = await opened(t)
  const ids = Array.from({ length: 1000 }, (_, n) => `c_${n}`)
  const began = clock.now()
  for (const id of ids) {
    await look(trail, gathered, id)
    clock.advance(20)
  }
  await look(trail, gathered, 'c_1', 'token:other')
  clock.advance(60_000)
  await eventually('the row of the first is written', () => rowsOf(store).length === 1)
  await new Promise(setImmediate)
  clock.advance(60_000)
  await eventually('and that of the other', () => rowsOf(store).length === 2)
  const [many, one] = rowsOf(store)
  t.match(many, { actor: 'token:desk', deed: 'party.read', count: 1000, object: `sha256:${hashOfList(ids)}`, address: '::1' })
  t.equal(Date.parse(many!.time), began, 'at the time of the first')
  t.match(one, { actor: 'token:other', count: 1, object: 'c_1' }, 'one look says whom')
  t.match(await verifyAudit(store), { ok: true, rows: 2 })
  await trail.stop()
})

t.test('from several addresses, and over the end of a minute: no row is lost, and none is more than a minute', async (t) => {
  const { trail, clock, store } = await opened(t)
  await look(trail, gathered, 'a', 'token:desk', '::1')
  await look(trail, gathered, 'b', 'token:desk', '::2')
  clock.advance(61_000)
  await look(trail, gathered, 'c')
  await trail.stop()
  t.same(
    rowsOf(store).map(({ object, count, address }) => [object, count, address]),
    [
      [`sha256:${hashOfList(['a', 'b'])}`, 2, '(several)'],
      ['c', 1, '::1'],
    ],
  )
  t.equal(store.tables.meta.count(), [...store.tables.meta.range()].length)
  t.same([...store.tables.meta.range({ start: 'audit:looks/', end: 'audit:looks0' })], [], 'nothing is left over')
})

t.test('kill -9 within the minute: the next start writes the row of the looks that were answered', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-looks-'))
  const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'looking-child.ts'), dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let answered = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => (answered += text.length))
  await eventually('looks are answered', () => answered >= 50)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { trail, clock, store } = await opened(t, dir, new FakeClock(Date.now() + 61_000))
  trail.started(null)
  clock.advance(0)
  await eventually('the row is there', () => rowsOf(store).some(({ deed }) => deed === 'party.read'))
  const { count } = rowsOf(store).find(({ deed }) => deed === 'party.read')!
  t.ok(count >= answered, `${count} looks in the trail, ${answered} were answered`)
  t.match(await verifyAudit(store), { ok: true })
  await trail.stop()
})

t.test('who walks through everything gets sixty rows a minute and one for the rest', async (t) => {
  const { trail, clock, store } = await opened(t)
  const polled = { name: 'fax.read', polled: true } as const
  for (let n = 0; n < 500; n++) await look(trail, polled, `f${n}`)
  clock.advance(60_000)
  await eventually('the rest is a row', () => rowsOf(store).length === 61)
  t.match(rowsOf(store).at(-1), { deed: 'fax.read', count: 440 })
  await trail.stop()
})

t.test('what happened while the disk took nothing is written when it does, with its own time; reads are refused meanwhile', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-owed-'))
  const disk = SmallDisk.mount('size=8m')
  if (disk === null) return void t.comment('a small file system cannot be mounted here')
  t.teardown(() => disk.close())
  rmSync(dir, { recursive: true })
  const { trail, clock, store } = await opened(t, join(disk.dir, 'store'))
  disk.fillTo(0)
  const big = 'x'.repeat(20_000)
  for (let full = false, n = 0; !full; n++)
    await store.transaction(() => store.tables.meta.put(`k${n}`, big)).catch(({ code }) => (full = code === 'storage_full'))
  const at = clock.now()
  await trail.happened(bySystem('call.emergency', 'CA1 extension:101'))
  for (let n = 0; n < 1200; n++) await trail.happened(bySystem('inbox.media', `v${n}`))
  t.match(trail.owed, { waiting: 1000, lost: 201 }, 'bounded, and counted')
  await t.rejects(async () => look(trail, { name: 'fax.read' }, 'f1'), { code: 'storage_full' })
  clock.advance(3_600_000)
  disk.empty()
  clock.advance(5000)
  await eventually('all are written', () => trail.owed.waiting === 0)
  const [first] = rowsOf(store).filter(({ deed }) => deed === 'call.emergency')
  t.equal(Date.parse(first!.time), at, 'when it was')
  t.match(await verifyAudit(store), { ok: true })
  await trail.stop()
})

t.test('a log that cannot be written ends nothing, and goes on when it can', async (t) => {
  const disk = SmallDisk.mount('size=256k')
  if (disk === null) return void t.comment('a small file system cannot be mounted here')
  t.teardown(() => disk.close())
  const file = join(disk.dir, 'log')
  const out = openSync(file, 'a')
  disk.fillTo(0)
  const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'filling-child.ts')], {
    stdio: ['pipe', out, 'pipe'],
  })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
  await eventually('it says what is the matter', () => /ENOSPC/.test(said))
  disk.empty()
  child.stdin!.write('again\n')
  await eventually('it is over', () => /well/.test(said))
  child.stdin!.end()
  t.same(await once(child, 'exit'), [0, null])
  t.match(execFileSync('tail', ['-n', '1', file], { encoding: 'utf8' }), /the last line/)
  t.match(readFileSync(file, 'utf8'), /the first line/, 'what waited is there too')
})

t.test('whatever a program may repeat is a row a minute: every route that only reads, but those of one document each', async (t) => {
  const folder = join(import.meta.dirname, '..', '..', 'daemon')
  const each = [
    'audit.read',
    'config.read',
    'inbox.media',
    'line.test',
    'phone.qr',
    'phone.settings',
    'recording.read',
    'support.bundle',
    'trace.read',
  ]
  const counted: string[] = []
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('routes.ts')))
    for (const route of readFileSync(join(folder, file), 'utf8')
      .split(/\bmethod: /)
      .slice(1)) {
      const deed = /^\s+deed: '([a-z.]+)',/m.exec(route)?.[1]
      if (!route.startsWith("'GET'") || deed === undefined || /^\s+(polled|gathered): true,/m.test(route)) continue
      counted.push(deed)
    }
  t.same([...new Set(counted)].toSorted(), each)
})
