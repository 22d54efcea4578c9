/**
 * An analog line in an office, through a whole daemon: a desk phone flashes the hook of the line behind a switchboard, and a second number
 * of the line, recognised by its ring, has a destination of its own. The modem and its exchange are simulated.
 */
import t from 'tap'
import { AnalogHost } from '../../drivers/sim/analog/host.ts'
import { Exchange } from '../../drivers/sim/analog/exchange.ts'
import { Handset } from '../../drivers/sim/analog/handset.ts'
import { realClock } from '../../drivers/sim/time.ts'
import { tone, toneLevel, ulawToLinear } from '../harness/audio.ts'
import { extensionOf, extensionsOf, LightPhone } from '../harness/light-phone.ts'
import { RtpPhone } from '../harness/phone.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { programs } from '../modem-voice/rig.ts'

const exchange = new Exchange({ clock: realClock, country: 'US', ringEveryMs: 2000 })
const line = exchange.line('200')
exchange.alias('201', line, 'short short')
const host = new AnalogHost(programs, line)
const device = await host.open()
await host.plug()
const outside = new Handset(exchange.line('15555550100'), realClock)
const colleague = new Handset(exchange.line('102'), realClock)
const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = extensionsOf(1)
    base['voice'] = { ...(base['voice'] as object), sipHeaders: ['x-ring-cadence'] }
    for (const endpoint of (base['voice'] as { endpoints: { fallbackDestination: string; destinations: string[] }[] }).endpoints) {
      endpoint.fallbackDestination = extensionOf(0)
      endpoint.destinations = [extensionOf(0)]
    }
    base['lines'] = [
      { id: 'line1', device, roles: ['voice'], number: '+15555550200', rings: [{ cadence: 'short short', number: '+15555550201' }] },
    ]
    base['inbound'] = [
      { trunk: 'line1', to: '+15555550201', destination: extensionOf(0) },
      { trunk: 'line1', to: '*', destination: 'endpoint:reception' },
    ]
    base['outbound'] = [{ to: '+1*', trunks: ['line1'] }]
  },
})
const { app, daemon } = scene
const [desk] = await LightPhone.registered(scene, 1)
t.setTimeout(120_000)
t.teardown(async () => {
  for (const each of [outside, colleague]) each.hangUp()
  await scene.close()
  await host.close()
})
t.beforeEach(async () => {
  app.reset()
  for (const each of [outside, colleague]) each.hangUp()
  await eventually('the line is ready', async () => JSON.parse((await daemon.pbx('modem', 'list', '--json')).out)[0].state === 'ready')
})

t.test(
  'the flash key of a desk phone: back and forth by SIP INFO, then to a colleague by RFC 4733; who hangs up has transferred',
  async (t) => {
    outside.onRing = () => {
      outside.onRing = () => undefined
      outside.lift()
      outside.say(tone(620, 2000))
    }
    const rtp = await RtpPhone.open()
    t.teardown(() => rtp.close())
    const heard = (ms: number) => Int16Array.from(Buffer.concat(rtp.packets.slice(-ms / 20).map(({ payload }) => payload)), ulawToLinear)
    const call = await desk!.calls('15555550100', rtp.port)
    await rtp.until('the outside at the desk', () => toneLevel(heard(300), 620) > -30)
    const flash = (body: string, type: string) => call.ask('INFO', { body, type })
    t.equal((await flash('Signal=16\r\nDuration=250\r\n', 'application/dtmf-relay')).status, 200)
    await eventually('they wait', () => outside.line.state === 'held')
    await eventually('a second dial tone', () => line.state === 'dial-tone')
    t.equal((await flash('!', 'application/dtmf')).status, 200)
    await eventually('back', () => outside.line.state === 'talking')

    await rtp.press('!', 200)
    await eventually('they wait again', () => outside.line.state === 'held')
    await eventually('dial tone at the desk', () => toneLevel(heard(300), 440) > -35)
    await rtp.press('102', 120, 100)
    await eventually('the colleague is called', () => colleague.line.state === 'ringing')
    colleague.lift()
    await eventually('and taken', () => colleague.line.state === 'talking')
    colleague.say(tone(900, 2000))
    await rtp.until('the colleague at the desk', () => toneLevel(heard(300), 900) > -30)
    t.equal((await call.ask('BYE')).status, 200)
    await eventually('both are joined', () => outside.line.peer === colleague.line && colleague.line.peer === outside.line)
  },
)

t.test('two numbers of one line: the way it rings decides who has the call', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ hangup: {} }] : [])
  const rtp = await RtpPhone.open()
  t.teardown(() => rtp.close())
  outside.call('201')
  const call = await desk!.takes(rtp.port)
  await eventually('the talk', () => outside.line.state === 'talking')
  t.same(app.names(), [], 'no application had it')
  t.equal((await call.ask('BYE')).status, 200)
  outside.hangUp()
  await eventually('the line is ready', async () => JSON.parse((await daemon.pbx('modem', 'list', '--json')).out)[0].state === 'ready')

  desk!.peer.received.length = 0
  outside.call('200')
  const { event } = await app.until('call.inbound.pre_route')
  t.match(event, { to: '+15555550200', sipHeaders: { 'x-ring-cadence': 'long' } })
  await app.until('call.ended')
  t.same(
    desk!.peer.received.filter(({ method }) => method === 'INVITE'),
    [],
    'the desk did not ring',
  )
})
