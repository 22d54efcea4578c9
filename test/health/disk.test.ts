/** What lies on the disk and since when lines were down, on a real store and real folders. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { BoxEvents } from '../../daemon/box-events/box-events.ts'
import type { Condition } from '../../daemon/box-events/conditions.ts'
import { DiskUse } from '../../daemon/health/disk-use.ts'
import { verdictOf, outagesSince } from '../../daemon/health/reading.ts'
import { diskKinds } from '../../daemon/schema/health.ts'
import { openStore } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const log = createLog({ level: 'silent' })
const dayMs = 86_400_000
const megabyte = 1024 * 1024

async function open(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-health-'))
  const store = await openStore(join(dir, 'store'), log)
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const clock = new FakeClock(Date.UTC(2026, 2, 2, 12))
  const use = (): DiskUse => new DiskUse({ store, clock, log, dir, timeZone: 'America/New_York' })
  const write = (name: string, bytes: number): void => {
    mkdirSync(join(dir, name, '..'), { recursive: true })
    writeFileSync(join(dir, name), new Uint8Array(bytes).fill(1), { flush: true })
  }
  return { dir, store, clock, use, write }
}

t.test('each kind has what lies in its folders', async (t) => {
  const { use, write } = await open(t)
  const files = {
    recordings: ['recordings/a.wav'],
    voicemail: ['inbox/voicemails/a.wav'],
    faxes: ['inbox/faxes/a.pdf', 'fax/out/a.pdf'],
    texts: ['inbox/sms/a.jpg'],
    mail: ['mail/a'],
    speech: ['cache/tts/a', 'models/voice/a'],
    other: ['config/1.json', 'inbox/whatever'],
  }
  for (const name of Object.values(files).flat()) write(name, megabyte)
  const { kinds, bytesPerDay, fullAt, freeBytes, totalBytes } = await use().now()
  t.same(
    kinds.map(({ kind }) => kind),
    diskKinds,
  )
  for (const [kind, names] of Object.entries(files)) {
    const { bytes } = kinds.find((one) => one.kind === kind)!
    t.ok(Math.abs(bytes - names.length * megabyte) < megabyte / 2, `${kind}: ${bytes}`)
  }
  t.ok(kinds.find(({ kind }) => kind === 'store')!.bytes > 0)
  t.same([bytesPerDay, fullAt], [null, null], 'growth is not known before a day has passed')
  t.ok(freeBytes > 0 && totalBytes >= freeBytes)
})

t.test('growth is that of two weeks, and says on which day the disk is full; a restart forgets nothing', async (t) => {
  const { use, write, clock } = await open(t)
  for (let day = 0; day < 20; day++) {
    write(`recordings/${day}.wav`, day < 5 ? 9 * megabyte : 2 * megabyte)
    // Another run each day.
    await use().measure()
    clock.advance(dayMs)
  }
  const { kinds, fullAt, freeBytes, bytesPerDay } = await use().now()
  const { bytesPerDay: rate } = kinds.find(({ kind }) => kind === 'recordings')!
  t.ok(rate! > 1.7 * megabyte && rate! < 2.2 * megabyte, `what came before two weeks does not count: ${rate}`)
  const days = (fullAt! - clock.now()) / dayMs
  if (fullAt !== null) t.ok(Math.abs(days - freeBytes / bytesPerDay!) < 1)
})

t.test('a disk that is not filled is never full', async (t) => {
  const { use, clock } = await open(t)
  await use().measure()
  clock.advance(2 * dayMs)
  t.equal((await use().now()).fullAt, null)
})

t.test('the strip of a line has its outages, clipped to the time asked for, and when nobody knows', async (t) => {
  const { store, clock } = await open(t)
  const events = new BoxEvents({ store, clock, log, keepDays: 400 })
  const down = (id: string, since: number): Condition => ({
    kind: 'line',
    code: `line-${id}`,
    severity: 'error',
    text: `Trunk ${id}: gone`,
    fix: 'x',
    since,
  })
  clock.advance(60_000)
  const began = clock.now()
  events.look([down('old', began)])
  clock.advance(3 * dayMs)
  events.look([down('main', clock.now()), down('old', began)])
  clock.advance(3_600_000)
  events.look([down('old', began)])
  events.note({ kind: 'daemon', code: 'daemon-stopped', severity: 'warning', text: 'did not run', fix: '', since: clock.now() - 600_000 })
  clock.advance(5 * dayMs)
  events.look([down('main', clock.now()), down('old', began)])
  await events.stop()
  const since = clock.now() - 7 * dayMs
  const [main, old, quiet] = outagesSince(events, ['main', 'old', 'quiet'], since)
  t.equal(main!.outages.length, 2)
  t.equal(Date.parse(main!.outages[0]!.until!) - Date.parse(main!.outages[0]!.since), 3_600_000)
  t.equal(main!.outages[1]!.until, null, 'it lasts')
  t.match(
    old!.outages,
    [{ since: new Date(since).toISOString(), until: null }],
    'what began before is shown from the beginning of the strip',
  )
  t.same(quiet!.outages, [])
  t.equal(quiet!.unknown.length, 1, 'pbxd did not run')
  t.same(outagesSince(events, ['main'], clock.now() - dayMs)[0]!.outages.length, 1, 'of the last day the older one is not shown')
  t.match(verdictOf(events.lasting()), { ok: false, severity: 'error', faults: 2 })
})
