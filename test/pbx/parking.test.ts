/** The slots of the parking: taken, announced, fetched, full, given back. The line is played. */
import t, { type Test } from 'tap'
import type { Call } from '../../daemon/calls/call.ts'
import type { StandInLeg } from '../fax/stand-in-driver.ts'
import { houseBox } from './talking.ts'

const timeoutSeconds = 30

/** Two slots; a phone that dials 700 is parked. */
async function lot(t: Test, more: Record<string, unknown> = {}) {
  const box = await houseBox(t, ['101', '102', '103', '104'], { parking: { slots: 2, timeoutSeconds, ...more } })
  const dials = (extension: string, to: string): { leg: StandInLeg; call: Call } => {
    const leg = box.driver.call({ trunkId: '', extension, from: extension, to })
    return { leg, call: box.calls.live().at(-1)! }
  }
  const slotOf = ({ trace }: Call): string[] => trace.entries().flatMap(({ text }) => /parked at (\d+)/.exec(text)?.[1] ?? [])
  return { box, dials, slotOf }
}

t.test('two that come in the same moment have a slot each; a third finds none', async (t) => {
  const { box, dials, slotOf } = await lot(t)
  const [one, other] = [dials('101', '700'), dials('102', '700')]
  await box.quiet()
  t.same([slotOf(one.call), slotOf(other.call)], [['701'], ['702']])
  const third = dials('103', '700')
  await box.quiet()
  t.same(slotOf(third.call), [])
  t.equal(third.leg.rejected, 486)
  one.leg.end()
  await box.quiet()
  const next = dials('103', '700')
  await box.quiet()
  t.same(slotOf(next.call), ['701'], 'the first free one')
})

t.test('who dials the slot talks with who is parked there; then the slot is free', async (t) => {
  const { box, dials } = await lot(t)
  const parked = dials('101', '700')
  await box.quiet()
  t.equal(parked.leg.music, true)
  const fetches = dials('103', '701')
  await box.quiet()
  t.equal(parked.leg.music, false)
  t.match(parked.call.row, { state: 'in-progress', activity: 'routed' })
  const late = dials('104', '701')
  await box.quiet()
  t.equal(late.leg.rejected, 480)
  fetches.leg.end()
  await box.quiet()
  t.same(box.calls.live(), [])
})

t.test('the time is up: nobody is in the slot any more, and the call goes on as one that nobody took', async (t) => {
  const { box, dials } = await lot(t)
  const parked = dials('101', '700')
  await box.quiet()
  box.clock.advance(timeoutSeconds * 1000 + 1)
  await box.quiet()
  const late = dials('103', '701')
  await box.quiet()
  t.equal(late.leg.rejected, 480)
  t.equal(parked.leg.music, false)
})

t.test('the number that parks calls is no slot, also where it stands among them', async (t) => {
  const { box, dials, slotOf } = await lot(t, { number: '701' })
  const parked = dials('101', '701')
  await box.quiet()
  t.same(slotOf(parked.call), ['702'])
  dials('103', '702')
  await box.quiet()
  t.match(parked.call.row, { state: 'in-progress', activity: 'routed' })
})
