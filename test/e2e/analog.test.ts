/**
 * Voice calls on an analog line, through a whole daemon: an application answers them, takes keys, records and hangs up; calls go out on the line;
 * a desk phone talks over it. The modem (ITU-T V.253) and its exchange are simulated, the serial port and everything above is real.
 */
import t from 'tap'
import { speech, tone, toneLevel } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { hears as hearsTone } from '../harness/ears.ts'
import { eventually, pause, Scene } from '../harness/scene.ts'
import { Exchange } from '../../drivers/sim/analog/exchange.ts'
import { Handset } from '../../drivers/sim/analog/handset.ts'
import { AnalogHost } from '../../drivers/sim/analog/host.ts'
import { realClock } from '../../drivers/sim/time.ts'
import { programs } from '../modem-voice/rig.ts'

const exchange = new Exchange({ clock: realClock, country: 'US', ringEveryMs: 2000 })
const host = new AnalogHost(programs, exchange.line('200'))
const device = await host.open()
await host.plug()
// What the country dials for +1 555 555 0100.
const caller = new Handset(exchange.line('15555550100'), realClock)
const scene = await Scene.open({
  settings: (base) => {
    base['lines'] = [{ id: 'line1', device, roles: ['voice'], number: '+15555550200' }]
    base['inbound'] = [
      { trunk: 'line1', to: '*', destination: 'endpoint:reception' },
      { trunk: 'main', to: '+15550001000', destination: 'endpoint:reception' },
    ]
    base['outbound'] = [{ to: '+1*', trunks: ['line1', 'main'] }]
    base['emergency'] = { location: 'Riverside Clinic' }
  },
})
const { app, daemon } = scene
t.setTimeout(240_000)
t.teardown(async () => {
  caller.hangUp()
  await scene.close()
  await host.close()
})
t.beforeEach(async () => {
  app.reset()
  caller.heard.length = 0
  await eventually('the line is ready', async () => (await modem()).state === 'ready')
})

const modem = async () =>
  (JSON.parse((await daemon.pbx('modem', 'list', '--json')).out) as { state: string; duplex: string; underruns: number }[])[0]!
/** Levels of a tone, a tenth of a second at a time. */
const pieces = (samples: Int16Array, hz: number): number[] =>
  Array.from({ length: Math.floor(samples.length / 800) }, (_, i) => toneLevel(samples.subarray(i * 800, (i + 1) * 800), hz))
const hears = (hz: number) => () => toneLevel(caller.last(400), hz) > -30
const speaks = () => caller.last(1000).some((sample) => Math.abs(sample) > 3000)

t.test('an application answers, speaks, takes keys, records, and hangs up', async (t) => {
  const prompt = { say: { text: 'Welcome to Riverside Clinic. Press one for appointments.' } }
  app.script = (e) => {
    if (e.event === 'call.inbound.pre_route') return [{ gather: { numDigits: 2, prompt: [prompt], actionUrl: `${app.url}/keys` } }]
    if (e.event === 'gather.completed')
      return [{ record: { maxSeconds: 20, silenceTimeout: 1, playBeep: false, actionUrl: `${app.url}/said` } }]
    return e.event === 'record.completed' ? [{ hangup: {} }] : []
  }
  caller.call('200')
  t.match((await app.until('call.inbound.pre_route')).event, { from: '+15555550100', to: '+15555550200', trunkId: 'line1' })
  await eventually('the prompt', speaks)
  t.equal((await modem()).state, 'talking')
  t.equal((await modem()).duplex, 'full')
  caller.press('4')
  caller.press('2', 80)
  t.match((await app.until('gather.completed')).event, { digits: '42', reason: 'digits' })
  await eventually('silence', () => !speaks())
  caller.say(speech('I would like an appointment'))
  const said = (await app.until('record.completed')).event
  t.ok(said.durationMs >= 1000, `${said.durationMs} ms`)
  t.match((await app.until('call.ended')).event, { state: 'completed', endReason: 'app-hangup' })
  await eventually('busy tone', () => toneLevel(caller.last(300), 480) > -40)
  caller.hangUp()
  t.same(await scene.finish(), [])
})

t.test('a gap in a prompt, because the box stood still, is told by pbx lines and counted', async (t) => {
  // One sentence: between two of them there is a pause, which is no gap.
  const prompt =
    'Please press the key of the service that you would like to speak to at Riverside Clinic now or wait for somebody to help you'
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ say: { text: prompt } }, { pause: { seconds: 60 } }] : [])
  const before = (await modem()).underruns
  caller.call('200')
  await eventually('the talk', () => caller.line.state === 'talking')
  caller.heard.length = 0
  await eventually('the prompt', speaks)
  process.kill(daemon.pid, 'SIGSTOP')
  await pause(800)
  process.kill(daemon.pid, 'SIGCONT')
  await eventually('the gap', async () => /gaps? in its audio/.test((await daemon.pbx('lines')).out))
  const lines = JSON.parse((await daemon.pbx('lines', '--json')).out) as { id: string; underruns?: number }[]
  const { underruns = 0 } = lines.find(({ id }) => id === 'line1')!
  t.ok(underruns > before, `${before}, then ${underruns}`)
  const { body: metrics } = await daemon.api('GET', '/metrics')
  t.match(metrics, new RegExp(`pbx_modem_underruns_total\\{line="line1"\\} ${underruns}\\b`))
  t.equal((await modem()).underruns, underruns)
  caller.hangUp()
  t.match((await app.until('call.ended')).event, { endReason: 'caller-hangup' })
  t.same(await scene.finish(), [])
})

t.test('a caller who hangs up is noticed by the tone of the exchange', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ pause: { seconds: 60 } }] : [])
  caller.call('200')
  await app.until('call.inbound.pre_route')
  await eventually('the talk', async () => (await modem()).state === 'talking')
  caller.hangUp()
  t.match((await app.until('call.ended')).event, { endReason: 'caller-hangup' })
  t.same(await scene.finish(), [])
})

t.test('a call out on the line: it rings, is answered, hears the application; busy is told as busy', async (t) => {
  app.script = (e) => (e.event === 'call.answered' ? [{ say: { text: 'This is Riverside Clinic with a reminder.' } }, { hangup: {} }] : [])
  caller.onRing = () => {
    caller.onRing = () => undefined
    caller.lift()
    caller.say(tone(620, 800))
  }
  const { status, body } = await scene.originate({ to: '+15555550100', trunkId: 'line1', endpoint: 'reception' })
  t.equal(status, 200)
  t.match((await app.until('call.answered')).event, { callId: body.callId, trunkId: 'line1' })
  await eventually('the application', speaks)
  t.match((await app.until('call.ended')).event, { state: 'completed' })
  // Still off hook: the next one finds it busy.
  await eventually('the line is ready', async () => (await modem()).state === 'ready')
  await scene.originate({ to: '+15555550100', trunkId: 'line1', endpoint: 'reception' })
  t.match((await app.until('call.ended', (e) => e.callId !== body.callId)).event, { state: 'busy' })
  caller.hangUp()
  t.same(await scene.finish(), [])
})

t.test('a desk phone calls out on the line, and both hear each other; a key of the phone arrives as a tone', async (t) => {
  const registrar = `127.0.0.1:${daemon.sipPort}`
  const desk = scene.keep(
    await Baresip.start({ registrar, user: '101', password: 'a-long-password', voice: tone(400, 30_000), autoAnswer: true }),
  )
  await desk.until('REGISTER_OK')
  caller.onRing = () => {
    caller.onRing = () => undefined
    caller.lift()
    caller.say(tone(700, 8000))
  }
  await desk.command('dial', '15555550100')
  await desk.until('CALL_ESTABLISHED')
  await eventually('the desk at the telephone', hears(400))
  await hearsTone(desk, 700, 2000)
  await desk.command('hangup')
  await desk.until('CALL_CLOSED')
  const heard = desk.heard().subarray(-12_000, -4000)
  t.ok(toneLevel(heard, 700) > -20, 'the telephone at the desk')
  t.ok(
    pieces(heard, 700).every((level) => level > -25),
    'without a gap',
  )
  await eventually('busy tone', () => toneLevel(caller.last(300), 480) > -40)
  caller.hangUp()
  t.same(await scene.finish(), [])
})
