/** What callers hear and see until somebody answers, and whom phones show: early media, the ringback of the country, a phone's own forward, connected names. */
import t from 'tap'
import { eventually } from '../harness/scene.ts'
import { hears, listens } from '../harness/ears.ts'
import { rms, tone } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { desk, handDesk, openTalkers, tonesIn } from '../harness/talkers.ts'
import { course, password } from '../sip-driver/phones.ts'
import { Dialog, SipPeer } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'

const far = await SipPeer.udp(0, '127.0.3.1')
const scene = await openTalkers((base) => {
  base['trunks'] = [
    ...(base['trunks'] as object[]),
    { id: 'early', server: `127.0.3.1:${far.port}`, transport: 'udp', register: false, numbers: ['+15550007000'] },
  ]
  base['site'] = { ...(base['site'] as object), country: 'GB' }
  base['numbers'] = { international: ['US'] }
  base['extensions'] = ['101', '102', '103'].map((number) => ({ number, name: `Desk ${number}`, password, class: 'international' }))
  base['outbound'] = [{ to: '*', trunks: ['early'] }]
  base['menus'] = [{ id: 'main', say: 'Press one.', keys: { '1': '101', '2': 'external:+12125550142' }, onNothing: '101' }]
  base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: 'menu:main' }]
})
const { daemon } = scene
t.setTimeout(120_000)
t.teardown(async () => {
  await scene.close()
  far.close()
})
t.afterEach(() => scene.sweep())

/** The provider announces something before the answer. */
async function announces(rtp: RtpPhone, code = 183) {
  const invite = await far.request('INVITE')
  const [, address = ''] = /c=IN IP4 (\S+)/.exec(invite.body) ?? []
  far.answer(invite, code, { body: sdp(rtp.port, { address: far.address }) })
  rtp.sendTo(Number(/m=audio (\d+)/.exec(invite.body)?.[1]), address)
  return invite
}

async function speaker(hz: number): Promise<RtpPhone> {
  const rtp = await RtpPhone.open(far.address)
  t.teardown(() => rtp.close())
  rtp.say(tone(hz, 60_000))
  return rtp
}

t.test('a phone hears what the provider says before the answer, and the refusal after it', async (t) => {
  const phone = await handDesk(scene, '101')
  for (const code of [183, 180]) {
    const voice = await speaker(300)
    const call = await phone.calls('+12125550142')
    const invite = await announces(voice, code)
    await hears(call.rtp, 300)
    t.same(tonesIn(call.rtp.heard()), [300], `${code}: before the answer`)
    t.notOk(
      phone.peer.received.some(({ status }) => status === 200),
      'nobody has answered',
    )
    far.answer(invite, 486)
    t.equal((await call.dialog.final('INVITE')).status, 486)
    call.dialog.send('ACK')
  }
})

/** What the caller hears of a far end that has described its audio, rings, and sends nothing; then it speaks. */
const unheard: readonly (readonly [name: string, answers: readonly (readonly [code: number, described: boolean])[], rings: boolean])[] = [
  [
    '183 with a description, then 180',
    [
      [183, true],
      [180, false],
    ],
    true,
  ],
  [
    '180, then 183 with a description',
    [
      [180, false],
      [183, true],
    ],
    true,
  ],
  ['180 with a description', [[180, true]], true],
  [
    '183 with a description, then 180 with one',
    [
      [183, true],
      [180, true],
    ],
    true,
  ],
  ['183 with a description alone', [[183, true]], false],
]
for (const [name, answers, rings] of unheard) {
  t.test(
    `${name}, and no audio: a phone hears ${rings ? 'the ringback of the country until' : 'nothing before'} the provider speaks`,
    async (t) => {
      const ringback = (samples: Int16Array) => course(samples, [400, 300]).filter(({ hz, ms }) => hz === 400 && ms >= 200)
      const phone = await handDesk(scene, '101')
      const voice = await RtpPhone.open(far.address)
      t.teardown(() => voice.close())
      voice.muted = true
      const call = await phone.calls('+12125550142')
      const invite = await far.request('INVITE')
      for (const [code, described] of answers)
        far.answer(invite, code, described ? { body: sdp(voice.port, { address: far.address }) } : {})
      await listens(call.rtp, 2500)
      t.equal(ringback(call.rtp.heard()).length > 0, rings, JSON.stringify(course(call.rtp.heard(), [400, 300])))
      voice.muted = false
      voice.say(tone(300, 10_000))
      const since = call.rtp.heard().length
      await hears(call.rtp, 300, 1200)
      const heard = call.rtp.heard().subarray(since)
      t.same(ringback(heard.subarray(4000)), [], 'no ringback below what it says')
      t.equal(tonesIn(heard.subarray(4000)).at(-1), 300)
      far.answer(invite, 486)
      t.equal((await call.dialog.final('INVITE')).status, 486)
      call.dialog.send('ACK')
    },
  )
}

t.test('who was answered already hears the ringback of the country while a far end that has described its audio sends none', async (t) => {
  const voice = await RtpPhone.open(far.address)
  t.teardown(() => voice.close())
  voice.muted = true
  const caller = await scene.call()
  await caller.rtp.sound()
  await caller.rtp.press('2')
  const invite = await far.request('INVITE')
  far.answer(invite, 183, { body: sdp(voice.port, { address: far.address }) })
  await listens(caller.rtp, 500)
  far.answer(invite, 180)
  const since = caller.rtp.heard().length
  await listens(caller.rtp, 3500)
  const bursts = course(caller.rtp.heard().subarray(since), [400, 300]).filter(({ hz, ms }) => hz === 400 && ms >= 200)
  t.ok(bursts.length >= 2, JSON.stringify(bursts))
  await caller.hangup()
  far.answer(await far.request('CANCEL'), 200)
  far.answer(invite, 487)
})

t.test('early media become the talk when they answer', async (t) => {
  const phone = await handDesk(scene, '101')
  const voice = await speaker(300)
  const call = await phone.calls('+12125550142')
  const invite = await announces(voice)
  await call.rtp.sound()
  far.answer(invite, 200, { body: sdp(voice.port, { address: far.address }) })
  await call.dialog.answered()
  await Promise.all([hears(call.rtp, 300), hears(voice, 400)])
  t.same(tonesIn(call.rtp.heard()), [300])
  t.same(tonesIn(voice.heard()), [400], 'the other hears the phone after the answer')
  t.equal((await call.dialog.ask('BYE')).status, 200)
  far.answer(await far.request('BYE'), 200)
})

t.test('who was answered already hears the ringback of the country, and what a provider says in its place', async (t) => {
  const ring = (samples: Int16Array) => course(samples, [400, 450, 300]).filter(({ hz }) => hz !== 0)
  const answerless = await handDesk(scene, '101')
  const caller = await scene.call()
  await caller.rtp.sound()
  await caller.rtp.press('1')
  await answerless.peer.request('INVITE')
  await listens(caller.rtp, 3500)
  const bursts = ring(caller.rtp.heard()).filter(({ ms }) => ms >= 300 && ms <= 500)
  t.ok(bursts.length >= 2, `0.4 s on, 0.2 s off, 0.4 s on: ${JSON.stringify(bursts)}`)
  await caller.hangup()

  const voice = await speaker(300)
  const second = await scene.call()
  await second.rtp.sound()
  await second.rtp.press('2')
  const invite = await announces(voice)
  await hears(second.rtp, 300)
  t.equal(tonesIn(second.rtp.heard()).at(-1), 300)
  await second.hangup()
  far.answer(await far.request('CANCEL'), 200)
  far.answer(invite, 487)
})

t.test('who was answered already hears the busy tone of the country before the words', async (t) => {
  const engaged = await handDesk(scene, '101')
  const caller = await scene.call()
  await caller.rtp.sound()
  await caller.rtp.press('1')
  engaged.peer.answer(await engaged.peer.request('INVITE'), 486)
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  const heard = caller.rtp.heard()
  const runs = course(heard, [400])
  const bursts = runs.filter(({ hz, ms }) => hz === 400 && ms >= 320 && ms <= 440)
  t.ok(bursts.length >= 2, `0.375 s on, 0.375 s off: ${JSON.stringify(bursts)}`)
  t.ok(rms(heard.subarray(-16_000, -4000)) > 250, 'and words after it')
})

t.test('a phone that answers 302 has its calls go there, as far as it may call itself, and once', async (t) => {
  const moved = await handDesk(scene, '101')
  const third = await desk(scene, '103')
  const back = await handDesk(scene, '102')
  const call = await back.calls('101')
  moved.peer.answer(await moved.peer.request('INVITE'), 302, { headers: ['Contact: <sip:103@anywhere.example>'] })
  await third.until('CALL_ESTABLISHED')
  await call.dialog.answered()
  await hears(call.rtp, 1000)
  t.same(tonesIn(call.rtp.heard()), [1000])
  t.equal((await call.dialog.ask('BYE')).status, 200)
  await third.until('CALL_CLOSED')

  const refused = await back.calls('101')
  moved.peer.answer(await moved.peer.request('INVITE'), 302, { headers: ['Contact: <sip:101@anywhere.example>'] })
  t.equal((await refused.dialog.final('INVITE')).status, 486, 'to itself is nowhere')
  refused.dialog.send('ACK')
})

t.test('who is transferred shows whom they talk with by now', async (t) => {
  const [first, second] = await Promise.all([handDesk(scene, '101'), handDesk(scene, '102')])
  const third = await desk(scene, '103')
  const calling = await first.calls('102')
  const called = await second.takes()
  await calling.dialog.answered()
  await hears(calling.rtp, 700)
  t.equal((await called.dialog.ask('REFER', { headers: ['Refer-To: <sip:103@pbx>'] })).status, 202)
  await third.until('CALL_ESTABLISHED')
  const told = await calling.dialog.request('INVITE')
  t.match(told.header('P-Asserted-Identity'), /"Desk 103" <sip:103@/)
  first.peer.answer(told, 200, { body: sdp(calling.rtp.port, { address: first.peer.address }) })
  await calling.dialog.request('ACK')
  await hears(calling.rtp, 1000)
  t.equal(tonesIn(calling.rtp.heard()).at(-1), 1000)
  t.equal((await calling.dialog.ask('BYE')).status, 200)
  await third.until('CALL_CLOSED')
})

t.test('who answers and hangs up in the same moment has had the call', async (t) => {
  const [caller, called] = [await handDesk(scene, '101'), await handDesk(scene, '102')]
  const newest = async () => (await daemon.api('GET', '/api/pbx/calls/history?order=desc&limit=1')).body.items[0]
  for (let times = 0; times < 5; times++) {
    const { callId: before } = await newest()
    const call = await caller.calls('102')
    const invite = await called.peer.request('INVITE')
    called.peer.answer(invite, 180)
    called.peer.answer(invite, 200, { body: sdp(9, { address: called.peer.address }) })
    const dialog = Dialog.of(called.peer, invite)
    await called.peer.request('ACK')
    await dialog.ask('BYE')
    await call.dialog.answered()
    await caller.hungUp(call)
    await eventually('it is over', async () => (await newest()).callId !== before)
    t.match(await newest(), { to: '102', outcome: 'answered', hangupBy: 'callee' })
  }
})
