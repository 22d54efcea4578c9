/** Who of a ring group is rung, when, and who has the call: tables of what happens, then histories at random. */
import fc from 'fast-check'
import t from 'tap'
import { GroupMachine, type GroupInput, type GroupOrder, type GroupPlan, type GroupStrategy } from '../../daemon/pbx/groups/machine.ts'
import type { Outcome } from '../../daemon/routing/taken.ts'

const plan = (strategy: GroupStrategy, delays: readonly number[], more: Partial<GroupPlan> = {}): GroupPlan => ({
  strategy,
  delaysMs: delays.map((s) => s * 1000),
  ringMs: 20_000,
  mostMs: null,
  first: 0,
  ...more,
})

const written = (order: GroupOrder): string =>
  order.order === 'ring'
    ? `ring ${order.member} ${order.ms / 1000}`
    : order.order === 'over'
      ? `over ${order.outcome}`
      : `${order.order} ${order.member}`

/** Seconds, what happens then, and what the machine orders. */
type Course = readonly (readonly [number, GroupInput | 'time', readonly string[]])[]

const ended = (member: number, outcome: Outcome): GroupInput => ({ type: 'ended', member, outcome })
const accepted = (member: number): GroupInput => ({ type: 'accepted', member })

const courses: readonly (readonly [string, GroupPlan, Course])[] = [
  [
    'all: the first who answers has the call, the others are released',
    plan('all', [0, 0, 0]),
    [
      [0, { type: 'begin' }, ['ring 0 20', 'ring 1 20', 'ring 2 20']],
      [3, accepted(1), ['release 0', 'release 2', 'connect 1']],
      [3, accepted(2), []],
    ],
  ],
  [
    'all: a member with a delay rings later, for the rest of the time',
    plan('all', [0, 10]),
    [
      [0, { type: 'begin' }, ['ring 0 20']],
      [10, 'time', ['ring 1 10']],
      [20, 'time', ['release 0', 'release 1', 'over no-answer']],
    ],
  ],
  [
    'all: nobody waits for a delay when nobody rings',
    plan('all', [0, 10, 15]),
    [
      [0, { type: 'begin' }, ['ring 0 20']],
      [1, ended(0, 'unreachable'), ['ring 1 19']],
      [2, ended(1, 'busy'), ['ring 2 18']],
      [3, ended(2, 'busy'), ['over busy']],
    ],
  ],
  [
    'in order: one after the other; who is not there is skipped at once, and ends nothing',
    plan('in-order', [0, 0, 0]),
    [
      [0, { type: 'begin' }, ['ring 0 20']],
      [0, ended(0, 'unreachable'), ['ring 1 20']],
      [20, 'time', ['release 1', 'ring 2 20']],
      [25, accepted(1), []],
      [26, accepted(2), ['connect 2']],
    ],
  ],
  [
    'rotating: begins with whose turn it is, and goes round',
    plan('rotating', [0, 0, 0], { first: 2 }),
    [
      [0, { type: 'begin' }, ['ring 2 20']],
      [20, 'time', ['release 2', 'ring 0 20']],
      [40, 'time', ['release 0', 'ring 1 20']],
      [60, 'time', ['release 1', 'over no-answer']],
    ],
  ],
  [
    'an order with a time of its own ends the whole',
    plan('in-order', [0, 0, 0], { mostMs: 30_000 }),
    [
      [0, { type: 'begin' }, ['ring 0 20']],
      [20, 'time', ['release 0', 'ring 1 10']],
      [30, 'time', ['release 1', 'over no-answer']],
    ],
  ],
  [
    'the caller leaves: all are released at once',
    plan('all', [0, 0]),
    [
      [0, { type: 'begin' }, ['ring 0 20', 'ring 1 20']],
      [1, { type: 'left' }, ['release 0', 'release 1', 'over canceled']],
      [1, accepted(0), []],
    ],
  ],
  [
    'nobody there at all',
    plan('all', [0, 0]),
    [
      [0, { type: 'begin' }, ['ring 0 20', 'ring 1 20']],
      [0, ended(1, 'unreachable'), []],
      [0, ended(0, 'unreachable'), ['over unreachable']],
    ],
  ],
]

for (const [name, of, course] of courses) {
  t.test(name, async (t) => {
    const machine = new GroupMachine(of)
    for (const [s, input, orders] of course) {
      if (input === 'time') t.equal(machine.nextAt, s * 1000, `wants to be told at ${s} s`)
      t.same(machine.step(input === 'time' ? { type: 'time' } : input, s * 1000).map(written), orders, `at ${s} s`)
    }
    t.equal(machine.isTerminal, true)
    t.equal(machine.nextAt, null)
  })
}

t.test(
  'of 20,000 histories at random: one has the call or nobody, nobody rings twice, nobody rings afterwards, all ends in time',
  async (t) => {
    const anything = fc.record({
      strategy: fc.constantFrom<GroupStrategy>('all', 'in-order', 'rotating'),
      delays: fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 5 }),
      ringS: fc.integer({ min: 5, max: 30 }),
      mostS: fc.option(fc.integer({ min: 1, max: 60 })),
      first: fc.nat(4),
      events: fc.array(
        fc.record({
          afterMs: fc.integer({ min: 0, max: 9000 }),
          member: fc.nat(4),
          what: fc.constantFrom<Outcome | 'accepted' | 'left'>('accepted', 'busy', 'unreachable', 'no-answer', 'refused', 'failed', 'left'),
        }),
        { maxLength: 12 },
      ),
    })
    fc.assert(
      fc.property(anything, ({ strategy, delays, ringS, mostS, first, events }) => {
        const most = mostS === null ? Infinity : mostS * 1000
        const machine = new GroupMachine(
          plan(strategy, delays, { ringMs: ringS * 1000, mostMs: mostS === null ? null : most, first: first % delays.length }),
        )
        const rings = new Set<number>()
        const rung = new Set<number>()
        const last: GroupOrder[] = []
        let now = 0
        const carryOut = (orders: readonly GroupOrder[]): void => {
          for (const order of orders) {
            if (last.length > 0) throw new Error('an order after the last one')
            if (order.order === 'ring') {
              if (rung.has(order.member)) throw new Error('rung twice')
              rung.add(order.member)
              rings.add(order.member)
            } else if (order.order === 'release') {
              if (!rings.delete(order.member)) throw new Error('released without ringing')
            } else {
              if (order.order === 'connect' && !rings.delete(order.member)) throw new Error('connected without ringing')
              if (rings.size > 0) throw new Error('somebody rings on')
              last.push(order)
            }
            if (strategy !== 'all' && rings.size > 1) throw new Error('two ring at once')
          }
          if (last.length === 0 && rings.size === 0) throw new Error('the caller waits for nobody')
        }
        const pass = (until: number): void => {
          for (let at = machine.nextAt; at !== null && at <= until; at = machine.nextAt) {
            now = Math.max(now, at)
            carryOut(machine.step({ type: 'time' }, now))
          }
          now = Math.max(now, until)
        }
        carryOut(machine.step({ type: 'begin' }, 0))
        for (const { afterMs, member, what } of events) {
          pass(now + afterMs)
          if (what === 'left') carryOut(machine.step({ type: 'left' }, now))
          else if (!rings.has(member)) carryOut(machine.step({ type: 'accepted', member: member + 50 }, now))
          else {
            if (what !== 'accepted') rings.delete(member)
            carryOut(machine.step(what === 'accepted' ? accepted(member) : ended(member, what), now))
          }
        }
        pass(1_000_000)
        const longest = Math.min(most, strategy === 'all' ? ringS * 1000 : ringS * 1000 * delays.length)
        if (last.length !== 1) throw new Error('no end')
        const over = last[0]!
        if (over.order === 'over' && over.outcome === 'no-answer' && now < longest && events.length === 0) throw new Error('too soon')
      }),
      { numRuns: 20_000 },
    )
  },
)
