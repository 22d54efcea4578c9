/** The rest after a conversation is the member's: whichever queue it belonged to, none rings before the rest has ended, by any strategy. */
import fc from 'fast-check'
import t from 'tap'
import { type QueueStrategy, Rests } from '../../../daemon/pbx/queues/member-table.ts'
import { QueueMachine, type QueueInput, type QueueOrder } from '../../../daemon/pbx/queues/queue-machine.ts'

const strategies: readonly QueueStrategy[] = ['longest-idle', 'all', 'rotating', 'fewest-calls']

/** Queues that have members in common, on a clock that is set; what they order is done. */
class House {
  now = 0
  readonly machines: QueueMachine[]
  readonly rung: { member: string; at: number; queue: number }[] = []
  /** When each member's rest ends, by what was heard of its conversations. */
  readonly dueAt = new Map<string, number>()
  readonly engaged = new Map<string, number>()
  readonly #wrapUps: readonly number[]

  constructor(queues: readonly { wrapUpMs: number; strategy: QueueStrategy; members: readonly string[] }[]) {
    const rests = new Rests()
    this.#wrapUps = queues.map(({ wrapUpMs }) => wrapUpMs)
    const staff = { rests, isThere: () => true, isFree: (member: string) => !this.engaged.has(member) }
    const times = { ringMs: 20_000, maxWaitMs: 3_600_000, maxCallers: 50 }
    this.machines = queues.map((queue) => new QueueMachine({ ...queue, ...times }, staff, 0))
  }

  tell(queue: number, input: QueueInput): void {
    for (const order of this.machines[queue]!.step(input, this.now)) this.#carryOut(queue, order)
  }

  #carryOut(queue: number, order: QueueOrder): void {
    if (order.order === 'release') this.engaged.delete(order.member)
    if (order.order !== 'ring') return
    this.rung.push({ member: order.member, at: this.now, queue })
    this.engaged.set(order.member, queue)
    if (this.now < (this.dueAt.get(order.member) ?? 0)) throw new Error(`${order.member} is rung in its rest, at ${this.now}`)
  }

  /** Advances to the moment at which a queue wants to be woken, if it comes before `until`. */
  passTo(until: number): void {
    for (;;) {
      const next = Math.min(...this.machines.map(({ nextAt }) => nextAt ?? Infinity))
      if (next > until) break
      this.now = Math.max(this.now, next)
      for (const queue of this.machines.keys()) this.tell(queue, { type: 'look' })
    }
    this.now = until
  }

  answers(member: string): void {
    const queue = this.engaged.get(member)
    if (queue === undefined || this.machines[queue]!.rungFor(member) === null) return
    this.tell(queue, { type: 'accepted', member })
  }

  ends(member: string): void {
    const queue = this.engaged.get(member)
    if (queue === undefined || this.machines[queue]!.doing(member, this.now) !== 'talking') return
    this.engaged.delete(member)
    this.dueAt.set(member, Math.max(this.dueAt.get(member) ?? 0, this.now + this.#wrapUps[queue]!))
    this.tell(queue, { type: 'done', member })
  }
}

for (const strategy of strategies) {
  t.test(`${strategy}: a talk of one queue is a rest in the other, of the length that its own queue says`, async (t) => {
    for (const [first, second] of [
      [8000, 8000],
      [8000, 0],
      [2000, 30_000],
    ] as const) {
      const house = new House([
        { wrapUpMs: first, strategy, members: ['102'] },
        { wrapUpMs: second, strategy, members: ['102'] },
      ])
      house.tell(0, { type: 'join', caller: 'a', priority: 0 })
      house.answers('102')
      house.passTo(5000)
      house.ends('102')
      house.tell(1, { type: 'join', caller: 'b', priority: 0 })
      t.equal(house.rung.length, 1)
      t.equal(house.machines[1]!.doing('102', house.now), 'resting')
      house.passTo(60_000)
      t.match(house.rung[1], { member: '102', queue: 1, at: 5000 + first }, `${first} ${second}`)
    }
  })
}

t.test('whatever happens in whichever queue, nobody is rung in a rest, and everybody after it', async () => {
  const step = fc.record({
    queue: fc.nat(2),
    member: fc.constantFrom('1', '2', '3'),
    deed: fc.constantFrom('join', 'answer', 'end', 'pass'),
    ms: fc.nat(20_000),
  })
  const queue = fc.record({
    wrapUpMs: fc.nat(30_000),
    strategy: fc.constantFrom(...strategies),
    members: fc.subarray(['1', '2', '3'], { minLength: 1 }),
  })
  fc.assert(
    fc.property(fc.array(queue, { minLength: 3, maxLength: 3 }), fc.array(step, { maxLength: 60 }), (queues, steps) => {
      const house = new House(queues)
      for (const [n, { queue: at, member, deed, ms }] of steps.entries()) {
        if (deed === 'join') house.tell(at, { type: 'join', caller: `c${n}`, priority: 0 })
        else if (deed === 'answer') house.answers(member)
        else if (deed === 'end') house.ends(member)
        else house.passTo(house.now + ms)
      }
      for (const member of ['1', '2', '3']) house.ends(member)
      house.passTo(house.now + 40_000)
      // As a queue does twice a second while somebody waits in it.
      for (const queue of house.machines.keys()) house.tell(queue, { type: 'look' })
      // A phone rings for each waiting caller, or nobody is free.
      return house.machines.every((machine, n) =>
        machine
          .callers()
          .every(
            ({ id }) =>
              queues[n]!.members.some((member) => machine.rungFor(member) === id) ||
              queues[n]!.members.every((member) => house.engaged.has(member) || machine.doing(member, house.now) === 'resting'),
          ),
      )
    }),
    { numRuns: 300 },
  )
})
