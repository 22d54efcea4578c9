/** When a call of an application becomes a fax, and when it does not; and how the box reports that. */
import t, { type Test } from 'tap'
import { Call as CallOfTheBox, type Call } from '../../daemon/calls/call.ts'
import { routeInbound } from '../../daemon/routing/dial-plan.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { doctorChecks } from '../../daemon/doctor/doctor.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { faxCondition, receivingTrunks } from '../../daemon/fax/fax.ts'
import { SharedNumber } from '../../daemon/fax/shared-number.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { log } from './stage.ts'
import { StandInLeg } from './stand-in-driver.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A call that an application drives until it must leave. */
async function scene(_: Test, { faxes = true, room = true }: { faxes?: boolean; room?: boolean } = {}) {
  const clock = new FakeClock(Date.now())
  const leg = new StandInLeg('inbound', 'inbound', null)
  const call = new CallOfTheBox(newCallRow(clock.now(), 'inbound'), clock, {
    changed: () => undefined,
    legEnded: () => undefined,
    stored: async () => undefined,
  })
  call.attach(leg)
  const left: string[] = []
  const received: Call[] = []
  const running = Promise.withResolvers<void>()
  const number = new SharedNumber({
    application: {
      inbound: () => running.promise,
      answered: async () => undefined,
      takeOver: () => running.promise,
      leave: (callId, why) => {
        left.push(why)
        running.resolve()
        return callId === call.id
      },
    },
    receiver: { ready: () => room, receive: async (taken) => void received.push(taken) },
    clock,
    log,
  })
  const driven = number.inbound(call, 'reception', {}, faxes)
  return { clock, leg, call, left, received, driven, running }
}

t.test('CNG after the answer: the application leaves, the fax is received', async (t) => {
  const { leg, call, left, received, driven } = await scene(t)
  t.equal(leg.hears, null, 'nothing is listened for before the answer')
  leg.pickUp()
  await turn()
  leg.hears?.('ced')
  t.same(left, [], 'a fax machine that answers is not one that calls')
  leg.hears?.('cng')
  await driven
  t.match(left, [/fax machine/])
  t.same(received, [call])
  t.equal(leg.hears, null)
})

t.test('it is listened for a minute', async (t) => {
  const { clock, leg, left, received, driven, running } = await scene(t)
  leg.pickUp()
  await turn()
  clock.advance(59_000)
  t.ok(leg.hears)
  clock.advance(2000)
  t.equal(leg.hears, null)
  running.resolve()
  await driven
  t.same([left, received], [[], []])
})

t.test('a caller who is with a phone is not touched', async (t) => {
  const { leg, call, left } = await scene(t)
  leg.pickUp()
  await turn()
  call.activity('routed')
  leg.hears?.('cng')
  t.same(left, [])
  t.ok(leg.hears, 'it may come back to the application')
})

t.test('nothing is listened for where the number takes no faxes', async (t) => {
  const { leg } = await scene(t, { faxes: false })
  leg.pickUp()
  await turn()
  t.equal(leg.hears, null)
})

t.test('with a full disk the application goes on', async (t) => {
  const { leg, call, left } = await scene(t, { room: false })
  leg.pickUp()
  await turn()
  leg.hears?.('cng')
  t.same(left, [])
  t.match(call.trace.entries().at(-1), { kind: 'warning', text: /disk is nearly full/ })
})

const config = (rules: object[]) =>
  parseConfig(
    JSON.stringify({
      trunks: [{ id: 'main', server: '127.0.0.1', register: false, numbers: ['+15550001000'] }],
      extensions: [{ number: '101', password: 'a-long-password' }],
      voice: { endpoints: [{ id: 'reception', controlUrl: 'http://127.0.0.1:1/voice', secret: 'whsec_voice_0123456789abcdef' }] },
      inbound: rules,
    }),
    '/etc/pbxd.yaml',
  ).config

t.test('which calls may be faxes', async (t) => {
  const facts = { trunkId: 'main', extension: '', to: ['+15550001000'] }
  const rule = { to: '+15550001000', destination: 'endpoint:reception' }
  t.match(routeInbound(config([rule]), facts), { faxes: true })
  t.match(routeInbound(config([{ ...rule, fax: 'off' }]), facts), { faxes: false })
  t.match(routeInbound(config([rule]), { ...facts, trunkId: '', extension: '101' }), { destination: { kind: 'endpoint' }, faxes: false })
  t.throws(() => config([{ ...rule, fax: 'yes' }]))
  t.same(receivingTrunks(config([rule])), ['*'])
  t.same(
    receivingTrunks(
      config([
        { ...rule, trunk: 'main' },
        { trunk: 'main', destination: 'fax' },
      ]),
    ),
    ['main'],
  )
  t.same(receivingTrunks(config([{ ...rule, fax: 'off' }, { destination: '101' }])), [])
})

t.test('what the box says of its faxes', async (t) => {
  const well = { lines: [{ id: 'main', ok: true, reason: '' }], room: true, reserveMegabytes: 500, receiving: ['main'] }
  t.same(faxCondition(well), { ok: true, reason: '', detail: 'sends through main; receives through main', room: true })
  const down = { ...well, lines: [{ id: 'main', ok: false, reason: 'not registered' }] }
  t.match(faxCondition(down), { ok: false, reason: 'no line can send faxes', detail: /cannot send.*main: not registered/ })
  t.match(faxCondition({ ...well, room: false }), { ok: false, reason: 'no room to receive faxes', detail: /500 MB/, room: false })
  t.match(faxCondition({ ...well, room: false, receiving: [] }), { ok: true, room: true }, 'nobody faxes to this box')
  t.match(faxCondition({ ...well, lines: [] }), { ok: true, detail: /cannot send/ }, 'a box without lines has nothing that is broken')
})

t.test('pbx doctor names a disk on which no fax would be received', async (t) => {
  const disk = async (faxMegabytes: number) =>
    (await doctorChecks({ engine: process.execPath, storageDir: '/tmp', endpoints: [], faxMegabytes })).find(({ name }) => name === 'disk')
  t.match(await disk(1_000_000_000), { level: 'failure', text: /fax calls are not answered below 1000000000 MB/ })
  t.notMatch((await disk(1))!.text, /fax/)
})
