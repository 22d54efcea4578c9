/** What a start of the daemon does with earlier reminders, and what is removed in time. */
import t from 'tap'
import { wallClock } from '../../daemon/reminders/zone.ts'
import { dayMs, hourMs, idOf, minuteMs, monday, Stage } from './stage.ts'

const zone = 'America/New_York'

t.test('after a crash: a recorded key is the outcome, a call that never left is made, others wait half an hour', async (t) => {
  const stage = await Stage.open(t, { reminders: { lines: 5 } })
  await stage.begin()
  const answer = await stage.submit(
    ...['recorded', 'never', 'dialed', 'answered'].map((externalRef, n) => ({
      externalRef,
      phoneNumber: `555-123-000${n}`,
      appointmentAt: '2026-03-03T22:00:00Z',
    })),
  )
  stage.clock.set(Date.parse('2026-03-02T21:30:00Z'))
  stage.reminders.queue.stepped()
  await stage.runTo(stage.clock.now())
  t.equal(stage.caller.live().length, 4)
  const calls = new Map(stage.caller.live().map((call) => [stage.row(call.request.reminderId).externalRef, call]))
  for (const name of ['recorded', 'answered']) calls.get(name)!.events.inCall(stage.clock.now())
  await calls.get('recorded')!.events.decided('canceled', 'keypad')
  await stage.settle()
  await stage.crash()
  stage.caller.fates.set(calls.get('dialed')!.request.callId, 'dialed')
  stage.caller.fates.set(calls.get('answered')!.request.callId, 'answered')
  stage.clock.advance(minuteMs)
  await stage.begin()
  t.match(stage.row(idOf(answer, 0)), { outcome: 'canceled', reason: 'keypad' })
  t.match(stage.callbacks(), [{ event: 'reminder.canceled', reason: 'keypad' }])
  t.equal(stage.caller.calls.length, 1)
  t.match(stage.caller.calls[0]!.request, { reminderId: idOf(answer, 1), attempt: 1 }, 'called for the first time')
  t.match(stage.row(idOf(answer, 2)), {
    state: 'waiting-retry',
    attempts: 1,
    reason: 'interrupted',
    nextAttemptAt: Date.parse('2026-03-02T22:00:00Z'),
  })
  t.equal(wallClock(stage.row(idOf(answer, 3)).nextAttemptAt!, zone), '2026-03-03 09:00', 'who was reached today is called tomorrow')
})

t.test('the box was off: what was missed is called as lines allow, and not at once', async (t) => {
  const stage = await Stage.open(t, { now: monday - 2 * dayMs })
  await stage.begin()
  await stage.submit(
    ...Array.from({ length: 100 }, (_, n) => ({
      externalRef: `O-${n}`,
      phoneNumber: `555-124-${String(1000 + n)}`,
      appointmentAt: '2026-03-03T22:00:00Z',
    })),
  )
  await stage.crash()
  stage.clock.set(Date.parse('2026-03-02T20:00:00Z'))
  await stage.begin()
  const times = stage.rows().flatMap((row) => row.nextAttemptAt ?? [])
  t.ok(times.every((at) => at >= stage.clock.now()))
  t.ok(times.filter((at) => at < stage.clock.now() + 1.5 * hourMs).length > 70, 'what was missed first, and what is planned stays')
  const perMinute = Map.groupBy(times, (at) => Math.floor(at / minuteMs))
  t.ok(
    [...perMinute.values()].every((those) => those.length <= 2),
    'never a burst',
  )
})

t.test('other hours in the configuration are a new plan', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  const id = idOf(await stage.submit({ appointmentAt: '2026-03-06T20:00:00Z' }))
  t.equal(wallClock(stage.row(id).nextAttemptAt!, zone), '2026-03-05 09:00')
  stage.reminderSettings = { window: { from: '13:00', to: '17:00', days: ['mon', 'wed'] } }
  await stage.crash()
  await stage.begin()
  t.equal(wallClock(stage.row(id).nextAttemptAt!, zone), '2026-03-04 13:00')
})

t.test('old reminders are removed with their keys', async (t) => {
  const stage = await Stage.open(t, { reminders: { keepDays: 30 } })
  stage.reminders.start()
  await stage.settle()
  await stage.submit({ appointmentAt: new Date(monday + hourMs).toISOString() }, { externalRef: 'B', phoneNumber: '555-123-0002' })
  await stage.end(await stage.nextCall(), { kind: 'voicemail' })
  t.equal(stage.rows().length, 2)
  await stage.runTo(monday + 29 * dayMs)
  t.equal(await stage.reminders.sweep(), 0)
  t.equal(stage.rows().length, 2)
  await stage.runTo(monday + 90 * dayMs)
  t.equal(await stage.reminders.sweep(), 2)
  t.equal(stage.rows().length, 0)
  t.equal(stage.store.tables.reminderKeys.count(), 0)
  t.equal(stage.store.tables.reminderContacts.count(), 0)
})

t.test('a disk that refuses: nobody is called unrecorded, and what was heard is kept until it is stored', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  const id = idOf(await stage.submit({ appointmentAt: '2026-03-04T15:00:00Z', timeZone: 'America/Los_Angeles' }))
  t.equal(wallClock(stage.row(id).nextAttemptAt!, 'America/Los_Angeles'), '2026-03-03 09:00', 'in the hours of the person')
  const store = stage.store as { transaction: unknown }
  const { transaction } = store
  const full = (): Promise<never> => Promise.reject(new Error('the disk is full'))
  store.transaction = full
  await stage.runTo(stage.row(id).nextAttemptAt! + 20 * minuteMs)
  t.same([stage.caller.prepared, stage.caller.calls], [[], []])
  store.transaction = transaction
  const call = await stage.nextCall()
  store.transaction = full
  await t.rejects(call.events.decided('confirmed', 'keypad'), 'the key is not confirmed to the person')
  await stage.end(call, { kind: 'answer', outcome: 'reschedule', reason: 'keypad' })
  await stage.runTo(stage.clock.now() + minuteMs)
  t.equal(stage.row(id).state, 'dialing')
  store.transaction = transaction
  await stage.runTo(stage.clock.now() + minuteMs)
  t.match(stage.row(id), { state: 'over', outcome: 'reschedule', attempts: 1 })
  t.equal(stage.caller.calls.length, 1)
  t.equal(stage.callbacks().length, 1)
})

t.test('a clock that is set right by days is noticed', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  await stage.submit({ appointmentAt: '2026-03-04T15:00:00Z' })
  stage.clock.set(Date.parse('2026-03-03T15:00:00Z'))
  stage.reminders.queue.stepped()
  stage.clock.advance(0)
  await stage.settle()
  t.equal(stage.caller.calls.length, 1)
})

t.test('nobody is rung and nothing is too late by a clock that cannot be believed', async (t) => {
  let trusted = false
  const stage = await Stage.open(t, { clockTrusted: () => trusted })
  await stage.begin()
  const id = idOf(await stage.submit({ appointmentAt: '2026-03-03T15:00:00Z' }))
  stage.clock.set(Date.parse('2026-03-03T20:00:00Z'))
  stage.reminders.queue.stepped()
  await stage.runTo(stage.clock.now() + 15_000)
  t.equal(stage.caller.calls.length, 0)
  t.equal(stage.row(id).state, 'scheduled')
  t.match(stage.reminders.condition(), { ok: false, reason: 'reminders wait for a clock that is right' })
  stage.clock.set(Date.parse('2026-03-02T20:00:00Z'))
  trusted = true
  await stage.nextCall()
  t.ok(stage.clock.now() < Date.parse('2026-03-03T15:00:00Z'), 'the clock was a day ahead')
})
