/** Pickup between real phones: the phone that picks up talks with the caller. */
import t from 'tap'
import { findClip, speech } from '../harness/audio.ts'
import { hears } from '../harness/ears.ts'
import { desk, openTalkers, tonesIn } from '../harness/talkers.ts'

const scene = await openTalkers((base) => {
  for (const extension of base['extensions'] as Record<string, unknown>[])
    if (extension['number'] !== '103') extension['pickupGroup'] = 'front'
})
t.setTimeout(120_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

t.test('a call from outside rings at one phone, and another one takes it', async (t) => {
  for (const [user, code, hz] of [
    ['102', '*8', 700],
    ['103', '*8101', 1000],
  ] as const) {
    const [rings, picks] = await Promise.all([desk(scene, '101', false), desk(scene, user)])
    const caller = await scene.call()
    await rings.until('CALL_INCOMING')
    await picks.command('dial', code)
    await Promise.all([picks.until('CALL_ESTABLISHED'), rings.until('CALL_CLOSED')])
    await hears(caller.rtp, hz)
    await caller.hangup()
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    await picks.until('CALL_CLOSED')
    t.equal(tonesIn(caller.rtp.heard()).at(-1), hz)
    await Promise.all([rings, picks].map((phone) => phone.close()))
  }
})

t.test('where nothing rings the phone is told so', async (t) => {
  const phone = await desk(scene, '102')
  await phone.command('dial', '*8')
  await phone.until('CALL_ESTABLISHED')
  await phone.until('CALL_CLOSED', 20_000)
  t.ok(findClip(phone.heard(), speech('No call is ringing there.')).whole)
})
