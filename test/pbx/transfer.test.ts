/** Transfers: the remaining party keeps the call, with what rights they go on, and what is cut. The line is played. */
import t, { type Test } from 'tap'
import type { Call } from '../../daemon/calls/call.ts'
import type { StandInLeg } from '../fax/stand-in-driver.ts'
import { Box } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'

interface House {
  readonly box: Box
  readonly call: Call
  readonly caller: StandInLeg
  readonly callee: StandInLeg
  /** The far end of `leg` asks for a transfer; the statuses that it gets. */
  refer(leg: StandInLeg, to: string): number[]
  /** The last leg dialled. */
  last(): StandInLeg
}

/** 101 talks with `to`, whom it called; or somebody outside does, through the trunk. */
async function talk(t: Test, to = '102', more: Record<string, unknown> = {}, outside = false): Promise<House> {
  const extensions = ['101', '102', '103'].map((number) => ({ number, password, name: `Desk ${number}`, class: 'local' }))
  const inbound = outside ? [{ trunk: '*', to: '*', destination: to }] : []
  const outbound = [{ to: '*', trunks: ['main'] }]
  const box = await Box.open(t, { channels: 5, more: { extensions, inbound, outbound, ...more } })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const caller = outside ? box.driver.call() : box.driver.call({ trunkId: '', extension: '101', from: '101', to })
  const call = box.calls.live().at(-1)!
  await box.quiet()
  const last = () => box.driver.legs.at(-1)!
  const callee = last()
  callee.pickUp()
  await box.quiet()
  const refer = (leg: StandInLeg, number: string): number[] => {
    const told: number[] = []
    leg.asked!({ to: number, replaces: null, referredBy: '', progress: (code) => void told.push(code) })
    return told
  }
  return { box, call, caller, callee, refer, last }
}

t.test('who called transfers and is gone in the same moment: the call is that of whom they called', async (t) => {
  const { box, call, caller, callee, refer, last } = await talk(t)
  const told = refer(caller, '103')
  caller.end()
  await box.quiet()
  t.equal(call.isTerminal, false)
  t.match(last().request, { to: '103', from: '102', callerName: 'Desk 102' })
  last().ring()
  last().pickUp()
  await box.quiet()
  t.same(told, [180, 200])
  t.match(call.row, { state: 'in-progress', activity: 'routed' })
  callee.end()
  await box.quiet()
  t.equal(last().over, true)
  t.match(call.row, { state: 'completed', endReason: 'callee-hangup', endedBy: 'callee' })
  t.equal(call.row.legs?.length, 2)
  t.equal(
    call.row.legs?.every(({ endedAt }) => endedAt !== null),
    true,
  )
})

t.test('a transferor that does not hang up is hung up; one whose transfer fails is rung again', async (t) => {
  const { box, call, caller, callee, refer, last } = await talk(t)
  const told = refer(callee, '103')
  await box.quiet()
  last().pickUp()
  await box.quiet()
  t.equal(callee.over, false)
  box.clock.advance(3001)
  await box.quiet()
  t.equal(callee.over, true)
  t.same(told, [200])
  const third = last()
  const failed = refer(third, '102')
  await box.quiet()
  last().end({ reason: 'rejected', sipCode: 486 })
  await box.quiet()
  t.same(failed, [486])
  t.equal(third.over, true)
  await box.quiet()
  t.match(last().request, { to: '103' }, 'rung again')
  last().pickUp()
  await box.quiet()
  t.same([caller.over, call.isTerminal], [false, false])
})

t.test('a transfer that comes to a parking slot because nobody answers has succeeded there: whoever transferred is let go', async (t) => {
  const extensions = ['101', '102', '103'].map((number) => ({ number, password, ...(number === '103' ? { onNoAnswer: 'park:701' } : {}) }))
  const { box, caller, callee, refer, last } = await talk(t, '102', { extensions })
  const told = refer(callee, '103')
  await box.quiet()
  last().ring()
  await box.quiet()
  t.same(told, [180])
  last().end({ reason: 'no-answer', sipCode: 408 })
  await box.quiet()
  t.same(told, [180, 200])
  box.clock.advance(3001)
  await box.quiet()
  t.same([callee.over, caller.over], [true, false])
})

t.test('who is transferred leaves while the third rings: nobody rings any more, and whoever transferred is let go', async (t) => {
  const { box, callee, caller, refer, last } = await talk(t)
  refer(callee, '103')
  await box.quiet()
  caller.end()
  await box.quiet()
  t.equal(last().over, true)
  box.clock.advance(3001)
  await box.quiet()
  t.equal(callee.over, true)
})

t.test('a transfer to the outside has the class of the extension that asked', async (t) => {
  const abroad = await talk(t)
  const told = abroad.refer(abroad.callee, '011442079460000')
  await abroad.box.quiet()
  t.same(told, [403])
  t.equal(abroad.callee.over, true)
  await abroad.box.quiet()
  t.match(abroad.last().request, { to: '102', via: { kind: 'extension' } }, 'rung again')
})

t.test('from outside only where the trunk may, and to phones of the house alone', async (t) => {
  const may = (transfers: boolean) => ({
    trunks: [{ id: 'main', server: '127.0.0.1', register: false, channels: 3, numbers: ['+15550001000'], default: true, transfers }],
  })
  const refused = await talk(t, '102', may(false), true)
  t.equal(refused.caller.asked, null)
  const { box, caller, refer, last } = await talk(t, '102', may(true), true)
  const told = refer(caller, '103')
  await box.quiet()
  last().pickUp()
  await box.quiet()
  t.same(told, [200])
})

t.test('phones that send one another on without end are cut', async (t) => {
  const { box, call, callee, refer, last } = await talk(t)
  let at = callee
  let turns = 0
  while (!call.isTerminal && at.asked !== null && turns < 30) {
    refer(at, turns % 2 === 0 ? '103' : '102')
    turns += 1
    await box.quiet()
    if (last() === at) break
    at = last()
    at.pickUp()
    await box.quiet()
  }
  t.equal(turns, 11)
})

t.test('a transfer that fails is told as such, never as 200: whatever it leads to', async (t) => {
  const parking = { slots: 2, timeoutSeconds: 30 }
  const extensions = ['101', '102', '103'].map((number) => ({ number, password, class: 'local' }))
  const hours = [{ id: 'day', open: { mon: ['08:00-17:00'] }, whenOpen: '101', whenClosed: '101' }]
  const byHours = extensions.map((one) => (one.number === '103' ? { ...one, onBusy: 'hours:day' } : one))
  const table: readonly (readonly [string, string, Record<string, unknown>, number, number[]])[] = [
    ['busy', '103', {}, 486, [486]],
    ['nobody answers', '103', {}, 480, [480]],
    ['nobody may call that', '999', {}, 0, [403]],
    ['help', '911', {}, 0, [603]],
    ['a full box has no slot left', '700', { parking: { slots: 1, timeoutSeconds: 30 } }, 0, [486]],
    ['hours that lead to nobody who takes the call', '103', { hours, extensions: byHours }, 486, [486]],
  ]
  for (const [name, to, more, code, expected] of table) {
    const { box, callee, refer, last } = await talk(t, '102', { extensions, parking, ...more })
    if (name.startsWith('a full box')) {
      box.driver.call({ trunkId: '', extension: '103', from: '103', to: '700' })
      await box.quiet()
    }
    const told = refer(callee, to)
    await box.quiet()
    // Also the one to whom the first has sent it on.
    for (let rung = 0; rung < 2 && code > 0 && told.length === 0; rung += 1) {
      last().end({ reason: code === 480 ? 'no-answer' : 'rejected', sipCode: code })
      await box.quiet()
    }
    t.same(told, expected, name)
  }
})

t.test('a transfer to a slot parks there where nobody waits, and joins with who does', async (t) => {
  const { box, call, caller, callee, refer } = await talk(t, '102', { parking: { slots: 2, timeoutSeconds: 30 } })
  const told = refer(callee, '702')
  await box.quiet()
  t.same(told, [200])
  t.ok(call.trace.entries().some(({ text }) => text === 'parked at 702'))
  t.equal(caller.music, true)
  box.clock.advance(3001)
  await box.quiet()
  t.equal(callee.over, true)
  // Another pair: the one who is sent there has the parked one.
  const other = box.driver.call({ trunkId: '', extension: '103', from: '103', to: '102' })
  await box.quiet()
  const second = box.driver.legs.at(-1)!
  second.pickUp()
  await box.quiet()
  const joined = refer(second, '702')
  await box.quiet()
  t.same(joined, [200])
  t.equal(caller.music, false)
  box.clock.advance(3001)
  await box.quiet()
  t.same([second.over, other.over, caller.over], [true, false, false])
  other.end()
  await box.quiet()
  t.equal(caller.over, true)
  t.same(box.calls.live(), [])
})

t.test('two that are transferred to one empty slot in the same moment are parked in two, and not joined', async (t) => {
  const extensions = ['101', '102', '103', '104'].map((number) => ({ number, password, class: 'local' }))
  const { box, caller, callee, refer, last } = await talk(t, '102', { extensions, parking: { slots: 2, timeoutSeconds: 30 } })
  const other = box.driver.call({ trunkId: '', extension: '103', from: '103', to: '104' })
  await box.quiet()
  const second = last()
  second.pickUp()
  await box.quiet()
  const told = [refer(callee, '702'), refer(second, '702')]
  await box.quiet()
  t.same(told, [[200], [200]])
  t.same([caller.music, other.music], [true, true])
  const slots = box.calls.live().flatMap(({ trace }) => trace.entries().flatMap(({ text }) => /parked at (\d+)/.exec(text)?.[1] ?? []))
  t.same(slots, ['702', '701'])
})

t.test('a phone that waits in a slot gives its place to its partner', async (t) => {
  const { box, call, caller, callee } = await talk(t, '102', { parking: { slots: 2, timeoutSeconds: 30 } })
  const consult = box.driver.call({ trunkId: '', extension: '102', from: '102', to: '700' })
  const consulted = box.calls.live().at(-1)!
  await box.quiet()
  t.equal(consult.music, true)
  const told: number[] = []
  callee.asked!({ to: '700', replaces: consult, referredBy: '', progress: (code) => void told.push(code) })
  await box.quiet()
  t.same(told, [200])
  t.same([consult.over, consulted.row.endReason], [true, 'routed-ended'])
  t.ok(call.trace.entries().some(({ text }) => text === 'parked at 701'))
  t.equal(caller.music, true)
  t.notOk(
    box.driver.legs.some(({ request }) => request?.from === '701'),
    'the phone has heard the slot',
  )
})

t.test('only the phone that names an empty slot parks there: a call that comes on to one is refused', async (t) => {
  const { box, call, callee, refer, last } = await talk(t, '102', { parking: { slots: 2, timeoutSeconds: 30 } })
  await box.house.settings.change('103', { forwardAll: '702' })
  const told = refer(callee, '103')
  await box.quiet()
  t.same(told, [404])
  t.notOk(call.trace.entries().some(({ text }) => text.startsWith('parked at')))
  t.match(last().request, { to: '102' }, 'the phone that transferred has the call again')
})

t.test('nobody is put into the place of one who is parked', async (t) => {
  const extensions = ['101', '102', '103', '104'].map((number) => ({
    number,
    password,
    ...(number === '103' ? { onNoAnswer: 'park:701' } : {}),
  }))
  const { box, call, callee, refer, last } = await talk(t, '102', { extensions, parking: { slots: 2, timeoutSeconds: 30 } })
  const parked = box.driver.call({ trunkId: '', extension: '104', from: '104', to: '700' })
  await box.quiet()
  const told = refer(callee, '103')
  await box.quiet()
  last().end({ reason: 'no-answer', sipCode: 408 })
  await box.quiet()
  t.same(told, [200])
  t.ok(call.trace.entries().some(({ text }) => text === 'parked at 702'))
  t.equal(parked.music, true)
})
