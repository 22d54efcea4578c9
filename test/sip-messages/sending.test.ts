/** Texts that go out through a SIP trunk: what is on the wire, and what each answer, or none, makes of the text. */
import t from 'tap'
import { freePort } from '../harness/daemon.ts'
import { Sipp } from '../harness/sipp.ts'
import { SipPeer, type SipMessage } from '../engine/sip-peer.ts'
import { other, own, Rig, sipTrunk, skip } from './rig.ts'
import { eventually } from '../harness/waiting.ts'

// PJSIP gives a text up after 32 s, and one test waits for that.
t.setTimeout(180_000)

const scenario = (name: string): string => `../../sip-messages/scenarios/${name}`

/** A provider that answers by hand, and pbxd with a trunk to it. */
async function provider(more: Parameters<typeof sipTrunk>[1] = {}): Promise<{ peer: SipPeer; rig: Rig; close: () => Promise<void> }> {
  const peer = await SipPeer.udp(0)
  const rig = await Rig.start([sipTrunk(`127.0.0.1:${peer.port}`, more)])
  return { peer, rig, close: () => (peer.close(), rig.stop()) }
}

t.test('texts out', { skip, timeout: 90_000 }, async (t) => {
  // What takes long waits in parallel with the rest: PJSIP gives a text up after 32 s.
  const silent = await provider()
  const never = silent.rig.send('nobody answers')
  const asked = performance.now()

  await t.test('a provider takes a text', async (t) => {
    const sipp = await Sipp.start({ scenario: scenario('takes-text'), fields: [0] })
    const rig = await Rig.start([sipTrunk(`127.0.0.1:${sipp.port}`)])
    t.match(rig.trunk, { kind: 'sip', id: 'text', number: own })
    t.match(rig.trunk.status(), { ok: true, state: 'ready', text: '', facts: { trunk: 'main' } })
    const body = 'Ihr Termin: Dienstag, 9 Uhr.\nGrüße 😀'
    const outcome = await rig.send(body)
    const [request = ''] = /MESSAGE sip:[\s\S]*😀/.exec(sipp.messages()) ?? []
    const callId = /^Call-ID: *(\S+)/im.exec(request)?.[1]
    t.same(outcome, { kind: 'accepted', accepted: [callId] })
    t.ok(request.startsWith(`MESSAGE sip:${other}@127.0.0.1:${sipp.port} SIP/2.0`), request)
    t.match(request, new RegExp(`^From: <sip:\\${own}@127\\.0\\.0\\.1>;tag=`, 'm'))
    t.match(request, /^Content-Type: text\/plain;charset=UTF-8\r?$/m)
    t.match(request, new RegExp(`^Content-Length: +${Buffer.byteLength(body)}\r?$`, 'm'))
    t.notMatch(request, /^Contact:/m, 'which RFC 3428 forbids')
    t.match(request.replaceAll('\r', ''), `\n\n${body}`)
    t.equal(await sipp.exit, 0, sipp.failure())
    await rig.stop()
    await sipp.close()
  })

  await t.test('a provider that wants a password gets it; a wrong one is a refusal', async (t) => {
    for (const [password, expected] of [
      ['secret', { kind: 'accepted' }],
      ['wrong', { kind: 'refused', code: 'sip_403' }],
    ] as const) {
      const sipp = await Sipp.start({ scenario: scenario('challenges-text'), fields: [0] })
      const rig = await Rig.start([sipTrunk(`127.0.0.1:${sipp.port}`, { password })])
      t.match(await rig.send('behind a challenge'), expected, sipp.failure())
      t.equal(await sipp.exit, 0, sipp.failure())
      await rig.stop()
      await sipp.close()
    }
  })

  await t.test('answers, and what they mean', async (t) => {
    const { peer, rig, close } = await provider()
    const answers: [number, readonly string[], object][] = [
      [404, [], { kind: 'refused', code: 'sip_404', text: 'The provider does not know this number (404 Whatever)', accepted: [null] }],
      [415, ['Accept: message/cpim'], { kind: 'refused', code: 'sip_415' }],
      [486, [], { kind: 'temporary' }],
      [503, ['Retry-After: 90 (maintenance)'], { kind: 'temporary', retryAfterSeconds: 90 }],
      [302, ['Contact: <sip:elsewhere@127.0.0.1:9>'], { kind: 'refused', code: 'sip_302' }],
      [401, [], { kind: 'refused', code: 'sip_401' }],
      [513, [], { kind: 'refused', code: 'message_too_long' }],
      [200, [], { kind: 'accepted' }],
    ]
    for (const [code, headers, expected] of answers) {
      const sending = rig.send(`to be answered ${code}`)
      peer.answer(await peer.request('MESSAGE'), code, { headers })
      t.match(await sending, expected, String(code))
    }
    await t.test('a provider that asks for the password for ever', async (t) => {
      const sending = rig.send('asked twice')
      let requests = 0
      for (let nonce = 1; nonce <= 2; nonce++) {
        const request: SipMessage = await peer.request('MESSAGE')
        requests++
        t.equal(/username="clinic"/.test(request.header('Authorization')), nonce > 1)
        peer.answer(request, 401, { headers: [`WWW-Authenticate: Digest realm="r", nonce="n${nonce}", algorithm=MD5`] })
      }
      t.match(await sending, { kind: 'refused', code: 'sip_401' })
      t.equal(requests, 2)
    })
    await t.test('several at once keep their own answers', async (t) => {
      const sending = ['a', 'b', 'c'].map((body) => rig.send(body))
      for (let i = 0; i < 3; i++) {
        const request = await peer.request('MESSAGE')
        peer.answer(request, request.body === 'b' ? 603 : 200)
      }
      t.match(await Promise.all(sending), [{ kind: 'accepted' }, { kind: 'refused', code: 'sip_603' }, { kind: 'accepted' }])
    })
    await t.test('odd numbers and texts do no harm', async (t) => {
      const sending = rig.send('half a \ud800 pair', { to: 'a b>\r\nX: <sip:"\u0000', from: '\udfff"<' })
      const request = await peer.request('MESSAGE')
      peer.answer(request, 200)
      t.match(await sending, { kind: 'accepted' })
      t.match(request.start, /^MESSAGE sip:a%20b%3EX%3A%20%3Csip%3A%22@/i, 'control characters stay here')
      t.equal(Buffer.from(request.body, 'latin1').toString(), 'half a � pair')
    })
    await close()
  })

  await t.test('1300 bytes fit, over UDP as the trunk says; one more is not sent', async (t) => {
    const { peer, rig, close } = await provider()
    const sending = rig.send('ß'.repeat(650))
    const request = await peer.request('MESSAGE', 3000)
    t.match(request.header('Via'), /^SIP\/2\.0\/UDP/)
    t.equal(request.body.length, 1300)
    peer.answer(request, 200)
    t.match(await sending, { kind: 'accepted' })
    t.match(await rig.send('ß'.repeat(650) + '!'), { kind: 'refused', code: 'message_too_long', text: /1301 bytes/ })
    t.match(await rig.driver.texts.send({ trunkId: 'main', to: other, from: own, body: 'x'.repeat(1301) }), { code: 513, sent: false })
    t.same(peer.received, [])
    await close()
  })

  await t.test('through an outbound proxy, in the name of a domain', async (t) => {
    const peer = await SipPeer.udp(0)
    const rig = await Rig.start([sipTrunk('127.0.0.2:9', { outboundProxy: `127.0.0.1:${peer.port}`, fromDomain: 'clinic.example' })])
    const sending = rig.send('via the proxy', { from: '' })
    const request = await peer.request('MESSAGE')
    t.match(request.start, `MESSAGE sip:${other}@127.0.0.2:9 SIP/2.0`)
    t.match(request.header('Route'), `<sip:127.0.0.1:${peer.port};lr>`)
    t.match(request.header('From'), `<sip:${own}@clinic.example>`)
    peer.answer(request, 407, { headers: ['Proxy-Authenticate: Digest realm="proxy", nonce="p", algorithm=MD5, qop="auth"'] })
    const proven = await peer.request('MESSAGE')
    t.match(proven.header('Proxy-Authorization'), /username="clinic"/)
    peer.answer(proven, 401, { headers: ['WWW-Authenticate: Digest realm="provider", nonce="q", algorithm=MD5'] })
    const both = await peer.request('MESSAGE')
    t.match(both.header('Authorization'), /realm="provider"/)
    t.match(both.header('Proxy-Authorization'), /realm="proxy"/)
    peer.answer(both, 200)
    t.match(await sending, { kind: 'accepted' })
    peer.close()
    await rig.stop()
  })

  await t.test('nobody listens at the trunk: certainly not sent', async (t) => {
    const rig = await Rig.start([sipTrunk(`127.0.0.1:${await freePort()}`, { transport: 'tcp' })])
    t.match(await rig.send('into the void'), { kind: 'temporary', text: /could not be sent/ })
    t.match(await rig.driver.texts.send({ trunkId: 'none', to: other, from: own, body: 'x' }), {
      code: 0,
      sent: false,
      reason: /no trunk none/,
    })
    await rig.stop()
    t.match(await rig.send('after the end'), { kind: 'temporary' })
  })

  await t.test('a trunk that is known to be down is not tried', async (t) => {
    const { peer, rig, close } = await provider({ register: true, keepAliveSeconds: 1 })
    peer.answer(await peer.request('REGISTER'), 403)
    await eventually('it is refused', () => rig.trunk.status().state === 'refused', undefined, 5)
    t.match(await rig.send('later'), { kind: 'temporary', text: /refused user name or password/ })
    t.same(
      peer.received.filter((message) => message.method === 'MESSAGE'),
      [],
    )
    t.ok(rig.statusChanges > 0)
    await close()
  })

  await t.test('an engine that dies in between leaves the text unknown', async (t) => {
    const { peer, rig, close } = await provider()
    const sending = rig.send('half way')
    await peer.request('MESSAGE')
    process.kill(Number(rig.driver.health().facts['pid']), 'SIGKILL')
    t.match(await sending, { kind: 'unknown', text: /engine was lost/ })
    t.match(await rig.send('too early'), { kind: 'temporary' })
    await eventually('the engine is back', () => rig.driver.health().ok, undefined, 5)
    const again = rig.send('the engine is back')
    peer.answer(await peer.next('MESSAGE', (m) => m.body === 'the engine is back'), 200)
    t.match(await again, { kind: 'accepted' })
    await close()
  })

  await t.test('a stop in between leaves the text unknown', async (t) => {
    const { peer, rig, close } = await provider()
    const sending = rig.send('half way')
    await peer.request('MESSAGE')
    await close()
    t.match(await sending, { kind: 'unknown' })
  })

  await t.test('no answer at all: unknown', async (t) => {
    t.match(await never, { kind: 'unknown', text: /There was no answer/ })
    t.ok(performance.now() - asked > 25_000)
    await silent.close()
  })
})
