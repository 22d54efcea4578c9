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
