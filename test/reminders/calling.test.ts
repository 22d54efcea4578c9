/** Whether reminder calls are made now, and what is missing: the hours, the clock, a line, and a day that nobody has posted. */
import t from 'tap'
import { dayMs, hourMs, monday, Stage } from './stage.ts'

t.test('the window says until when it is open, and when it opens next, over a day without calls', async (t) => {
  const stage = await Stage.open(t, { reminders: { window: { from: '09:00', to: '18:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] } } })
  const calling = () => stage.reminders.calling()
  t.match(calling(), { clockTrusted: true, window: { open: true, until: '2026-03-02T23:00:00.000Z' }, waiting: 0, nextAt: null })
  stage.clock.advance(9 * hourMs)
  t.match(calling(), { window: { open: false, until: '2026-03-03T14:00:00.000Z' } })
  stage.clock.advance(4 * dayMs)
  t.match(
    calling(),
    { window: { open: false, until: '2026-03-09T13:00:00.000Z' } },
    'from Friday evening to Monday, over the change of the clock',
  )
})

t.test('a clock that cannot be believed is said', async (t) => {
  const stage = await Stage.open(t, { clockTrusted: () => false })
  t.equal(stage.reminders.calling().clockTrusted, false)
})

t.test('from 15:00 on a working day without an appointment is missing; a weekday that never has any is none', async (t) => {
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat']
  const stage = await Stage.open(t, { now: monday + 5 * hourMs, reminders: { window: { from: '09:00', to: '18:00', days } } })
  const missing = () => stage.reminders.calling().missingDay
  t.equal(missing(), null, 'at 14:30')
  stage.clock.advance(hourMs)
  t.equal(missing(), '2026-03-03', 'at 15:30, on a box that has seen no appointment yet')
  await stage.submit({ appointmentAt: '2026-03-03T20:00:00Z' })
  t.equal(missing(), null, 'posted')
  stage.clock.advance(dayMs)
  await stage.submit({ appointmentAt: '2026-03-09T20:00:00Z', externalRef: 'later' })
  t.equal(missing(), null, 'no Wednesday had any, and there is one on the next Monday')
  stage.clock.advance(6 * dayMs)
  t.equal(missing(), '2026-03-10', 'on Monday afternoon: there was one on the Tuesday before')
})
