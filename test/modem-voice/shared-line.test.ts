/** What else is on an analog line: further numbers, recognised by their ring, and another telephone in the same house. */
import t from 'tap'
import { Handset } from '../../drivers/sim/analog/handset.ts'
import { realClock } from '../../drivers/sim/time.ts'
import { eventually } from '../harness/scene.ts'
import { VoiceRig, WatchedLeg } from './rig.ts'

t.setTimeout(180_000)
t.jobs = 3

t.test('how the line rings', async (t) => {
  const rig = await new VoiceRig({}, { ringEveryMs: 5000 }).open({ setup: ['AT+VDR=1,0'] })
  t.teardown(() => rig.close())
  rig.exchange.alias('201', rig.exchange.line('200'), 'short short')
  rig.exchange.alias('202', rig.exchange.line('200'), 'short long short')
  for (const [number, cadence] of [
    ['200', 'long'],
    ['201', 'short short'],
    ['202', 'short long short'],
  ] as const) {
    const rings = rig.rings()
    rig.handset.call(number)
    const ring = await rings
    t.match(ring, { cadence, callerNumber: '5550100' })
    const call = new WatchedLeg(ring.voice!())
    call.leg.answer()
    await call.until('answered')
    rig.handset.hangUp()
    await call.ended()
    await rig.is('ready')
  }
})

t.test('a modem that does not tell it has none', async (t) => {
  const rig = await new VoiceRig({ tellsCadence: false }).open({ setup: ['AT+VDR=1,0'] })
  t.teardown(() => rig.close())
  const rings = rig.rings()
  rig.handset.call('200')
  t.match(await rings, { cadence: '', callerNumber: '5550100' })
})

for (const parallelCodes of [['P', 'p'], ['H', 'h'], null] as const) {
  const told = parallelCodes === null ? 'of which the modem says nothing' : `told by the modem as ${parallelCodes.join(' and ')}`
  t.test(`another telephone on the line, ${told}`, { buffered: true }, async (t) => {
    const rig = await new VoiceRig({ parallelCodes }).open()
    t.teardown(() => rig.close())
    const line = rig.exchange.line('200')
    const kitchen = new Handset(line, realClock)
    const away = new Handset(rig.exchange.line('5550177'), realClock)
    t.teardown(() => [kitchen, away].forEach((each) => each.hangUp()))

    kitchen.call('5550177')
    await eventually('it rings', () => away.line.state === 'ringing')
    away.lift()
    await eventually('they talk', () => line.state === 'talking')
    const refused = await new WatchedLeg(rig.line.placeCall('5550100', 20)).ended()
    t.match(refused, { by: 'system', reason: 'failed', cause: parallelCodes === null ? 27 : 44, text: /[Aa]nother telephone on/ })
    t.equal(line.state, 'talking', 'their talk goes on')
    t.equal(rig.handset.rings, 0, 'nothing was dialled into it')
    kitchen.hangUp()
    away.hangUp()
    await rig.is('ready')
    if (parallelCodes === null) return

    const rings = rig.rings()
    rig.handset.call('200')
    const call = new WatchedLeg((await rings).voice!())
    kitchen.lift()
    t.match(await call.ended(), { by: 'remote', reason: 'canceled', cause: 26 }, 'somebody was faster')
    t.equal(line.state, 'talking')
    kitchen.hangUp()
    rig.handset.hangUp()
    await rig.is('ready')

    const talk = await rig.taken()
    kitchen.lift()
    t.match(await talk.until('noticed'), { text: /another telephone on the line was lifted/ })
    kitchen.hangUp()
    t.match(await talk.until('noticed', 2), { text: /put down/ })
    talk.leg.hangup()
    await talk.ended()
  })
}
