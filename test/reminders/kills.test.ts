/** A box that is killed in the midst of its calls: real processes and a real store, in simulated time. `npm test` runs a small one. */
import t from 'tap'
import { killRounds } from '../proofs/reminders/kills.ts'

t.test('with kills in between nobody is rung twice and nobody is forgotten', { timeout: 180_000 }, async (t) => {
  const reminders = Number(process.env.REMINDERS ?? 100)
  const kills = Number(process.env.KILLS ?? 4)
  const { faults, ...verdict } = await killRounds({ reminders, rounds: kills, lines: 10, seed: 7, mostMs: 400 })
  t.same(faults.slice(0, 20), [], JSON.stringify(verdict))
  t.equal(verdict.reminders, reminders)
  t.ok(verdict.calls >= reminders * 0.9, `${verdict.calls} calls, ${verdict.cut} of them cut off`)
})
