/** A box behind address translation that has no public address configured: the registrar says what it saw, and calls come to that. */
import t from 'tap'
import { compiled } from '../../engine/instant.ts'
import { Engine, trunk } from '../../engine/engine.ts'
import { Dialog, SipPeer, type SipMessage } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { Machine } from './namespaces.ts'
import { shown } from './site.ts'

const provider = '203.0.113.1'
const router = '203.0.113.9'

const nat = await Machine.open()
const box = await Machine.open()
nat.join('out', `${router}/24`, `${provider}/24`)
box.join('lan', '192.168.7.2/24', '192.168.7.1/24', nat)
box.run('ip route add default via 192.168.7.1')
nat.run(['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'])
let noTranslation = ''
try {
  nat.run(compiled('masquerade', [], import.meta.dirname))
} catch (error) {
  noTranslation = `this kernel translates no addresses: ${String(error).split('\n')[0]}`
}

await t.test('behind address translation', { skip: noTranslation || false }, async (t) => {
  const peer = await SipPeer.udp(0, provider, router)
  const engine = await Engine.start({ udp: '0.0.0.0:5060', tcp: null, phoneNetworks: [] }, {}, box.through)
  t.teardown(async () => (peer.close(), await engine.stop()))
  const seen = (request: SipMessage): SipMessage => ({
    ...request,
    headers: (name) =>
      request
        .headers(name)
        .map((value) => (name === 'Via' ? value.replace(';rport', `;rport=${request.port};received=${request.host}`) : value)),
  })
  const accept = async (): Promise<SipMessage> => {
    const request = await peer.request('REGISTER')
    peer.answer(seen(request), 200, { headers: [`Contact: ${request.header('Contact')};expires=300`] })
    return request
  }
  await engine.configure({ trunks: [trunk(`${provider}:${peer.port}`, { register: true, username: 'clinic', password: 'secret' })] })
  t.match(shown(await accept()), { via: '192.168.7.2', contact: '192.168.7.2' })
  const again = await accept()
  const contact = `${router}:${again.port}`
  t.ok(again.header('Contact').includes(contact), 'it registers what the registrar saw')

  const call = new Dialog(peer)
  call.reach(again.port)
  call.invite('+15550001000', { body: sdp(4000, { address: provider }), target: /<([^>]+)>/.exec(again.header('Contact'))?.[1] ?? '' })
  const { leg } = await engine.next('invite')
  engine.send('answer', { leg })
  const answer = await call.answered()
  t.ok(answer.header('Contact').includes(contact), 'a call to that contact arrives, and is answered from there')
  await engine.next('answered', { leg })
  engine.send('hangup', { leg })
  peer.answer(await call.request('BYE'), 200)
  await engine.next('ended', { leg })
})
nat.close()
box.close()
