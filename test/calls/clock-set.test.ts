/** The clock is set while something lasts: lengths stay those of the clock that nobody sets, wherever they are kept. */
import t from 'tap'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { RowTime } from '../../daemon/calls/row-time.ts'
import { BoxEvents } from '../../daemon/box-events/box-events.ts'
import { Order } from '../../daemon/crm/queue/order.ts'
import { Tally } from '../../daemon/crm/tally.ts'
import { Health } from '../../daemon/base/health.ts'
import { historyOf } from '../../daemon/history/record.ts'
import { createLog } from '../../daemon/base/log.ts'
import { Callbacks } from '../../daemon/pbx/queues/callbacks.ts'
import { UnroutedCalls } from '../../daemon/routing/unrouted.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { CallLegRow } from '../../daemon/store/tables.ts'
import { Locks } from '../../daemon/voicemail/menu/locks.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const hour = 3_600_000
const steps = [4 * hour, -3 * hour, 56 * 365 * 24 * hour, -1500, 600, 0]
const log = createLog({ level: 'silent' })

/** A call from outside that rings at a phone for 10 s, is talked for 12 s, 5 s of them on hold; the clock is set by `step` after so many of them. */
function callWith(step: number, after: number): ReturnType<typeof historyOf> {
  const clock = new FakeClock()
  let second = 0
  const pass = (seconds: number): void => {
    for (let n = 0; n < seconds; n++) {
      if (second++ === after) clock.set(clock.now() + step)
      clock.advance(1000)
    }
  }
  const row = newCallRow(clock.now(), 'inbound')
  const time = new RowTime(row, clock)
  row.startedAt = time.now()
  row.trunkId = 'main'
  pass(4)
  const leg: CallLegRow = { to: '101', trunkId: '', state: 'ringing', startedAt: time.now(), answeredAt: null, endedAt: null, sipCode: 0 }
  row.legs = [leg]
  row.steps = [{ at: time.now(), to: '101', endedAt: null, outcome: '' }]
  pass(6)
  leg.answeredAt = row.answeredAt = time.now()
  pass(3)
  row.heldSince = time.now()
  pass(5)
  row.heldMs = time.now() - row.heldSince
  delete row.heldSince
  pass(4)
  leg.endedAt = time.now()
  row.endedAt = time.now()
  return historyOf(row, clock.now())
}

t.test('a call rings, is held and is talked for as long as it was, whenever the clock is set by whatever', async (t) => {
  for (const step of steps)
    for (let after = 0; after <= 22; after++) {
      const record = callWith(step, after)
      // Less than a second is no step, and is within what a second is rounded to.
      const slack = Math.abs(step) < 1000 ? 1 : 0
      const seen = [record.ringSeconds, record.talkSeconds, record.holdSeconds ?? 0, (record.endedAt - record.startedAt) / 1000]
      const off = seen.map((value, n) => Math.abs(value - [10, 12, 5, 22][n]!))
      t.ok(
        off.every((each) => each <= slack),
        `set by ${step} ms after ${after} s: ${seen}`,
      )
    }
})

t.test('a call that outlived the program: its answer was so long ago as the line says', async (t) => {
  const clock = new FakeClock()
  const row = newCallRow(clock.now() - 30_000, 'inbound')
  row.startedAt = clock.now() - 30_000
  row.answeredAt = clock.now() - 20_000
  row.legs = [
    { to: '101', trunkId: '', state: 'in-progress', startedAt: row.startedAt, answeredAt: row.answeredAt, endedAt: null, sipCode: 0 },
  ]
  clock.set(clock.now() + 4 * hour)
  const time = new RowTime(row, clock)
  time.resumed(20_000, true)
  clock.advance(5000)
  row.legs[0]!.endedAt = row.endedAt = time.now()
  t.match(historyOf(row, clock.now()), { ringSeconds: 10, talkSeconds: 25 })
})

t.test('what waits, lasts or is remembered does so for as long as before', async (t) => {
  for (const step of steps.filter((each) => Math.abs(each) >= 1000)) {
    const clock = new FakeClock(Date.parse('2030-03-02T14:05:11.000Z'))
    const store = await openStore(t.testdir(), log)
    const locks = new Locks({ store, clock, log })
    const callbacks = new Callbacks({ store, clock, log } as unknown as ConstructorParameters<typeof Callbacks>[0])
    const unrouted = new UnroutedCalls(clock)
    const health = new Health(() => clock.now())
    const events = new BoxEvents({ store, clock, log, keepDays: 400 })
    const order = new Order()
    const tally = new Tally({ store, clock, log })
    for (let n = 0; n < 10; n++) await locks.wrong('101', '102')
    const call = { id: 'CA1', row: { from: '+15551230001', callerName: '' } } as unknown as Parameters<Callbacks['keep']>[1]
    await callbacks.keep('nurses', call, clock.now() - 60_000, 0)
    unrouted.add(newCallRow(clock.now(), 'inbound'), '+1')
    health.warn('x', { severity: 'notice', text: 'x', fix: 'x', lastsMs: hour })
    clock.advance(60_000)
    events.look([{ kind: 'line', code: 'line-down', severity: 'warning', text: 'x', fix: 'x', since: clock.now() }])
    order.put({ key: 'k', callId: 'CA1', endedAt: clock.now(), kind: 'log', nextAt: clock.now() + 5000 })
    tally.went('connect-refused')
    await store.transaction(() => undefined)
    clock.advance(10_000)
    clock.set(clock.now() + step)
    await Promise.all([locks.stepped(step), callbacks.stepped(step), tally.stepped(step)])
    for (const one of [unrouted, health, events, order]) one.stepped(step)
    await store.transaction(() => undefined)
    const now = clock.now()
    const name = `set by ${step}`
    t.equal(locks.locked()[0]?.until, now + hour - 70_000, `${name}: a mailbox stays locked for its hour`)
    t.equal(now - callbacks.of('nurses')[0]!.placeAt, 130_000, `${name}: who waits to be called back has waited for as long`)
    t.equal(now - unrouted.recent()[0]!.at, 70_000, `${name}: a call that nobody took`)
    t.equal(now - health.warnings()[0]!.since, 70_000, `${name}: a warning`)
    t.equal(now - events.lasting()[0]!.since, 10_000, `${name}: an event of the box`)
    t.equal(order.nextAt(now - 6000), now - 5000, `${name}: what the CRM is to be told`)
    t.equal(now - tally.outages(0, Infinity)[0]!.startedAt, 10_000, `${name}: an outage of the CRM`)
    tally.cameBack()
    await store.transaction(() => undefined)
    t.match(tally.outages(0, Infinity), [{ endedAt: now, startedAt: now - 10_000 }], `${name}: and its end`)
    await store.close()
  }
})
