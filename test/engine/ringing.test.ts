/** An extension with several phones: all ring, the first that answers has the call, and one that is dead holds nobody up. */
import t from 'tap'
import { Engine, extension, skip } from './engine.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer, type SipMessage } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

t.test('an extension with several phones', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start({ extensions: [extension('101', 'a password of mine')] })
  t.teardown(() => engine.stop())
  const phones: SipPeer[] = []
  t.teardown(() => phones.forEach((phone) => phone.close()))

  const registers = async (phone: SipPeer) => {
    t.equal((await register(phone, '101', 'a password of mine'))?.status, 200)
    return phone
  }
  const udp = async (address: string) => {
    const phone = await SipPeer.udp(engine.port(), address)
    phones.push(phone)
    return registers(phone)
  }
  const rings = async (phone: SipPeer, code = 180) => {
    const invite = await phone.request('INVITE')
    if (code > 0) phone.answer(invite, code)
    return invite
  }
  const takes = async (phone: SipPeer, invite: SipMessage) => {
    phone.answer(invite, 200, { body: sdp(phone.port + 2) })
    const call = Dialog.of(phone, invite)
    await call.request('ACK')
    return call
  }
  /** Our side ends it; each phone has its BYE. */
  const hangsUp = async (leg: number, ...calls: Dialog[]) => {
    engine.send('hangup', { leg })
    await Promise.all(calls.map(async (call) => call.peer.answer(await call.request('BYE'), 200)))
    await engine.next('ended', { leg })
  }
  const ring = () => engine.dial({ extension: '101', to: '101', from: '+15551230001' })

  const desk = await udp('127.0.1.1')
  const hall = await udp('127.0.1.2')

  await t.test('all ring, the first answer wins, the others are told that the call was taken', async (t) => {
    const leg = ring()
    const [atDesk, atHall] = await Promise.all([rings(desk), rings(hall)])
    await engine.next('ringing', { leg })
    const call = await takes(hall, atHall)
    t.match(await engine.next('answered', { leg }), { codec: 'PCMU' })
    const cancel = await desk.request('CANCEL')
    t.match(cancel.header('Reason'), /SIP;cause=200;text="Call completed elsewhere"/)
    desk.answer(cancel, 200)
    desk.answer(atDesk, 487)
    engine.send('hangup', { leg })
    hall.answer(await call.request('BYE'), 200)
    t.match(await engine.next('ended', { leg }), { by: 'local', reason: 'hangup' })
  })

  await t.test('both answer in the same moment: one talks, the other is ended', async (t) => {
    const leg = ring()
    const [atDesk, atHall] = await Promise.all([rings(desk), rings(hall)])
    // The other phone's answer and our CANCEL pass each other; it is acknowledged and ended.
    const [first, second] = await Promise.all([takes(desk, atDesk), takes(hall, atHall)])
    await engine.next('answered', { leg })
    await hangsUp(leg, first, second)
  })

  await t.test('one declines and the other takes the call; both decline', async (t) => {
    let leg = ring()
    let [atDesk, atHall] = await Promise.all([rings(desk), rings(hall)])
    desk.answer(atDesk, 486)
    const call = await takes(hall, atHall)
    await engine.next('answered', { leg })
    await hangsUp(leg, call)
    leg = ring()
    ;[atDesk, atHall] = await Promise.all([rings(desk), rings(hall)])
    desk.answer(atDesk, 486)
    hall.answer(atHall, 480)
    t.match(await engine.next('ended', { leg }), { by: 'remote', reason: 'rejected', code: 486 })
  })

  await t.test('the caller leaves while they ring', async (t) => {
    const leg = ring()
    await Promise.all([rings(desk), rings(hall)])
    engine.send('hangup', { leg })
    t.match(await engine.next('ended', { leg }), { by: 'local', reason: 'canceled' })
    for (const phone of [desk, hall]) phone.answer(await phone.request('CANCEL'), 200)
  })

  await t.test('a phone of another extension took the call: these are told so as well', async (t) => {
    const leg = ring()
    const invites = await Promise.all([rings(desk), rings(hall)])
    // Its answer shows that the 180 before it was seen.
    for (const phone of [desk, hall]) await phone.ask('OPTIONS', 'sip:101@127.0.0.1')
    engine.send('hangup', { leg, cause: 26 })
    await engine.next('ended', { leg })
    for (const [n, phone] of [desk, hall].entries()) {
      const callId = invites[n]!.header('Call-ID')
      const cancel = await phone.next('CANCEL', (m) => m.method === 'CANCEL' && m.header('Call-ID') === callId)
      t.same(cancel.headers('Reason'), ['SIP;cause=200;text="Call completed elsewhere"', 'Q.850;cause=26'])
      phone.answer(cancel, 200)
    }
  })

  await t.test('a phone without power does not keep the other from ringing, nor anybody waiting', async (t) => {
    let leg = ring()
    const [, atHall] = await Promise.all([rings(desk, 0), rings(hall)])
    await engine.next('ringing', { leg })
    const call = await takes(hall, atHall)
    await engine.next('answered', { leg })
    await hangsUp(leg, call)
    leg = ring()
    await Promise.all([rings(desk, 0), rings(hall, 0)])
    t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'unreachable', code: 0 })
  })

  await t.test('a phone whose connection closes is gone at once', async (t) => {
    const phone = await registers(await SipPeer.tcp(engine.port('tcp')))
    const contacts = (m: Record<string, unknown>) => (m['contacts'] as { transport: string }[]).map(({ transport }) => transport)
    await engine.next('registration', (m) => contacts(m).includes('tcp'))
    phone.close()
    await engine.next('registration', (m) => !contacts(m).includes('tcp') && contacts(m).length === 2)
  })
})
