/** IPv6 and IPv4 at once: a socket of each, and every call with the media of its own family. */
import { networkInterfaces } from 'node:os'
import t from 'tap'
import { Engine, extension, skip, trunk } from './engine.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

const loopback = Object.values(networkInterfaces()).some((list) => list?.some((one) => one.address === '::1'))

t.test('both families', { skip: skip || (loopback ? false : 'this machine has no IPv6'), timeout: 60_000 }, async (t) => {
  const engine = await Engine.start({ udp: '[::]:0', tcp: '[::]:0', phoneNetworks: ['::1/128', '127.0.0.0/8'] })
  const v6 = await SipPeer.udp(engine.port(), '::1', '::1')
  const v4 = await SipPeer.udp(engine.port(), '127.0.0.1')
  const phone = await SipPeer.udp(engine.port(), '::1', '::1')
  t.teardown(async () => (v6.close(), v4.close(), phone.close(), engine.stop()))
  await engine.configure({
    trunks: [
      trunk(`[::1]:${v6.port}`, { id: 'six', register: true, username: 'u', password: 'p' }),
      trunk(`127.0.0.1:${v4.port}`, { id: 'four' }),
    ],
    extensions: [extension('101', 'right')],
  })
  const registration = await v6.request('REGISTER')
  t.match(registration.header('Contact'), /@\[::1\]:/)
  t.match(registration.header('Via'), /UDP \[::1\]:/)
  v6.answer(registration, 200, { headers: [`Contact: ${registration.header('Contact')};expires=300`] })

  for (const [id, peer, family, address, named] of [
    ['six', v6, 'IP6', '::1', '[::1]'],
    ['four', v4, 'IP4', '127.0.0.1', '127.0.0.1'],
  ] as const) {
    await t.test(`a call out over ${family}`, async (t) => {
      const leg = engine.dial({ trunk: id, to: '+15551230001' })
      const invite = await peer.request('INVITE')
      t.ok(invite.header('Via').includes(`UDP ${named}:`), invite.header('Via'))
      t.ok(invite.header('Contact').includes(`${named}:`), invite.header('Contact'))
      t.match(invite.body, new RegExp(`^c=IN ${family} ${address}\r$`, 'm'))
      const call = Dialog.of(peer, invite)
      peer.answer(invite, 200, { body: sdp(4000, { address }) })
      await call.request('ACK')
      await engine.next('answered', { leg })
      engine.send('hangup', { leg })
      peer.answer(await call.request('BYE'), 200)
      t.match(await engine.next('ended', { leg }), { by: 'local', reason: 'hangup' })
    })
    await t.test(`a call in over ${family}`, async (t) => {
      const call = new Dialog(peer)
      call.invite('+15550001000', { body: sdp(4000, { address }) })
      const { leg } = await engine.next('invite')
      engine.send('answer', { leg })
      const answer = await call.answered()
      t.match(answer.body, new RegExp(`^c=IN ${family} ${address}\r$`, 'm'))
      t.ok(answer.header('Contact').includes(`${named}:`), answer.header('Contact'))
      await engine.next('answered', { leg })
      call.send('BYE')
      await engine.next('ended', { leg })
    })
  }

  await t.test('a call without an offer is made one of its own family', async (t) => {
    const call = new Dialog(v6)
    call.invite('+15550001000')
    const { leg } = await engine.next('invite')
    engine.send('answer', { leg })
    const offer = await call.final('INVITE')
    t.match(offer.body, /^c=IN IP6 ::1\r$/m)
    call.learn(offer)
    call.send('ACK', { body: sdp(4000, { address: '::1' }) })
    await engine.next('answered', { leg })
    call.send('BYE')
    await engine.next('ended', { leg })
  })

  await t.test('a phone registers and is called', async (t) => {
    t.equal((await register(phone, '101', 'right'))?.status, 200)
    const leg = engine.dial({ extension: '101', to: '101' })
    const invite = await phone.request('INVITE')
    t.match(invite.body, /^c=IN IP6 ::1\r$/m)
    phone.answer(invite, 486)
    await engine.next('ended', { leg })
  })
})

t.test('IPv6 alone', { skip: skip || (loopback ? false : 'this machine has no IPv6'), timeout: 60_000 }, async (t) => {
  const engine = await Engine.start({ udp: '[::1]:0', tcp: '[::1]:0', phoneNetworks: [] })
  const peer = await SipPeer.udp(engine.port(), '::1', '::1')
  t.teardown(async () => (peer.close(), engine.stop()))
  await engine.configure({ trunks: [trunk(`[::1]:${peer.port}`)] })
  const leg = engine.dial({ trunk: 'main', to: '+15551230001' })
  const invite = await peer.request('INVITE')
  t.match(invite.body, /^c=IN IP6 ::1\r$/m)
  peer.answer(invite, 486)
  t.match(await engine.next('ended', { leg }), { reason: 'rejected', code: 486 })
})
