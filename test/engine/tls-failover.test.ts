/** A trunk over TLS whose name has several servers: one that is away gives way to the next. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createPlainServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import t, { type Test as Tap } from 'tap'
import { Authority } from '../harness/authority.ts'
import { freePort } from '../harness/daemon.ts'
import { NameServer, noDnsmasq } from '../harness/dns.ts'
import { Engine, skip, trunk } from './engine.ts'
import { SipPeer, type SipMessage } from './sip-peer.ts'

/** Takes connections and says nothing on them, not even the answer of a handshake. */
async function mute(t: Tap, address: string): Promise<number> {
  const connections = new Set<Socket>()
  const server = createPlainServer((socket) => connections.add(socket.on('error', () => undefined)))
  await new Promise<void>((done) => server.listen(0, address, done))
  t.teardown(() => {
    for (const connection of connections) connection.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const asked = (provider: SipPeer) => provider.request('REGISTER', 4000).catch(() => undefined)

t.test('a trunk over TLS with several servers', { skip: skip || noDnsmasq, timeout: 120_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-tls-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const authority = await Authority.create(dir)
  const { cert, key } = await authority.issue('provider', 'DNS:sip.clinic.test')
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((done) => server.listen(0, '127.0.0.42', done))
  t.teardown(() => server.close())
  const live = (server.address() as AddressInfo).port
  const away = await freePort('127.0.0.61')

  await t.test('registrations and calls go to the second when nobody listens at the first', async (t) => {
    const names = await NameServer.open([
      `srv-host=_sips._tcp.sip.clinic.test,dead.clinic.test,${away},10,1`,
      `srv-host=_sips._tcp.sip.clinic.test,live.clinic.test,${live},20,1`,
      'host-record=dead.clinic.test,127.0.0.61',
      'host-record=live.clinic.test,127.0.0.42',
    ])
    const engine = await Engine.start({ nameservers: [names.address], tls: { listen: '127.0.0.1:0', cert, key } })
    t.teardown(async () => (await names.stop(), engine.stop()))
    const called = Promise.withResolvers<[SipPeer, SipMessage]>()
    server.on('secureConnection', async (socket: TLSSocket) => {
      const provider = await SipPeer.stream(socket, 'TLS', 0)
      t.teardown(() => provider.close())
      provider.request('INVITE', 20_000).then(
        (invite) => called.resolve([provider, invite]),
        () => undefined,
      )
      // Restarts when the server that is away is found out in the middle of it.
      for (let register = await asked(provider); register; register = await asked(provider)) {
        provider.answer(register, 200, { headers: [`Contact: ${register.header('Contact')};expires=300`] })
      }
    })
    const account = { transport: 'tls', caFile: authority.file, username: 'clinic', password: 'x', register: true }
    await engine.configure({ trunks: [trunk('sip.clinic.test', account)] })
    await engine.next('trunk', { state: 'registered' }, 30_000)
    const leg = engine.dial({ trunk: 'main', to: '+15551230001' })
    const [provider, invite] = await called.promise
    t.match(invite.start, /sip\.clinic\.test/, 'the call comes to the second')
    provider.answer(invite, 486)
    t.match(await engine.next('ended', { leg }), { by: 'remote', code: 486 })
  })
  for (const finishes of [false, true]) {
    await t.test(
      `a first server that ${finishes ? 'answers nothing after' : 'never ends'} the handshake costs a call four seconds`,
      async (t) => {
        const silent = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (socket) =>
          socket.on('error', () => undefined).resume(),
        )
        await new Promise<void>((done) => silent.listen(0, '127.0.0.63', done))
        t.teardown(() => silent.close())
        const dead = finishes ? (silent.address() as AddressInfo).port : await mute(t, '127.0.0.62')
        const names = await NameServer.open([
          `srv-host=_sips._tcp.sip.clinic.test,dead.clinic.test,${dead},10,1`,
          `srv-host=_sips._tcp.sip.clinic.test,live.clinic.test,${live},20,1`,
          `host-record=dead.clinic.test,127.0.0.${finishes ? 63 : 62}`,
          'host-record=live.clinic.test,127.0.0.42',
        ])
        const engine = await Engine.start({ nameservers: [names.address], tls: { listen: '127.0.0.1:0', cert, key } })
        t.teardown(async () => (await names.stop(), engine.stop()))
        const called = Promise.withResolvers<[SipPeer, SipMessage]>()
        server.once('secureConnection', async (socket: TLSSocket) => {
          const provider = await SipPeer.stream(socket, 'TLS', 0)
          t.teardown(() => provider.close())
          called.resolve([provider, await provider.request('INVITE', 20_000)])
        })
        // Nothing else is sent there before: the call is what finds out.
        await engine.configure({ trunks: [trunk('sip.clinic.test', { transport: 'tls', caFile: authority.file })] })
        const handshakeEndsMs = 10_000
        const began = performance.now()
        const leg = engine.dial({ trunk: 'main', to: '+15551230001' })
        const [provider, invite] = await called.promise
        const waited = performance.now() - began
        t.ok(waited > 3500 && waited < handshakeEndsMs, `after ${Math.round(waited)} ms, before the handshake's own end`)
        provider.answer(invite, 486)
        t.match(await engine.next('ended', { leg }), { by: 'remote', code: 486 })
      },
    )
  }
})
