/** Several may watch the same, and none takes the place of another; where one alone can answer, a second is refused. */
import t from 'tap'
import { HelpedCalls } from '../../drivers/sip/driver-types.ts'
import { LampBook } from '../../drivers/sip/lamps.ts'
import { ReplacingCalls } from '../../drivers/sip/replacing.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import type { Call } from '../../daemon/calls/call.ts'
import { ParkingSlots } from '../../daemon/pbx/parking/slots.ts'
import { QueueMembers } from '../../daemon/pbx/queues/members.ts'
import { Box } from '../routing/stage.ts'

t.test('each of two observers is called for the same', async (t) => {
  const box = await Box.open(t, { channels: 2 })
  const { calls, config, store, clock } = box
  const slots = new ParkingSlots(config)
  const members = new QueueMembers(store, clock)
  const helped = new HelpedCalls()
  const told: string[] = []
  const both = (what: string) => [() => void told.push(`${what} first`), () => void told.push(`${what} second`)]
  for (const tell of both('call')) calls.onChange(tell)
  for (const work of both('row')) calls.onWrite(work)
  for (const tell of both('slot')) slots.onChange(tell)
  for (const tell of both('member')) members.onChange(tell)
  for (const tell of both('help')) helped.onHelped(tell)
  for (const tell of both('override')) box.house.overrides.onChange(tell)
  const heard = (): readonly string[] => told.splice(0)
  const call = calls.add(newCallRow(clock.now(), 'inbound'))
  heard()
  calls.changed(call)
  t.same(heard(), ['call first', 'call second'])
  await calls.begin(newCallRow(clock.now(), 'inbound'), () => undefined)
  t.same(heard(), ['row first', 'row second'])
  slots.put('701', { time: clock } as unknown as Call)
  t.same(heard(), ['slot first', 'slot second'])
  await members.change('sales', '101', { action: 'logout' })
  t.same(heard(), ['member first', 'member second'])
  helped.receive({ t: 'helped', number: '911', extension: '101', source: '192.0.2.1', at: 1, lost: false })
  t.same(heard(), ['help first', 'help second'])
  await box.house.overrides.set('office', null)
  t.same(heard(), ['override first', 'override second'])
})

t.test('one alone answers a lamp, and a call that replaces another', async (t) => {
  const lamps = new LampBook({ send: () => undefined, realm: () => 'pbx', fault: (error) => t.error(error) })
  const served: string[] = []
  lamps.onLamp(() => {
    served.push('first')
    return { refreshed: () => undefined, ended: () => undefined }
  })
  t.throws(() => lamps.onLamp(() => t.fail('the second serves') as never), /served already/)
  lamps.receive({ t: 'subscribe', subscription: 1, extension: '102', event: 'dialog', to: '101', seconds: 600, documents: 0, last: '' })
  t.same(served, ['first'])
  const replacing = new ReplacingCalls()
  const taken: string[] = []
  replacing.onReplacing((_, { callId }) => void taken.push(callId))
  t.throws(() => replacing.onReplacing(() => t.fail('the second takes')), /already/)
  replacing.hand({} as never, { leg: 1, callId: 'abc', toTag: 'b', fromTag: 'c' }, new Map())
  t.same(taken, ['abc'])
})
