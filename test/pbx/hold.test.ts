/** Hold: who hears music, and who is called back after two minutes. The line is played. */
import t, { type Test } from 'tap'
import type { Call } from '../../daemon/calls/call.ts'
import type { StandInLeg } from '../fax/stand-in-driver.ts'
import { Box } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'

interface Talking {
  readonly box: Box
  readonly call: Call
  readonly caller: StandInLeg
  readonly callee: StandInLeg
  /** Time goes by, and what happens by itself happens. */
  wait(seconds: number): Promise<void>
  /** The last leg dialled, where it is to this extension. */
  rung(number: string): StandInLeg
}

/** 101 talks with 102, whom it called. */
async function talk(t: Test, more: Record<string, unknown> = {}): Promise<Talking> {
  const extensions = ['101', '102', '103'].map((number) => ({ number, password, ...(number === '102' ? more : {}) }))
  const box = await Box.open(t, { channels: 5, more: { extensions, inbound: [] } })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const caller = box.driver.call({ trunkId: '', extension: '101', from: '101', to: '102' })
  const call = box.calls.live().at(-1)!
  await box.quiet()
  const callee = box.driver.legs.at(-1)!
  callee.pickUp()
  await box.quiet()
  const wait = async (seconds: number) => {
    box.clock.advance(seconds * 1000)
    await box.quiet()
  }
  const rung = (number: string) => {
    const leg = box.driver.legs.at(-1)!
    t.match(leg.request, { to: number })
    t.not(leg, callee)
    return leg
  }
  return { box, call, caller, callee, wait, rung }
}

t.test('who is on hold hears music, until the other is back; both may hold', async (t) => {
  const { caller, callee, box, call } = await talk(t)
  callee.onEvent({ type: 'held' })
  t.same([caller.music, callee.music], [true, false])
  caller.onEvent({ type: 'held' })
  t.same([caller.music, callee.music], [true, true])
  callee.onEvent({ type: 'resumed' })
  t.same([caller.music, callee.music], [false, true])
  caller.onEvent({ type: 'resumed' })
  t.same([caller.music, callee.music], [false, false])
  caller.end()
  await box.quiet()
  t.equal(call.row.endReason, 'caller-hangup')
})

t.test('who forgets somebody on hold is rung after two minutes, and has them again', async (t) => {
  for (const holder of ['callee', 'caller'] as const) {
    const talking = await talk(t)
    const { box, call, wait, rung } = talking
    const holds = talking[holder]
    const held = talking[holder === 'callee' ? 'caller' : 'callee']
    holds.onEvent({ type: 'held' })
    await wait(100)
    t.equal(box.driver.legs.length, 1, 'not yet')
    await wait(21)
    const again = rung(holder === 'callee' ? '102' : '101')
    t.equal(held.music, true)
    t.equal(again.request?.from, holder === 'callee' ? '101' : '102', 'who waits')
    again.pickUp()
    await box.quiet()
    t.equal(holds.over, true, 'the leg that held is gone')
    t.same([held.over, held.music, call.isTerminal], [false, false, false])
    again.onEvent({ type: 'held' })
    t.equal(held.music, true, 'and it may hold again')
    held.end()
    await box.quiet()
    t.equal(again.over, true)
    t.match(call.row, { state: 'completed', endReason: holder === 'callee' ? 'caller-hangup' : 'callee-hangup' })
    t.equal(
      call.row.legs?.every(({ endedAt }) => endedAt !== null),
      true,
    )
  }
})

t.test('who comes back while being rung has the call as it was; who does not is asked again, or others are', async (t) => {
  const { box, callee, caller, wait, rung } = await talk(t)
  callee.onEvent({ type: 'held' })
  await wait(121)
  const first = rung('102')
  callee.onEvent({ type: 'resumed' })
  await box.quiet()
  t.equal(first.over, true)
  t.same([caller.music, callee.over], [false, false])
  callee.onEvent({ type: 'held' })
  await wait(121)
  rung('102').end({ reason: 'no-answer', sipCode: 408 })
  await box.quiet()
  t.equal(caller.music, true, 'on hold as before')
  const before = box.driver.legs.length
  await wait(121)
  t.equal(box.driver.legs.length, before + 1, 'and rung again')
  caller.end()
  await box.quiet()
  t.equal(rung('102').over, true, 'who is on hold leaves: nobody rings any more')

  const other = await talk(t, { onNoAnswer: '103' })
  other.callee.onEvent({ type: 'held' })
  await other.wait(121)
  other.rung('102').end({ reason: 'no-answer', sipCode: 408 })
  await other.box.quiet()
  other.rung('103').pickUp()
  await other.box.quiet()
  t.same([other.callee.over, other.caller.music, other.call.isTerminal], [true, false, false])
})
