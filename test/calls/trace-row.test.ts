import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { traceRow, wholeTrace } from '../../daemon/calls/calls.ts'
import { isoTime } from '../../daemon/base/clock.ts'
import { traceInLists } from '../../daemon/store/migrations.ts'

const began = Date.UTC(2026, 10, 26, 16, 35, 14, 943)
/** Milliseconds to the next entry, the step that the clock of the day makes before it, and the readings' rounding. */
const steps = fc.array(
  fc.record({
    ms: fc.nat(60_000),
    stepMs: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: -86_400_000, max: 86_400_000 })),
    roundingMs: fc.constantFrom(0, 1),
  }),
)

t.test('a kept trace gives back each entry, to 2 ms, also where the clock was set', async (t) => {
  fc.assert(
    fc.property(steps, (list) => {
      let [ms, day] = [0, began]
      const entries = list.map((step, n) => {
        ms += step.ms
        day += step.ms + step.stepMs
        return { at: isoTime(day + step.roundingMs), ms, kind: 'state', text: `entry ${n}`, ...(n % 2 ? { data: { n } } : {}) }
      })
      const back = wholeTrace(JSON.parse(JSON.stringify(traceRow({ entries, dropped: 3 }))))
      assert.equal(back.dropped, 3)
      assert.deepEqual(
        back.entries.map(({ at: _, ...rest }) => rest),
        entries.map(({ at: _, ...rest }) => rest),
      )
      for (const [n, { at }] of back.entries.entries()) assert.ok(Math.abs(Date.parse(at) - Date.parse(entries[n]!.at)) <= 2, `entry ${n}`)
    }),
  )
  t.pass('no counterexample')
})

t.test('a trace keeps the time of day once for as long as nobody sets the clock', async (t) => {
  const entries = [0, 31, 32, 900].map((ms) => ({ at: isoTime(began + ms), ms, kind: 'key', text: '1' }))
  t.same(traceRow({ entries, dropped: 0 }).entries, [began, [0, 'key', '1'], [31, 'key', '1'], [32, 'key', '1'], [900, 'key', '1']])
})

t.test('a trace of the version before is read as it was', async (t) => {
  const entries = [
    { at: isoTime(began), ms: 0, kind: 'leg', text: 'call from ***1' },
    { ms: 7, kind: 'stream', text: 'connected', data: { ms: 2 } },
    { at: isoTime(began + 60_009), ms: 9, kind: 'state', text: 'completed' },
  ]
  t.same(wholeTrace(traceInLists({ entries, dropped: 1 })), {
    entries: [entries[0], { at: isoTime(began + 7), ...entries[1] }, entries[2]],
    dropped: 1,
  })
})
