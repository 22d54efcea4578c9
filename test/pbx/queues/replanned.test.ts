/** A queue whose configuration becomes another while callers wait in it. */
import t from 'tap'
import { QueueMachine, type QueueInput, type QueueOrder, type QueuePlan } from '../../../daemon/pbx/queues/queue-machine.ts'
import { Rests } from '../../../daemon/pbx/queues/member-table.ts'

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
  if (order.order === 'send') return `send ${order.caller}: ${order.why}`
  return 'member' in order && 'caller' in order ? `${order.order} ${order.member} for ${order.caller}` : order.order
}

const caller = (name: string): QueueInput => ({ type: 'join', caller: name, priority: 0 })
const accepted = (member: string): QueueInput => ({ type: 'accepted', member })
const done = (member: string): QueueInput => ({ type: 'done', member })
const busy = (member: string): QueueInput => ({ type: 'ended', member, outcome: 'busy' })

t.test('another configuration: callers keep their places, who rings or talks finishes, and is rung no more when no member', async (t) => {
  const staff = { rests: new Rests(), isThere: () => true, isFree: () => true }
  const machine = new QueueMachine(plan({ members: ['1', '2'] }), staff, 0)
  const step = (input: QueueInput, at: number): string[] => machine.step(input, at).map(written)
  t.same(step(caller('a'), 0), ['ring 1 for a'])
  t.same(step(accepted('1'), 1000), ['connect 1 for a'])
  t.same(step(caller('b'), 2000), ['ring 2 for b'])
  t.same(step(caller('c'), 3000), [])
  machine.replan(plan({ members: ['3'], wrapUpMs: 0 }), 4000)
  t.same(step({ type: 'look' }, 4000), ['ring 3 for c'], 'a new member is rung for who waits')
  t.same(step(accepted('2'), 5000), ['connect 2 for b'], 'who rang may still answer')
  t.same([machine.doing('1', 5000), machine.doing('2', 5000)], ['talking', 'talking'])
  t.same(step(done('1'), 6000), [])
  t.same(step(done('2'), 7000), [])
  t.same(step(busy('3'), 8000), [])
  t.same(step(caller('d'), 9000), [], 'neither 1 nor 2 is rung')
  machine.replan(plan({ members: ['3', '1'], maxCallers: 2 }), 10_000)
  t.same(step({ type: 'look' }, 10_000), ['ring 1 for c'], 'a member again')
  t.same(step(caller('e'), 11_000), ['send e: full'])
})

t.test('a queue without members any more sends on who waits in it', async (t) => {
  const machine = new QueueMachine(plan({ members: ['1'] }), { rests: new Rests(), isThere: () => true, isFree: () => false }, 0)
  t.same(machine.step(caller('a'), 0), [])
  machine.replan(plan({ members: [] }), 1000)
  t.same(machine.step({ type: 'look' }, 1000).map(written), ['send a: empty'])
})
