/** A session timer (RFC 4028) that we refresh for a far end that says nothing any more. */
import t from 'tap'
import { RtpPhone } from '../harness/phone.ts'
import { Engine, skip, trunk } from './engine.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

// 90 s is the shortest session there is: it is refreshed after 45, and PJSIP repeats the request for 32.
t.test('a refresh that nobody answers ends the call, by the system', { skip, timeout: 180_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  const rtp = await RtpPhone.open()
  t.teardown(async () => (rtp.close(), peer.close(), engine.stop()))
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
  const leg = engine.dial({ trunk: 'main', to: '+15551230001' })
  const invite = await peer.request('INVITE')
  t.equal(invite.header('Session-Expires'), '180', 'what is asked for')
  const call = Dialog.of(peer, invite)
  const timer = ['Allow: INVITE, ACK, BYE, UPDATE', 'Require: timer', 'Session-Expires: 90;refresher=uac']
  peer.answer(invite, 200, { headers: timer, body: sdp(rtp.port) })
  await call.request('ACK')
  await engine.next('answered', { leg })
  await call.request('UPDATE', 60_000)
  await call.request('BYE', 60_000)
  // Nobody answers that either.
  t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'failed' })
})

// A far end that names UPDATE in Allow need not take it, and one that is busy with the session says so: a far end that answers is there.
t.test('a refresh that is refused is asked for in another way, and ends no call', { skip, timeout: 180_000 }, async (t) => {
  const engine = await Engine.start()
  t.teardown(() => engine.stop())
  const withUpdate = 'INVITE, ACK, BYE, UPDATE'
  const challenge = ['Proxy-Authenticate: Digest realm="carrier", nonce="n1", algorithm=MD5, qop="auth"']
  /** What is refused, by what, until a request comes that `takes` names. */
  const rows = [
    { allow: withUpdate, code: 501, headers: [], takes: 'INVITE' },
    { allow: withUpdate, code: 405, headers: [], takes: 'INVITE' },
    { allow: withUpdate, code: 500, headers: ['Retry-After: 2'], takes: 'INVITE' },
    { allow: withUpdate, code: 488, headers: [], takes: 'INVITE' },
    { allow: withUpdate, code: 422, headers: ['Min-SE: 600'], takes: 'UPDATE' },
    { allow: withUpdate, code: 407, headers: challenge, takes: 'UPDATE' },
    { allow: withUpdate, code: 503, headers: [], takes: 'UPDATE' },
    { allow: 'INVITE, ACK, BYE', code: 503, headers: [], takes: 'INVITE' },
    { allow: 'INVITE, ACK, BYE', code: 491, headers: [], takes: 'INVITE' },
  ] as const
  const peers = await Promise.all(rows.map(() => SipPeer.udp(engine.port())))
  t.teardown(() => peers.forEach((peer) => peer.close()))
  const line = (n: number) => trunk(`127.0.0.1:${peers[n]!.port}`, { id: `t${n}`, username: 'clinic', password: 'secret' })
  await engine.configure({ trunks: rows.map((_, n) => line(n)) })
  const refreshed = async ({ allow, code, headers, takes }: (typeof rows)[number], n: number) => {
    const peer = peers[n]!
    const leg = engine.dial({ trunk: `t${n}`, to: '+15551230001' })
    const invite = await peer.request('INVITE')
    const call = Dialog.of(peer, invite)
    const timer = ['Require: timer', 'Session-Expires: 90;refresher=uac']
    peer.answer(invite, 200, { headers: [`Allow: ${allow}`, ...timer], body: sdp(9) })
    await call.request('ACK')
    await engine.next('answered', { leg })
    const next = (ms: number) => peer.next('a refresh', ({ method }) => method === 'INVITE' || method === 'UPDATE', ms)
    peer.answer(await next(60_000), code, { headers })
    for (;;) {
      const refresh = await next(20_000)
      // The same in another form is refused alike.
      if (refresh.method !== takes) {
        peer.answer(refresh, code, { headers })
        continue
      }
      peer.answer(refresh, 200, { headers: timer, body: refresh.body === '' ? '' : sdp(9, { version: 2 }) })
      break
    }
    await call.ask('BYE')
    t.match(await engine.next('ended', { leg }), { by: 'remote', reason: 'hangup' }, `${code} to ${allow}`)
  }
  await Promise.all(rows.map(refreshed))
})
