/** Opening times as the form has them, and as they are written: nothing is lost on the way, and names of days stay where they still hold. */
import fc from 'fast-check'
import t from 'tap'
import { datesIn, days, openOf, rangeOf, rangeText, specialDaysOf, weekOf, type Week } from '../../daemon/console/pieces/opening.ts'
import { isOpenOn, readCalendar } from '../../daemon/schema/opening.ts'

const time = fc.constantFrom('08:00-12:00', '13:00-17:00', '22:00-06:00', '00:00-24:00')
const week = fc.record(Object.fromEntries(days.map((day) => [day, fc.uniqueArray(time, { maxLength: 2 })]))) as fc.Arbitrary<Week>

t.test('a week is written so that it is read the same, whatever it was before', async (t) => {
  fc.assert(fc.property(week, week, (one, before) => void t.same(weekOf(openOf(one, openOf(before, {}))), one)))
  t.same(openOf(weekOf({ 'mon-fri': ['08:00-12:00'], sat: ['09:00-12:00'] }), {}), { 'mon-fri': ['08:00-12:00'], sat: ['09:00-12:00'] })
})

t.test('names of days stay where all their days are still alike, and only the day that differs gets one', async (t) => {
  const before = { 'sat-sun': ['10:00-12:00'], 'mon-wed': ['08:00-17:00'], thu: ['08:00-17:00'], fri: ['08:00-17:00'] }
  t.same(openOf(weekOf(before), before), before, 'neighbours that are alike are not put together')
  const change = { ...weekOf(before), mon: ['08:00-12:00'] }
  t.same(openOf(change, before), {
    'sat-sun': ['10:00-12:00'],
    thu: ['08:00-17:00'],
    fri: ['08:00-17:00'],
    mon: ['08:00-12:00'],
    'tue-wed': ['08:00-17:00'],
  })
  t.same(weekOf({ 'fri-mon': ['08:00-12:00'] }).sun, ['08:00-12:00'], 'over the end of the week')
  t.same(weekOf({ never: ['08:00-12:00'] }).mon, [], 'what is no day is left to the check of the text')
})

t.test('holidays and half days come by date, and go back to where they were written', async (t) => {
  const before = { closedOn: ['2026-12-25', '2026-07-27/2026-08-07'], special: { '2026-12-24': ['08:30-12:00'], '2027-01-01': [] } }
  const list = specialDaysOf(before)
  t.same(
    list.map(({ first }) => first),
    ['2026-07-27', '2026-12-24', '2026-12-25', '2027-01-01'],
  )
  const back = datesIn(list, before)
  t.same(back, before, 'in their order, so that nothing of the text moves')
  const halved = datesIn(
    list.map((day) => (day.first === '2026-12-25' ? { ...day, times: ['10:00-12:00'] } : day)),
    before,
  )
  t.same(halved.closedOn, ['2026-07-27/2026-08-07'])
  const noon = Date.UTC(2026, 11, 25) / 86_400_000
  t.equal(isOpenOn(readCalendar({ 'mon-fri': ['08:00-17:00'] }, halved.closedOn, halved.special), noon, 11 * 60), true)
})

t.test('midnight at the end is 00:00 in a field, and 24:00 in the text', async (t) => {
  t.same(rangeOf('00:00-24:00'), { from: '00:00', to: '00:00' })
  t.equal(rangeText(rangeOf('00:00-24:00')), '00:00-24:00')
  t.equal(rangeText({ from: '08:30', to: '12:00' }), '08:30-12:00')
})
