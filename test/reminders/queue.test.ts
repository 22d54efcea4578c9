/** Reminders from the request to the callback: real store and outbox, people played by the test. */
import t from 'tap'
import { Health } from '../../daemon/base/health.ts'
import { wallClock } from '../../daemon/reminders/zone.ts'
import { dayMs, hourMs, idOf, minuteMs, monday, Stage } from './stage.ts'

const zone = 'America/New_York'

t.test('a reminder is called the working day before, and its end is told once', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  const answer = await stage.submit({ externalRef: 'A-5', appointmentAt: '2026-03-04T15:00:00Z', serviceName: 'Check-up' })
  t.match(answer, { accepted: 1, rejected: 0, reminders: [{ index: 0, externalRef: 'A-5', status: 'scheduled', duplicate: false }] })
  const id = idOf(answer)
  const call = await stage.nextCall()
  t.equal(wallClock(stage.clock.now(), zone), '2026-03-03 09:00')
  t.match(call.request, {
    reminderId: id,
    number: '+15551230001',
    language: 'en-US',
    timeZone: zone,
    attempt: 1,
    ringSeconds: 30,
  })
  t.same(stage.caller.prepared, [call.request], 'the row of the call is written with the state')
  t.match(stage.row(id), { state: 'dialing', lastCallId: call.request.callId })
  call.events.inCall(stage.clock.now())
  await stage.settle()
  t.equal(stage.row(id).state, 'in-call')
  await call.events.decided('confirmed', 'keypad')
  t.equal(stage.row(id).recorded, 'confirmed keypad', 'durable before it is said')
  await stage.end(call, { kind: 'answer', outcome: 'confirmed', reason: 'keypad' })
  t.match(stage.row(id), { state: 'over', outcome: 'confirmed', reason: 'keypad', nextAttemptAt: null })
  const [body, ...more] = stage.callbacks()
  t.same(more, [])
  t.same(Object.keys(body!), [
    'event',
    'eventId',
    'outcome',
    'reminderId',
    'externalRef',
    'attempts',
    'lastCallId',
    'answeredAt',
    'completedAt',
    'smsSent',
    'reason',
  ])
  t.match(body, {
    event: 'reminder.confirmed',
    outcome: 'confirmed',
    reminderId: id,
    externalRef: 'A-5',
    attempts: 1,
    lastCallId: call.request.callId,
    smsSent: false,
    reason: 'keypad',
  })
  const [row] = [...stage.store.tables.outbox.range()]
  t.match(row!.value, { secret: 'callbacks', subject: id, kind: 'reminder.confirmed', schedule: 'standard' })
  await stage.runTo(stage.clock.now() + 3 * dayMs)
  t.equal(stage.caller.calls.length, 1, 'nobody is called again')
})

t.test('busy, no answer and failures are tried again at their times, three calls at most', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  const id = idOf(await stage.submit({ appointmentAt: '2026-03-05T15:00:00Z' }))
  const first = await stage.nextCall()
  await stage.end(first, { kind: 'busy' })
  t.match(stage.row(id), { state: 'waiting-retry', reason: 'busy', nextAttemptAt: stage.clock.now() + 10 * minuteMs })
  const second = await stage.nextCall()
  t.not(second.request.callId, first.request.callId)
  t.equal(second.request.attempt, 2)
  await stage.end(second, { kind: 'not-placed', text: 'no line' })
  t.match(stage.row(id), { attempts: 1, state: 'waiting-retry' }, 'where nobody was called it is no attempt')
  const third = await stage.nextCall()
  t.equal(third.request.attempt, 2)
  await stage.end(third, { kind: 'failed', text: 'SIP 503' })
  t.match(stage.row(id), { nextAttemptAt: stage.clock.now() + 15 * minuteMs, reason: 'failed' })
  const fourth = await stage.nextCall()
  await stage.end(fourth, { kind: 'no-answer' })
  t.match(stage.row(id), { state: 'over', outcome: 'no-answer', attempts: 3 })
  t.match(stage.callbacks(), [{ event: 'reminder.no-answer', attempts: 3, answeredAt: null }])
})

t.test('each end of a call has its outcome', async (t) => {
  const stage = await Stage.open(t, { reminders: { attempts: 1 } })
  await stage.begin()
  const ends = [
    [{ kind: 'answer', outcome: 'canceled', reason: 'keypad' }, 'canceled', 'keypad'],
    [{ kind: 'answer', outcome: 'reschedule', reason: 'speech' }, 'reschedule', 'speech'],
    [{ kind: 'reception' }, 'reschedule', 'reception'],
    [{ kind: 'no-input' }, 'no-answer', 'no-input'],
    [{ kind: 'voicemail' }, 'voicemail', 'message-left'],
    [{ kind: 'no-answer' }, 'no-answer', 'no-answer'],
    [{ kind: 'busy' }, 'busy', 'busy'],
    [{ kind: 'failed', text: 'x' }, 'failed', 'failed'],
    [{ kind: 'answer', outcome: 'opted-out', reason: 'keypad' }, 'opted-out', 'keypad'],
  ] as const
  for (const [index, [result, outcome, reason]] of ends.entries()) {
    const id = idOf(
      await stage.submit({ externalRef: `E-${index}`, phoneNumber: `555-123-10${index + 10}`, appointmentAt: '2026-03-05T15:00:00Z' }),
    )
    await stage.end(await stage.nextCall(), result)
    t.match(stage.row(id), { state: 'over', outcome, reason }, `${result.kind}: ${outcome}`)
  }
  t.equal(stage.callbacks().length, ends.length)
  const refused = await stage.submit({ externalRef: 'E-later', phoneNumber: '555-123-1018', appointmentAt: '2026-03-06T15:00:00Z' })
  t.match(refused.reminders, [{ status: 'opted-out', reason: 'list', firstAttemptAt: null }], 'who asked not to be called is not')
  const { reminderOptOuts } = stage.store.tables
  t.same(
    Array.from(reminderOptOuts.range(), ({ value }) => value.number),
    ['+15551231018'],
  )
  await stage.store.transaction(() => reminderOptOuts.remove('+15551231018'))
  const again = await stage.submit({ externalRef: 'E-again', phoneNumber: '555-123-1018', appointmentAt: '2026-03-09T15:00:00Z' })
  t.match(again.reminders, [{ status: 'scheduled' }])
})

t.test('booked late: the next open minute, then a text only, then too late', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  stage.caller.channels = 0
  const soon = (hours: number): string => new Date(monday + hours * hourMs).toISOString()
  const answer = await stage.submit(
    { externalRef: 'call', appointmentAt: soon(3) },
    { externalRef: 'text', appointmentAt: soon(1.5), sms: true, phoneNumber: '555-123-0002' },
    { externalRef: 'none', appointmentAt: soon(1.5), phoneNumber: '555-123-0003' },
    { externalRef: 'past', appointmentAt: soon(-1) },
  )
  t.match(answer, {
    accepted: 3,
    rejected: 1,
    reminders: [
      { externalRef: 'call', status: 'scheduled', firstAttemptAt: new Date(monday).toISOString() },
      { externalRef: 'text', status: 'expired', reason: 'sms-only', firstAttemptAt: null },
      { externalRef: 'none', status: 'failed', reason: 'too-late' },
      { index: 3, externalRef: 'past', code: 'appointment_in_past' },
    ],
  })
  t.match(stage.texts, [
    {
      to: '+15551230002',
      subject: `reminder:${idOf(answer, 1)}`,
      body: /^Riverside Clinic: Hello Jane, .* Monday, March 2 at 11:00 AM\..*STOP/,
    },
  ])
  t.match(stage.callbacks(), [
    { event: 'reminder.expired', smsSent: true, attempts: 0, lastCallId: null },
    { event: 'reminder.failed', reason: 'too-late' },
  ])
  await stage.runTo(monday + 5 * hourMs)
  t.match(stage.row(idOf(answer)), { outcome: 'expired', reason: 'too-late' }, 'one that never finds a line expires')
  t.equal(stage.reminders.condition().ok, true)
})

t.test('the text goes with the first call, once', async (t) => {
  const stage = await Stage.open(t, { reminders: { sms: true } })
  await stage.begin()
  const answer = await stage.submit(
    { appointmentAt: '2026-03-03T20:00:00Z', language: 'de-DE', customerName: 'Weber, Anna' },
    { phoneNumber: '555-123-0002', sms: false },
  )
  const calls = [await stage.nextCall(), await stage.nextCall()]
  for (const call of calls) await stage.end(call, { kind: 'busy' })
  t.match(stage.texts, [{ to: '+15551230001', body: /Guten Tag Anna, .* Dienstag, 3\. März um 15:00 Uhr/ }])
  await stage.end(await stage.nextCall(), { kind: 'no-input' })
  t.equal(stage.texts.length, 1)
  t.equal(stage.admitted, 1)
  t.equal(stage.row(idOf(answer)).smsSent, true)
})

t.test('without a trunk for texts, or where the text is refused, the call is made all the same', async (t) => {
  const stage = await Stage.open(t, { reminders: { sms: true } })
  await stage.begin()
  stage.textError = 'The number asked for no texts.'
  const refused = idOf(await stage.submit({ appointmentAt: '2026-03-04T20:00:00Z' }))
  await stage.end(await stage.nextCall(), { kind: 'voicemail' })
  t.match(stage.row(refused), { outcome: 'voicemail', smsSent: false })
  stage.textsPossible = false
  const soon = new Date(stage.clock.now() + hourMs).toISOString()
  const late = await stage.submit({ externalRef: 'late', phoneNumber: '555-123-0002', appointmentAt: soon })
  t.match(late.reminders, [{ status: 'failed', reason: 'too-late' }])
  t.same(stage.texts, [])
})

t.test('a number is called three times a day at most, and not again once somebody answered', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  const at = '2026-03-04T20:00:00Z'
  const answer = await stage.submit(
    { appointmentAt: at, externalRef: 'first' },
    { appointmentAt: at, externalRef: 'second', serviceName: 'x' },
  )
  const first = await stage.nextCall()
  first.events.inCall(stage.clock.now())
  await stage.end(first, { kind: 'answer', outcome: 'confirmed', reason: 'keypad' })
  const second = await stage.nextCall()
  t.equal(second.request.reminderId === first.request.reminderId, false)
  t.equal(wallClock(stage.clock.now(), zone), '2026-03-04 09:00', 'the next day, while it is two hours ahead')
  await stage.end(second, { kind: 'voicemail' })
  t.equal(stage.caller.clashes, 0)
  t.ok(answer.accepted === 2)
  const more = await stage.submit(
    ...[1, 2, 3, 4].map((n) => ({ phoneNumber: '555-123-0009', externalRef: `M-${n}`, appointmentAt: '2026-03-06T18:00:00Z' })),
  )
  for (let n = 0; n < 3; n++) {
    const call = await stage.nextCall()
    t.match(wallClock(stage.clock.now(), zone), /^2026-03-05/)
    await stage.end(call, { kind: 'busy' })
  }
  const next = await stage.nextCall()
  t.match(wallClock(stage.clock.now(), zone), /^2026-03-06 09:/, 'the fourth call of a day is made on the next')
  await stage.end(next, { kind: 'voicemail' })
  await stage.runTo(Date.parse('2026-03-07T00:00:00Z'))
  const ended = more.reminders.map((_, index) => stage.row(idOf(more, index)))
  t.same(ended.map(({ outcome, reason }) => `${outcome} ${reason}`).toSorted(), [
    'busy busy',
    'expired number-limit',
    'expired number-limit',
    'voicemail message-left',
  ])
})

t.test('with the preset for the US a number is called once a day', async (t) => {
  const stage = await Stage.open(t, { reminders: { preset: 'us-health-exempt', leadDays: 4 } })
  await stage.begin()
  const id = idOf(await stage.submit({ appointmentAt: '2026-03-10T20:00:00Z' }))
  const days: string[] = []
  for (let n = 0; n < 3; n++) {
    const call = await stage.nextCall()
    days.push(wallClock(stage.clock.now(), zone).slice(0, 10))
    await stage.end(call, { kind: 'busy' })
  }
  t.same(days, ['2026-03-05', '2026-03-06', '2026-03-07'])
  t.match(stage.row(id), { outcome: 'busy' })
  const later = await stage.submit({ appointmentAt: '2026-03-10T20:00:00Z', externalRef: 'later' })
  t.match(later.reminders, [{ status: 'failed', reason: 'too-late' }], 'the three of a week are used up')
})

t.test('never the last free channel, never more calls than lines, and those that wait are called in turn', async (t) => {
  const stage = await Stage.open(t, { reminders: { lines: 3 } })
  await stage.begin()
  stage.caller.channels = 2
  const requests = Array.from({ length: 12 }, (_, n) => ({
    phoneNumber: `555-123-00${n + 10}`,
    externalRef: `L-${n}`,
    appointmentAt: new Date(monday + 3 * hourMs).toISOString(),
  }))
  await stage.submit(...requests)
  await stage.runTo(monday + 20 * minuteMs)
  t.equal(stage.caller.live().length, 2)
  t.equal(stage.reminders.condition().ok, false)
  t.match(stage.reminders.condition().reason, 'reminders wait for a line')
  const health = new Health()
  health.part('reminders', () => stage.reminders.condition())
  const shown = /^\d+ wait, the next for 2026-03-02 \d\d:\d\d; no line since 2026-03-02 \d\d:\d\d$/
  t.match(health.report().parts[0]?.detail, shown, 'times are not taken for numbers of patients')
  stage.caller.channels = 50
  await stage.runTo(monday + 21 * minuteMs)
  t.equal(stage.caller.live().length, 3)
  stage.caller.auto = async () => ({ kind: 'voicemail' })
  for (const call of stage.caller.live()) await stage.end(call, { kind: 'voicemail' })
  await stage.runTo(monday + 40 * minuteMs)
  t.equal(stage.caller.calls.length, 12)
  t.ok(stage.caller.most <= 3)
  t.equal(stage.reminders.condition().ok, true)
})

t.test('the same request again is the same reminder; another time takes its place without a word', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  const first = await stage.submit({ externalRef: 'A-5' })
  t.match((await stage.submit({ externalRef: 'A-5', phoneNumber: '(555) 123 0001' })).reminders, [
    { reminderId: idOf(first), duplicate: true },
  ])
  const moved = await stage.submit({ externalRef: 'A-5', appointmentAt: '2026-03-04T20:00:00Z' })
  t.not(idOf(moved), idOf(first))
  t.match(stage.row(idOf(first)), { state: 'over', outcome: 'canceled', reason: 'replaced' })
  t.same(stage.callbacks(), [])
  t.equal(stage.reminders.queue.waiting, 1)
  const back = await stage.submit({ externalRef: 'A-5' })
  t.match(back.reminders, [{ duplicate: false, status: 'scheduled' }], 'moved back: a new one')
  t.equal(stage.reminders.queue.waiting, 1)
  const both = await stage.submit(
    { externalRef: '', serviceName: 'a' },
    { externalRef: '', serviceName: 'b' },
    { externalRef: '', serviceName: 'a' },
  )
  t.match(both.reminders, [{ duplicate: false }, { duplicate: false }, { duplicate: true, reminderId: idOf(both) }])
  const call = await stage.nextCall()
  const replaced = call.request.reminderId
  const row = stage.row(replaced)
  if (row.externalRef === 'A-5') {
    await stage.submit({ externalRef: 'A-5', appointmentAt: '2026-03-05T20:00:00Z' })
    t.ok(call.signal.aborted, 'a call for the old time is ended')
  }
})

t.test('DELETE takes a reminder back, also while it rings, and tells so', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  const id = idOf(await stage.submit({}))
  const call = await stage.nextCall()
  t.equal(await stage.reminders.queue.cancel(id), true)
  t.ok(call.signal.aborted)
  t.match(stage.row(id), { outcome: 'canceled', reason: 'deleted' })
  t.match(stage.callbacks(), [{ event: 'reminder.canceled', reason: 'deleted' }])
  t.equal(await stage.reminders.queue.cancel(id), false)
  await stage.end(call, { kind: 'no-answer' })
  t.match(stage.row(id), { outcome: 'canceled' })
  const other = idOf(await stage.submit({ externalRef: 'B', phoneNumber: '555-123-0002' }))
  const second = await stage.nextCall()
  await second.events.decided('confirmed', 'keypad')
  t.equal(await stage.reminders.queue.cancel(other), false, 'what the person decided stands')
  await stage.end(second, { kind: 'failed', text: 'hung up' })
  t.match(stage.row(other), { outcome: 'confirmed' })
})

t.test('call-now waits for no window of the site, but nobody is called at night', async (t) => {
  const stage = await Stage.open(t, { now: Date.parse('2026-03-02T13:10:00Z') })
  await stage.begin()
  const id = idOf(await stage.submit({ appointmentAt: '2026-03-06T20:00:00Z' }))
  const { queue } = stage.reminders
  const calling = stage.nextCall()
  await queue.callNow(id)
  const call = await calling
  t.equal(wallClock(stage.clock.now(), zone), '2026-03-02 08:10', 'before the window of the site')
  await t.rejects(queue.callNow(id), { code: 'call_live' })
  await stage.end(call, { kind: 'busy' })
  await stage.runTo(Date.parse('2026-03-03T02:30:00Z'))
  const other = idOf(await stage.submit({ externalRef: 'B', phoneNumber: '555-123-0002', appointmentAt: '2026-03-06T20:00:00Z' }))
  await t.rejects(queue.callNow(other), { code: 'validation_failed' })
  await queue.cancel(other)
  await t.rejects(queue.callNow(other), { code: 'already_finished' })
})
