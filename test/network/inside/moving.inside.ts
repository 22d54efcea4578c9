/** The network changes under the box: another address in the middle of a call, other name servers. */
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { trunk } from '../../engine/engine.ts'
import { RtpSource } from '../../engine/rtp-source.ts'
import { Dialog, SipPeer, type SipMessage } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { AddressServer } from './name-server.ts'
import { run } from './namespaces.ts'
import { office, origin, shown, sipPort, site, wan } from './site.ts'

// What the box reads as /etc/resolv.conf, in this process' mount namespace.
const resolv = `${t.testdir()}/resolv.conf`
writeFileSync(resolv, `nameserver ${office.phone}\n`)
run(`mount --bind ${resolv} /etc/resolv.conf`)

const { box, engine } = await site()
const names = await AddressServer.open(office.phone)
const newNames = await AddressServer.open(wan.provider)
const provider = await SipPeer.udp(sipPort, wan.provider, wan.box)
const former = await SipPeer.udp(sipPort, office.phone, office.box)
const rtp = await RtpSource.open(wan.provider)
t.teardown(async () => (names.close(), newNames.close(), provider.close(), former.close(), rtp.close(), await engine.stop(), box.close()))

const accept = async (peer: SipPeer, ms?: number): Promise<SipMessage> => {
  const request = await peer.request('REGISTER', ms)
  peer.answer(request, 200, { headers: [`Contact: ${request.header('Contact')};expires=300`] })
  return request
}
const account = { register: true, username: 'clinic', password: 'secret' }

await t.test('the address changes in the middle of a call', async (t) => {
  await engine.configure({ trunks: [trunk(`${wan.provider}:${provider.port}`, account)] })
  t.equal(shown(await accept(provider)).contact, wan.box)
  await engine.next('trunk', { state: 'registered' })
  const description = sdp(rtp.port, { address: wan.provider })
  const call = new Dialog(provider)
  call.invite('+15550001000', { body: description })
  const { leg } = await engine.next('invite')
  engine.send('answer', { leg })
  const answer = await call.answered()
  await engine.next('answered', { leg })

  box.run(`ip addr del ${wan.box}/24 dev wan`)
  box.run(`ip addr add ${wan.later}/24 dev wan`)
  provider.host = wan.later
  const offer = await call.request('INVITE', 10_000)
  t.same(shown(offer), { via: wan.later, contact: wan.later, media: [wan.later] })
  t.equal(origin(offer).rest, origin(answer).rest, 'of the same session')
  t.equal(origin(offer).version, origin(answer).version + 1, 'in a newer version')
  provider.answer(offer, 200, { body: description })
  await call.request('ACK')
  const from = await new Promise((resolve) =>
    rtp.socket.on('message', (_, source) => source.address === wan.later && resolve(source.address)),
  )
  t.equal(from, wan.later, 'the audio goes on from there')
  const again = await accept(provider, 10_000)
  t.match(shown(again), { via: wan.later, contact: wan.later }, 'the account is registered anew')
  const [now, former] = (await accept(provider)).headers('Contact')
  t.ok(now?.includes(wan.later))
  t.match(former, new RegExp(`${wan.box.replaceAll('.', '\\.')}.*expires=0`), 'and its former contact taken back')
  engine.send('ping', { n: 1 })
  t.equal((await engine.next('pong'))['legs'], 1, 'and the call stands')
  call.learn(offer)
  call.remote = answer.header('To')
  call.send('BYE')
  await engine.next('ended', { leg })
})

await t.test('other name servers know other addresses', async (t) => {
  names.names.set('sip.clinic.test', office.phone)
  newNames.names.set('sip.clinic.test', wan.provider)
  await engine.configure({ trunks: [trunk(`sip.clinic.test:${former.port}`, { ...account, id: 'named' })] })
  t.match(shown(await accept(former)), { via: office.box, contact: office.box })
  const moved = await SipPeer.udp(sipPort, wan.provider, wan.later, former.port)
  t.teardown(() => moved.close())
  writeFileSync(resolv, `nameserver ${wan.provider}\n`)
  t.match(shown(await accept(moved, 10_000)), { via: wan.later, contact: wan.later })
})
