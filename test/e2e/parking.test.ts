/**
 * Parking by real phones and hand-written ones: blind and attended, taken at another phone, announced, back at the extension that parked
 * it.
 */
import t from 'tap'
import type { HandCall, HandPhone } from '../sip-driver/hand-phone.ts'
import { hears, listens } from '../harness/ears.ts'
import { eventually } from '../harness/scene.ts'
import { desk, dialogOf, handDesk, musicHz, openTalkers, tonesIn } from '../harness/talkers.ts'

const scene = await openTalkers((base) => {
  base['parking'] = { timeoutSeconds: 10 }
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

/** Calls that have not ended, except the one that announces the slot: a phone of an earlier test is registered still, and does not answer. */
const live = async () =>
  (await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: any) => !call.endedAt && call.endpoint === undefined)

/** Transfers its partner, and hangs up when the transfer is reported as successful. */
async function transfers(phone: HandPhone, { dialog, rtp }: HandCall, to: string): Promise<void> {
  await hears(rtp, 700)
  const answer = await dialog.ask('REFER', { headers: [`Refer-To: <sip:${to}>`] })
  if (answer.status !== 202) throw new Error(answer.start)
  for (;;) {
    const notify = await dialog.request('NOTIFY')
    phone.peer.answer(notify, 200)
    if (!notify.header('Subscription-State').startsWith('terminated')) continue
    if (!notify.body.includes('200')) throw new Error(notify.body)
    break
  }
  await dialog.ask('BYE')
}

t.test('transferred to 700 a call waits with music; who parked it is told the slot; another phone dials it and talks', async (t) => {
  const [first, second, third] = [await handDesk(scene, '101'), await desk(scene, '102'), await desk(scene, '103')]
  const call = await first.calls('102')
  await call.dialog.answered()
  await second.until('CALL_ESTABLISHED')
  await transfers(first, call, '700@pbx')
  const notice = await first.peer.request('INVITE')
  t.match(notice.header('From'), /^"Parked 701" <sip:701@/)
  first.peer.answer(notice, 486)
  await hears(second, musicHz)
  await third.command('dial', '701')
  await third.until('CALL_ESTABLISHED')
  await Promise.all([hears(second, 1000), hears(third, 700)])
  await third.command('hangup')
  await Promise.all([second, third].map((phone) => phone.until('CALL_CLOSED')))
  t.same(tonesIn(second.heard()), [400, musicHz, 1000])
  t.same(tonesIn(third.heard()), [700])
  await eventually('all calls are over', async () => (await live()).length === 0)
  await third.command('dial', '701')
  t.match((await third.until('CALL_CLOSED', 8000, 2)).param, /^4/, 'the slot is free again')
})

t.test('attended: the phone dials 700 and is there told the slot, then sends its partner into it', async (t) => {
  const [first, second, third] = [await handDesk(scene, '101'), await desk(scene, '102'), await desk(scene, '103')]
  const call = await first.calls('102')
  await call.dialog.answered()
  await second.until('CALL_ESTABLISHED')
  const consult = await first.calls('700')
  await consult.dialog.answered()
  await consult.rtp.sound()
  await listens(consult.rtp, 2500)
  await transfers(first, call, `700@pbx?Replaces=${encodeURIComponent(dialogOf(consult))}`)
  await first.hungUp(consult)
  await hears(second, musicHz)
  await third.command('dial', '701')
  await third.until('CALL_ESTABLISHED')
  await Promise.all([hears(second, 1000), hears(third, 700)])
  await third.command('hangup')
  await second.until('CALL_CLOSED')
  t.same(tonesIn(second.heard()), [400, musicHz, 1000])
})

t.test('nobody takes the call: it rings again at who parked it, and both talk', async (t) => {
  const [first, second] = [await handDesk(scene, '101'), await desk(scene, '102')]
  const call = await first.calls('102')
  await call.dialog.answered()
  await second.until('CALL_ESTABLISHED')
  await transfers(first, call, '700@pbx')
  first.peer.answer(await first.peer.request('INVITE'), 486)
  await hears(second, musicHz, 2000)
  const back = await first.takes(15_000)
  await hears(second, 400)
  await back.dialog.ask('BYE')
  await second.until('CALL_CLOSED')
  t.same(tonesIn(second.heard()), [400, musicHz, 400])
})

t.test('a parked caller who hangs up leaves the slot free', async () => {
  const [first, second] = [await handDesk(scene, '101'), await desk(scene, '102')]
  const call = await first.calls('102')
  await call.dialog.answered()
  await second.until('CALL_ESTABLISHED')
  await transfers(first, call, '700@pbx')
  first.peer.answer(await first.peer.request('INVITE'), 486)
  await second.command('hangup')
  await second.until('CALL_CLOSED')
  await eventually('the call is over', async () => (await live()).length === 0)
})
