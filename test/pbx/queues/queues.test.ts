/** Queues of the house: who waits, who is rung, who leaves and where to. The line is played. */
import t from 'tap'
import type { LegEnd } from '../../../drivers/line.ts'
import type { StandInLeg } from '../../fax/stand-in-driver.ts'
import { dayAt } from '../../../daemon/base/day.ts'
import { sweepQueueDays } from '../../../daemon/pbx/queues/services.ts'
import { SettingsOfExtensions } from '../../../daemon/pbx/extensions/settings.ts'
import type { Box } from '../../routing/stage.ts'
import { call, open, pass } from './stage.ts'

const press = (caller: StandInLeg) => caller.onEvent({ type: 'digit', digit: '1', method: 'rfc4733', durationMs: 100 })
/** Words come to their end at once, music does not; what was played. */
function speaks(leg: StandInLeg): string[] {
  const played: string[] = []
  leg.play = (...[playId, source]: unknown[]) => {
    played.push((source as { clip?: { text?: string } }).clip?.text ?? '')
    if (played.at(-1) === 'music') return
    queueMicrotask(() => leg.onEvent({ type: 'played', playId: playId as number, completed: true, playedMs: 1 }))
  }
  return played
}
const rung = (box: Box) => box.driver.legs.map(({ request }) => request!.to)
const phone = (box: Box, number: string): StandInLeg => box.driver.legs.findLast(({ request }) => request!.to === number)!
const rows = (box: Box) => box.calls.live().map(({ row }) => row)
const busy: Partial<LegEnd> = { by: 'remote', reason: 'rejected', sipCode: 486 }

t.test('a caller is answered, waits, and talks with the member who takes the call; then the next one is rung for', async (t) => {
  const box = await open(t, { members: ['101'] })
  await call(box)
  t.match(rows(box)[0], { state: 'in-progress', activity: 'ringing-dest' })
  t.same(rung(box), ['101'])
  phone(box, '101').pickUp()
  await box.quiet()
  t.match(rows(box)[0], { activity: 'routed', legs: [{ to: '101', state: 'in-progress' }] })
  await call(box)
  await pass(box, 2)
  t.same(rung(box), ['101'], 'nobody else is there')
  phone(box, '101').end()
  await box.quiet()
  t.same(rung(box), ['101', '101'])
})

t.test('first come, first served', async (t) => {
  const box = await open(t, { members: ['101'] })
  const legs = [await call(box), await call(box), await call(box)]
  const served: (number | undefined)[] = []
  for (let n = 0; n < 3; n += 1) {
    phone(box, '101').pickUp()
    await box.quiet()
    served.push(legs.findIndex((leg) => box.calls.live().find((c) => c.leg === leg)?.row.activity === 'routed'))
    await pass(box, 1)
    phone(box, '101').end()
    await box.quiet()
  }
  t.same(served, [0, 1, 2])
})

t.test('the caller leaves: the phone stops in the same moment, and the figures say abandoned', async (t) => {
  const box = await open(t)
  const caller = await call(box)
  let stopped = false
  phone(box, '101').hangup = () => void (stopped = true)
  caller.end()
  t.equal(stopped, true, 'before anything else happens')
  await box.quiet()
  t.match(box.queues.get('nurses')!.figures.today, { offered: 1, answered: 0, abandoned: 1 })
})

t.test('who does not answer twice is paused, durably; busy is no reason', async (t) => {
  const box = await open(t, { members: ['101'], ringSeconds: 5, onEmpty: '104' })
  await call(box)
  phone(box, '101').end(busy)
  await pass(box, 6)
  t.same(rung(box), ['101', '101'], 'busy: rung again a little later')
  await pass(box, 17)
  t.same(rung(box), ['101', '101', '101', '104'], 'twice unanswered: nobody is counted on, the caller goes on')
  t.match(box.store.tables.queueMembers.get('nurses/101'), { pauseReason: 'unanswered', pausedAt: Number })
  t.match(box.queues.get('nurses')!.figures.today, { sentOn: 1, members: { '101': { offered: 3, missed: 2, answered: 0 } } })
  t.equal(await box.queues.change('nurses', '101', { action: 'resume' }), true)
  await call(box)
  await pass(box, 5)
  t.equal(rung(box).at(-1), '101')
})

t.test('all members log out: callers go on at once, also those who wait', async (t) => {
  const box = await open(t, { members: ['101'] })
  await call(box)
  t.same(rung(box), ['101'])
  await box.queues.change('nurses', '101', { action: 'logout' })
  await box.quiet()
  t.same(rung(box), ['101', '104'])
  t.equal(phone(box, '101').over, true)
  await call(box)
  t.same(rung(box), ['101', '104', '104'])
  t.equal(rows(box).at(-1)!.state, 'ringing', 'and is not answered for it')
})

t.test('a pause of a person keeps callers waiting; logging in may begin with one', async (t) => {
  const box = await open(t, { members: ['101'] })
  await box.queues.change('nurses', '101', { action: 'pause', reason: 'lunch' })
  await call(box)
  await pass(box, 2)
  t.same(rung(box), [])
  await box.queues.change('nurses', '101', { action: 'login', paused: true })
  await pass(box, 2)
  t.same(rung(box), [])
  await box.queues.change('nurses', '101', { action: 'resume' })
  await box.quiet()
  t.same(rung(box), ['101'])
})

t.test('do not disturb is looked at, and is no pause; the code logs in and out', async (t) => {
  const box = await open(t, { members: ['101'] })
  const settings = new SettingsOfExtensions(box)
  await settings.change('101', { doNotDisturb: true })
  await call(box)
  await pass(box, 2)
  t.same(rung(box), [])
  await settings.change('101', { doNotDisturb: false })
  await pass(box, 1)
  t.same(rung(box), ['101'])
  t.equal(box.store.tables.queueMembers.count(), 0)
  t.equal(await box.queues.toggle('101'), 'out')
  await box.quiet()
  t.same(rung(box), ['101', '104'])
  t.equal(await box.queues.toggle('101'), 'in')
  t.equal(await box.queues.toggle('104'), null)
})

t.test('too many callers, and too long a wait', async (t) => {
  const box = await open(t, { members: ['101'], maxCallers: 1, maxWaitSeconds: 30, ringSeconds: 120, onFull: '103' })
  await call(box)
  await call(box)
  t.same(rung(box), ['101', '103'])
  await pass(box, 31)
  t.same(rung(box), ['101', '103', '104'])
})

t.test('the key leaves at once, whoever rings', async (t) => {
  const box = await open(t, { leave: { key: '1', destination: '103' } })
  const caller = await call(box)
  caller.onEvent({ type: 'digit', digit: '2', method: 'rfc4733', durationMs: 100 })
  await box.quiet()
  t.same(rung(box), ['101'])
  caller.onEvent({ type: 'digit', digit: '1', method: 'rfc4733', durationMs: 100 })
  await box.quiet()
  t.same(rung(box), ['101', '103'])
  t.equal(phone(box, '101').over, true)
})

t.test('a member of two queues rings for one of them, and not while it is on the telephone', async (t) => {
  const both = ['nurses', 'desk'].map((id) => ({ id, members: ['101'] }))
  const inbound = both.map(({ id }, n) => ({ trunk: '*', to: `+1555000100${n}`, destination: `queue:${id}` }))
  const box = await open(t, {}, { queues: both, inbound })
  const own = box.driver.call({ trunkId: '', extension: '101', to: '102', from: '101' })
  await box.quiet()
  const first = box.driver.call({ to: '+15550001000' })
  box.driver.call({ to: '+15550001001' })
  await pass(box, 2)
  t.same(rung(box), ['102'], 'who calls somebody is not rung')
  own.end()
  await pass(box, 1)
  t.same(rung(box), ['102', '101'])
  first.end()
  await pass(box, 1)
  t.same(rung(box), ['102', '101', '101'])
})

t.test('what is said goes on where the wait ends: a connection and a key cut it, and music is heard again after it', async (t) => {
  const box = await open(t, { members: ['101'], announce: { everySeconds: 10 } })
  const caller = await call(box)
  const played = speaks(caller)
  let cut = 0
  caller.clear = () => void (cut += 1)
  await pass(box, 6)
  t.same(played, ['You are next.', 'music', 'music'])
  t.equal(cut, 1, 'the music')
  phone(box, '101').pickUp()
  await box.quiet()
  t.ok(cut > 1, 'the music, for the talk')
})

t.test('called back in place of waiting: the place is kept, the caller answers first, then the member', async (t) => {
  const box = await open(t, { members: ['101'], leave: { key: '1', destination: 'callback' } })
  const own = box.driver.call({ trunkId: '', extension: '101', to: '102', from: '101' })
  const caller = await call(box)
  const later = await call(box)
  press(caller)
  await box.quiet()
  t.match(
    [...box.store.tables.queueCallbacks.range()].map(({ value }) => value),
    [{ number: '+15551239999', tries: 0 }],
  )
  caller.end()
  own.end()
  await pass(box, 16)
  t.same(rung(box).slice(1), ['101'], 'not before the caller has hung up; who waits is served meanwhile')
  phone(box, '101').end(busy)
  await pass(box, 6)
  t.same(rung(box).slice(1), ['101', '+15551239999'], 'then the turn is that of the place')
  const back = phone(box, '+15551239999')
  t.match(back.request, { via: { kind: 'trunk', trunkId: 'main' }, from: '+15550001000' })
  back.pickUp()
  await pass(box, 2)
  t.same(rung(box).slice(1), ['101', '+15551239999'], 'nobody is rung for a machine')
  press(back)
  await pass(box, 2)
  t.same(rung(box).slice(1), ['101', '+15551239999', '101'])
  phone(box, '101').pickUp()
  await box.quiet()
  t.match(box.calls.live().find((c) => c.leg === back)?.row, { activity: 'routed', direction: 'outbound' })
  t.not(box.calls.live().find((c) => c.leg === later)?.row.activity, 'routed')
  back.end()
  await box.quiet()
  t.equal(box.store.tables.queueCallbacks.count(), 0)
})

t.test('no call-back is promised to the house itself, for help, or to one who withheld the number', async (t) => {
  const box = await open(t, { members: ['101'], leave: { key: '1', destination: 'callback' } })
  box.driver.call({ trunkId: '', extension: '101', to: '102', from: '101' })
  for (const from of ['', '911', '9911', '+1911', '+15550001000', '15550001000', '101', '*72', '700']) {
    const caller = await call(box, { from })
    press(caller)
    await box.quiet()
    t.equal(box.store.tables.queueCallbacks.count(), 0, from)
    caller.end()
    await box.quiet()
  }
})

t.test('who does not answer is called three times in all; a start finds who is to be called', async (t) => {
  const box = await open(t, { members: ['101'], leave: { key: '1', destination: 'callback' } })
  const own = box.driver.call({ trunkId: '', extension: '101', to: '102', from: '101' })
  const caller = await call(box)
  press(caller)
  await box.quiet()
  caller.end()
  const kept = [...box.store.tables.queueCallbacks.range()][0]!.value
  own.end()
  await pass(box, 17)
  const called = () => rung(box).filter((to) => to === kept.number).length
  for (const tries of [1, 2]) {
    t.equal(called(), tries)
    t.match(box.store.tables.queueCallbacks.get(kept.id), { tries })
    if (tries === 1) phone(box, kept.number).end(busy)
    else {
      phone(box, kept.number).pickUp()
      await pass(box, 21)
      t.equal(phone(box, kept.number).over, true, 'a machine is nobody')
    }
    await pass(box, 301)
  }
  t.equal(called(), 3)
  phone(box, kept.number).end(busy)
  await pass(box, 301)
  t.equal(called(), 3)
  t.equal(box.store.tables.queueCallbacks.count(), 0)
  t.equal(box.queues.get('nurses')!.machine.callers().length, 0)
  await box.store.transaction(() => box.store.tables.queueCallbacks.put(kept.id, kept))
  box.queues.start()
  await box.quiet()
  t.equal(called(), 4, 'as after a restart')
})

t.test('picked up at another phone a call counts as answered there, and nobody of the queue rings for it any more', async (t) => {
  const box = await open(t, { members: ['101'] })
  const caller = await call(box)
  await pass(box, 4)
  box.driver.call({ trunkId: '', extension: '103', from: '103', to: '*8101' })
  await pass(box, 1)
  t.equal(phone(box, '101').over, true)
  const queue = box.queues.get('nurses')!
  t.match(queue.figures.today, {
    offered: 1,
    answered: 1,
    abandoned: 0,
    sentOn: 0,
    waits: { length: 1 },
    members: { 103: { answered: 1 } },
  })
  t.equal(queue.visitOf(box.calls.live()[0]!.id), undefined, 'nothing of it stays')
  caller.end()
  await pass(box, 1)
  t.match(queue.figures.today, { offered: 1, answered: 1, abandoned: 0, sentOn: 0 })
})

t.test('figures that are past their time are removed, also of queues that are gone', async (t) => {
  const box = await open(t)
  const { store, clock } = box
  const row = { offered: 1, answered: 1, abandoned: 0, sentOn: 0, waits: [], members: {} }
  const days = ['2020-01-01', dayAt(clock.now() - 31 * 86_400_000, 'UTC'), dayAt(clock.now() - 29 * 86_400_000, 'UTC')]
  await store.transaction(() => {
    for (const queue of ['nurses', 'gone']) for (const day of days) store.tables.queueDays.put(`${queue}/${day}`, { queue, day, ...row })
  })
  t.equal(await sweepQueueDays({ store, clock, timeZone: 'UTC', keepDays: 30 }), 4)
  t.same(
    [...store.tables.queueDays.range()].map(({ key }) => key),
    [`gone/${days[2]}`, `nurses/${days[2]}`],
  )
})

t.test('nobody is promised what cannot be: a number that is withheld hears no key', async (t) => {
  const box = await open(t, { members: ['101'], leave: { key: '1', destination: 'callback' } })
  const caller = box.driver.call({ from: '' })
  await box.quiet()
  press(caller)
  await box.quiet()
  t.equal(box.store.tables.queueCallbacks.count(), 0)
  t.equal(box.queues.get('nurses')!.machine.callers().length, 1)
})
