/** What became of the calls of a queue: the last hour, over a restart of the daemon and over midnight. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLog } from '../../../daemon/base/log.ts'
import { QueueFigures } from '../../../daemon/pbx/queues/figures.ts'
import { openStore } from '../../../daemon/store/store.ts'
import { FakeClock } from '../../harness/fake-clock.ts'

const log = createLog({ level: 'silent' })
const minute = 60_000

async function open(t: Test, at: string) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-queue-figures-'))
  const store = await openStore(dir, log)
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true })
  })
  const clock = new FakeClock(Date.parse(at))
  return { clock, make: () => new QueueFigures('nurses', { store, clock, log, timeZone: 'UTC' }) }
}

t.test('the last hour has the calls of sixty minutes, and outlives the daemon', async (t) => {
  const { clock, make } = await open(t, '2026-03-02T10:00:00Z')
  const figures = make()
  figures.offered()
  figures.answered('103', 12_000)
  clock.advance(40 * minute)
  figures.offered()
  figures.abandoned()
  t.match(figures.lastHour, { offered: 2, answered: 1, abandoned: 1, sentOn: 0, waits: [12] })
  await figures.write()
  const again = make()
  t.match(again.lastHour, { offered: 2, answered: 1, abandoned: 1 })
  clock.advance(20 * minute)
  t.match(again.lastHour, { offered: 1, answered: 0, abandoned: 1, waits: [] })
  t.match(again.today, { offered: 2, answered: 1, abandoned: 1, waits: [12] }, 'the day has all of them')
})

t.test('midnight begins another day, and leaves the hour as it is', async (t) => {
  const { clock, make } = await open(t, '2026-03-02T23:50:00Z')
  const figures = make()
  figures.offered()
  figures.sentOn()
  clock.advance(20 * minute)
  figures.offered()
  t.match(figures.today, { day: '2026-03-03', offered: 1, sentOn: 0 })
  t.match(figures.lastHour, { offered: 2, sentOn: 1 })
  await figures.write()
})
