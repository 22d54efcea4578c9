/** Hold between real phones: who is on hold hears the music of the house, and the other again afterwards. */
import t from 'tap'
import { eventually, pause } from '../harness/scene.ts'
import { desk, musicHz, openTalkers, tonesIn } from '../harness/talkers.ts'

const scene = await openTalkers()
t.setTimeout(120_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

t.test('either of two phones holds; the other hears music, and then the talk', async (t) => {
  for (const holder of ['102', '101']) {
    const [first, second] = await Promise.all([desk(scene, '101'), desk(scene, '102')])
    await first.command('dial', '102')
    await Promise.all([first.until('CALL_ESTABLISHED'), second.until('CALL_ESTABLISHED')])
    await pause(1000)
    const [holds, held, hz] = holder === '102' ? [second, first, 700] : [first, second, 400]
    await holds.command('hold')
    await pause(1500)
    await holds.command('resume')
    await pause(1500)
    await held.command('hangup')
    await Promise.all([first, second].map((phone) => phone.until('CALL_CLOSED')))
    t.same(tonesIn(held.heard()), [hz, musicHz, hz])
    await Promise.all([first, second].map((phone) => phone.close()))
  }
})

t.test('a caller from outside is held by a phone', async (t) => {
  const phone = await desk(scene, '101')
  const caller = await scene.call()
  await phone.until('CALL_ESTABLISHED')
  await caller.rtp.sound()
  await pause(800)
  await phone.command('hold')
  await pause(1500)
  await phone.command('resume')
  await pause(1000)
  await caller.hangup()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(tonesIn(caller.rtp.heard()), [400, musicHz, 400])
  const record = async () => (await scene.daemon.api('GET', '/api/pbx/calls/history?order=desc&limit=1')).body.items[0]
  await eventually('its record says how long', async () => ((await record())?.holdSeconds ?? 0) >= 1)
})

t.test('a caller from outside holds a phone', async (t) => {
  const phone = await desk(scene, '101')
  const caller = await scene.call()
  await phone.until('CALL_ESTABLISHED')
  await caller.rtp.sound()
  await caller.sip.command('HOLD')
  await pause(1500)
  await caller.sip.command('RESUME')
  await pause(800)
  await caller.hangup()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  await phone.until('CALL_CLOSED')
  t.same(tonesIn(phone.heard()), [musicHz])
})
