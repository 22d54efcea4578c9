import fc from 'fast-check'
import t from 'tap'
import { DueHeap } from '../../daemon/outbox/due-heap.ts'
import { Lanes, type Waiting } from '../../daemon/outbox/lanes.ts'
import { judge, pauses, type ScheduleName } from '../../daemon/outbox/deliveries.ts'
import { retryAfterMs } from '../../drivers/retry-after.ts'
import { hour } from './bench.ts'

t.test('the schedule', async (t) => {
  t.test('spans 75 hours and 35 minutes', async (t) => {
    const total = pauses.standard.reduce((sum, pause) => sum + pause, 0)
    t.equal(Math.floor(total / 60_000), 75 * 60 + 35)
    t.equal(pauses.standard.length + 1, 10)
    t.same(pauses.call, [5_000, 30_000, 120_000, 600_000, hour])
  })
  t.test('ends, keeps its jitter, honours Retry-After within its bounds', async () => {
    const schedule = fc.constantFrom<ScheduleName>('standard', 'call')
    fc.assert(
      fc.property(
        schedule,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 599 }),
        fc.option(fc.nat(10 * hour)),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (name, attempts, status, retryAfterMs, random) => {
          const verdict = judge(name, attempts, { status, ...(retryAfterMs === null ? {} : { retryAfterMs }) }, random)
          if (status >= 200 && status < 300) return verdict.outcome === 'delivered'
          if (status === 410 || attempts > pauses[name].length) return verdict.outcome === 'dead'
          if (verdict.outcome !== 'again') return false
          const pause = pauses[name][attempts - 1]!
          const heeded = status === 429 || status === 503
          const asked = heeded ? Math.min(retryAfterMs ?? 0, hour) : 0
          return (
            verdict.afterMs >= Math.floor(pause * 0.9) &&
            verdict.afterMs >= asked &&
            verdict.afterMs <= Math.max(Math.ceil(pause * 1.1), asked)
          )
        },
      ),
      { numRuns: 1000 },
    )
  })
  t.test('Retry-After is seconds or a date', async (t) => {
    const now = Date.parse('2026-03-02T14:05:11Z')
    for (const [value, ms] of [
      ['120', 120_000],
      ['0', 0],
      [' 5 ', 5000],
      ['Mon, 02 Mar 2026 14:06:11 GMT', 60_000],
      ['Monday, 02-Mar-26 14:06:11 GMT', 60_000],
      ['Mon Mar  2 14:06:11 2026', 60_000],
      ['2026-03-02T14:06:11Z', 60_000],
      ['Mon, 02 Mar 2020 14:06:11 GMT', 0],
      // Limiters that count in milliseconds write fractions; Date.parse takes 1.5 for the fifth of January 2001.
      ['1.5', 1500],
      ['0.493', 493],
      ['299.997', 299_997],
      ['120.0', 120_000],
      ['1.0005', 1001],
      // Two headers that a proxy made one.
      ['30, 30', 30_000],
      [['45', '45'], 45_000],
      ['-1', undefined],
      ['-5.5', undefined],
      ['soon', undefined],
      ['', undefined],
      ['1e3', undefined],
      [undefined, undefined],
    ] as const)
      t.equal(retryAfterMs(value, now), ms, `Retry-After: ${String(value)}`)
  })
})

t.test('the heap gives what is due first, also after removals', async () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.array(fc.nat(100)), (times, removed) => {
      const heap = new DueHeap<{ at: number; order: number }>()
      const items = times.map((at, order) => ({ at, order }))
      for (const item of items) heap.push(item)
      let left = items
      for (const index of removed) {
        const item = left[index % Math.max(1, left.length)]
        if (item === undefined) continue
        if (!heap.remove(item) || heap.remove(item)) return false
        left = left.filter((other) => other !== item)
      }
      const popped = []
      for (let item = heap.pop(); item !== undefined; item = heap.pop()) popped.push(item)
      return JSON.stringify(popped) === JSON.stringify(left.toSorted((a, b) => a.at - b.at || a.order - b.order))
    }),
  )
})

t.test('the lanes keep every limit, forget nothing, and keep each fifo in order', async () => {
  const entry = fc.record({ host: fc.constantFrom('a', 'b', 'c'), fifo: fc.constantFrom('', 'x', 'y'), at: fc.nat(5) })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), fc.infiniteStream(fc.nat(9)), (entries, choices) => {
      const lanes = new Lanes({ perHost: 2, total: 4 })
      entries.forEach((item, index) => lanes.add({ ...item, eventId: String(index) }))
      const active: Waiting[] = []
      const finished: Waiting[] = []
      for (let now = 0; finished.length < entries.length; now++) {
        for (let taken = lanes.take(now); taken !== undefined; taken = lanes.take(now)) {
          if (taken.at > now) return false
          active.push(taken)
        }
        if (active.length > 4 || ['a', 'b', 'c'].some((host) => active.filter((item) => item.host === host).length > 2)) return false
        if (['x', 'y'].some((fifo) => active.filter((item) => item.fifo === fifo).length > 1)) return false
        if (active.length === 0) {
          const next = lanes.nextAt()
          if (next === undefined || next <= now) return false
          continue
        }
        const choice = choices.next().value as number
        const [item] = active.splice(choice % active.length, 1)
        if (choice === 9) {
          lanes.postpone(item!, now + 3)
        } else {
          lanes.finish(item!)
          finished.push(item!)
        }
      }
      const ordered = (fifo: string): boolean => {
        const orders = finished.filter((item) => item.fifo === fifo).map(({ order }) => order)
        return orders.every((order, i) => i === 0 || order > orders[i - 1]!)
      }
      return lanes.take(1e9) === undefined && lanes.nextAt() === undefined && ordered('x') && ordered('y')
    }),
    { numRuns: 500 },
  )
})

t.test('sixteen go at once in all', async (t) => {
  const lanes = new Lanes({ perHost: 4, total: 16 })
  for (let i = 0; i < 60; i++) lanes.add({ eventId: String(i), host: `host${i % 6}`, fifo: '', at: 0 })
  let taken = 0
  while (lanes.take(1) !== undefined) taken++
  t.equal(taken, 16)
})
