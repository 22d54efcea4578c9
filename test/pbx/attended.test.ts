/** Attended transfers, and calls that take another's place: who was with whom, and how each call ends. The line is played. */
import t, { type Test } from 'tap'
import type { Call } from '../../daemon/calls/call.ts'
import type { StandInLeg } from '../fax/stand-in-driver.ts'
import { houseBox } from './talking.ts'

interface Two {
  readonly call: Call
  readonly caller: StandInLeg
  readonly callee: StandInLeg
}

/** `from` and `to` talk. */
type Talk = (from: string, to: string) => Promise<Two>

async function open(t: Test): Promise<{ box: Awaited<ReturnType<typeof houseBox>>; talk: Talk; bridged: Map<StandInLeg, StandInLeg> }> {
  const box = await houseBox(t, ['101', '102', '103', '104'])
  const bridged = new Map<StandInLeg, StandInLeg>()
  const watch = (leg: StandInLeg): void => {
    leg.bridge = (other?: unknown) => {
      bridged.set(leg, other as StandInLeg).set(other as StandInLeg, leg)
      return true
    }
  }
  const talk: Talk = async (from, to) => {
    const caller = box.driver.call({ trunkId: '', extension: from, from, to })
    watch(caller)
    const call = box.calls.live().at(-1)!
    await box.quiet()
    const callee = box.driver.legs.at(-1)!
    watch(callee)
    callee.pickUp()
    await box.quiet()
    return { call, caller, callee }
  }
  return { box, talk, bridged }
}

t.test('both ways round, whichever of its two calls names the other: those who stay talk, and both calls end once', async (t) => {
  // Where 101 has its leg of either call.
  for (const first of ['caller', 'callee'] as const) {
    for (const second of ['caller', 'callee'] as const) {
      const { box, talk, bridged } = await open(t)
      const one = first === 'caller' ? await talk('101', '102') : await talk('102', '101')
      const two = second === 'caller' ? await talk('101', '103') : await talk('103', '101')
      const stays = first === 'caller' ? one.callee : one.caller
      const gets = second === 'caller' ? two.callee : two.caller
      const told: number[] = []
      one[first].onEvent({ type: 'held' })
      one[first].asked!({ to: '103', replaces: two[second], referredBy: '', progress: (code) => void told.push(code) })
      // Both at once, as phones do.
      one[first].end()
      two[second].end()
      await box.quiet()
      const name = `${first} ${second}`
      t.same(told, [200], name)
      t.equal(bridged.get(stays), gets, name)
      t.same([stays.over, gets.over, stays.music], [false, false, false], name)
      gets.onEvent({ type: 'held' })
      t.equal(stays.music, true, `${name}: hold goes on`)
      gets.onEvent({ type: 'resumed' })
      gets.end()
      await box.quiet()
      t.equal(stays.over, true, name)
      for (const { call } of [one, two]) {
        t.equal(call.row.state, 'completed', name)
        t.equal(
          call.row.legs?.every(({ endedAt }) => endedAt !== null),
          true,
          name,
        )
      }
    }
  }
})

t.test('those who were brought together may transfer again, either of them', async (t) => {
  for (const again of ['stays', 'gets'] as const) {
    const { box, talk } = await open(t)
    const one = await talk('101', '102')
    const two = await talk('101', '103')
    one.caller.asked!({ to: '103', replaces: two.caller, referredBy: '', progress: () => undefined })
    one.caller.end()
    two.caller.end()
    await box.quiet()
    const [leaves, left] = again === 'stays' ? [one.callee, two.callee] : [two.callee, one.callee]
    leaves.asked!({ to: '104', replaces: null, referredBy: '', progress: () => undefined })
    leaves.end()
    await box.quiet()
    const last = box.driver.legs.at(-1)!
    t.match(last.request, { to: '104', from: again === 'stays' ? '103' : '102' }, again)
    last.pickUp()
    await box.quiet()
    t.same([last.over, left.over], [false, false], again)
    last.end()
    await box.quiet()
    t.equal(left.over, true, again)
    t.same(box.calls.live(), [], again)
    for (const { call } of [one, two])
      t.equal(
        call.row.legs?.every(({ endedAt }) => endedAt !== null),
        true,
        again,
      )
  }
})

t.test('nobody is transferred into its own talk, nor to a call that talks to nobody', async (t) => {
  const { box, talk } = await open(t)
  const one = await talk('101', '102')
  const told: number[] = []
  one.caller.asked!({ to: '102', replaces: one.caller, referredBy: '', progress: (code) => void told.push(code) })
  one.caller.asked!({ to: '102', replaces: box.driver.legs.at(-1)!, referredBy: '', progress: (code) => void told.push(code) })
  await box.quiet()
  t.same(told, [603, 603])
  t.same([one.caller.over, one.callee.over], [false, false])
})

t.test('a phone takes the place of another in its talk, of who called or who was called; a talk that is not there is 481', async (t) => {
  for (const place of ['caller', 'callee'] as const) {
    const { box, talk } = await open(t)
    const one = await talk('101', '102')
    const arrive = (replaced: StandInLeg | null): StandInLeg => {
      const { driver } = box
      const admitted = box.replacing
      box.replacing = (call) => box.house.talks.takePlace(call, { leg: replaced, callId: 'a', toTag: 'b', fromTag: 'c', early: false })
      const leg = driver.call({ trunkId: '', extension: '103', from: '103', to: '101' })
      box.replacing = admitted
      return leg
    }
    const comes = arrive(one[place])
    await box.quiet()
    t.equal(one[place].over, true, place)
    const stays = place === 'caller' ? one.callee : one.caller
    t.same([stays.over, comes.over], [false, false], place)
    const late = arrive(one[place])
    await box.quiet()
    t.equal(late.rejected, 481)
    comes.end()
    await box.quiet()
    t.equal(stays.over, true, place)
    t.same(box.calls.live(), [], place)
  }
})

t.test('a consultation that still rings is given up, and who stays rings in its place', async (t) => {
  for (const by of ['caller', 'callee'] as const) {
    const { box, talk } = await open(t)
    const one = by === 'caller' ? await talk('101', '102') : await talk('102', '101')
    const stays = by === 'caller' ? one.callee : one.caller
    const consulting = box.driver.call({ trunkId: '', extension: '101', from: '101', to: '103' })
    const consult = box.calls.live().at(-1)!
    await box.quiet()
    const rung = box.driver.legs.at(-1)!
    rung.ring()
    await box.quiet()
    const told: number[] = []
    one[by].asked!({ to: '103', replaces: consulting, referredBy: '', progress: (code) => void told.push(code) })
    await box.quiet()
    t.equal(consulting.rejected, 487, by)
    t.equal(rung.over, true, `${by}: the old call does not ring any more`)
    const again = box.driver.legs.at(-1)!
    t.not(again, rung)
    t.match(again.request, { to: '103', from: '102', callerName: 'Desk 102' })
    again.ring()
    await box.quiet()
    t.same(told, [180])
    again.pickUp()
    await box.quiet()
    t.same(told, [180, 200])
    box.clock.advance(3001)
    await box.quiet()
    t.same([one[by].over, stays.over, again.over], [true, false, false], by)
    t.match(consult.row, { state: 'canceled', endReason: 'canceled' })
    again.end()
    await box.quiet()
    t.same(box.calls.live(), [], by)
  }
})

t.test('where nobody answers such a transfer, its phone is rung again; a call for help that rings is left alone', async (t) => {
  const { box, talk } = await open(t)
  const one = await talk('101', '102')
  const consulting = box.driver.call({ trunkId: '', extension: '101', from: '101', to: '103' })
  await box.quiet()
  const told: number[] = []
  one.caller.asked!({ to: '103', replaces: consulting, referredBy: '', progress: (code) => void told.push(code) })
  await box.quiet()
  box.driver.legs.at(-1)!.end({ reason: 'rejected', sipCode: 486 })
  await box.quiet()
  t.same(told, [486])
  t.match(box.driver.legs.at(-1)!.request, { to: '101' }, 'rung again')

  const other = await open(t)
  const two = await other.talk('101', '102')
  const helps = other.box.driver.call({ trunkId: '', extension: '101', from: '101', to: '911' })
  await other.box.quiet()
  two.caller.asked!({ to: '911', replaces: helps, referredBy: '', progress: (code) => void told.push(code) })
  await other.box.quiet()
  t.same(told, [486, 603])
  t.same([helps.over, two.caller.over, two.callee.over], [false, false, false])
})
