/** Attended transfers and calls that take another's place, by hand-written phones among real ones: who hears whom. */
import t from 'tap'
import type { HandCall } from '../sip-driver/hand-phone.ts'
import { hears } from '../harness/ears.ts'
import { eventually } from '../harness/scene.ts'
import { desk, dialogOf, handDesk, openTalkers, tonesIn } from '../harness/talkers.ts'

const scene = await openTalkers()
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

const live = async () => (await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: any) => !call.endedAt)

t.test('a phone brings its two partners together, whoever called whom', async (t) => {
  const [hand, second, third] = [await handDesk(scene, '101'), await desk(scene, '102'), await desk(scene, '103')]
  for (const [turn, consults] of ['calls', 'called'].entries()) {
    const first = await hand.calls('102')
    await first.dialog.answered()
    await hears(second, 400)
    let consult: HandCall
    if (consults === 'calls') {
      consult = await hand.calls('103')
      await consult.dialog.answered()
    } else {
      await third.command('dial', '101')
      consult = await hand.takes()
    }
    await third.until('CALL_ESTABLISHED', 8000, turn + 1)
    await hears(third, 400)
    const replaces = encodeURIComponent(dialogOf(consult))
    t.equal((await first.dialog.ask('REFER', { headers: [`Refer-To: <sip:103@pbx?Replaces=${replaces}>`] })).status, 202)
    for (const call of [first, consult]) t.equal((await call.dialog.ask('BYE')).status, 200)
    await Promise.all([hears(second, 1000), hears(third, 700)])
    t.equal((await live()).length, 2, 'two calls, one talk')
    await third.command('hangup')
    await Promise.all([second, third].map((phone) => phone.until('CALL_CLOSED', 8000, turn + 1)))
    t.same(tonesIn(second.heard()), [400, 1000], consults)
    t.same(tonesIn(third.heard()), [400, 700], consults)
    await eventually('both are over', async () => (await live()).length === 0)
  }
})

t.test('a phone takes the place of another in its talk (INVITE with Replaces)', async (t) => {
  const [first, second, third] = [await handDesk(scene, '101'), await desk(scene, '102'), await handDesk(scene, '103')]
  const talk = await first.calls('102')
  await talk.dialog.answered()
  await hears(second, 400)
  const taken = await third.calls('101', [`Replaces: ${dialogOf(talk)}`])
  await taken.dialog.answered()
  await first.hungUp(talk)
  await hears(second, 1000)
  t.equal((await taken.dialog.ask('BYE')).status, 200)
  await second.until('CALL_CLOSED')
  t.same(tonesIn(second.heard()), [400, 1000])
  const late = await third.calls('101', [`Replaces: ${dialogOf(talk)}`])
  t.equal((await late.dialog.final('INVITE')).status, 481)
  late.dialog.send('ACK')
})
