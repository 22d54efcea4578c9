/** What a conversation of a queue leaves behind: its member's rest, or nothing where it was none. The line is played. */
import t from 'tap'
import type { StandInLeg } from '../../fax/stand-in-driver.ts'
import type { Box } from '../../routing/stage.ts'
import { call, open, pass } from './stage.ts'

const rung = (box: Box) => box.driver.legs.map(({ request }) => request!.to)
const phone = (box: Box, number: string): StandInLeg => box.driver.legs.findLast(({ request }) => request!.to === number)!

t.test(
  'a talk of one queue leaves its member alone in the other; a call to the extension rings all the same, and leaves no pause',
  async (t) => {
    const queue = (id: string, wrapUpSeconds: number) => ({ id, members: ['101'], onEmpty: '104', onTimeout: '104', wrapUpSeconds })
    const inbound = [
      { trunk: '*', to: '+15550001001', destination: 'queue:billing' },
      { trunk: '*', to: '*', destination: 'queue:nurses' },
    ]
    const box = await open(t, {}, { queues: [queue('nurses', 8), queue('billing', 2)], inbound })
    const talk = async (to?: string): Promise<void> => {
      await call(box, to === undefined ? {} : { to })
      phone(box, '101').pickUp()
      await pass(box, 2)
      phone(box, '101').end()
      await box.quiet()
    }
    const waits = async (to?: string): Promise<number> => {
      const before = rung(box).length
      await call(box, to === undefined ? {} : { to })
      for (let halves = 0; ; halves += 1) {
        if (rung(box).length > before) return halves / 2
        await pass(box, 0.5)
      }
    }
    await talk()
    const seconds = await waits('+15550001001')
    t.ok(seconds >= 7 && seconds <= 8, `${seconds} s`)
    phone(box, '101').pickUp()
    await pass(box, 2)
    phone(box, '101').end()
    await box.quiet()
    const own = await waits()
    t.ok(own >= 1 && own <= 2, `${own} s`)
    phone(box, '101').pickUp()
    await pass(box, 2)
    phone(box, '101').end()
    await box.quiet()
    box.driver.call({ trunkId: '', extension: '103', from: '103', to: '101' })
    await box.quiet()
    t.match(phone(box, '101').request, { from: '103' }, 'a call to the extension rings in the pause')
    phone(box, '101').pickUp()
    await pass(box, 10)
    phone(box, '101').end()
    await box.quiet()
    t.equal(await waits(), 0, 'and leaves none')
  },
)

t.test('a member who answers and hangs up at once costs the caller nothing: the place is kept', async (t) => {
  const box = await open(t, { members: ['101', '102'] })
  const first = await call(box)
  const second = await call(box)
  phone(box, '101').pickUp()
  await box.quiet()
  phone(box, '101').end()
  await box.quiet()
  t.same([first.over, second.over], [false, false])
  t.same(rung(box).at(-1), '101', 'whoever is free is rung for the first')
  const again = phone(box, '101')
  again.pickUp()
  await box.quiet()
  const talks = box.calls.live().find((one) => one.leg === first)!
  t.match(talks.row, { activity: 'routed' })
  await pass(box, 1)
  again.end()
  await box.quiet()
  t.equal(first.over, true, 'a talk of more than a second is one')
  t.match(talks.row, { endReason: 'routed-ended', endedBy: 'callee' })
})
