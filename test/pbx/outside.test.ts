/** Calls of phones and applications to the outside, and for help. The line is played. */
import { emergencyNumberIn } from '../../daemon/pbx/emergency/numbers.ts'
import t, { type Test } from 'tap'
import type { LegEnd } from '../../drivers/line.ts'
import { planOutside } from '../../daemon/pbx/outside/plan.ts'
import type { Dialler } from '../../daemon/routing/destinations.ts'
import type { Call } from '../../daemon/calls/call.ts'
import type { StandInLeg } from '../fax/stand-in-driver.ts'
import { hostileInUs, honestInUs } from '../harness/dial-strings.ts'
import { Box, configOf } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'
const desk = (number: string, more: Record<string, unknown> = {}) => ({ number, name: `Desk ${number}`, password, ...more })
const outbound = [
  { to: '+1*', trunks: ['main', 'other'] },
  { to: '*', class: 'international', trunks: ['other'] },
]

async function house(t: Test, more: Record<string, unknown> = {}, channels = 5): Promise<Box> {
  const box = await Box.open(t, { channels, more: { extensions: [desk('101'), desk('102')], outbound, ...more } })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  return box
}

/** A phone dials. */
async function dials(box: Box, to: string, extension = '101'): Promise<{ phone: StandInLeg; call: Call }> {
  const phone = box.driver.call({ trunkId: '', extension, from: extension, to })
  const call = box.calls.live().at(-1)!
  await box.quiet()
  return { phone, call }
}

const says = (sipCode: number): Partial<LegEnd> => ({ by: 'remote', reason: 'rejected', sipCode })
const through = (box: Box): string[] =>
  box.driver.legs.map(({ request }) => (request?.via.kind === 'trunk' ? `${request.via.trunkId} ${request.to}` : `phone ${request?.to}`))

t.test('none of the hostile strings gets through, from a phone or by forward, with or without a prefix; the honest ones do', async (t) => {
  const numbers = { international: ['GB', '+4930*'] }
  const config = configOf('/tmp', {
    channels: 2,
    more: { outbound: [{ to: '*', trunks: ['main'] }], numbers, site: { country: 'US', outsidePrefix: '9' } },
  })
  for (const phone of [true, false]) {
    const dialler: Dialler = { classOfService: 'international', phone, shows: 'trunk' }
    const dialled = (text: string): string => {
      const plan = planOutside(config, text, dialler)
      return 'to' in plan ? plan.to : ''
    }
    t.same(
      // Behind the prefix of a phone this is a number in London.
      hostileInUs.filter((text) => dialled(text) !== '' && !(phone && text === '9011442079460000')),
      [],
    )
    t.same(
      hostileInUs.filter((text) => /^\d+$/.test(text) && dialled(`9${text}`) !== ''),
      [],
      'behind the prefix',
    )
    t.same(
      honestInUs.map(([text]) => dialled(text)),
      honestInUs.map(([, dial]) => dial),
    )
    t.equal(dialled('9(212)555-0101'), phone ? '+12125550101' : '', 'the prefix is for phones')
  }
  const box = await house(t, { numbers, outbound: [{ to: '*', trunks: ['main'] }] })
  // A call for help is what a phone may place, in whatever form.
  for (const text of hostileInUs.filter((one) => emergencyNumberIn(config, one) === null)) await dials(box, text)
  t.same(through(box), [], 'nothing was dialled')
})

t.test('class of service: what it does not include is refused, before any trunk', async (t) => {
  const numbers = { international: ['GB'] }
  const config = configOf('/tmp', { channels: 2, more: { outbound, numbers, site: { country: 'US', number: '+15550001000' } } })
  for (const [classOfService, local, national, abroad] of [
    ['internal', 403, 403, 403],
    ['local', 'main', 403, 403],
    ['national', 'main', 'main', 403],
    ['international', 'main', 'main', 'other'],
  ] as const) {
    const plan = (text: string) => {
      const made = planOutside(config, text, { classOfService, phone: true, shows: 'trunk' })
      return 'to' in made ? made.trunks[0] : made.sipCode
    }
    t.same([plan('+15551230001'), plan('+12125550100'), plan('+442079460000')], [local, national, abroad], classOfService)
  }
})

t.test('the next trunk: after 408, 5xx and silence before anybody was rung; never after busy, declined, not found', async (t) => {
  for (const [end, next] of [
    [says(408), true],
    [says(503), true],
    [says(500), true],
    [{ by: 'system', reason: 'unreachable', sipCode: 0 }, true],
    [says(486), false],
    [says(603), false],
    [says(404), false],
    [says(480), false],
  ] as const) {
    const box = await house(t)
    await dials(box, '5551230001')
    box.driver.legs[0]!.end(end)
    await box.quiet()
    t.same(through(box), next ? ['main +15551230001', 'other +15551230001'] : ['main +15551230001'], JSON.stringify(end))
  }
  const box = await house(t)
  const { phone } = await dials(box, '5551230001')
  box.driver.legs[0]!.ring()
  box.driver.legs[0]!.end(says(503))
  await box.quiet()
  t.equal(box.driver.legs.length, 1, 'somebody was rung')
  t.equal(phone.rejected, 503)
})

t.test('trunks that are silent have four seconds in all until the last one is dialled', async (t) => {
  const trunk = { server: '127.0.0.1', register: false, channels: 5 }
  const ids = ['one', 'two', 'three', 'four']
  const trunks = ids.map((id, n) => ({ ...trunk, id, numbers: [`+1555000${n}000`] }))
  const box = await house(t, { trunks, outbound: [{ to: '+1*', trunks: ids }] })
  await dials(box, '5551230001')
  const patience = () => box.driver.legs.map(({ request }) => request?.silenceMs)
  const silent = async (leg: number) => {
    await box.clock.advance(patience()[leg]!)
    box.driver.legs[leg]!.end({ by: 'system', reason: 'unreachable', sipCode: 0 })
    await box.quiet()
  }
  await silent(0)
  box.driver.legs[1]!.end(says(503))
  await box.quiet()
  await silent(2)
  t.equal(patience().at(-1), undefined)
  const [first = 0, second = 0, third = 0] = patience() as number[]
  t.equal(first, 1333)
  // The clock of the stage goes on by itself a little.
  t.ok(
    Math.abs(second - 1333) < 20 && Math.abs(third - 2667) < 40,
    `${second} and ${third} ms: who answers at once leaves their time to the others`,
  )
})

t.test('a trunk that is full or down is passed over', async (t) => {
  const full = await house(t, {}, 1)
  full.driver.call()
  await full.quiet()
  await dials(full, '5551230001')
  t.same(through(full).at(-1), 'other +15551230001')
  const down = await house(t)
  down.driver.trunkOk = false
  await dials(down, '5551230001')
  t.same(through(down), ['other +15551230001'])
})

t.test('a phone shows its own number where the trunk has it, and its minutes are counted', async (t) => {
  const box = await house(t, { extensions: [desk('101', { callerId: '+15550002000' })] })
  const { call } = await dials(box, '5551230001')
  t.match(box.driver.legs[0]!.request, { from: '+15550001000' }, 'not a number of main')
  box.driver.legs[0]!.end(says(503))
  await box.quiet()
  t.match(box.driver.legs[1]!.request, { from: '+15550002000' })
  box.driver.legs[1]!.pickUp()
  await box.quiet()
  t.match(call.row, { state: 'in-progress', activity: 'forwarded' })
  box.clock.advance(60_000)
  await box.quiet()
  const used = [...box.store.tables.usage.range()].map(({ value }) => JSON.stringify(value)).join(' ')
  t.match(used, /"callMinutes":2/)
})

t.test('without rules phones do not dial out; more calls abroad than allowed are refused', async (t) => {
  const none = await house(t, { outbound: [] })
  const { phone } = await dials(none, '5551230001')
  t.equal(phone.rejected, 404)
  const one = { international: ['GB'] }
  const box = await house(t, { numbers: one, limits: { internationalCalls: 1 }, extensions: [desk('101', { class: 'international' })] })
  await dials(box, '+442079460000')
  const second = await dials(box, '+442079460001')
  t.same(through(box), ['other +442079460000'])
  t.equal(second.phone.rejected, 403)
})

t.test('a call for help: before any rule, whatever the class, with the number of the site', async (t) => {
  const more = {
    extensions: [desk('101', { class: 'internal' })],
    inbound: [{ extension: '*', to: '*', destination: 'hangup' }],
    site: { country: 'US', number: '+15550001000', outsidePrefix: '9' },
  }
  for (const dialled of ['911', '112', '9911', '9112']) {
    const box = await house(t, more)
    const { call } = await dials(box, dialled)
    t.match(box.driver.legs[0]?.request, { to: dialled.length === 3 ? dialled : dialled.slice(1), from: '+15550001000' }, dialled)
    box.driver.legs[0]!.pickUp()
    await box.quiet()
    t.equal(call.row.state, 'in-progress')
  }
})

t.test('a call for help takes a channel from another call, tries every trunk, and is 503 where none gives way', async (t) => {
  const box = await house(t, { inbound: [{ trunk: '*', to: '*', destination: '102' }] }, 1)
  box.driver.call()
  await box.quiet()
  const [other] = box.calls.live()
  const { phone } = await dials(box, '911')
  await box.quiet()
  t.equal(other?.isTerminal, true, 'the other call has ended')
  t.equal(through(box).at(-1), 'main 911')
  box.driver.legs.at(-1)!.end(says(486))
  await box.quiet()
  t.equal(through(box).at(-1), 'other 911', 'busy is no reason to give up')
  box.driver.legs.at(-1)!.end(says(404))
  await box.quiet()
  t.equal(phone.rejected, 503)
})

t.test(
  'help goes by every own line, one that is known to be down too, before the line to another site; an ordinary call does not wait',
  async (t) => {
    const north = { id: 'north', server: '127.0.0.9:5060', transport: 'udp', password: 'between', extensions: '2xx' }
    const box = await house(t, { sites: [north], outbound: [{ to: '+1*', trunks: ['main', 'site:north'] }] })
    box.driver.trunkOk = false
    await dials(box, '911')
    for (const leg of [0, 1]) {
      box.driver.legs[leg]!.end(says(503))
      await box.quiet()
    }
    t.same(through(box), ['other 911', 'main 911', 'site:north 911'])
    await dials(box, '5551230001')
    t.equal(through(box).at(-1), 'site:north +15551230001')
  },
)
