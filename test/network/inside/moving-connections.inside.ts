/** The box's address changes under a trunk over TCP, and one over TLS: registration and call go on over a new connection. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import t from 'tap'
import { trunk } from '../../engine/engine.ts'
import { RtpSource } from '../../engine/rtp-source.ts'
import { Dialog, SipPeer } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { Authority } from '../../harness/authority.ts'
import { origin, shown, site, wan } from './site.ts'

const authority = await Authority.create(t.testdir())
const { cert, key } = await authority.issue('provider', `IP:${wan.provider}`)

/** The next connection that the box opens to a provider's server. */
async function connection(server: Server, transport: 'TCP' | 'TLS'): Promise<SipPeer> {
  const [socket] = (await once(server, transport === 'TCP' ? 'connection' : 'secureConnection')) as [Socket]
  return SipPeer.stream(socket, transport, 0)
}

for (const transport of ['TCP', 'TLS'] as const) {
  await t.test(transport, { timeout: 60_000 }, async (t) => {
    const { box, engine } = await site(transport === 'TLS' ? { tls: { listen: '0.0.0.0:5061', cert, key } } : {})
    const server = transport === 'TCP' ? createServer() : createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) })
    server.on('tlsClientError', () => undefined)
    await new Promise<void>((done) => server.listen(0, wan.provider, done))
    const { port } = server.address() as AddressInfo
    const rtp = await RtpSource.open(wan.provider)
    const peers: SipPeer[] = []
    t.teardown(async () => {
      for (const peer of peers) peer.close()
      server.close()
      rtp.close()
      await engine.stop()
      box.close()
    })
    const next = async () => {
      const peer = await connection(server, transport)
      peers.push(peer)
      return peer
    }
    const accept = async (peer: SipPeer) => {
      const request = await peer.request('REGISTER', 10_000)
      peer.answer(request, 200, { headers: [`Contact: ${request.header('Contact')};expires=300`] })
      return request
    }
    const opened = next()
    await engine.configure({
      trunks: [
        trunk(`${wan.provider}:${port}`, {
          transport: transport.toLowerCase(),
          caFile: transport === 'TLS' ? authority.file : '',
          register: true,
          username: 'clinic',
          password: 'secret',
        }),
      ],
    })
    const before = await opened
    t.equal(shown(await accept(before)).contact, wan.box)
    await engine.next('trunk', { state: 'registered' })
    const description = sdp(rtp.port, { address: wan.provider })
    const call = new Dialog(before)
    call.invite('+15550001000', { body: description })
    const { leg } = await engine.next('invite')
    engine.send('answer', { leg })
    const answer = await call.answered()
    await engine.next('answered', { leg })

    const anew = next()
    box.run(`ip addr del ${wan.box}/24 dev wan`)
    box.run(`ip addr add ${wan.later}/24 dev wan`)
    const after = await anew
    const [again, offer] = await Promise.all([
      accept(after),
      after.next('INVITE', (m) => m.method === 'INVITE' && m.header('Call-ID') === call.callId, 15_000),
    ])
    t.match(shown(again), { via: wan.later, contact: wan.later }, 'the account is registered anew')
    t.same(shown(offer), { via: wan.later, contact: wan.later, media: [wan.later] }, 'the call is offered its new address')
    t.equal(origin(offer).version, origin(answer).version + 1)
    after.answer(offer, 200, { body: description })
    await after.next('ACK', (m) => m.method === 'ACK' && m.header('Call-ID') === call.callId)
    await new Promise<void>((resolve) => rtp.socket.on('message', (_, source) => source.address === wan.later && resolve()))
    t.pass('the audio goes on from there')
    engine.send('hangup', { leg })
    after.answer(await after.next('BYE', (m) => m.method === 'BYE' && m.header('Call-ID') === call.callId), 200)
    await engine.next('ended', { leg })
  })
}
