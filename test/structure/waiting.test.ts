/** The waits of the tests themselves. */
import t from 'tap'
import { Waiting } from '../harness/waiting.ts'

t.test('what comes in the pause after a slow look is seen, though nothing comes after it', async (t) => {
  const waiting = new Waiting()
  let there = false
  const look = (): boolean => {
    for (const began = performance.now(); performance.now() - began < 10;);
    return there
  }
  setTimeout(() => {
    there = true
    waiting.wake()
  }, 25)
  const timeIsOutMs = 5000
  const began = performance.now()
  t.equal(await waiting.until(look, timeIsOutMs, (within) => within), true)
  t.ok(performance.now() - began < timeIsOutMs)
})
