/** Calls to numbers outside over real SIP: the verb forward, and phones that dial by the rules of outbound. */
import t from 'tap'
import { tone } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { Scene } from '../harness/scene.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['outbound'] = [{ to: '+1*', trunks: ['main'] }]
    base['emergency'] = { location: 'Riverside Clinic' }
  },
})
const { app, daemon, trunk } = scene
t.setTimeout(120_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const forwardTo = (to: string) => {
  app.script = (e) => {
    if (e.event === 'call.inbound.pre_route') return [{ forward: { to, actionUrl: `${app.url}/forwarded` } }]
    return [{ hangup: {} }]
  }
}

t.test('forward: the caller talks with the number outside; the application is told when that has hung up', async (t) => {
  forwardTo('+15551230001')
  const outside = await scene.expect('answer')
  const caller = await scene.call()
  await outside.rtp.until('audio', () => outside.rtp.packets.length > 20)
  caller.rtp.say(tone(300, 3000))
  await outside.rtp.sound()
  await outside.hangup()
  t.match((await app.until('forward.completed')).event, { dialStatus: 'answered' })
  t.match((await app.until('call.ended')).event, { state: 'completed', endReason: 'app-hangup' })
  t.same(await scene.finish(), [])
})

t.test('forward: busy is told as busy; a premium number is never dialled', async (t) => {
  forwardTo('+15551230002')
  await scene.expect('busy')
  await scene.call()
  t.match((await app.until('forward.completed')).event, { dialStatus: 'busy' })
  await app.until('call.ended')
  t.same(await scene.finish(), [])
  app.reset()
  forwardTo('+19005551234')
  const before = trunk.requests.filter((line) => line.startsWith('INVITE')).length
  await scene.call()
  t.match((await app.until('forward.completed')).event, { dialStatus: 'failed' })
  t.equal(trunk.requests.filter((line) => line.startsWith('INVITE')).length, before)
  await app.until('call.ended')
  t.same(await scene.finish(), [])
})

t.test('a phone dials a number outside and talks; one that its class does not reach is refused', async (t) => {
  const registrar = `127.0.0.1:${daemon.sipPort}`
  const desk = scene.keep(await Baresip.start({ registrar, user: '101', password: 'a-long-password' }))
  await desk.until('REGISTER_OK')
  const outside = await scene.expect('answer')
  await desk.command('dial', `sip:5551230001@${registrar}`)
  await desk.until('CALL_ESTABLISHED')
  await outside.rtp.sound()
  await desk.command('hangup')
  await desk.until('CALL_CLOSED')
  t.equal(await outside.sip.exit, 0, outside.sip.failure())
  await desk.command('dial', `sip:+442079460000@${registrar}`)
  t.match((await desk.until('CALL_CLOSED', 8000, 2)).param, /^403/)
})
