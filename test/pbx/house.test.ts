/** Phones and groups of the house: who is rung, who gets the call, and where it goes when nobody takes it. The line is played. */
import t, { type Test } from 'tap'
import type { LegEnd } from '../../drivers/line.ts'
import type { Call } from '../../daemon/calls/call.ts'
import type { StandInLeg } from '../fax/stand-in-driver.ts'
import { Box } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'
const extension = (number: string, more: Record<string, unknown> = {}) => ({ number, password, ...more })

interface House {
  readonly box: Box
  /** The caller. */
  readonly caller: StandInLeg
  readonly call: Call
  /** The last leg to this extension. */
  phone(number: string): StandInLeg
  /** Extensions in the order in which they were rung. */
  rung(): string[]
}

/** A box whose caller is sent to `destination`. */
async function called(t: Test, destination: string, more: Record<string, unknown>): Promise<House> {
  const box = await Box.open(t, { channels: 5, more: { inbound: [{ trunk: '*', to: '*', destination }], ...more } })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const caller = box.driver.call()
  const call = box.calls.live().at(-1)!
  await box.quiet()
  const rung = () => box.driver.legs.map(({ request }) => request!.to)
  return { box, caller, call, rung, phone: (number) => box.driver.legs.findLast(({ request }) => request!.to === number)! }
}

const says = (sipCode: number): Partial<LegEnd> => ({ by: 'remote', reason: 'rejected', sipCode })
const notThere: Partial<LegEnd> = { by: 'system', reason: 'failed', sipCode: 480 }
const front = (more: Record<string, unknown> = {}) => ({
  extensions: ['101', '102', '103'].map((number) => extension(number)),
  ringGroups: [{ id: 'front', members: ['101', '102'], ...more }],
})

t.test('the first who answers has the call; the others are told that it was completed elsewhere', async (t) => {
  const { box, call, phone, rung } = await called(t, 'group:front', front())
  t.same(rung(), ['101', '102'])
  const causes: (number | undefined)[] = []
  phone('101').hangup = (cause?: number) => void causes.push(cause)
  phone('102').pickUp()
  await box.quiet()
  t.same(causes, [26])
  t.match(call.row, { state: 'in-progress', activity: 'routed' })
  t.match(call.row.legs, [
    { to: '101', state: 'canceled' },
    { to: '102', state: 'in-progress' },
  ])
  phone('102').end()
  await box.quiet()
  t.equal(call.row.endReason, 'routed-ended')
})

t.test('two who answer in the same moment: one talks, the other is hung up, nobody hears a third', async (t) => {
  const { box, call, phone } = await called(t, 'group:front', front())
  const joined: StandInLeg[] = []
  const leg = call.leg as StandInLeg
  leg.bridge = (other?: unknown) => joined.push(other as StandInLeg) > 0
  phone('102').pickUp()
  phone('101').pickUp()
  await box.quiet()
  t.same(
    joined.map((other) => other.request!.to),
    ['102'],
  )
  t.equal(phone('101').over, true)
  t.equal(phone('102').over, false)
  t.equal(call.row.legs?.filter(({ state }) => state === 'in-progress').length, 1)
})

t.test('a caller who leaves while five phones ring: all stop in the same moment', async (t) => {
  const numbers = ['101', '102', '103', '104', '105']
  const { box, caller, call } = await called(t, 'group:front', {
    extensions: numbers.map((number) => extension(number)),
    ringGroups: [{ id: 'front', members: numbers }],
  })
  let stopped = 0
  for (const leg of box.driver.legs) leg.hangup = () => void (stopped += 1)
  caller.end({ reason: 'canceled', sipCode: 487 })
  t.equal(stopped, 5, 'before anything else happens')
  await box.quiet()
  t.equal(call.row.state, 'canceled')
})

t.test('who is on the telephone is not rung, and a phone does not ring for its own call', async (t) => {
  const { box, phone, rung } = await called(t, '101', front())
  phone('101').pickUp()
  await box.quiet()
  box.driver.call({ trunkId: '', extension: '102', to: '700', from: '102' })
  t.same(rung(), ['101'], 'no rule for 700')
  const second = await called(t, 'group:front', front())
  second.phone('102').pickUp()
  await second.box.quiet()
  second.box.driver.call()
  await second.box.quiet()
  t.same(second.rung(), ['101', '102', '101'])
})

t.test('a group goes on to onNoAnswer, whatever its members said', async (t) => {
  for (const [one, other] of [
    [says(486), says(486)],
    [notThere, notThere],
    [says(603), notThere],
  ]) {
    const { box, phone, rung } = await called(t, 'group:front', front({ onNoAnswer: '103' }))
    phone('101').end(one)
    phone('102').end(other)
    await box.quiet()
    t.same(rung(), ['101', '102', '103'])
  }
  const { box, rung } = await called(t, 'group:front', front({ onNoAnswer: '103', strategy: 'in-order', ringSeconds: 5 }))
  box.clock.advance(5000)
  await box.quiet()
  t.same(rung(), ['101', '102'])
  box.clock.advance(5000)
  await box.quiet()
  t.same(rung(), ['101', '102', '103'])
})

t.test('rotating: each call begins with the next member', async (t) => {
  const { box, caller, rung } = await called(t, 'group:front', front({ strategy: 'rotating' }))
  for (let left = caller, n = 0; n < 2; n += 1) {
    left.end({ reason: 'canceled', sipCode: 487 })
    await box.quiet()
    left = box.driver.call()
    await box.quiet()
  }
  t.same(rung(), ['101', '102', '101'])
})

t.test('an extension goes on by what became of the call', async (t) => {
  const desk = extension('101', { onBusy: '102', onNoAnswer: '103', onUnreachable: '104' })
  const more = { extensions: [desk, ...['102', '103', '104'].map((number) => extension(number))] }
  for (const [end, onwards] of [
    [says(486), '102'],
    [says(603), '102'],
    [{ ...says(408), by: 'system', reason: 'no-answer' }, '103'],
    [says(480), '103'],
    [notThere, '104'],
    [says(500), '104'],
  ] as const) {
    const { box, phone, rung } = await called(t, '101', more)
    t.equal(phone('101').request?.timeoutSeconds, 25, 'ringSeconds')
    phone('101').end(end)
    await box.quiet()
    t.same(rung(), ['101', onwards], JSON.stringify(end))
  }
})

t.test('without call waiting a second caller finds the extension busy', async (t) => {
  const more = { extensions: [extension('101', { callWaiting: false, onBusy: '102' }), extension('102')] }
  const { box, phone, rung } = await called(t, '101', more)
  phone('101').pickUp()
  await box.quiet()
  box.driver.call()
  await box.quiet()
  t.same(rung(), ['101', '102'])
})

t.test('then the site’s destination, then a spoken apology: never silence', async (t) => {
  const more = { site: { name: 'Clinic', country: 'US', fallbackDestination: '102' }, extensions: [extension('101'), extension('102')] }
  const { box, call, phone, rung } = await called(t, '101', more)
  phone('101').end(notThere)
  await box.quiet()
  t.same(rung(), ['101', '102'])
  phone('102').end(says(486))
  await box.quiet()
  t.same(box.apologies, [[call.id, 'nobody']])
})

t.test('destinations that lead to each other are cut', async (t) => {
  const more = { extensions: [extension('101', { onBusy: '102' }), extension('102', { onBusy: '101' })] }
  const { box, call, rung } = await called(t, '101', more)
  for (let n = 0; n < 20; n += 1) {
    box.driver.legs.at(-1)!.end(says(486))
    await box.quiet()
  }
  t.equal(rung().length, 11)
  t.same(box.apologies, [[call.id, 'nobody']])
  t.ok(call.trace.entries().some(({ text }) => text.includes('forwarded 10 times')))
})

const withOutside = (more: Record<string, unknown> = {}) => ({
  extensions: ['101', '103'].map((number) => extension(number)),
  ringGroups: [{ id: 'front', members: ['101', { external: '+15551230009' }], ringSeconds: 60, onNoAnswer: '103' }],
  ...more,
})

t.test('a member outside has the call when the key 1 is pressed there, not before and not by another key', async (t) => {
  const { box, call, phone, rung } = await called(t, 'group:front', withOutside())
  t.same(rung(), ['101', '+15551230009'])
  const outside = phone('+15551230009')
  const joined: unknown[] = []
  const leg = call.leg as StandInLeg
  leg.bridge = (other?: unknown) => joined.push(other) > 0
  outside.pickUp()
  await box.quiet()
  t.equal(call.answered, false, 'the caller hears it ring on')
  t.equal(phone('101').over, false, 'the phone rings on')
  const press = (digit: string) => outside.onEvent({ type: 'digit', digit, method: 'rfc4733', durationMs: 100 })
  press('5')
  await box.quiet()
  t.equal(joined.length, 0)
  press('1')
  await box.quiet()
  t.same(joined, [outside])
  t.equal(phone('101').over, true)
  t.match(call.row, { state: 'in-progress' })
})

t.test('a machine that answers outside does not have the call: it is let go, and the phones ring on', async (t) => {
  const { box, call, phone } = await called(t, 'group:front', withOutside())
  phone('+15551230009').pickUp()
  await box.quiet()
  box.clock.advance(20_000)
  await box.quiet()
  t.equal(phone('+15551230009').over, true)
  t.equal(phone('101').over, false)
  phone('101').pickUp()
  await box.quiet()
  t.match(call.row, { state: 'in-progress' })
  t.match(call.row.legs, [{ to: '101', state: 'in-progress' }, { to: '+15551230009' }])
})

t.test('the caller leaves while somebody outside is asked: both are let go', async (t) => {
  const { box, caller, phone } = await called(t, 'group:front', withOutside())
  phone('+15551230009').pickUp()
  await box.quiet()
  caller.end({ by: 'remote', reason: 'canceled', sipCode: 487 })
  await box.quiet()
  t.equal(phone('+15551230009').over, true)
  t.equal(phone('101').over, true)
})

t.test('a member outside whom nobody may call is refused with the configuration', async (t) => {
  const wrong = (external: string) =>
    called(t, 'group:front', withOutside({ ringGroups: [{ id: 'front', members: ['101', { external }] }] }))
  await t.rejects(wrong('+19005551234'))
  await t.rejects(wrong('911'))
})
