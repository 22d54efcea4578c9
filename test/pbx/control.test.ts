/** What people do with a call from a page: in which state of a call each deed is possible, and what becomes of those who are in it. The line is played. */
import t, { type Test } from 'tap'
import { CallControl } from '../../daemon/pbx/control/control.ts'
import type { StandInLeg } from '../fax/stand-in-driver.ts'
import { Box } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'

async function house(t: Test, inbound = '101', more: Record<string, unknown> = {}) {
  const extensions = ['101', '102', '103'].map((number) => ({ number, password, class: 'national' }))
  const rules = [{ trunk: '*', to: '*', destination: inbound }]
  const queues = [{ id: 'nurses', members: ['102'] }]
  const box = await Box.open(t, {
    channels: 5,
    more: { extensions, inbound: rules, queues, mailboxes: [{ ext: '101' }], outbound: [{ trunks: ['main'] }], ...more },
  })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const { config, calls, clock, routing } = box
  const { destinations, trunks } = routing
  const { talks, slots, settings, help } = box.house
  const control = new CallControl({
    ...{ config, calls, trunks, destinations, talks, settings, clock },
    isHelp: (number) => help.numberIn(number) !== null,
    mustBeKnown: () => undefined,
  })
  const park = (callId: string): void => control.sendTo(callId, null, (call) => slots.placeFor(call))
  /** Somebody from outside; the last leg that was dialled is the phone that rings. */
  const caller = async (): Promise<{ leg: StandInLeg; id: string; phone: StandInLeg }> => {
    const leg = box.driver.call()
    const { id } = box.calls.live().at(-1)!
    await box.quiet()
    await box.quiet()
    return { leg, id, phone: box.driver.legs.at(-1)! }
  }
  const talking = async () => {
    const one = await caller()
    one.phone.pickUp()
    await box.quiet()
    await box.quiet()
    return one
  }
  const last = (): StandInLeg => box.driver.legs.at(-1)!
  const settle = async (): Promise<void> => {
    await box.quiet()
    await box.quiet()
  }
  return { box, control, park, caller, talking, last, settle, slots }
}

const code = (wanted: string) => ({ name: 'ApiError', code: wanted })
type House = Awaited<ReturnType<typeof house>>

/** A call in each state; the deeds that are possible then, of those that can be refused for it. */
const states: readonly [what: string, make: (h: House) => Promise<string>, possible: readonly string[], inbound?: string][] = [
  ['rings', async (h) => (await h.caller()).id, ['take', 'move', 'park', 'end']],
  ['waits in a queue', async (h) => (await h.caller()).id, ['take', 'move', 'park', 'end'], 'queue:nurses'],
  ['talks', async (h) => (await h.talking()).id, ['move', 'park', 'end']],
  [
    'is parked',
    async (h) => {
      const { id } = await h.talking()
      h.park(id)
      await h.settle()
      return id
    },
    ['take', 'move', 'end'],
  ],
  [
    'has ended',
    async (h) => {
      const { id, leg } = await h.talking()
      leg.end()
      await h.settle()
      return id
    },
    [],
  ],
  [
    'is one for help',
    async (h) => {
      h.box.driver.call({ trunkId: '', extension: '103', from: '103', to: '911' })
      await h.settle()
      return h.box.calls.live().at(-1)!.id
    },
    [],
  ],
]

for (const [what, make, possible, inbound] of states) {
  t.test(`a call that ${what}: a page offers what is done`, async (t) => {
    const h = await house(t, inbound)
    t.same(
      h.control.deedsOf(await make(h)),
      possible.filter((deed) => deed !== 'park'),
    )
  })
  for (const deed of ['take', 'move', 'park', 'end'] as const) {
    t.test(`a call that ${what}: ${deed} is ${possible.includes(deed) ? 'done' : 'refused'}`, async (t) => {
      const h = await house(t, inbound)
      const id = await make(h)
      const did = async (): Promise<void> => {
        if (deed === 'take') await h.control.take(id, '102', () => undefined)
        else if (deed === 'move') h.control.move(id, '103', null)
        else if (deed === 'park') h.park(id)
        else h.control.end(id)
      }
      if (possible.includes(deed)) await t.resolves(did())
      else await t.rejects(did(), code(what === 'has ended' ? 'call_ended' : 'not_now'))
    })
  }
}

t.test('taken at another phone: that one rings, answers and talks; the one that rang before stops; the call is one call', async (t) => {
  const { box, control, caller, last, settle } = await house(t)
  const { id, phone } = await caller()
  let recorded = false
  await control.take(id, '102', () => (recorded = true))
  t.ok(recorded)
  const taking = last()
  t.match(taking.request, { to: '102', headers: { 'Answer-Mode': 'Auto' } })
  t.equal(phone.over, false, 'it rings until somebody has the call')
  taking.pickUp()
  await settle()
  t.equal(phone.over, true)
  const call = box.calls.get(id)!
  t.match(call.row.legs, [
    { to: '101', state: 'canceled' },
    { to: '102', state: 'in-progress' },
  ])
  const other = box.calls.live().find((one) => one.id !== id)!
  t.equal(other.row.rev, undefined, 'the call by which it was taken has no record')
  taking.end()
  await settle()
  t.same(box.calls.live(), [])
})

t.test('the caller leaves before the phone that is to take the call is answered: it stops ringing', async (t) => {
  const { box, control, caller, last, settle } = await house(t)
  const { id, leg } = await caller()
  await control.take(id, '102', () => undefined)
  leg.end()
  await settle()
  t.equal(last().over, true)
  t.same(box.calls.live(), [])
})

t.test('two take one call: the faster has it, the other phone is released', async (t) => {
  const { control, caller, last, settle } = await house(t)
  const { id } = await caller()
  await control.take(id, '102', () => undefined)
  const first = last()
  await control.take(id, '103', () => undefined)
  const second = last()
  second.pickUp()
  await settle()
  first.pickUp()
  await settle()
  t.same([first.over, second.over], [true, false])
})

t.test('moved while it rings, the next phone rings instead; moved while it talks, the phone of the house leaves', async (t) => {
  const { box, control, caller, talking, last, settle } = await house(t)
  const ringing = await caller()
  control.move(ringing.id, '102', null)
  await settle()
  t.same([ringing.phone.over, last().request?.to], [true, '102'])
  ringing.leg.end()
  await settle()
  const one = await talking()
  control.move(one.id, '102', null)
  await settle()
  t.same([one.phone.over, one.leg.over, last().request?.to], [true, false, '102'])
  t.match(box.calls.get(one.id)!.row.transfers, [{ to: '102', kind: 'blind' }])
  last().pickUp()
  await settle()
  t.equal(one.leg.over, false)
})

t.test('moved where nobody takes it, the phone that had it rings again', async (t) => {
  const { control, talking, last, settle } = await house(t)
  const { id, leg } = await talking()
  control.move(id, '102', null)
  await settle()
  last().end({ by: 'remote', reason: 'rejected', sipCode: 486, cause: 17, text: '' })
  await settle()
  t.same([leg.over, last().request?.to], [false, '101'])
})

t.test('of two phones that talk the own one leaves, wherever it stands', async (t) => {
  for (const own of ['101', '102']) {
    const { box, control, last, settle } = await house(t)
    const from = box.driver.call({ trunkId: '', extension: '101', from: '101', to: '102' })
    await settle()
    const to = last()
    to.pickUp()
    await settle()
    control.move(box.calls.live()[0]!.id, '103', own)
    await settle()
    t.same([from.over, to.over, last().request?.to], [own === '101', own === '102', '103'], own)
  }
})

t.test('parked, the caller waits in a slot without an announcement; of a queue the caller counts as sent on', async (t) => {
  const { park, talking, settle, slots, box } = await house(t)
  const { id, phone, leg } = await talking()
  const before = box.driver.legs.length
  park(id)
  await settle()
  t.match(slots.list()[0], { slot: '701', call: { by: '101' } })
  t.same([phone.over, leg.over, leg.music, box.driver.legs.length], [true, false, true, before])
  const queue = await house(t, 'queue:nurses')
  const waiting = await queue.caller()
  queue.control.move(waiting.id, '103', null)
  await queue.settle()
  t.equal(queue.last().request?.to, '103')
  t.match(queue.box.queues.get('nurses')!.figures.today, { offered: 1, sentOn: 1, abandoned: 0 })
  t.same(queue.box.queues.get('nurses')!.machine.callers(), [])
})

/** Where a call cannot be sent, and why. */
const refused: readonly [to: string, own: string | null, code: string][] = [
  ['abc', '101', 'number_invalid'],
  ['999', '101', 'destination_denied'],
  ['199', null, 'number_invalid'],
  ['voicemail:999', '101', 'number_invalid'],
  ['queue:none', '101', 'number_invalid'],
  ['911', '101', 'destination_denied'],
  ['+15557654321', null, 'destination_denied'],
  ['+4915112345678', '101', 'destination_denied'],
]
for (const [to, own, wanted] of refused)
  t.test(`a call that rings is not sent to ${to} (${own ?? 'nobody'}'s rights): ${wanted}`, async (t) => {
    const { control, caller } = await house(t)
    const { id, phone } = await caller()
    t.throws(() => control.move(id, to, own), code(wanted))
    t.equal(phone.over, false, 'and rings on')
  })

t.test('a phone that is not there takes nothing, and nothing is sent to it', async (t) => {
  const { control, caller, box } = await house(t)
  const { id } = await caller()
  box.driver.absent.add('103')
  await t.rejects(
    control.take(id, '103', () => undefined),
    code('extension_unavailable'),
  )
  await t.rejects(
    control.take(id, '555', () => undefined),
    code('extension_unknown'),
  )
  t.throws(() => control.move(id, '103', null), code('extension_unavailable'))
})

t.test('all slots are taken: nothing is parked', async (t) => {
  const { park, caller, settle } = await house(t, '101', { parking: { slots: 1 } })
  for (const parks of [true, false]) {
    const { id } = await caller()
    if (parks) park(id)
    else t.throws(() => park(id), code('not_now'))
    await settle()
  }
})
