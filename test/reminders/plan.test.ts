/** When people are called: hours, working days, both nights on which the clocks change in a dozen zones, and an even spread. */
import fc from 'fast-check'
import t from 'tap'
import { assumedCallMs, Bookings, firstSlot, leastNoticeMs, nextSlot } from '../../daemon/reminders/slots.ts'
import { isOpen, openSpans, spanOf, widestWindow, windowOf, workingDayBefore } from '../../daemon/reminders/window.ts'
import { addDays, dayAt, instantOf, isDay, isZone, parseInstant, wallClock, weekdayOf, type Weekday } from '../../daemon/reminders/zone.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const weekdays: Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const window = windowOf({ from: '09:00', to: '18:00', days: weekdays })

const zones = [
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Santiago',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Lisbon',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Jerusalem',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Chatham',
]

const formats = new Map<string, Intl.DateTimeFormat>()

/** What the clock on the wall shows, by a way of its own. */
function wall(at: number, timeZone: string): { day: string; minute: number; weekday: string } {
  let format = formats.get(timeZone)
  if (format === undefined) {
    const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', weekday: 'short' } as const
    formats.set(timeZone, (format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...fields })))
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return {
    day: `${parts.year}-${parts.month}-${parts.day}`,
    minute: Number(parts.hour) * 60 + Number(parts.minute),
    weekday: parts.weekday!.toLowerCase(),
  }
}

function offsetMinutes(at: number, zone: string): number {
  const { day, minute } = wall(at, zone)
  return Math.round((Date.parse(`${day}T00:00:00Z`) - Math.floor(at / 60_000) * 60_000) / 60_000) + minute
}

/** The instants of 2026 from which on the offset is another. */
function changes(zone: string): { at: number; gained: number }[] {
  const found: { at: number; gained: number }[] = []
  for (let day = Date.parse('2026-01-02T00:00:00Z'); day < Date.parse('2027-01-01T00:00:00Z'); day += dayMs) {
    const gained = offsetMinutes(day, zone) - offsetMinutes(day - dayMs, zone)
    if (gained === 0) continue
    let before = day - dayMs
    let at = day
    while (at - before > 60_000) {
      const middle = Math.round((before + at) / 120_000) * 60_000
      if (offsetMinutes(middle, zone) === offsetMinutes(day, zone)) at = middle
      else before = middle
    }
    found.push({ at, gained })
  }
  return found
}

t.test('local times around both nights on which the clocks change, in each zone', async (t) => {
  for (const zone of zones) {
    const nights = changes(zone)
    t.equal(nights.length, 2, `${zone} changes twice`)
    t.same(nights.map(({ gained }) => Math.sign(gained)).toSorted(), [-1, 1])
    for (const { at, gained } of nights) {
      const before = wall(at - 60_000, zone)
      if (gained > 0) {
        const missing = instantOf(before.day, before.minute + 1, zone)
        t.ok(
          missing >= at && missing <= at + gained * 60_000,
          `${zone}: a time that does not exist moves forward, to ${wallClock(missing, zone)}`,
        )
      } else {
        const twice = wall(at, zone)
        const first = instantOf(twice.day, twice.minute, zone)
        t.equal(first, at + gained * 60_000, `${zone}: of ${wallClock(at, zone)}, which comes twice, the first counts`)
      }
      for (let shift = -2; shift <= 2; shift++) {
        const day = dayAt(at + shift * dayMs, zone)
        for (const minute of [9 * 60, 18 * 60, 13 * 60 + 37]) {
          t.same(wall(instantOf(day, minute, zone), zone), { day, minute, weekday: weekdayOf(day) })
        }
        const midnight = instantOf(day, 0, zone)
        t.equal(dayAt(midnight, zone), day)
        t.ok(instantOf(addDays(day, 1), 0, zone) - midnight >= 23 * hourMs - 1)
      }
    }
  }
})

t.test('each call lies in the hours of its zone on the working day before, around both nights', async (t) => {
  const days: string[] = [...weekdays]
  for (const zone of zones) {
    for (const { at } of changes(zone)) {
      for (let hours = -72; hours <= 96; hours += 7) {
        const appointmentAt = at + hours * hourMs
        const called = firstSlot({ appointmentAt, zone, now: at - 20 * dayMs, leadDays: 1, window }, new Bookings(2))
        if (called === null) {
          t.fail(`${zone}: no call for ${wallClock(appointmentAt, zone)}`)
          continue
        }
        const then = wall(called, zone)
        let wanted = addDays(wall(appointmentAt, zone).day, -1)
        while (!days.includes(weekdayOf(wanted))) wanted = addDays(wanted, -1)
        const good = then.day === wanted && then.minute >= 540 && then.minute < 1080
        if (!good) t.fail(`${zone}: ${wallClock(appointmentAt, zone)} is reminded of at ${wallClock(called, zone)}`)
      }
    }
    t.pass(zone)
  }
})

t.test('nobody is called before 08:00 or after 21:00, whatever the configuration says', async (t) => {
  const wide = windowOf({ from: '00:00', to: '23:59', days: weekdays })
  t.same([wide.from, wide.to], [480, 1260])
  t.equal(spanOf('2026-03-01', 'UTC', window), null, 'a Sunday')
  t.equal(spanOf('2026-03-02', 'UTC', windowOf({ from: '21:30', to: '22:00', days: weekdays })), null)
  const sunday = Date.parse('2026-03-01T12:00:00Z')
  t.equal(isOpen(sunday, 'UTC', window), false)
  t.equal(isOpen(sunday, 'UTC', widestWindow), true)
  t.equal(isOpen(Date.parse('2026-03-02T18:00:00Z'), 'UTC', window), false, 'the end is excluded')
  t.equal(workingDayBefore('2026-03-02', 1, window), '2026-02-28', 'Saturday before Monday')
  t.equal(workingDayBefore('2026-03-03', 3, window), '2026-02-27')
  t.equal(workingDayBefore('2026-03-01', 0, window), '2026-03-01')
})

t.test('no call lies outside the window, before now or less than two hours before the appointment', async () => {
  const start = Date.parse('2026-01-01T00:00:00Z')
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 365 * 24 * 60 }),
      fc.integer({ min: 1, max: 20 * 24 * 60 }),
      fc.integer({ min: 0, max: 14 }),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 1, max: 23 }),
      fc.subarray(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as Weekday[], { minLength: 1 }),
      (zone, minute, ahead, leadDays, from, length, days) => {
        const now = start + minute * 60_000
        const appointmentAt = now + ahead * 60_000
        const text = (hour: number): string => `${String(hour).padStart(2, '0')}:00`
        const open = windowOf({ from: text(from), to: text(Math.min(23, from + length)), days })
        const bookings = new Bookings(2)
        for (const find of [firstSlot, nextSlot]) {
          const called = find({ appointmentAt, zone, now, leadDays, window: open }, bookings)
          if (called === null) {
            if (find === nextSlot) return [...openSpans(now, appointmentAt - leastNoticeMs, zone, open)].length === 0
            continue
          }
          const then = wall(called, zone)
          if (called < now || called > appointmentAt - leastNoticeMs) return false
          if (then.minute < Math.max(480, from * 60) || then.minute >= 1260 || !days.includes(then.weekday as Weekday)) return false
        }
        return true
      },
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) },
  )
})

t.test('five hundred reminders of one day spread over the window and the lines', async (t) => {
  const zone = 'America/New_York'
  const appointmentAt = Date.parse('2026-03-04T15:00:00Z')
  for (const [count, lines] of [
    [500, 2],
    [700, 2],
    [50, 1],
    [5, 2],
  ] as const) {
    const bookings = new Bookings(lines)
    const times: number[] = []
    for (let n = 0; n < count; n++) {
      const at = firstSlot({ appointmentAt, zone, now: appointmentAt - 5 * dayMs, leadDays: 1, window }, bookings)!
      bookings.take(at)
      times.push(at)
    }
    const { start, end } = spanOf('2026-03-03', zone, window)!
    t.ok(times.every((at) => at >= start && at < end))
    t.equal(new Set(times).size, count, `${count} on ${lines} lines: no two at the same moment`)
    const thirds = [0, 1, 2].map((third) => times.filter((at) => Math.floor(((at - start) / (end - start)) * 3) === third).length)
    t.ok(Math.max(...thirds) - Math.min(...thirds) <= Math.max(2, count * 0.1), `by third of the window: ${thirds.join(', ')}`)
    const atOnce = times.map((at) => times.filter((other) => other <= at && at < other + assumedCallMs).length)
    t.ok(Math.max(...atOnce) <= lines, `at most ${Math.max(...atOnce)} at once`)
  }
})

t.test('a day that is full flows over into the next hours, and a full plan is shared out', async (t) => {
  const bookings = new Bookings(1)
  const now = Date.parse('2026-03-02T17:55:00Z')
  const request = { appointmentAt: Date.parse('2026-03-03T12:00:00Z'), zone: 'UTC', now, leadDays: 1, window }
  const times = Array.from({ length: 43 }, () => {
    const at = firstSlot(request, bookings)!
    bookings.take(at)
    return wallClock(at, 'UTC')
  })
  t.match(times[0], /^2026-03-02 17:5/)
  t.equal(times.filter((text) => text.startsWith('2026-03-02')).length, 3)
  t.equal(times[3], '2026-03-03 09:00')
  t.equal(times[4], '2026-03-03 09:01')
  t.equal(new Set(times).size, 43)
  t.match(wallClock(firstSlot(request, bookings)!, 'UTC'), /^2026-03-02/, 'when all is full, two share a moment')
})

t.test('times and zones that cannot be meant', async (t) => {
  t.equal(parseInstant('2026-03-02T14:05:00Z'), Date.parse('2026-03-02T14:05:00Z'))
  t.equal(parseInstant('2026-03-02T09:05:00-05:00'), Date.parse('2026-03-02T14:05:00Z'))
  t.equal(parseInstant('2026-03-02T09:05-0500'), Date.parse('2026-03-02T14:05:00Z'))
  for (const text of [
    '2026-03-02',
    '2026-03-02T14:05:00',
    'tomorrow',
    '2026-02-30T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-03-02T25:00:00Z',
    '',
  ]) {
    t.equal(parseInstant(text), null, text)
  }
  t.same(['Europe/Berlin', 'Mars/Base', ''].map(isZone), [true, false, false])
  t.same(['2026-02-28', '2026-02-30', '2026-2-3'].map(isDay), [true, false, false])
})
