/** Pickup: a phone takes a call that rings elsewhere. The line is played. */
import t, { type Test } from 'tap'
import type { StandInLeg } from '../fax/stand-in-driver.ts'
import { Box } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'

async function house(t: Test, destination = '101', more: Record<string, unknown> = {}) {
  const extensions = ['101', '102', '103'].map((number) => ({ number, password, ...(number === '103' ? {} : { pickupGroup: 'front' }) }))
  const box = await Box.open(t, { channels: 5, more: { extensions, inbound: [{ trunk: '*', to: '*', destination }], ...more } })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const outside = async () => {
    const caller = box.driver.call()
    const call = box.calls.live().at(-1)!
    await box.quiet()
    return { caller, call }
  }
  const dials = async (extension: string, to: string): Promise<StandInLeg> => {
    const leg = box.driver.call({ trunkId: '', extension, from: extension, to })
    await box.quiet()
    await box.quiet()
    return leg
  }
  return { box, outside, dials }
}

t.test('by the group or by the number: the caller talks with who picked up, and the phone that rang stops', async (t) => {
  for (const [extension, code] of [
    ['102', '*8'],
    ['103', '*8101'],
  ] as const) {
    const { box, outside, dials } = await house(t)
    const { caller, call } = await outside()
    const rang = box.driver.legs.at(-1)!
    let joined: unknown = null
    caller.bridge = (other?: unknown) => {
      joined = other
      return true
    }
    const picks = await dials(extension, code)
    t.equal(rang.over, true, code)
    t.equal(joined, picks, code)
    t.match(call.row, { state: 'in-progress', activity: 'routed' })
    t.match(call.row.legs, [
      { to: '101', state: 'canceled' },
      { to: extension, state: 'in-progress' },
    ])
    picks.onEvent({ type: 'held' })
    t.equal(caller.music, true, 'it is a talk like others')
    caller.end()
    await box.quiet()
    t.equal(picks.over, true, code)
    t.same(box.calls.live(), [], code)
  }
})

t.test('of a ring group, from whichever of its phones', async (t) => {
  const { box, outside, dials } = await house(t, 'group:all', { ringGroups: [{ id: 'all', members: ['101', '102'] }] })
  const { caller } = await outside()
  const picks = await dials('103', '*8102')
  t.equal(
    box.driver.legs.every((leg) => leg.over),
    true,
  )
  picks.end()
  await box.quiet()
  t.equal(caller.over, true)
})

t.test('the oldest call first; nobody picks up what does not ring, nor of another group', async (t) => {
  const { box, outside, dials } = await house(t)
  await outside()
  const second = await outside()
  const stranger = await dials('103', '*8')
  t.equal(
    box.driver.legs.some((leg) => leg.over),
    false,
    'another group',
  )
  stranger.end()
  const one = await dials('102', '*8')
  t.equal(second.call.answered, false)
  one.end()
  await box.quiet()
  const other = await dials('102', '*8')
  t.equal(second.call.answered, true)
  other.end()
  await box.quiet()
  await dials('102', '*8101')
  t.equal(
    box.calls.live().some(({ row }) => row.activity === 'routed'),
    false,
  )
})

t.test('the phone that rings answers in the same moment: one of both talks, nobody is left behind', async (t) => {
  const { box, outside, dials } = await house(t)
  const { caller } = await outside()
  const rang = box.driver.legs.at(-1)!
  const picking = dials('102', '*8101')
  rang.pickUp()
  const picks = await picking
  await box.quiet()
  t.same([rang.over, picks.over].filter((over) => over).length <= 1, true)
  caller.end()
  await box.quiet()
  picks.end()
  rang.end()
  await box.quiet()
  t.same(box.calls.live(), [])
})
