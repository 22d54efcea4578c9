/** Opening times in twelve time zones, through every night of 2026 and 2027 in which a clock is put forward or back. */
import fc from 'fast-check'
import t from 'tap'
import { isOpen, nextChange, openingOf } from '../../daemon/pbx/hours/opening.ts'
import { wallOf } from '../../daemon/pbx/hours/zone.ts'
import { weekdays } from '../../daemon/schema/opening.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const zones = [
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Phoenix',
  'America/Havana',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Chisinau',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
]

interface Shown {
  readonly date: string
  readonly weekday: string
  readonly time: string
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The clock on the wall, as the system itself shows it. */
function clock(at: number, zone: string): Shown {
  let format = formats.get(zone)
  if (format === undefined) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', weekday: 'short' } as const
    formats.set(zone, (format = new Intl.DateTimeFormat('en-US', { ...parts, hourCycle: 'h23', timeZone: zone })))
  }
  const read = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return {
    date: `${read.year}-${read.month}-${read.day}`,
    weekday: String(read.weekday).toLowerCase(),
    time: `${read.hour}:${read.minute}`,
  }
}

/** Changes of the clocks in 2026 and 2027, found day by day, then hour by hour. */
function changes(zone: string): number[] {
  const found: number[] = []
  const shift = (at: number): number => Date.parse(`${clock(at, zone).date}T${clock(at, zone).time}Z`) - at
  for (let from = Date.UTC(2026, 0, 1); from < Date.UTC(2028, 0, 1); from += day) {
    if (shift(from) === shift(from + day)) continue
    for (let at = from; at < from + day; at += hour) if (shift(at) !== shift(at + hour)) found.push(at + hour)
  }
  return found
}

interface Plan {
  readonly open: Record<string, string[]>
  readonly closedOn: string[]
  readonly special: Record<string, string[]>
}

/** The same question answered by texts alone. */
function expected({ open, closedOn, special }: Plan, at: number, zone: string): boolean {
  const { date, weekday, time } = clock(at, zone)
  const before = new Date(Date.parse(date) - day).toISOString().slice(0, 10)
  const yesterday = weekdays[(weekdays.indexOf(weekday as (typeof weekdays)[number]) + 6) % 7]!
  const within = (what: string, text: string): boolean => what >= text.split('/')[0]! && what <= text.split('/').at(-1)!
  const closed = (what: string): boolean => closedOn.some((text) => within(what, text))
  const own = (what: string): string | undefined => Object.keys(special).find((text) => within(what, text))
  const times = (what: string, name: string): string[][] => {
    const dates = own(what)
    const all = dates !== undefined ? special[dates]! : closed(what) ? [] : (open[name] ?? [])
    return all.map((text) => text.split('-'))
  }
  if (times(date, weekday).some(([from, to]) => time >= from! && (time < to! || to! < from!))) return true
  const goesOn = own(date) === undefined ? !closed(date) : own(date) === own(before)
  return goesOn && times(before, yesterday).some(([from, to]) => to! < from! && time < to!)
}

const quarter = fc
  .integer({ min: 0, max: 95 })
  .map((n) => `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`)
const times = fc
  .tuple(quarter, fc.oneof(quarter, fc.constant('24:00')))
  .filter(([from, to]) => from !== to)
  .map(([from, to]) => `${from}-${to}`)

t.test('the clock on the wall decides, in every night in which it is changed', async (t) => {
  let nights = 0
  for (const zone of zones) {
    const moments = [...changes(zone), Date.UTC(2026, 11, 24, 12), Date.UTC(2027, 1, 28, 12)]
    nights += moments.length - 2
    for (const moment of moments) {
      const around = [-1, 0, 1].map((n) => clock(moment + n * day, zone).date)
      const plans = fc.record({
        open: fc.record(Object.fromEntries(weekdays.map((name) => [name, fc.array(times, { maxLength: 2 })]))) as fc.Arbitrary<
          Plan['open']
        >,
        closedOn: fc.oneof(
          { weight: 3, arbitrary: fc.constant<string[]>([]) },
          { weight: 1, arbitrary: fc.constantFrom(...around, `${around[0]}/${around[1]}`).map((text) => [text]) },
        ),
        special: fc.oneof(
          { weight: 2, arbitrary: fc.constant({}) },
          {
            weight: 3,
            arbitrary: fc
              .tuple(
                fc.constantFrom(...around.map((date) => [date]), around, [`${around[0]}/${around[1]}`, around[2]!]),
                fc.array(fc.array(times, { maxLength: 2 }), { minLength: 3, maxLength: 3 }),
              )
              .map(([dates, all]) => Object.fromEntries(dates.map((date, index) => [date, all[index]!]))),
          },
        ),
      })
      fc.assert(
        fc.property(plans, fc.integer({ min: -26 * 60, max: 26 * 60 }), (plan, minutes) => {
          const at = moment + minutes * minute
          const opening = openingOf(plan, zone)
          if (isOpen(opening, at) !== expected(plan, at, zone)) return false
          // Quarter by quarter: nothing changes before the next change, and there it does.
          const next = nextChange(opening, at) ?? Infinity
          const now = expected(plan, at, zone)
          const first = Math.ceil(at / (15 * minute)) * 15 * minute
          for (let look = first; look < Math.min(next, at + 2 * day); look += 15 * minute)
            if (look > at && expected(plan, look, zone) !== now) return false
          return next === Infinity || expected(plan, next, zone) !== now
        }),
        { numRuns: 25 },
      )
    }
  }
  t.ok(nights >= 40, `${nights} nights`)
})

t.test('intervals over midnight, whole days, holidays', async (t) => {
  const zone = 'America/New_York'
  const night = openingOf({ open: { fri: ['22:00-02:00'], sat: ['00:00-24:00'] }, closedOn: ['2026-12-25/2026-12-26'] }, zone)
  const at = (text: string): number => Date.parse(`${text}-05:00`)
  const open = (text: string): boolean => isOpen(night, at(text))
  t.same(['2026-12-18T21:59', '2026-12-18T22:00', '2026-12-19T01:59', '2026-12-19T23:59', '2026-12-20T00:00'].map(open), [
    false,
    true,
    true,
    true,
    false,
  ])
  t.same(['2026-12-25T23:00', '2026-12-26T01:00', '2026-12-27T00:30'].map(open), [false, false, false], 'closed on both days')
  t.equal(nextChange(night, at('2026-12-20T00:00')), at('2027-01-01T22:00'), 'the next one is after the holidays')
  t.equal(nextChange(openingOf({ open: {}, closedOn: [] }, zone), at('2026-12-20T00:00')), null)
})

t.test('the nights of New York: an hour that is missing, an hour that comes twice', async (t) => {
  const opening = openingOf({ open: { sun: ['02:30-06:00'] }, closedOn: [] }, 'America/New_York')
  const spring = Date.parse('2026-03-08T07:00Z')
  t.same([isOpen(opening, spring - 1), isOpen(opening, spring)], [false, true], 'it shows 03:00 at once')
  t.equal(nextChange(opening, spring - 5 * hour), spring)
  const twice = openingOf({ open: { sun: ['00:30-01:15'] }, closedOn: [] }, 'America/New_York')
  const autumn = Date.parse('2026-11-01T04:00Z')
  const seen: string[] = []
  for (let next = nextChange(twice, autumn); next !== null && next < autumn + 6 * hour; next = nextChange(twice, next))
    seen.push(`${new Date(next).toISOString().slice(11, 16)} ${isOpen(twice, next) ? 'open' : 'closed'}`)
  t.same(seen, ['04:30 open', '05:15 closed', '06:00 open', '06:15 closed'])
  t.same(wallOf('America/New_York').instantsOf(Date.parse('2026-11-01T01:10Z')), [
    Date.parse('2026-11-01T05:10Z'),
    Date.parse('2026-11-01T06:10Z'),
  ])
})

t.test('half holidays: the times of a date go before the week and before closedOn, and fill the whole date', async (t) => {
  const zone = 'America/New_York'
  const opening = openingOf(
    {
      open: { 'mon-wed': ['08:30-17:00'], thu: ['22:00-06:00'], fri: ['08:30-17:00'] },
      closedOn: ['2026-12-24/2026-12-26'],
      special: { '2026-12-23': [], '2026-12-24': ['08:30-12:00'], '2026-12-27': ['10:00-11:00'], '2026-12-31/2027-01-01': ['20:00-02:00'] },
    },
    zone,
  )
  const at = (text: string): number => Date.parse(`${text}-05:00`)
  const rows: readonly [text: string, open: boolean, why: string][] = [
    ['2026-12-23T10:00', false, 'none is closed, on a day that is open'],
    ['2026-12-24T08:29', false, 'before the half day'],
    ['2026-12-24T08:30', true, 'in place of closedOn'],
    ['2026-12-24T12:00', false, 'its end'],
    ['2026-12-24T23:00', false, 'the times of the week do not count'],
    ['2026-12-25T10:00', false, 'closedOn'],
    ['2026-12-27T10:30', true, 'a Sunday that is open'],
    ['2026-12-31T23:00', true, 'a night of several dates'],
    ['2027-01-01T01:00', true, 'goes on into the next date of the same entry'],
    ['2027-01-02T01:00', true, 'and into an ordinary day'],
    ['2027-01-02T02:00', false, 'until its end'],
  ]
  for (const [text, expect, why] of rows) t.equal(isOpen(opening, at(text)), expect, `${text}: ${why}`)
  t.equal(nextChange(opening, at('2026-12-22T18:00')), at('2026-12-24T08:30'))
  t.equal(nextChange(opening, at('2026-12-24T12:00')), at('2026-12-27T10:00'))
})
