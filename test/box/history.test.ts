/** The history of the box and its alarms over hours and restarts: a real store, time that a test moves. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Alarms, type AlarmWay } from '../../daemon/alarms/alarms.ts'
import type { Told } from '../../daemon/alarms/words.ts'
import { BoxEvents } from '../../daemon/box-events/box-events.ts'
import type { Condition } from '../../daemon/box-events/conditions.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { createLog } from '../../daemon/base/log.ts'
import { NoticeRefused } from '../../daemon/base/notice-ways.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { eventually } from '../harness/scene.ts'

const log = createLog({ level: 'silent' })
const dayMs = 86_400_000

async function storeFor(t: Test, options: { reserveBytes?: number } = {}): Promise<{ store: Store; again: () => Promise<Store> }> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-history-'))
  let store = await openStore(dir, log, options)
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return {
    store,
    async again() {
      await store.close()
      return (store = await openStore(dir, log))
    },
  }
}

const trunk = (clock: FakeClock, change: Partial<Condition> = {}): Condition => {
  return { kind: 'line', code: 'line-main', severity: 'error', text: 'Trunk main: gone', fix: 'ping it', since: clock.now(), ...change }
}
const written = (store: Store, count: number): Promise<void> =>
  eventually('the rows are written', () => store.tables.boxEvents.count() === count)

t.test('begun, changed, over; across a restart; removed after its time', async (t) => {
  const clock = new FakeClock()
  const { store, again } = await storeFor(t)
  const events = new BoxEvents({ store, clock, log, keepDays: 400 })
  events.look([trunk(clock)])
  t.same(events.lasting(), [], 'what is missing in the first moments is no news')
  clock.advance(10_000)
  events.look([trunk(clock)])
  const [first] = events.lasting()
  t.match(first, { code: 'line-main', until: null })
  clock.advance(5000)
  events.look([trunk(clock, { text: 'Trunk main: still gone, number +15551234567' })])
  t.equal(events.lasting()[0]!.eventId, first!.eventId)
  t.notMatch(events.lasting()[0]!.text, /1234567/, 'a later text is masked as the first')
  events.look([trunk(clock, { severity: 'warning' })])
  t.not(events.lasting()[0]!.eventId, first!.eventId, 'another severity is another event')
  t.equal(events.get(first!.eventId)!.until, clock.now())
  await events.stop()
  await written(store, 2)

  const reopened = await again()
  const later = new FakeClock(clock.now() + 60_000)
  const next = new BoxEvents({ store: reopened, clock: later, log, keepDays: 400 })
  t.equal(next.lasting().length, 1)
  next.look([])
  t.equal(next.lasting().length, 1, 'a fault of before is not over because nobody has looked yet')
  later.advance(10_000)
  next.look([trunk(later, { severity: 'warning' })])
  t.equal(next.lasting()[0]!.eventId, events.lasting()[0]!.eventId, 'the same event')
  next.look([])
  t.same(next.lasting(), [])
  await next.stop()
  t.equal(next.list({ limit: 10 }).rows.length, 2)
  t.equal(next.list({ limit: 10, lasting: true }).rows.length, 0)
  const page = next.list({ limit: 1 })
  t.equal(next.list({ limit: 1, cursor: page.next! }).rows[0]!.eventId, first!.eventId)
  t.equal(await next.sweep(), 0)
  later.advance(401 * dayMs)
  t.equal(await next.sweep(), 2)
})

t.test('what happens while the disk cannot be written is written when it does', async (t) => {
  const clock = new FakeClock()
  const { store, again } = await storeFor(t, { reserveBytes: Number.MAX_SAFE_INTEGER })
  const events = new BoxEvents({ store, clock, log, keepDays: 400 })
  clock.advance(10_000)
  events.look([trunk(clock)])
  clock.advance(5000)
  events.look([])
  t.match(events.list({ limit: 10 }).rows, [], 'it is not on the disk')
  t.equal(store.tables.boxEvents.count(), 0)
  const roomy = await again()
  const next = new BoxEvents({ store: roomy, clock, log, keepDays: 400 })
  clock.advance(10_000)
  next.look([trunk(clock)])
  await written(roomy, 1)
})

interface Box {
  readonly clock: FakeClock
  readonly events: BoxEvents
  readonly alarms: Alarms
  readonly told: (Told & { readonly to: string })[]
  readonly untold: string[]
  /** What the next tellings meet. */
  fault: Error | undefined
  /** Looks as the daemon does, every 5 s, for so long. */
  pass(ms: number, conditions: readonly Condition[]): Promise<void>
}

async function boxFor(t: Test, rule: string, now?: number): Promise<Box> {
  const clock = now === undefined ? new FakeClock() : new FakeClock(now)
  const { store } = await storeFor(t)
  const { config } = parseConfig(`alarms: [ ${rule} ]\n`, '/srv/pbx/pbxd.yaml')
  const events = new BoxEvents({ store, clock, log, keepDays: 400 })
  const box = { clock, events, told: [], untold: [], fault: undefined } as unknown as Box
  const way: AlarmWay = {
    async tell(told, alongside) {
      if (box.fault !== undefined) throw box.fault
      await store.transaction(alongside)
      box.told.push(told)
    },
  }
  const ways = { mail: way, sms: way, call: way, webhook: way }
  const untold = (_: string, { to }: { to: string }, reason: string): void => void (reason !== '' && box.untold.push(`${to}: ${reason}`))
  const alarms = new Alarms({ rules: config.alarms, timeZone: 'America/New_York', events, store, clock, log, ways, untold })
  alarms.start()
  Object.assign(box, {
    alarms,
    async pass(ms: number, conditions: readonly Condition[]) {
      const step = ms > 600_000 ? 30_000 : 5000
      for (let passed = 0; passed < ms; passed += step) {
        clock.advance(step)
        events.look(conditions)
        alarms.look()
        // Writes are real: what is under way, one after the other, ends before time goes on.
        for (let turn = 0; turn < 3; turn += 1) {
          await store.transaction(() => store.tables.meta.put('turn', turn))
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
    },
  })
  return box
}

t.test('told after a minute, again every half hour, not when it is in hand, and when it is over', async (t) => {
  const box = await boxFor(t, '{ id: a, repeatMinutes: 30, notify: { sms: ["+15551230001", "+15551230002"] } }')
  const down = trunk(box.clock)
  await box.pass(60_000, [down])
  t.equal(box.told.length, 0)
  await box.pass(20_000, [down])
  t.same(box.told.map(({ to, news }) => `${to} ${news}`).toSorted(), ['+15551230001 lasts', '+15551230002 lasts'])
  await box.pass(29 * 60_000, [down])
  t.equal(box.told.length, 2)
  await box.pass(2 * 60_000, [down])
  t.equal(box.told.length, 4, 'again')
  t.equal(await box.events.acknowledge([box.events.lasting()[0]!.eventId], 'somebody'), 1)
  await box.pass(90 * 60_000, [down])
  t.equal(box.told.length, 4, 'somebody looks after it')
  await box.pass(10_000, [])
  t.same(
    box.told.slice(4).map(({ news }) => news),
    ['ended', 'ended'],
  )
  await box.pass(10_000, [])
  t.same(box.alarms.rows(), [])
  const short = trunk(box.clock, { code: 'line-other' })
  await box.pass(40_000, [short])
  await box.pass(60_000, [])
  t.equal(box.told.length, 6, 'what is over within a minute is told to nobody')
})

t.test('outside its hours a rule waits; what still lasts when they begin is told then, in one message', async (t) => {
  // Monday 2 March 2026, 05:00 in New York.
  const box = await boxFor(
    t,
    '{ id: a, hours: { mon-fri: ["07:00-18:00"] }, notify: { sms: ["+15551230001"] } }',
    Date.parse('2026-03-02T10:00:00Z'),
  )
  const both = [trunk(box.clock), trunk(box.clock, { code: 'line-second' })]
  await box.pass(20_000, [...both, trunk(box.clock, { code: 'gone-by-then' })])
  await box.pass(119 * 60_000, both)
  t.equal(box.told.length, 0)
  await box.pass(2 * 60_000, both)
  t.equal(box.told.length, 1)
  t.same(box.told[0]!.events.map(({ code }) => code).toSorted(), ['line-main', 'line-second'])
})

t.test('a way that fails is tried again; one that is of no use is told and ends', async (t) => {
  const box = await boxFor(t, '{ id: a, afterSeconds: 0, repeatMinutes: 0, notify: { sms: ["+15551230001"] } }')
  box.fault = new Error('no trunk is up')
  const down = trunk(box.clock)
  await box.pass(60_000, [down])
  t.equal(box.told.length, 0)
  t.match(box.untold[0], /\+15551230001: no trunk is up/)
  box.fault = undefined
  await box.pass(70_000, [down])
  t.equal(box.told.length, 1)
  await box.pass(10_000, [])
  t.equal(box.told.length, 2)
  box.fault = new NoticeRefused('this number may not be texted')
  await box.pass(20_000, [trunk(box.clock, { code: 'line-second' })])
  t.match(box.untold.at(-1), /may not be texted/)
  t.same(
    box.alarms.rows().map(({ left, dueAt }) => [left, dueAt]),
    [[[], null]],
    'nothing is tried again',
  )
})
