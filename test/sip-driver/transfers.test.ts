/** Transfers by real telephones and by hand-written ones: blind, attended, refused, of a phone that is gone, ours, and calls that take another's place. */
import t from 'tap'
import type { InboundCall } from '../../drivers/line.ts'
import type { ReplacedCall, TransferRequest } from '../../drivers/pbx.ts'
import { eventually } from '../harness/scene.ts'
import { HandPhone, type HandCall } from './hand-phone.ts'
import { course, inOrder, PhoneRig, skip, Talk, type PhoneLeg } from './phones.ts'

/** The engine has heard that this phone may transfer. */
const allow = async (talk: Talk, asked: ((request: TransferRequest) => void) | null) => {
  talk.leg.onTransfer(asked)
  await talk.passes(20)
}

const tones = [400, 700, 1000]
const heardBy = (samples: Int16Array): number[] => inOrder(course(samples, tones)).filter((hz) => hz !== 0)

/** What a NOTIFY of a transfer says: the state of its subscription, and the status line. */
const notified = async (phone: HandPhone, { dialog }: HandCall) => {
  const notify = await dialog.request('NOTIFY')
  phone.peer.answer(notify, 200)
  return `${notify.header('Subscription-State').split(';')[0]} ${/SIP\/2.0 (\d+)/.exec(notify.body)?.[1]}`
}

t.test(
  'a phone transfers its caller blindly: the caller talks to the third, and the phone hears how it went',
  { skip, timeout: 60_000 },
  async (t) => {
    const rig = await PhoneRig.start(t, { 101: 400, 102: 700, 103: 1000 })
    const [a, b] = await Promise.all([rig.answered('101'), rig.answered('102')])
    const bridge = rig.driver.bridge()
    bridge.join(a.leg)
    bridge.join(b.leg)
    const third: Talk[] = []
    a.leg.onTransfer(({ to, replaces, progress }) => {
      t.equal(replaces, null)
      const talk = rig.ring(to)
      third.push(talk)
      void talk.until('answered').then(() => {
        bridge.join(talk.leg)
        bridge.leave(a.leg)
        progress(200)
      })
    })
    await b.passes(800)
    await rig.phone('101').command('transfer', `sip:103@127.0.0.1:${rig.port}`)
    await eventually('the third', () => third.length === 1)
    const [c] = third as [Talk]
    await c.until('answered')
    // A phone that hears of success hangs up by itself.
    await a.until('ended')
    await b.passes(800)
    await rig.hangUp(b, c)
    t.same(heardBy(rig.phone('102').heard()), [400, 1000])
    t.same(heardBy(rig.phone('103').heard()), [700])
  },
)

t.test(
  'a phone that may not transfer is told so; one that may hears of failure, and its second wish is heard as well',
  { skip, timeout: 60_000 },
  async (t) => {
    const rig = await PhoneRig.start(t, {}, ['101'])
    const phone = await HandPhone.register(rig.port, '101', 400)
    t.teardown(() => phone.close())
    const a = rig.ring('101')
    const call = await phone.takes()
    await a.until('answered')
    const refer = (to: string) => call.dialog.ask('REFER', { headers: [`Refer-To: ${to}`, 'Referred-By: <sip:101@pbx>'] })
    t.equal((await refer('<sip:103@pbx>')).status, 603)
    t.match(await a.until('transfer-requested'), { to: '103' })

    const asked: TransferRequest[] = []
    await allow(a, (request) => asked.push(request))
    for (const to of ['<mailto:x@y>', '<sip:pbx>', `<sip:103@pbx?Replaces=nothing>`, `<sip:${'1'.repeat(1100)}@pbx>`])
      t.equal((await refer(to)).status, 400, to)
    t.equal((await refer('<sip:103@pbx?Replaces=a%3Bto-tag%3Db%3Bfrom-tag%3Dc>')).status, 603, 'a call that is not there')
    t.equal((await refer('<sip:103@pbx>')).status, 202)
    t.equal(await notified(phone, call), 'active 100')
    await eventually('the wish', () => asked.length === 1)
    t.match(asked[0], { to: '103', replaces: null, referredBy: '101' })
    t.equal((await refer('<sip:104@pbx>')).status, 491, 'one at a time')
    asked[0]?.progress(180)
    t.equal(await notified(phone, call), 'active 180')
    asked[0]?.progress(486)
    t.equal(await notified(phone, call), 'terminated 486')
    t.equal((await refer('<sip:104@pbx>')).status, 202)
    t.equal(await notified(phone, call), 'active 100')
    await eventually('the second wish', () => asked.length === 2)
    await allow(a, null)
    asked[1]?.progress(603)
    t.equal(await notified(phone, call), 'terminated 603')
    t.equal((await refer('<sip:104@pbx>')).status, 603)
    await allow(a, () => undefined)
    const statuses: number[] = []
    for (let i = 0; i < 15; i++) statuses.push((await refer('sip:')).status)
    t.equal(statuses.at(-1), 603, `not without end: ${statuses.join(' ')}`)
    a.leg.hangup()
    await phone.hungUp(call)
    await a.until('ended')
  },
)

t.test('a phone that hangs up with the 202, or before anybody decides, ends its own leg alone', { skip, timeout: 60_000 }, async (t) => {
  const rig = await PhoneRig.start(t, { 102: 700 }, ['101'])
  const phone = await HandPhone.register(rig.port, '101', 400)
  t.teardown(() => phone.close())
  const a = rig.ring('101')
  const [call, b] = await Promise.all([phone.takes(), rig.answered('102')])
  await a.until('answered')
  a.leg.audio?.bridge(b.leg)
  const asked: TransferRequest[] = []
  await allow(a, (request) => asked.push(request))
  t.equal((await call.dialog.ask('REFER', { headers: ['Refer-To: <sip:103@pbx>'] })).status, 202)
  t.equal((await call.dialog.ask('BYE')).status, 200)
  await a.until('ended')
  await eventually('the wish', () => asked.length === 1)
  asked[0]?.progress(200)
  await b.passes(300)
  t.same(
    b.events.filter(({ type }) => type === 'ended'),
    [],
  )
  await rig.hangUp(b)
})

t.test('a phone that asks once more when its call is over is told 481, whatever it still owes us', { skip, timeout: 60_000 }, async (t) => {
  const rig = await PhoneRig.start(t, {}, ['101'])
  const phone = await HandPhone.register(rig.port, '101', 400)
  t.teardown(() => phone.close())
  const a = rig.ring('101')
  const call = await phone.takes()
  await a.until('answered')
  const asked: TransferRequest[] = []
  await allow(a, (request) => asked.push(request))
  const refer = () => call.dialog.ask('REFER', { headers: ['Refer-To: <sip:103@pbx>'] })
  t.equal((await refer()).status, 202)
  await eventually('the wish', () => asked.length === 1)
  a.leg.hangup()
  // The NOTIFY of the first wish stays without an answer, which keeps the dialog.
  await phone.hungUp(call)
  await a.until('ended')
  t.equal((await refer()).status, 481)
  t.equal(asked.length, 1)
})

t.test(
  'an attended transfer joins the two others, who hear each other; nobody may take the call of another phone',
  { skip, timeout: 60_000 },
  async (t) => {
    const rig = await PhoneRig.start(t, { 102: 700, 103: 1000 }, ['101', '104'])
    const [phone, stranger] = await Promise.all([
      HandPhone.register(rig.port, '101', 400),
      HandPhone.register(rig.port, '104', 400, '127.0.1.4'),
    ])
    t.teardown(() => (phone.close(), stranger.close()))
    const a = rig.ring('101')
    const [first, b, c] = await Promise.all([phone.takes(), rig.answered('102'), rig.answered('103')])
    await a.until('answered')
    const talk = rig.driver.bridge()
    talk.join(a.leg)
    talk.join(b.leg)
    // It consults by a call of its own.
    const second = await phone.calls('103')
    await eventually('the second call', () => rig.calls.length === 1)
    const consult = rig.calls[0]!.talk
    consult.leg.answer()
    await second.dialog.answered()
    await consult.until('answered')
    const other = rig.driver.bridge()
    other.join(consult.leg)
    other.join(c.leg)
    await c.passes(600)

    const tag = (header: string) => /tag=([^;>]+)/.exec(header)?.[1]
    const { callId, remote, local } = second.dialog
    const referTo = `Refer-To: <sip:103@pbx?Replaces=${encodeURIComponent(`${callId};to-tag=${tag(remote)};from-tag=${tag(local)}`)}>`
    const d = rig.ring('104')
    const theirs = await stranger.takes()
    await d.until('answered')
    await allow(d, () => t.fail('not its call'))
    t.equal((await theirs.dialog.ask('REFER', { headers: [referTo] })).status, 603)

    const asked: TransferRequest[] = []
    await allow(a, (request) => asked.push(request))
    t.equal((await first.dialog.ask('REFER', { headers: [referTo] })).status, 202)
    t.equal(await notified(phone, first), 'active 100')
    await eventually('the wish', () => asked.length === 1)
    t.equal(asked[0]?.replaces, consult.leg)
    other.join(b.leg)
    asked[0]?.progress(200)
    t.equal(await notified(phone, first), 'terminated 200')
    const heardFirst = first.rtp.heard()
    consult.leg.hangup()
    a.leg.hangup()
    d.leg.hangup()
    await Promise.all([phone.hungUp(first), phone.hungUp(second), stranger.hungUp(theirs)])
    await b.passes(800)
    await rig.hangUp(b, c)
    t.same(heardBy(heardFirst), [700])
    t.same(heardBy(rig.phone('102').heard()), [400, 1000])
    t.same(heardBy(rig.phone('103').heard()), [400, 700])
  },
)

t.test(
  'the box has a far end call somebody else, or take its place in another call, and hears what came of it',
  { skip, timeout: 60_000 },
  async (t) => {
    const rig = await PhoneRig.start(t, {}, ['101', '102'])
    const [one, two] = await Promise.all([HandPhone.register(rig.port, '101', 400), HandPhone.register(rig.port, '102', 700, '127.0.1.2')])
    t.teardown(() => (one.close(), two.close()))
    const [a, b] = [rig.ring('101'), rig.ring('102')]
    const [first, second] = await Promise.all([one.takes(), two.takes()])
    await Promise.all([a.until('answered'), b.until('answered')])
    const told: string[] = []
    const tell = (sipCode: number, final: boolean) => void told.push(`${sipCode}${final ? ' final' : ''}`)
    const notify = (call: HandCall, state: string, status: string) =>
      call.dialog.ask('NOTIFY', {
        headers: ['Event: refer', `Subscription-State: ${state}`],
        body: `SIP/2.0 ${status}\r\n`,
        type: 'message/sipfrag;version=2.0',
      })
    a.leg.transfer('+15551230009', tell)
    const refer = await first.dialog.request('REFER')
    t.match(refer.header('Refer-To'), /sip:\+15551230009@/)
    one.peer.answer(refer, 202)
    t.equal((await notify(first, 'active;expires=60', '180 Ringing')).status, 200)
    await eventually('180', () => told.includes('180'))
    t.equal((await notify(first, 'terminated;reason=noresource', '486 Busy Here')).status, 200)
    await eventually('486', () => told.some((each) => /486.*final/.test(each)), 8000)

    told.length = 0
    a.leg.transfer(b.leg, tell)
    const attended = await first.dialog.request('REFER')
    const to = decodeURIComponent(attended.header('Refer-To'))
    t.match(to, second.dialog.callId)
    t.match(to, `to-tag=peer`, 'the tags as the other phone sees them')
    one.peer.answer(attended, 603)
    await eventually('a refusal', () => told.includes('603 final'))
    for (const { leg } of [a, b]) leg.hangup()
    await Promise.all([one.hungUp(first), two.hungUp(second)])
    await b.until('ended')
    told.length = 0
    a.leg.transfer('102', tell)
    t.same(told, [])
  },
)

t.test(
  'a phone takes the place of another in its call, and a call of ours takes the place of one of ours',
  { skip, timeout: 60_000 },
  async (t) => {
    const rig = await PhoneRig.start(t, { 102: 700 }, ['101', '103'])
    const [one, three] = await Promise.all([
      HandPhone.register(rig.port, '101', 400),
      HandPhone.register(rig.port, '103', 1000, '127.0.1.3'),
    ])
    t.teardown(() => (one.close(), three.close()))
    const a = rig.ring('101')
    const [first, b] = await Promise.all([one.takes(), rig.answered('102')])
    await a.until('answered')
    const bridge = rig.driver.bridge()
    bridge.join(a.leg)
    bridge.join(b.leg)
    await b.passes(600)
    const tag = (header: string) => /tag=([^;>]+)/.exec(header)?.[1]
    const { dialog } = first
    const replaces = `Replaces: ${dialog.callId};to-tag=${tag(dialog.remote)};from-tag=${tag(dialog.local)}`

    const refused = await three.calls('101', [replaces])
    t.equal((await refused.dialog.final('INVITE')).status, 603, 'nobody decides about it')
    refused.dialog.send('ACK')
    const doubled = await three.calls('101', [replaces, replaces])
    t.equal((await doubled.dialog.final('INVITE')).status, 400)
    doubled.dialog.send('ACK')

    const came: { call: InboundCall; replaced: ReplacedCall; talk: Talk }[] = []
    rig.driver.onReplacing((call, replaced) => came.push({ call, replaced, talk: new Talk(call.leg as PhoneLeg) }))
    const pickup = await three.calls('101', [replaces, 'Require: replaces'])
    await eventually('the call', () => came.length === 1)
    t.equal(came[0]?.replaced.leg, a.leg)
    const taken = came[0]!.talk
    taken.leg.answer()
    await pickup.dialog.answered()
    await taken.until('answered')
    bridge.join(taken.leg)
    a.leg.hangup()
    await one.hungUp(first)
    await b.passes(800)
    t.same(rig.calls, [], 'it is no call like others')

    const unknown = await three.calls('101', ['Replaces: lamp-102;to-tag=x;from-tag=y;early-only'])
    await eventually('the call', () => came.length === 2)
    t.match(
      came[1]?.replaced,
      { leg: null, callId: 'lamp-102', toTag: 'x', fromTag: 'y', early: true },
      'the daemon may know what it named so',
    )
    came[1]?.talk.leg.reject(481)
    t.equal((await unknown.dialog.final('INVITE')).status, 481)
    unknown.dialog.send('ACK')

    const request = { via: { kind: 'extension' }, to: '103', from: '900', callerName: '', timeoutSeconds: 20 } as const
    const next = new Talk(rig.driver.dialReplacing(request, taken.leg) as PhoneLeg)
    const invite = await three.peer.next('INVITE', (m) => m.method === 'INVITE' && m.header('Replaces') !== '')
    t.equal(invite.header('Replaces'), `${pickup.dialog.callId};to-tag=${tag(pickup.dialog.local)};from-tag=${tag(pickup.dialog.remote)}`)
    three.peer.answer(invite, 486)
    await next.until('ended')
    const late = new Talk(rig.driver.dialReplacing(request, a.leg) as PhoneLeg)
    t.match((await late.until('ended')).end, { sipCode: 481 })
    taken.leg.hangup()
    await three.hungUp(pickup)
    await rig.hangUp(b)
    t.same(heardBy(rig.phone('102').heard()), [400, 1000])
  },
)
