/** What of media and codecs pbx-engine takes and offers, line by line: SRTP by choice, the trunk's codecs. */
import t from 'tap'
import { whole } from '../../drivers/sip/reading.ts'
import { Engine, extension, skip, trunk } from './engine.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

const key = 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz'
const secured = (port: number): string => sdp(port, { more: [key] }).replace('RTP/AVP', 'RTP/SAVP')

t.test('lines', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  const server = `127.0.0.1:${peer.port}`
  t.teardown(async () => (peer.close(), engine.stop()))

  const incoming = async (body: string) => {
    const call = new Dialog(peer)
    call.invite('101', { body })
    const invite = await engine.next('invite', {}, 300).catch(() => undefined)
    if (invite !== undefined) engine.send('answer', { leg: invite['leg'] })
    const final = await call.final('INVITE')
    call.learn(final)
    call.send('ACK')
    const leg = whole(invite?.['leg'])
    if (final.status === 200) {
      t.match(await engine.next('answered', { leg }), { secure: /SAVP/.test(final.body) })
      await call.ask('BYE')
    }
    if (leg > 0) await engine.next('ended', { leg })
    return final
  }
  const outgoing = async (dial: object, to = peer) => {
    const leg = engine.dial(dial)
    const invite = await to.request('INVITE')
    to.answer(invite, 486)
    await engine.next('ended', { leg })
    return invite.body
  }

  await t.test('a trunk with SRTP required, optional, off', async (t) => {
    await engine.configure({ trunks: [trunk(server, { srtp: 'required' })] })
    t.equal((await incoming(sdp(9))).status, 488)
    t.match(await incoming(secured(9)), { status: 200, body: /RTP\/SAVP[^]*a=crypto/ })
    t.match(await outgoing({ trunk: 'main', to: '1' }), /m=audio \d+ RTP\/SAVP [^]*a=crypto/)
    const clear = engine.dial({ trunk: 'main', to: '1' })
    peer.answer(await peer.request('INVITE'), 200, { body: sdp(9) })
    t.match(await engine.next('ended', { leg: clear }), { by: 'system', reason: 'failed', code: 488, cause: 88 }, 'answered in the clear')
    peer.answer(await peer.request('BYE'), 200)
    await engine.configure({ trunks: [trunk(server, { srtp: 'optional' })] })
    t.match(await incoming(sdp(9)), { status: 200, body: /RTP\/AVP/ })
    t.match(await incoming(secured(9)), { status: 200, body: /RTP\/SAVP/ })
    await engine.configure({ trunks: [trunk(server, { srtp: 'off' })] })
    t.equal((await incoming(secured(9))).status, 488)
    t.match(await outgoing({ trunk: 'main', to: '1' }), /m=audio \d+ RTP\/AVP /)
  })

  await t.test('the codecs of a trunk, in its order', async (t) => {
    await engine.configure({ trunks: [trunk(server, { codecs: ['PCMA', 'PCMU'] })] })
    t.match(await outgoing({ trunk: 'main', to: '1' }), /RTP\/AVP 8 0 1\d\d\r\n/)
    t.match((await incoming(sdp(9, { codecs: '9 0 8' }))).body, /RTP\/AVP 0( 8)?\r\n/, 'the order of the offer')
    t.equal((await incoming(sdp(9, { codecs: '9' }))).status, 488)
  })

  await t.test('an extension with SRTP required', async (t) => {
    await engine.configure({ trunks: [], extensions: [extension('101', 'right', { srtp: 'required' })] })
    const phone = await SipPeer.udp(engine.port())
    t.teardown(() => phone.close())
    const status = async (body: string) => {
      const call = new Dialog(phone)
      call.invite('102', { from: '<sip:101@pbx>', body })
      const challenge = await call.final('INVITE')
      call.send('ACK')
      call.send('INVITE', { headers: [authorization(challenge, 'INVITE', call.target, '101', 'right')], body })
      const invite = await engine.next('invite', {}, 300).catch(() => undefined)
      if (invite !== undefined) engine.send('reject', { leg: invite['leg'], code: 486 })
      const { status } = await call.final('INVITE')
      call.send('ACK')
      if (invite !== undefined) await engine.next('ended', { leg: invite['leg'] })
      return status
    }
    t.equal(await status(sdp(9)), 488)
    t.equal(await status(secured(9)), 486)
  })

  /** A call that stands. */
  const standing = async () => {
    await engine.configure({ trunks: [trunk(server)] })
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(9) })
    const leg = whole((await engine.next('invite'))['leg'])
    engine.send('answer', { leg })
    await call.answered()
    await engine.next('answered', { leg })
    const over = async () => {
      await call.ask('BYE')
      return engine.next('ended', { leg })
    }
    return { call, leg, over }
  }

  await t.test('a hold order waits until the change of the far end is acknowledged', async (t) => {
    const { call, leg, over } = await standing()
    call.send('INVITE', { body: sdp(9, { version: 2 }) })
    t.equal((await call.final('INVITE')).status, 200)
    engine.send('hold', { leg, on: true })
    engine.send('ping', { n: 1 })
    await engine.next('pong', { n: 1 })
    await t.rejects(call.request('INVITE', 100), 'not now')
    call.send('ACK')
    const hold = await call.request('INVITE', 2000)
    t.match(hold.body, 'a=sendonly')
    peer.answer(hold, 200, { body: sdp(9, { direction: 'recvonly', version: 3 }) })
    await call.request('ACK')
    await over()
  })

  await t.test('a far end that refuses to be put on hold is told of; an answer with too many lines changes nothing', async (t) => {
    const { call, leg, over } = await standing()
    engine.send('hold', { leg, on: true })
    peer.answer(await call.request('INVITE'), 488)
    await call.request('ACK')
    engine.send('hold', { leg, on: true })
    peer.answer(await call.request('INVITE'), 200, { body: sdp(9, { version: 2 }) + 'm=audio 9 RTP/AVP 0\r\n'.repeat(40) })
    await call.request('ACK')
    t.match(await over(), { by: 'remote', reason: 'hangup', code: 200 })
    t.match(engine.output, `leg ${leg}: the far end refuses to be put on hold: 488`)
  })

  await t.test('both sides change the call at once: ours is sent again', async (t) => {
    const { call, leg, over } = await standing()
    engine.send('hold', { leg, on: true })
    const first = await call.request('INVITE')
    call.send('INVITE', { body: sdp(9, { version: 2 }) })
    t.equal((await call.final('INVITE')).status, 491)
    call.send('ACK')
    peer.answer(first, 491)
    await call.request('ACK')
    const second = await call.request('INVITE')
    t.match(second.body, 'a=sendonly')
    peer.answer(second, 200, { body: sdp(9, { direction: 'recvonly', version: 3 }) })
    await call.request('ACK')
    await over()
  })
})
