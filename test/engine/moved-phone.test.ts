/** A telephone that is heard from another port or connection in a call: what its call has to say goes there, and to nobody else. */
import t from 'tap'
import { whole } from '../../drivers/sip/reading.ts'
import { Engine, extension, skip } from './engine.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

const behind = 'sip:101@192.168.1.5:5060;line=a'

t.test('a phone that moved in a call', { skip, timeout: 90_000 }, async (t) => {
  const engine = await Engine.start({ extensions: [extension('101', 'right'), extension('102', 'right')] })
  t.teardown(() => engine.stop())
  const opened = async (transport: 'udp' | 'tcp', contact: string): Promise<SipPeer> => {
    const phone = await SipPeer[transport](engine.port(transport), '127.0.0.31')
    if (contact !== '') Object.defineProperty(phone, 'contact', { get: () => `<${contact}${transport === 'tcp' ? ';transport=tcp' : ''}>` })
    t.teardown(() => phone.close())
    return phone
  }
  const talking = async (phone: SipPeer, called: boolean) => {
    if (called) {
      const leg = engine.dial({ extension: '101', to: '101' })
      const invite = await phone.request('INVITE')
      phone.answer(invite, 200, { body: sdp(9) })
      await phone.request('ACK')
      await engine.next('answered', { leg })
      return leg
    }
    const call = new Dialog(phone)
    call.invite('102', { from: '<sip:101@pbx>', body: sdp(9) })
    const challenge = await call.final('INVITE')
    call.send('ACK')
    call.send('INVITE', { body: sdp(9), headers: [authorization(challenge, 'INVITE', call.target, '101', 'right')] })
    const leg = whole((await engine.next('invite'))['leg'])
    engine.send('answer', { leg })
    await call.answered()
    await engine.next('answered', { leg })
    return leg
  }

  for (const transport of ['udp', 'tcp'] as const) {
    for (const contact of transport === 'udp' ? [behind] : [behind, '']) {
      for (const called of [true, false]) {
        const what = `${transport}, ${contact === '' ? 'its own address' : 'behind address translation'}, ${called ? 'called' : 'calls'}`
        await t.test(what, async (t) => {
          const [before, neighbour] = [await opened(transport, contact), await opened(transport, '')]
          t.equal((await register(before, '101', 'right', [`Contact: ${before.contact}`]))?.status, 200)
          const leg = await talking(before, called)
          if (transport === 'tcp') {
            while (engine.of('registration').length > 0) await engine.next('registration')
            before.close()
            await engine.next('registration', ({ extension, contacts }) => extension === '101' && (contacts as unknown[]).length === 0)
          }
          // A phone that shares the address, and is another, gets nothing of it.
          t.equal((await register(neighbour, '102', 'right'))?.status, 200)
          const after = await opened(transport, contact)
          t.equal((await register(after, '101', 'right', [`Contact: ${after.contact}`]))?.status, 200)
          engine.send('hold', { leg, on: true })
          const hold = await after.request('INVITE', 4000)
          after.answer(hold, 200, { body: sdp(9, { direction: 'recvonly', version: 2 }) })
          await after.request('ACK')
          engine.send('hangup', { leg })
          after.answer(await after.request('BYE', 4000), 200)
          t.match(await engine.next('ended', { leg }), { by: 'local', code: 200 })
          t.same(
            neighbour.received.filter(({ method }) => method !== ''),
            [],
          )
          t.equal((await register(after, '101', 'right', [`Contact: ${after.contact};expires=0`]))?.status, 200)
        })
      }
    }
  }

  await t.test('a second phone of the extension takes nothing from the first one', async (t) => {
    const [first, second] = [await opened('udp', ''), await opened('udp', '')]
    t.equal((await register(first, '101', 'right'))?.status, 200)
    const leg = await talking(first, true)
    t.equal((await register(second, '101', 'right'))?.status, 200)
    engine.send('hangup', { leg })
    first.answer(await first.request('BYE', 4000), 200)
    await engine.next('ended', { leg })
  })
})
