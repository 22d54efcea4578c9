/** Who of a queue is rung for whom: tables of what happens, then histories at random. */
import t from 'tap'
import { QueueMachine, type QueueInput, type QueueOrder, type QueuePlan } from '../../../daemon/pbx/queues/queue-machine.ts'
import { type QueueStrategy, Rests } from '../../../daemon/pbx/queues/member-table.ts'

const plan = (more: Partial<QueuePlan> = {}): QueuePlan => ({
  strategy: 'longest-idle',
  members: ['1', '2', '3'],
  ringMs: 20_000,
  wrapUpMs: 10_000,
  maxWaitMs: 300_000,
  maxCallers: 5,
  ...more,
})

const written = (order: QueueOrder): string => {
  if (order.order === 'ring' || order.order === 'connect') return `${order.order} ${order.member} for ${order.caller}`
  if (order.order === 'release') return `release ${order.member}, ${order.why}`
  if (order.order === 'send') return `send ${order.caller}: ${order.why}`
  return order.order === 'summon' ? `summon ${order.caller}` : `pause ${order.member}`
}

interface Stage {
  readonly away: Set<string>
  readonly engaged: Set<string>
}

/** Seconds, what happens then, and what the machine orders. */
type Course = readonly (readonly [number, QueueInput | 'time' | ((stage: Stage) => void), readonly string[]])[]

const join = (caller: string, priority = 0): QueueInput => ({ type: 'join', caller, priority })
const left = (caller: string): QueueInput => ({ type: 'left', caller })
const lifted = (member: string): QueueInput => ({ type: 'lifted', member })
const accepted = (member: string): QueueInput => ({ type: 'accepted', member })
const done = (member: string): QueueInput => ({ type: 'done', member })
const busy = (member: string): QueueInput => ({ type: 'ended', member, outcome: 'busy' })

const courses: readonly (readonly [string, QueuePlan, Course])[] = [
  [
    'longest idle: whoever had the last call longest ago; after a talk a member is left alone for a while',
    plan(),
    [
      [0, join('a'), ['ring 1 for a']],
      [1, accepted('1'), ['connect 1 for a']],
      [2, join('b'), ['ring 2 for b']],
      [3, accepted('2'), ['connect 2 for b']],
      [10, done('2'), []],
      [15, done('1'), []],
      [16, join('c'), ['ring 3 for c']],
      [17, join('d'), []],
      [20, 'time', ['ring 2 for d']],
      [20, join('e'), []],
      [25, 'time', ['ring 1 for e']],
    ],
  ],
  [
    'all: everybody is rung for who is first; the others are told that it was taken elsewhere, and rung for the next',
    plan({ strategy: 'all' }),
    [
      [0, join('a'), ['ring 1 for a', 'ring 2 for a', 'ring 3 for a']],
      [1, join('b'), []],
      [2, accepted('2'), ['release 1, elsewhere', 'release 3, elsewhere', 'connect 2 for a', 'ring 1 for b', 'ring 3 for b']],
      [3, accepted('1'), ['release 3, elsewhere', 'connect 1 for b']],
    ],
  ],
  [
    'all: the others ring on while the first who answered hears why; who hangs up then loses the caller nothing',
    plan({ strategy: 'all', members: ['1', '2'] }),
    [
      [0, join('a'), ['ring 1 for a', 'ring 2 for a']],
      [1, lifted('1'), []],
      [2, { type: 'ended', member: '1', outcome: 'refused' }, []],
      [3, accepted('2'), ['connect 2 for a']],
    ],
  ],
  [
    'who is told of the call is not given up because the time to ring is over',
    plan({ members: ['1'] }),
    [
      [0, join('a'), ['ring 1 for a']],
      [19, lifted('1'), []],
      [25, { type: 'look' }, []],
      [26, accepted('1'), ['connect 1 for a']],
    ],
  ],
  [
    'rotating: the next one after who was rung last',
    plan({ strategy: 'rotating', wrapUpMs: 0 }),
    [
      [0, join('a'), ['ring 1 for a']],
      [1, accepted('1'), ['connect 1 for a']],
      [2, done('1'), []],
      [3, join('b'), ['ring 2 for b']],
      [4, left('b'), ['release 2, left']],
      [5, join('c'), ['ring 3 for c']],
      [6, join('d'), ['ring 1 for d']],
    ],
  ],
  [
    'fewest calls: whoever answered least',
    plan({ strategy: 'fewest-calls', wrapUpMs: 0, members: ['1', '2'] }),
    [
      [0, join('a'), ['ring 1 for a']],
      [1, accepted('1'), ['connect 1 for a']],
      [2, done('1'), []],
      [3, join('b'), ['ring 2 for b']],
      [4, accepted('2'), ['connect 2 for b']],
      [5, done('2'), []],
      [6, join('c'), ['ring 1 for c']],
    ],
  ],
  [
    'two calls unanswered: the member is paused, and the caller keeps the place',
    plan({ members: ['1'] }),
    [
      [0, join('a'), ['ring 1 for a']],
      [1, join('b'), []],
      [20, 'time', ['release 1, unanswered']],
      [25, 'time', ['ring 1 for a']],
      [45, 'time', ['release 1, unanswered', 'pause 1']],
    ],
  ],
  [
    'busy is no call unanswered, and the member is asked again soon',
    plan({ members: ['1'] }),
    [
      [0, join('a'), ['ring 1 for a']],
      [0, busy('1'), []],
      [5, 'time', ['ring 1 for a']],
      [5, busy('1'), []],
      [10, 'time', ['ring 1 for a']],
    ],
  ],
  [
    'the larger priority goes first, then who came first',
    plan({ members: ['1'], wrapUpMs: 0 }),
    [
      [0, join('a'), ['ring 1 for a']],
      [1, accepted('1'), ['connect 1 for a']],
      [2, join('b'), []],
      [3, join('c'), []],
      [4, join('d', 5), []],
      [5, done('1'), ['ring 1 for d']],
      [6, accepted('1'), ['connect 1 for d']],
      [7, done('1'), ['ring 1 for b']],
    ],
  ],
  [
    'too many, too long, nobody there: at once, also for those who wait already',
    plan({ members: ['1', '2'], maxCallers: 2, maxWaitMs: 60_000 }),
    [
      [0, ({ engaged }) => engaged.add('1').add('2'), []],
      [0, join('a'), []],
      [1, join('b'), []],
      [2, join('c'), ['send c: full']],
      [60, 'time', ['send a: timeout']],
      [60.5, ({ away }) => away.add('1'), []],
      [60.6, ({ away }) => away.add('2'), ['send b: empty']],
      [60.7, join('d'), ['send d: empty']],
    ],
  ],
  [
    'a caller who is called back keeps the place; a member is kept for the call',
    plan({ members: ['1', '2'], wrapUpMs: 0 }),
    [
      [0, ({ engaged }) => engaged.add('1').add('2'), []],
      [0, join('a'), []],
      [1, join('b'), []],
      [2, { type: 'absent', caller: 'a' }, []],
      [3, ({ engaged }) => engaged.delete('1'), ['summon a']],
      [4, ({ engaged }) => engaged.delete('2'), ['ring 1 for b']],
      [5, accepted('1'), ['connect 1 for b']],
      [5, { type: 'came', caller: 'a' }, ['ring 2 for a']],
      [6, { type: 'absent', caller: 'a', notBefore: 60_000 }, ['release 2, left']],
      [60, 'time', ['summon a']],
    ],
  ],
]

for (const [name, of, course] of courses) {
  t.test(name, async (t) => {
    const away = new Set<string>()
    const engaged = new Set<string>()
    const rests = new Rests()
    const staff = { rests, isThere: (m: string) => !away.has(m), isFree: (m: string) => !away.has(m) && !engaged.has(m) }
    const machine = new QueueMachine(of, staff, 0)
    for (const [s, input, orders] of course) {
      if (input === 'time') t.equal(machine.nextAt, s * 1000, `wants to be told at ${s} s`)
      if (typeof input === 'function') input({ away, engaged })
      const step = input === 'time' || typeof input === 'function' ? ({ type: 'look' } as const) : input
      t.same(machine.step(step, s * 1000).map(written), orders, `at ${s} s`)
    }
  })
}

/** Numbers that look like chance and are the same each time (mulberry32). */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let z = Math.imul(state ^ (state >>> 15), 1 | state)
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z
    return ((z ^ (z >>> 14)) >>> 0) % below
  }
}

interface Waits {
  readonly priority: number
  readonly placeAt: number
  readonly n: number
  present: boolean
}

/** One history; throws where the machine breaks a promise. */
function live(seed: number): void {
  const pick = chance(seed)
  const strategy = (['longest-idle', 'all', 'rotating', 'fewest-calls'] as const)[pick(4)]! satisfies QueueStrategy
  const members = Array.from({ length: 1 + pick(4) }, (_, n) => `m${n}`)
  const away = new Set<string>()
  const engaged = new Set<string>()
  const rests = new Rests()
  const staff = { rests, isThere: (m: string) => !away.has(m), isFree: (m: string) => !away.has(m) && !engaged.has(m) }
  const of = plan({ strategy, members, ringMs: 1000 * (5 + pick(20)), wrapUpMs: 1000 * pick(15), maxCallers: 1 + pick(6) })
  const machine = new QueueMachine(of, staff, 0)
  const waiting = new Map<string, Waits>()
  /** Member -> caller. */
  const rings = new Map<string, string>()
  const talks = new Map<string, string>()
  let now = 0
  let n = 0
  const earlier = (one: Waits, other: Waits): boolean =>
    one.priority > other.priority || (one.priority === other.priority && (one.placeAt - other.placeAt || one.n - other.n) < 0)
  const carryOut = (orders: readonly QueueOrder[]): void => {
    for (const order of orders) {
      switch (order.order) {
        case 'ring': {
          const own = waiting.get(order.caller)
          if (own === undefined || !own.present) throw new Error('rung for nobody')
          if (rings.has(order.member) || talks.has(order.member)) throw new Error('a member is rung twice')
          if (!staff.isFree(order.member)) throw new Error('a member is rung who is not free')
          const rungFor = new Set(rings.values())
          for (const [id, other] of waiting)
            if (other.present && earlier(other, own) && !rungFor.has(id)) throw new Error('somebody who came later is served first')
          rings.set(order.member, order.caller)
          break
        }
        case 'release':
          if (!rings.delete(order.member)) throw new Error('released without ringing')
          break
        case 'connect':
          if (rings.get(order.member) !== order.caller) throw new Error('connected without ringing')
          rings.delete(order.member)
          if (!waiting.delete(order.caller)) throw new Error('connected twice')
          talks.set(order.member, order.caller)
          break
        case 'send':
          if (!waiting.delete(order.caller)) throw new Error('sent away twice')
          break
        case 'summon':
          if (waiting.get(order.caller)?.present !== false) throw new Error('summoned although here')
          break
        case 'pause':
          away.add(order.member)
      }
    }
    for (const caller of rings.values()) if (!waiting.has(caller)) throw new Error('somebody rings for nobody')
    const free = members.filter((m) => staff.isFree(m) && !rings.has(m) && !talks.has(m) && machine.doing(m, now) === 'idle')
    const rungFor = new Set(rings.values())
    const lost = [...waiting].filter(([id, { present }]) => present && !rungFor.has(id))
    const summoned = machine.callers().filter(({ state }) => state === 'summoned').length
    if (free.length > summoned && lost.length > 0) throw new Error('somebody waits although a member is free')
    if (machine.callers().length !== waiting.size) throw new Error('a caller is lost')
  }
  const pass = (until: number): void => {
    for (let at = machine.nextAt, turns = 0; at !== null && at <= until; at = machine.nextAt, turns += 1) {
      if (turns > 2000) throw new Error('it wants to be told the time for ever')
      now = Math.max(now, at)
      carryOut(machine.step({ type: 'look' }, now))
    }
    now = Math.max(now, until)
  }
  const tell = (input: QueueInput): void => carryOut(machine.step(input, now))
  const one = (keys: Iterable<string>): string | undefined => {
    const all = [...keys]
    return all.length === 0 ? undefined : all[pick(all.length)]
  }
  const happen = (): void => {
    const member = members[pick(members.length)]!
    const caller = one(waiting.keys())
    const ringing = one(rings.keys())
    const talking = one(talks.keys())
    switch (pick(13)) {
      case 0:
      case 1:
      case 2: {
        const priority = pick(5) === 0 ? 1 : 0
        n += 1
        waiting.set(`c${n}`, { priority, placeAt: now, n, present: true })
        return tell({ type: 'join', caller: `c${n}`, priority })
      }
      case 3:
        if (caller === undefined) return
        for (const [m, c] of rings) if (c === caller && pick(2) === 0) tell({ type: 'lifted', member: m })
        waiting.delete(caller)
        return tell({ type: 'left', caller })
      case 4:
        if (ringing !== undefined) tell({ type: 'lifted', member: ringing })
        return
      case 5:
      case 6:
        return tell({ type: 'accepted', member: ringing ?? member })
      case 7:
        if (ringing === undefined) return
        rings.delete(ringing)
        return tell({ type: 'ended', member: ringing, outcome: (['busy', 'no-answer', 'refused', 'unreachable'] as const)[pick(4)]! })
      case 8:
        if (talking === undefined) return
        talks.delete(talking)
        return tell({ type: 'done', member: talking })
      case 9:
        if (!away.delete(member)) away.add(member)
        return tell({ type: 'look' })
      case 10:
        if (!engaged.delete(member)) engaged.add(member)
        return tell({ type: 'look' })
      case 11:
        if (caller === undefined) return
        waiting.get(caller)!.present = false
        return tell({ type: 'absent', caller, notBefore: now + pick(3) * 10_000 })
      case 12: {
        const summoned = machine.callers().find(({ state }) => state === 'summoned')
        if (summoned === undefined) return
        waiting.get(summoned.id)!.present = true
        return tell({ type: 'came', caller: summoned.id })
      }
    }
  }
  for (let turn = 0; turn < 30; turn += 1) {
    pass(now + pick(9000))
    happen()
  }
  // In the end everybody is there, and answers: nobody is left.
  away.clear()
  engaged.clear()
  for (const { id, state } of machine.callers())
    if (state !== 'here') {
      waiting.get(id)!.present = true
      carryOut(machine.step({ type: 'came', caller: id }, now))
    }
  for (let turn = 0; turn < 60 && waiting.size > 0; turn += 1) {
    for (const member of [...rings.keys()]) if (rings.has(member)) tell({ type: 'accepted', member })
    for (const member of [...talks.keys()]) {
      talks.delete(member)
      tell({ type: 'done', member })
    }
    pass(now + 20_000)
  }
  if (waiting.size > 0) throw new Error('somebody waits for ever')
}

t.test('of 100,000 histories at random: in their order, nobody lost, nobody rung twice or in vain, nobody waits for ever', async (t) => {
  for (let seed = 1; seed <= 100_000; seed += 1) {
    try {
      live(seed)
    } catch (error) {
      return t.fail(`history ${seed}: ${(error as Error).message}`)
    }
  }
  return t.pass('all of them')
})
