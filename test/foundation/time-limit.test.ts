import { getEventListeners, once } from 'node:events'
import t from 'tap'
import { timeLimit } from '../../daemon/base/clock.ts'

t.test('a time limit ends with its time, or with what ends earlier', async (t) => {
  const late = timeLimit(1, new AbortController().signal)
  // Its timer keeps no process alive.
  const alive = setInterval(() => {}, 1000)
  if (!late.signal.aborted) await once(late.signal, 'abort')
  clearInterval(alive)
  t.match(late.signal.reason, { name: 'TimeoutError' })

  const stop = new AbortController()
  const stopped = timeLimit(60_000, new AbortController().signal, stop.signal)
  t.notOk(stopped.signal.aborted)
  stop.abort('the box stops')
  t.equal(stopped.signal.reason, 'the box stops')
  t.equal(timeLimit(60_000, stop.signal).signal.reason, 'the box stops', 'and where it has ended before')
})

t.test('what is done leaves nothing at a signal that lives longer', async (t) => {
  const stop = new AbortController()
  const limits = [1, 2, 3].map(() => timeLimit(60_000, stop.signal))
  t.equal(getEventListeners(stop.signal, 'abort').length, 3)
  for (const { done } of limits) done()
  t.equal(getEventListeners(stop.signal, 'abort').length, 0)
  stop.abort()
  t.ok(limits.every(({ signal }) => !signal.aborted))
})
