/** Whatever people do: the queue keeps to its hours, lines and limits, and every reminder comes to its end. */
import fc from 'fast-check'
import t from 'tap'
import type { ReminderCallResult } from '../../daemon/reminders/caller.ts'
import { isOpen, windowOf } from '../../daemon/reminders/window.ts'
import { dayAt } from '../../daemon/reminders/zone.ts'
import { dayMs, hourMs, minuteMs, monday, Stage } from './stage.ts'

const zones = ['America/New_York', 'Europe/Berlin', 'Pacific/Auckland', '']
const window = windowOf({ from: '09:00', to: '18:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'] })

const results: readonly ReminderCallResult[] = [
  { kind: 'no-answer' },
  { kind: 'busy' },
  { kind: 'failed', text: 'x' },
  { kind: 'voicemail' },
  { kind: 'no-input' },
  { kind: 'reception' },
  { kind: 'answer', outcome: 'confirmed', reason: 'keypad' },
  { kind: 'answer', outcome: 'opted-out', reason: 'keypad' },
]

const reminder = fc.record({
  number: fc.nat({ max: 7 }),
  zone: fc.constantFrom(...zones),
  /** Of the appointment, from the start. */
  minutes: fc.integer({ min: 1, max: 6 * 24 * 60 }),
  ends: fc.array(fc.constantFrom(...results), { minLength: 3, maxLength: 3 }),
  talks: fc.integer({ min: 5, max: 240 }),
})

t.test('hours, lines and limits hold, and all comes to its end', async (t) => {
  let calls = 0
  await fc.assert(
    fc.asyncProperty(fc.array(reminder, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 3 }), async (wanted, lines) => {
      const stage = await Stage.open(t, { reminders: { lines } })
      await stage.begin()
      const { caller, clock } = stage
      const placed: { reminderId: string; number: string; at: number; endedAt: number; answered: boolean; zone: string; latest: number }[] =
        []
      caller.auto = async ({ reminderId, number, attempt, timeZone, appointmentAt }, events) => {
        const { ends, talks } = wanted[Number(stage.row(reminderId).externalRef.slice(2))]!
        const result = ends[attempt - 1]!
        const answered = !['no-answer', 'busy', 'failed'].includes(result.kind)
        const call = {
          reminderId,
          number,
          at: clock.now(),
          endedAt: Infinity,
          answered,
          zone: timeZone,
          latest: appointmentAt - 2 * hourMs,
        }
        placed.push(call)
        if (answered) events.inCall(clock.now())
        if (result.kind === 'answer') await events.decided(result.outcome, result.reason)
        await new Promise<void>((resolve) => void clock.after(talks * 1000, resolve))
        call.endedAt = clock.now()
        return result
      }
      await stage.submit(
        ...wanted.map(({ number, zone, minutes }, n) => ({
          externalRef: `R-${n}`,
          phoneNumber: `555-123-000${number}`,
          appointmentAt: new Date(monday + minutes * minuteMs).toISOString(),
          ...(zone === '' ? {} : { timeZone: zone }),
        })),
      )
      await stage.runTo(monday + 7 * dayMs)
      calls += placed.length
      const faults: string[] = []
      if (caller.most > lines) faults.push(`${caller.most} calls at once`)
      if (caller.clashes > 0) faults.push('two calls to one number at once')
      for (const { at, zone, latest } of placed) {
        if (!isOpen(at, zone, window)) faults.push(`a call outside of the hours of ${zone}`)
        if (at > latest) faults.push('a call too late')
      }
      for (const those of Map.groupBy(placed, ({ reminderId }) => reminderId).values())
        if (those.length > 3) faults.push('too many attempts')
      for (const those of Map.groupBy(placed, ({ number, at, zone }) => `${number} ${dayAt(at, zone)}`).values()) {
        if (new Set(those.map(({ zone }) => zone)).size > 1) continue
        if (those.length > 3) faults.push('too many calls of a day')
        if (those.filter(({ answered }) => answered).length > 1) faults.push('two talks on a day')
      }
      const rows = stage.rows()
      if (rows.some(({ state }) => state !== 'over')) faults.push('one is not over')
      if (stage.callbacks().length !== rows.length) faults.push('not one callback each')
      if (faults.length > 0) throw new Error(faults.join('; '))
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 12) },
  )
  t.ok(calls > 20, `${calls} calls`)
})
