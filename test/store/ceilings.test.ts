import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Ceilings } from '../../daemon/ceilings/ceilings.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const log = createLog({ level: 'silent' })

t.test('daily ceilings: counted with the deed, for the box and the token, and a day ends by itself only', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-ceilings-'))
  let store = await openStore(dir, log)
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  // 23:00 in New York.
  const clock = new FakeClock(Date.parse('2026-03-03T04:00:00Z'))
  const hourMs = 3_600_000
  const machine = { boot: 'a', seconds: 1000 }
  const bootClock = {
    uptime: () => machine.seconds,
    get boot() {
      return machine.boot
    },
  }
  const most = (figure: number) => ({ texts: figure, faxes: figure, callMinutes: figure, internationalMinutes: figure })
  const perDay = { ...most(10), perToken: most(6), tokens: { small: { texts: 2 } } }
  const config = { site: { timeZone: 'America/New_York' }, limits: { perDay } } as never
  const ceilings = () => new Ceilings({ config, store, clock, bootClock })
  const take = (token: string, texts: number) => store.transaction(() => ceilings().take(token, { texts }))
  const used = () =>
    Object.fromEntries(
      ceilings()
        .view()
        .filter(({ what }) => what === 'texts')
        .map((view) => [view.name, view.used]),
    )
  const pass = (ms: number) => {
    clock.set(clock.now() + ms)
    machine.seconds += ms / 1000
  }

  await take('first', 5)
  await t.rejects(take('first', 2), {
    code: 'daily_limit',
    status: 429,
    retryAfterSeconds: 3600,
    extra: { limit: 'texts', most: 6, used: 5 },
  })
  await t.rejects(take('small', 3), { code: 'daily_limit', message: /token "small" is 2 parts of texts; 0 were used/ })
  await take('small', 2)
  await take('', 3)
  await t.rejects(take('', 1), { code: 'daily_limit', message: /the telephone system is 10/ })
  t.same(used(), { '': 10, first: 5, small: 2 }, 'what was refused is not counted')
  const torn = store.transaction(() => {
    ceilings().add('', { texts: 1 })
    throw new Error('the deed failed')
  })
  await t.rejects(torn, /the deed failed/)
  t.equal(used()[''], 10)

  await store.close()
  store = await openStore(dir, log)
  t.same(used(), { '': 10, first: 5, small: 2 }, 'and it is there after a restart')
  clock.set(clock.now() + 2 * hourMs)
  await t.rejects(take('', 1), { code: 'daily_limit' }, 'the clock was set two hours on, past midnight: the day has not gone by')
  await ceilings().carry()
  clock.set(clock.now() - 26 * hourMs)
  await t.rejects(take('', 1), { code: 'daily_limit' }, 'and set back by a day')
  await ceilings().carry()
  pass(3 * hourMs)
  await take('first', 6)
  t.same(used(), { '': 6, first: 6 }, 'midnight came, also for the token that was at its end')
  machine.boot = 'b'
  machine.seconds = 5
  clock.set(clock.now() + 24 * hourMs)
  await take('', 10)
  t.equal(used()[''], 10, 'so does a day on which the box was off')
  t.equal(await store.transaction(() => ceilings().reset('nobody')), false)
  await store.transaction(() => ceilings().reset())
  t.equal(used()[''], 0)
})
