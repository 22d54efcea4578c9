/**
 * Blind transfers by real phones and hand-written ones: the remaining party talks to the third, the one that left hears how it went, and
 * failures ring back.
 */
import t from 'tap'
import { Dialog } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'
import type { HandCall, HandPhone } from '../sip-driver/hand-phone.ts'
import { password } from '../sip-driver/phones.ts'
import { hears, listens } from '../harness/ears.ts'
import { eventually, pause } from '../harness/scene.ts'
import { desk, handDesk, openTalkers, tonesIn } from '../harness/talkers.ts'

const scene = await openTalkers((base) => {
  base['extensions'] = [...(base['extensions'] as object[]), { number: '104', password, onUnreachable: 'group:on-call' }]
  base['ringGroups'] = [{ id: 'on-call', name: 'Nurse line', members: [{ external: '+15551230009' }], ringSeconds: 60 }]
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

/** What NOTIFY says of a transfer, until its last word. */
async function notified(phone: HandPhone, { dialog }: HandCall): Promise<string[]> {
  const told: string[] = []
  for (;;) {
    const notify = await dialog.request('NOTIFY')
    phone.peer.answer(notify, 200)
    told.push(/SIP\/2.0 (\d+)/.exec(notify.body)?.[1] ?? '')
    if (notify.header('Subscription-State').startsWith('terminated')) return told
  }
}

/** As a person does it, who has talked before. */
const refer = async ({ dialog, rtp }: HandCall, to: string) => {
  await listens(rtp, 500)
  return dialog.ask('REFER', { headers: [`Refer-To: <sip:${to}@pbx>`] })
}
const ended = async () => (await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: any) => call.endedAt)

t.test('who called, or who was called, transfers: who stays talks to the third', async (t) => {
  for (const by of ['101', '102']) {
    const [first, second, third] = await Promise.all(['101', '102', '103'].map((user) => desk(scene, user)))
    const before = (await ended()).length
    await first!.command('dial', '102')
    await second!.until('CALL_ESTABLISHED')
    const [leaves, stays, was] = by === '101' ? [first!, second!, 400] : [second!, first!, 700]
    await hears(stays, was)
    await leaves.command('transfer', `sip:103@127.0.0.1:${daemon.sipPort}`)
    await third!.until('CALL_ESTABLISHED')
    await leaves.until('CALL_CLOSED')
    await Promise.all([hears(stays, 1000), hears(third!, by === '101' ? 700 : 400)])
    await third!.command('hangup')
    await Promise.all([stays, third!].map((phone) => phone.until('CALL_CLOSED')))
    t.same(tonesIn(stays.heard()), [was, 1000], by)
    t.same(tonesIn(third!.heard()), [by === '101' ? 700 : 400])
    await eventually('one call, which has ended', async () => (await ended()).length === before + 1)
    const newest = (await daemon.api('GET', '/api/pbx/calls/history?order=desc&limit=1')).body.items[0]
    t.match(newest, { transfers: { length: 1, 0: { to: '103', kind: 'blind' } }, hangupCause: 16 }, 'and its record says so')
    await Promise.all([first, second, third].map((phone) => phone!.close()))
  }
})

t.test('whoever transfers may hang up at once, or a little later: the others go on', async (t) => {
  const [second, third] = await Promise.all([desk(scene, '102'), desk(scene, '103')])
  const hand = await handDesk(scene, '101')
  for (const [turn, ms] of [0, 50, 280].entries()) {
    const call = await hand.calls('102')
    await call.dialog.answered()
    await second.until('CALL_ESTABLISHED', 8000, turn + 1)
    t.equal((await refer(call, '103')).status, 202)
    await pause(ms)
    t.equal((await call.dialog.ask('BYE')).status, 200)
    await third.until('CALL_ESTABLISHED', 8000, turn + 1)
    await hears(second, 1000)
    t.equal(second.events.filter(({ type }) => type === 'CALL_CLOSED').length, turn, `after ${ms} ms`)
    await third.command('hangup')
    await second.until('CALL_CLOSED', 8000, turn + 1)
    t.ok(tonesIn(second.heard()).includes(1000))
  }
})

t.test('a transfer that is asked for in the moment of the answer is no other', async (t) => {
  const third = await desk(scene, '103')
  const [first, second] = await Promise.all([handDesk(scene, '101'), handDesk(scene, '102')])
  for (const [turn, by] of ['callee', 'caller'].entries()) {
    const calling = await first.calls('102')
    const invite = await second.peer.request('INVITE')
    second.peer.answer(invite, 200, { body: sdp(39_000, { address: second.peer.address }) })
    const called = Dialog.of(second.peer, invite)
    await Promise.all([calling.dialog.answered(), called.request('ACK')])
    const [leaves, stays, phone, other] =
      by === 'caller' ? [calling.dialog, called, first, second] : [called, calling.dialog, second, first]
    t.equal((await leaves.ask('REFER', { headers: ['Refer-To: <sip:103@pbx>'] })).status, 202, by)
    await third.until('CALL_ESTABLISHED', 8000, turn + 1)
    phone.peer.answer(await leaves.request('BYE', 10_000), 200)
    await third.command('hangup')
    other.peer.answer(await stays.request('BYE'), 200)
  }
})

t.test('transfers follow one another, and each is told', async (t) => {
  const third = await desk(scene, '103')
  const [first, second] = await Promise.all([handDesk(scene, '101'), handDesk(scene, '102')])
  const calling = await first.calls('102')
  const called = await second.takes()
  await calling.dialog.answered()
  t.equal((await refer(called, '103')).status, 202)
  const told = await notified(second, called)
  t.equal(told.at(-1), '200', told.join(' '))
  t.equal((await called.dialog.ask('BYE')).status, 200)
  await third.command('transfer', `sip:102@127.0.0.1:${daemon.sipPort}`)
  const again = await second.takes()
  await third.until('CALL_CLOSED')
  t.equal((await refer(calling, '103')).status, 202)
  await third.until('CALL_ESTABLISHED', 8000, 2)
  const told2 = await notified(first, calling)
  t.equal(told2.at(-1), '200', told2.join(' '))
  await third.command('hangup')
  await second.hungUp(again)
})

t.test('a transfer that fails rings back at who transferred', async (t) => {
  const [first, second] = await Promise.all([handDesk(scene, '101'), desk(scene, '102')])
  for (const [turn, to] of ['103', '199', '911'].entries()) {
    const calling = await first.calls('102')
    await calling.dialog.answered()
    t.equal((await refer(calling, to)).status, 202)
    const told = await notified(first, calling)
    t.match(told.at(-1), /^[456]/, told.join(' '))
    await first.hungUp(calling)
    const again = await first.takes()
    await hears(second, 400)
    t.equal((await again.dialog.ask('BYE')).status, 200)
    await second.until('CALL_CLOSED', 8000, turn + 1)
    t.equal(tonesIn(second.heard()).at(-1), 400, `${to}: who was transferred talks again with who transferred`)
  }
})

t.test('transferred in a circle: to who transfers, and to the one who is transferred; nobody is lost', async (t) => {
  const [first, second] = await Promise.all([handDesk(scene, '101'), handDesk(scene, '102')])
  for (const to of ['102', '101']) {
    const calling = await first.calls('102')
    const called = await second.takes()
    await calling.dialog.answered()
    t.equal((await refer(called, to)).status, 202, to)
    const told = notified(second, called)
    // Its own telephone is engaged with this very call.
    if (to === '101')
      first.peer.answer(
        await first.peer.next('INVITE', ({ method, start }) => method === 'INVITE' && start.includes(first.peer.address)),
        486,
      )
    const answers = to === '102' ? await second.takes() : null
    t.match((await told).at(-1), to === '102' ? '200' : /^[456]/)
    await second.hungUp(called)
    const again = answers ?? (await second.takes())
    await hears(calling.rtp, 700)
    t.equal((await again.dialog.ask('BYE')).status, 200)
    await first.hungUp(calling)
    t.equal(tonesIn(calling.rtp.heard()).at(-1), 700, `${to}: the two talk again`)
  }
})

t.test('who took the call by pressing 1 is transferred, and transferred again', async (t) => {
  const [first, second, third] = [await handDesk(scene, '101'), await handDesk(scene, '102'), await desk(scene, '103')]
  const outside = await scene.expect('answer')
  const calling = await first.calls('104')
  await outside.rtp.until('audio', () => outside.rtp.heardText('A call for Nurse line. Press 1 to take it.').heardMs > 800, 15_000)
  await outside.rtp.press('1')
  await calling.dialog.answered()
  t.equal((await refer(calling, '102')).status, 202)
  const told = notified(first, calling)
  const called = await second.takes()
  t.equal((await told).at(-1), '200')
  await first.hungUp(calling)
  t.equal((await refer(called, '103')).status, 202)
  const again = notified(second, called)
  await third.until('CALL_ESTABLISHED')
  t.equal((await again).at(-1), '200')
  await second.hungUp(called)
  await hears(outside.rtp, 1000)
  await outside.hangup()
  await third.until('CALL_CLOSED')
  const heard = tonesIn(outside.rtp.heard())
  t.same(heard.slice(-2), [700, 1000], `the one outside hears the second, then the third: ${heard.join(' ')}`)
})
