/** The box as a client of the CRM: when it is asked, what it is sent again and in which order, on a clock of our own. */
import fc from 'fast-check'
import t from 'tap'
import { afterProbe, afterRequest, breakerClosed, circuitOf, type BreakerState } from '../../daemon/crm/client/breaker.ts'
import { Offered } from '../../daemon/crm/client/client.ts'
import { Order, type Entry } from '../../daemon/crm/queue/order.ts'
import { afterFailure } from '../../daemon/crm/queue/sender.ts'
import { scrub } from '../../daemon/crm/outgoing.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const run = (outcomes: readonly boolean[], everyMs = 1000): { readonly state: BreakerState; readonly now: number } => {
  let state = breakerClosed
  let now = 0
  for (const ok of outcomes) state = afterRequest(state, ok, (now += everyMs), 0.5)
  return { state, now }
}

t.test('the circuit opens at five failures in a row, or when half of the last twenty of a minute failed', async (t) => {
  t.equal(circuitOf(run([false, false, false, false]).state, 5000), 'closed')
  const { state, now } = run([true, false, false, false, false, false])
  t.strictSame([circuitOf(state, now + 29_999), circuitOf(state, now + 30_000)], ['open', 'half-open'])
  const alternating = Array.from({ length: 20 }, (_, n) => n % 2 === 0)
  t.equal(circuitOf(run(alternating.slice(1)).state, 20_000), 'closed', 'nineteen are not counted yet')
  t.not(run(alternating).state.openUntil, null)
  t.equal(run(alternating, 4000).state.openUntil, null, 'what is older than a minute does not count')
})

t.test('it stays open twice as long each time, up to 5 minutes, with a fifth of chance; two good probes close it', async (t) => {
  let { state, now } = run([false, false, false, false, false])
  const spans: number[] = []
  for (let n = 0; n < 6; n++) {
    spans.push(state.openUntil! - now)
    now = state.openUntil!
    state = afterProbe(state, false, now, 0.5)
  }
  t.strictSame(spans, [30_000, 60_000, 120_000, 240_000, 300_000, 300_000])
  t.strictSame(
    [0, 1].map((chance) => afterProbe(state, false, 0, chance).openUntil),
    [240_000, 360_000],
  )
  const once = afterProbe(state, true, now, 0.5)
  t.not(once.openUntil, null)
  t.strictSame(afterProbe(once, true, now, 0.5), breakerClosed)
  t.equal(afterProbe(afterProbe(once, false, now, 0.5), true, now, 0.5).good, 1, 'a bad one begins the count anew')
})

t.test('a route that is not offered is not asked for an hour; what is only unknown there, and calls/log, is', async (t) => {
  const clock = new FakeClock(0)
  const offered = new Offered(clock)
  t.ok(offered.note('screen-pop', 404, 'Not Found'))
  t.notOk(offered.note('party', 404, '{"error":"No such customer","code":"customer_unknown"}'))
  t.notOk(offered.note('log', 405, ''))
  t.notOk(offered.note('notes', 500, ''))
  t.strictSame([offered.has('screen-pop'), offered.has('party'), offered.has('log')], [false, true, true])
  clock.advance(3_600_000)
  t.ok(offered.has('screen-pop'))
})

t.test('the pauses between attempts, and when it is given up', async (t) => {
  const minute = 60_000
  const pauses = [1, 2, 3, 4, 5, 6, 400].map((attempts) => {
    const verdict = afterFailure({ attempts, refusals: 0, createdAt: 0 }, 0, 0, 1000)
    return verdict.outcome === 'again' ? verdict.afterMs : -1
  })
  t.strictSame(pauses, [5000, 15_000, minute, 5 * minute, 15 * minute, 15 * minute, 15 * minute])
  t.match(afterFailure({ attempts: 9, refusals: 0, createdAt: 0 }, 503, 0, 14 * 24 * 60 * minute), { outcome: 'dead' })
  t.match(afterFailure({ attempts: 1, refusals: 0, createdAt: 0 }, 503, 40_000, 0), { outcome: 'again', afterMs: 40_000 })
  for (const status of [400, 404, 409, 422]) {
    t.match(afterFailure({ attempts: 1, refusals: 0, createdAt: 0 }, status, 0, 0), { outcome: 'again', afterMs: minute, refusals: 1 })
    t.match(afterFailure({ attempts: 3, refusals: 2, createdAt: 0 }, status, 0, 0), { outcome: 'dead' })
  }
  t.match(afterFailure({ attempts: 3, refusals: 2, createdAt: 0 }, 401, 0, 0), { outcome: 'again' })
})

const entry = (endedAt: number, callId: string, number = 0, nextAt = 0): Entry => ({
  key: `${String(endedAt).padStart(16, '0')} ${callId} ${String(number).padStart(6, '0')}`,
  callId,
  endedAt,
  kind: number === 0 ? 'log' : 'note',
  nextAt,
})

t.test('one of four slots is for calls of the last minute alone', async (t) => {
  const order = new Order()
  const now = 10_000_000
  for (let n = 0; n < 6; n++) order.put(entry(n, `old${n}`))
  const taken = [order.take(now), order.take(now), order.take(now)]
  t.strictSame(
    taken.map((one) => one?.callId),
    ['old0', 'old1', 'old2'],
  )
  t.equal(order.take(now), undefined)
  order.put(entry(now - 1000, 'fresh'))
  t.equal(order.take(now)?.callId, 'fresh')
  t.equal(order.take(now), undefined)
  order.done(taken[1]!)
  order.remove(taken[1]!.key)
  t.equal(order.take(now)?.callId, 'old3')
})

t.test('of one call one thing goes after the other, oldest calls first, and nothing is lost, whatever fails', async () => {
  const step = fc.record({ call: fc.nat(5), number: fc.nat(3), fails: fc.nat(3) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const order = new Order()
      const failures = new Map<string, number>()
      for (const { call, number, fails } of steps) {
        const one = entry(1000 + call, `call${call}`, number)
        order.put(one)
        failures.set(one.key, fails)
      }
      const told: string[] = []
      const busy = new Set<string>()
      let now = 2000
      const wanted = [...failures.keys()].toSorted()
      for (let turn = 0; turn < 2000 && told.length < wanted.length; turn++) {
        const one = order.take(now)
        if (one === undefined) {
          now += 100
          continue
        }
        if (busy.has(one.callId)) throw new Error('two of one call at once')
        const left = failures.get(one.key)!
        if (left === 0) {
          order.remove(one.key)
          told.push(one.key)
        } else {
          failures.set(one.key, left - 1)
          one.nextAt = now + 500
        }
        order.done(one)
      }
      for (const call of new Set(wanted.map((key) => key.split(' ')[1]!))) {
        const of = (keys: readonly string[]) => keys.filter((key) => key.split(' ')[1] === call)
        if (of(told).join() !== of(wanted).join()) throw new Error(`${of(told).join()} is not ${of(wanted).join()}`)
      }
      if (order.size !== 0 || order.notes !== 0) throw new Error('something is left')
    }),
  )
})

t.test('what the CRM says is kept without names and numbers of patients', async (t) => {
  t.equal(scrub('answered 422: {"error":"Ana Ruiz, +15551230001","code":"number_unknown"}'), 'answered 422: number_unknown')
  t.equal(
    scrub('answered 400: "Ana Ruiz" of ana@ruiz.example or (555) 123-0001, is unknown'),
    'answered 400: "..." of [address] or [number], is unknown',
  )
  t.equal(scrub('answered 422: {"code":"Ana Ruiz"'), 'answered 422: {"...":"..."')
})
