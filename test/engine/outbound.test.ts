/** Calls we make through a trunk, and the trunk's own state, as pbx-engine alone handles them. */
import t from 'tap'
import { toneLevel, tone } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { Engine, pause, skip, trunk } from './engine.ts'
import { RtpSource } from './rtp-source.ts'
import { Dialog, SipPeer, type SipMessage } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'
import { listens } from '../harness/ears.ts'
import { eventually } from '../harness/waiting.ts'

t.test('outbound calls', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({
    trunks: [trunk(`127.0.0.1:${peer.port}`, { username: 'clinic', password: 'secret', fromDomain: 'clinic.example' })],
  })
  t.teardown(async () => (peer.close(), engine.stop()))
  const dial = async (more: object = {}) => {
    const leg = engine.dial({ trunk: 'main', to: '+15557654321', ...more })
    const invite = await peer.request('INVITE')
    return { leg, invite, call: Dialog.of(peer, invite) }
  }
  const bye = async (leg: number, call: Dialog) => {
    engine.send('hangup', { leg })
    peer.answer(await call.request('BYE'), 200)
    return engine.next('ended', { leg })
  }

  await t.test('rings, is answered, both hear each other', async (t) => {
    const rtp = await RtpPhone.open()
    const { leg, invite, call } = await dial({ from: '+15550001001', callerName: 'Riverside "Clinic"' })
    t.match(invite.start, `INVITE sip:+15557654321@127.0.0.1:${peer.port}`)
    t.match(invite.header('From'), /^"Riverside \\"Clinic\\"" <sip:\+15550001001@clinic.example>;tag=/)
    t.match(invite.body, /m=audio \d+ RTP\/AVP 0 8 9 \d+/)
    t.match(invite.body, /a=rtpmap:101 telephone-event\/8000/, 'the type that gateways send whatever was offered')
    t.notMatch(invite.text, /m=(text|video)|PJSIP|pjproject|2\.17/i)
    peer.answer(invite, 100)
    peer.answer(invite, 180)
    t.match(await engine.next('ringing', { leg }), { code: 180, early: false })
    peer.answer(invite, 200, { body: sdp(rtp.port, { codecs: '8 101' }) })
    await call.request('ACK')
    t.match(await engine.next('answered', { leg }), { codec: 'PCMA' })
    engine.send('tap', { leg, on: true })
    engine.send('play', { leg, play: 1, tone: { hz: [440], ms: 300 } })
    await engine.next('played', { leg })
    rtp.say(tone(600, 400))
    rtp.press('5')
    t.match(await engine.next('digit', { leg }), { digit: '5', method: 'rfc4733' })
    t.ok(rtp.packets.length > 10)
    t.ok(engine.audio.length > 20)
    t.match(await bye(leg, call), { by: 'local', reason: 'hangup', code: 200 })
    rtp.close()
  })

  await t.test('a far end that speaks before its answer comes is heard', async (t) => {
    const phone = await RtpSource.open()
    t.teardown(() => phone.close())
    // What is lost is lost by a hair: by one of them, if at all.
    for (let n = 0; n < 20; n++) {
      const { leg, invite, call } = await dial()
      // Its first packets wait in the socket when the media of the call begin.
      phone.speak(Number(/m=audio (\d+)/.exec(invite.body)?.[1]))
      await pause(40)
      peer.answer(invite, 200, { body: sdp(phone.port) })
      await call.request('ACK')
      await engine.next('answered', { leg })
      const before = phone.received
      await eventually('our audio', () => phone.received >= before + 3)
      const { stats } = await bye(leg, call)
      t.ok((stats as Record<string, number>)['rxPackets']! > 0, `call ${n}`)
    }
  })

  await t.test('183 with early media is heard by the other leg of a bridge', async (t) => {
    const rtp = await RtpPhone.open()
    const { leg, invite, call } = await dial()
    peer.answer(invite, 183, { body: sdp(rtp.port) })
    t.match(await engine.next('ringing', { leg }), { code: 183, early: true })
    engine.send('tap', { leg, on: true })
    await rtp.until('our silence', () => rtp.packets.length > 2)
    rtp.say(tone(425, 500))
    await rtp.said()
    await listens(rtp, 100)
    const heard = engine.heard(leg)
    t.ok(toneLevel(heard.subarray(-3200), 425) > -40, `${toneLevel(heard.subarray(-3200), 425)} dB`)
    peer.answer(invite, 200, { body: sdp(rtp.port) })
    await call.request('ACK')
    await engine.next('answered', { leg })
    t.equal((await call.ask('BYE')).status, 200)
    t.match(await engine.next('ended', { leg }), { by: 'remote', reason: 'hangup', code: 200, cause: 16 })
    rtp.close()
  })

  for (const [code, cause] of [
    [486, 17],
    [603, 21],
    [404, 1],
    [503, 41],
    [480, 19],
  ] as const) {
    await t.test(`the far end refuses with ${code}`, async (t) => {
      const { leg, invite, call } = await dial()
      peer.answer(invite, code)
      await call.request('ACK')
      t.match(await engine.next('ended', { leg }), { by: 'remote', reason: 'rejected', code, cause })
    })
  }

  for (const [code, cause] of [
    [480, 18],
    [503, 34],
  ] as const) {
    await t.test(`a refusal with ${code} and a Reason header`, async (t) => {
      const { leg, invite } = await dial()
      peer.answer(invite, code, { headers: [`Reason: Q.850;cause=${cause}`] })
      t.match(await engine.next('ended', { leg }), { by: 'remote', code, cause })
    })
  }

  for (const [what, body] of [
    ['no codec in common', sdp(9, { codecs: '18' })],
    ['no description', ''],
  ] as const) {
    await t.test(`an answer with ${what} is none: the call is hung up and told as failed`, async (t) => {
      const { leg, invite, call } = await dial()
      peer.answer(invite, 200, { body })
      const bye = await call.request('BYE')
      t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'failed', code: 488, cause: 88, text: 'no media was agreed on' })
      t.same(engine.of('answered', { leg }), [])
      peer.answer(bye, 200)
      await call.request('ACK')
      await peer.ask('OPTIONS', 'sip:pbx')
      t.equal(peer.received.splice(0).filter((m) => m.method === 'BYE').length, 0, 'one BYE')
    })
  }

  await t.test('a redirection ends the call', async (t) => {
    const { leg, invite } = await dial()
    peer.answer(invite, 302, { headers: ['Contact: <sip:900@127.0.0.1:9>'] })
    t.match(await engine.next('ended', { leg }), { by: 'remote', reason: 'failed', code: 302 })
  })

  await t.test('nobody answers in time', async (t) => {
    const { leg, invite, call } = await dial({ timeout: 1 })
    peer.answer(invite, 180)
    const cancel = await call.request('CANCEL')
    peer.answer(cancel, 200)
    peer.answer(invite, 487)
    await call.request('ACK')
    t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'no-answer', code: 408 })
  })

  await t.test('nothing at all comes back', async (t) => {
    const { leg, invite, call } = await dial({ timeout: 1 })
    t.match(await engine.next('ended', { leg }, 4000), { by: 'system', reason: 'no-answer', code: 408 })
    // An answer that comes when nobody waits any more is taken and hung up.
    peer.answer(invite, 200, { body: sdp(9) })
    await call.request('ACK')
    peer.answer(await call.request('BYE'), 200)
  })

  await t.test('is canceled by us; an answer that crosses the CANCEL is hung up', async (t) => {
    const first = await dial()
    peer.answer(first.invite, 180)
    await engine.next('ringing')
    engine.send('hangup', { leg: first.leg })
    peer.answer(await first.call.request('CANCEL'), 200)
    peer.answer(first.invite, 487)
    t.match(await engine.next('ended', { leg: first.leg }), { by: 'local', reason: 'canceled' })
    const { leg, invite, call } = await dial()
    peer.answer(invite, 180)
    await engine.next('ringing')
    engine.send('hangup', { leg })
    const cancel = await call.request('CANCEL')
    peer.answer(invite, 200, { body: sdp(9) })
    peer.answer(cancel, 200)
    await call.request('ACK')
    peer.answer(await call.request('BYE'), 200)
    t.match(await engine.next('ended', { leg }), { by: 'local', reason: 'canceled' })
    t.same(engine.of('answered', { leg }), [])
  })

  for (const code of [401, 407]) {
    await t.test(`a challenge with ${code}`, async (t) => {
      const { leg, invite } = await dial()
      const name = code === 401 ? 'WWW-Authenticate' : 'Proxy-Authenticate'
      peer.answer(invite, code, { headers: [`${name}: Digest realm="carrier", nonce="n${code}", algorithm=MD5, qop="auth"`] })
      const second = await peer.next('second INVITE', (m) => m.method === 'INVITE')
      const given = second.header(code === 401 ? 'Authorization' : 'Proxy-Authorization')
      t.match(given, /username="clinic"/)
      const challenge = { headers: () => [`Digest realm="carrier", nonce="n${code}"`] } as unknown as SipMessage
      const field = (n: string): string => new RegExp(`${n}="?([^",]+)`).exec(given)?.[1] ?? ''
      const right = authorization(challenge, 'INVITE', field('uri'), 'clinic', 'secret', {
        cnonce: field('cnonce'),
        nc: Number.parseInt(field('nc'), 16),
      })
      t.equal(field('response'), /response="([^"]+)"/.exec(right)?.[1])
      peer.answer(second, code, { headers: [`${name}: Digest realm="carrier", nonce="n${code}", algorithm=MD5, qop="auth"`] })
      t.match(await engine.next('ended', { leg }), { reason: 'rejected', code }, 'not a third time')
    })
  }

  await t.test('100rel and session timer when the callee wants them', async (t) => {
    const rtp = await RtpPhone.open()
    const { leg, invite, call } = await dial()
    t.match(invite.header('Supported'), /100rel/)
    t.match(invite.header('Supported'), /timer/)
    peer.answer(invite, 183, { headers: ['Require: 100rel', 'RSeq: 7'], body: sdp(rtp.port) })
    const prack = await call.request('PRACK')
    t.match(prack.header('RAck'), /^7 \d+ INVITE$/)
    peer.answer(prack, 200)
    peer.answer(invite, 200, { headers: ['Require: timer', 'Supported: timer', 'Session-Expires: 90;refresher=uas'] })
    await call.request('ACK')
    await engine.next('answered', { leg })
    t.equal((await call.ask('UPDATE', { headers: ['Supported: timer', 'Session-Expires: 90;refresher=uac'] })).status, 200)
    await bye(leg, call)
    rtp.close()
  })

  await t.test('two legs hear each other, G.711 and G.722', async (t) => {
    const [a, b] = [await RtpPhone.open(), await RtpPhone.open()]
    const inbound = new Dialog(peer)
    inbound.invite('101', { body: sdp(a.port) })
    const one = (await engine.next('invite'))['leg'] as number
    engine.send('answer', { leg: one })
    await inbound.answered()
    const { leg: two, invite, call } = await dial()
    peer.answer(invite, 200, { body: sdp(b.port, { codecs: '9 101' }) })
    await call.request('ACK')
    t.match(await engine.next('answered', { leg: two }), { codec: 'G722' })
    engine.bridge(one, two)
    engine.send('tap', { leg: two, on: true })
    await a.until('audio', () => a.packets.length > 5)
    await b.until('audio', () => b.packets.length > 5)
    const before = a.packets.length
    a.say(tone(500, 600))
    await a.until('what comes back', () => a.packets.length > before + 30)
    t.ok(
      b.packets.every((p) => p.payloadType === 9 && p.payload.length === 160),
      '20 ms of G.722',
    )
    t.ok(a.packets.length > before + 25)
    engine.send('leave', { leg: one })
    await bye(two, call)
    t.equal((await inbound.ask('BYE')).status, 200)
    await engine.next('ended', { leg: one })
    a.close()
    b.close()
  })

  await t.test('a call by a trunk or to an extension that does not exist', async (t) => {
    t.match(await engine.next('ended', { leg: engine.dial({ trunk: 'none', to: '1' }) }), { by: 'system', reason: 'failed', code: 404 })
    t.match(await engine.next('ended', { leg: engine.dial({ extension: '999', to: '999' }) }), {
      by: 'system',
      reason: 'failed',
      code: 404,
    })
  })
})
