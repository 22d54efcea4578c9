/** What pbx-engine does not put up with: servers that are not who they should be, answers nobody acknowledges, idle connections. */
import t from 'tap'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { Authority, type Issued } from '../harness/authority.ts'
import { Engine, extension, sipGivesUpMs, skip, trunk } from './engine.ts'
import { stopThread } from './instant.ts'
import { Dialog, SipPeer, token } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

t.test('defence', { skip, timeout: 60_000, jobs: 4 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-defence-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const authority = await Authority.create(dir)

  /** An engine and the server of its trunk over UDP. */
  const site = async (more: object = {}) => {
    const engine = await Engine.start({ extensions: [extension('101', 'right')] })
    const peer = await SipPeer.udp(engine.port())
    await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`, more)] })
    t.teardown(async () => (peer.close(), engine.stop()))
    return { engine, peer }
  }
  const answered = async (engine: Engine, peer: SipPeer) => {
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(9) })
    const leg = (await engine.next('invite', { sipCallId: call.callId }))['leg']
    engine.send('answer', { leg })
    return { call, leg }
  }

  await Promise.all([
    t.test('an answer without ACK ends after 8 s with one BYE; one whose ACK comes after 3 s stands', async (t) => {
      const { engine, peer } = await site()
      const lost = await answered(engine, peer)
      const late = await answered(engine, peer)
      const began = performance.now()
      const ok = await late.call.final('INVITE')
      await new Promise((done) => setTimeout(done, 3000))
      late.call.learn(ok)
      late.call.send('ACK')
      t.equal((await engine.next('answered'))['leg'], late.leg)
      t.match(await engine.next('ended', { leg: lost.leg }, 30_000), { by: 'system', reason: 'failed', code: 408 })
      const seconds = (performance.now() - began) / 1000
      t.ok(seconds > 7.5 && seconds < sipGivesUpMs / 1000, `${seconds} s`)
      t.equal((await peer.request('BYE')).header('Call-ID'), lost.call.callId)
      t.match(await engine.next('unacknowledged'), { trunk: 'main', ended: 1, refused: 0, address: '127.0.0.1' })
      t.notOk(peer.received.some((m) => m.method === 'BYE'))
      await late.call.ask('BYE')
    }),

    t.test('a quarter of the channels waits for ACKs, the rest is answered after them or refused', async (t) => {
      const { engine, peer } = await site({ channels: 8 })
      const [first, , third] = [await answered(engine, peer), await answered(engine, peer), await answered(engine, peer)]
      const ok = await first.call.final('INVITE')
      t.notOk(
        peer.received.some((m) => m.status === 200 && m.header('Call-ID') === third.call.callId),
        'the third waits',
      )
      first.call.learn(ok)
      first.call.send('ACK')
      t.equal((await third.call.final('INVITE')).status, 200, 'and is answered when the first is acknowledged')
      const fourth = await answered(engine, peer)
      t.equal((await fourth.call.final('INVITE')).status, 503, 'who waits for answers that nobody acknowledges is refused')
      const fifth = new Dialog(peer)
      fifth.invite('101', { body: sdp(9) })
      t.equal((await fifth.final('INVITE')).status, 503, 'and a new call at once')
      t.match(await engine.next('unacknowledged'), { trunk: 'main', refused: 1 })
    }),

    t.test('authenticateInbound: calls and texts of the provider need the password', async (t) => {
      const { engine, peer } = await site({ username: 'clinic', password: 'secret', authenticateInbound: true })
      const proven = async (password: string) => {
        const call = new Dialog(peer)
        call.invite('101', { body: sdp(9) })
        const asked = await call.final('INVITE')
        call.learn(asked)
        call.send('ACK')
        t.equal(asked.status, 401)
        const again = new Dialog(peer)
        again.invite('101', {
          body: sdp(9),
          headers: [authorization(asked, 'INVITE', 'sip:101@127.0.0.1:' + engine.port(), 'clinic', password)],
        })
        return again
      }
      t.equal((await (await proven('wrong')).final('INVITE')).status, 403)
      t.equal((await peer.ask('MESSAGE', 'sip:101@pbx', { body: 'x', type: 'text/plain' }))?.status, 401)
      const call = await proven('secret')
      t.match(await engine.next('invite'), { trunk: 'main', sipCallId: call.callId }, 'only the proven call arrived')
    }),

    t.test('an answer with more media lines than PJSIP has room for ends its call', async (t) => {
      const { engine, peer } = await site()
      const leg = engine.dial({ trunk: 'main', to: '1' })
      const invite = await peer.request('INVITE')
      peer.answer(invite, 200, { body: sdp(9) + 'm=audio 9 RTP/AVP 0\r\n'.repeat(40) })
      t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'failed', code: 488, cause: 88 })
      peer.answer(await peer.request('BYE'), 200)
      const next = engine.dial({ trunk: 'main', to: '1' })
      peer.answer(await peer.next('INVITE', (m) => m.method === 'INVITE' && m.header('Call-ID') !== invite.header('Call-ID')), 486)
      await engine.next('ended', { leg: next, code: 486 })
    }),

    t.test('a call that nobody takes is refused after 5 s, so that the provider knows where else to send it', async (t) => {
      const { engine, peer } = await site()
      const [lost, taken] = [new Dialog(peer), new Dialog(peer)]
      for (const call of [lost, taken]) call.invite('101', { body: sdp(9) })
      const leg = (await engine.next('invite', { sipCallId: lost.callId }))['leg']
      engine.send('take', { leg: (await engine.next('invite', { sipCallId: taken.callId }))['leg'] })
      const asked = performance.now()
      t.equal((await lost.final('INVITE', 7000)).status, 503)
      t.ok(performance.now() - asked > 4500)
      lost.send('ACK')
      t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'failed', code: 503, cause: 41, text: 'nobody took the call' })
      t.equal((await taken.ask('CANCEL')).status, 200)
      t.match(await engine.next('ended'), { by: 'remote', reason: 'canceled' })
    }),

    t.test('pong comes only while the thread of SIP runs', async (t) => {
      const { engine } = await site()
      const goOn = await stopThread(engine.child.pid ?? 0, 'pjsua_0')
      if (goOn === undefined) return void t.comment('threads of other processes cannot be stopped here')
      t.teardown(goOn)
      engine.send('ping', { n: 1 })
      engine.send('bans', { n: 1 })
      await engine.next('bans', { n: 1 })
      await t.rejects(engine.next('pong', { n: 1 }, 500), 'while it stands still')
      await goOn()
      await engine.next('pong', { n: 1 })
    }),

    t.test('no order of the daemon begins a header of its own', async (t) => {
      const { engine, peer } = await site()
      const call = new Dialog(peer)
      call.invite('101', { body: sdp(9) })
      engine.send('reject', { leg: (await engine.next('invite'))['leg'], code: 486, reason: 'Busy\r\nX-Evil: 1\0' })
      const refused = await call.final('INVITE')
      call.send('ACK')
      t.equal(refused.start, 'SIP/2.0 486 BusyX-Evil: 1')
      t.equal(refused.header('X-Evil'), '')
      const { call: next, leg } = await answered(engine, peer)
      await next.answered()
      // The last would kill PJSUA, which verifies in memory that does not grow.
      for (const to of ['sip:2@x\r\nX-Evil: 1', 'sip:2@x>;x=<sip:3', 'sip:', `sip:${'2'.repeat(1000)}@x`]) {
        engine.send('refer', { leg, to })
        t.match(await engine.next('referred', { leg }), { code: 400 }, to)
      }
      t.equal(peer.received.filter((m) => m.method === 'REFER').length, 0, 'no REFER')
      await next.ask('BYE')
    }),

    t.test('UDP over IPv6 beside TCP over IPv4 makes no fault', async (t) => {
      const engine = await Engine.start({ udp: '[::1]:0', tcp: '127.0.0.1:0', extensions: [extension('101', 'right')] })
      t.teardown(() => engine.stop())
      t.match(await engine.configure({}), { udp: /^\[::1\]:\d+$/, tcp: /^127/, errors: [] })
      t.notMatch(engine.output, /Invalid URI/)
    }),

    t.test('connections over TCP: four an address, a request and a proof in time', async (t) => {
      const limits = { perAddress: 4, strangers: 6, requestMs: 600, proofMs: 1200 }
      const engine = await Engine.start({ connections: limits, phoneNetworks: [], extensions: [extension('101', 'right')] })
      t.teardown(() => engine.stop())
      const open = (address: string) =>
        connect({ port: engine.port('tcp'), host: '127.0.0.1', localAddress: address }).on('error', () => undefined)
      const closed = (socket: ReturnType<typeof open>) =>
        new Promise((done) => (socket.closed ? done(true) : socket.once('close', () => done(true))))
      const crowd = Array.from({ length: 5 }, () => open('127.0.7.1'))
      await Promise.race(crowd.map(closed))
      t.equal(crowd.filter((socket) => socket.closed).length, 1, 'the fifth of one address is refused')
      const others = [open('127.0.7.2'), open('127.0.7.3')]
      const phone = await SipPeer.tcp(engine.port('tcp'), '127.0.7.4')
      const who = { to: 'sip:101@pbx', from: 'sip:101@pbx', callId: token(), headers: [`Contact: ${phone.contact};expires=120`] }
      const asked = await phone.ask('REGISTER', 'sip:pbx', who)
      const proof = authorization(asked!, 'REGISTER', 'sip:pbx', '101', 'right')
      t.equal(
        (await phone.ask('REGISTER', 'sip:pbx', { ...who, cseq: 2, headers: [...who.headers, proof] }))?.status,
        200,
        'a seventh stranger gets in',
      )
      const chatter = await SipPeer.tcp(engine.port('tcp'), '127.0.7.5')
      t.equal((await chatter.ask('REGISTER', 'sip:pbx', { to: 'sip:101@pbx' }))?.status, 401)
      await Promise.all([...crowd, ...others].map(closed))
      const refused = [await engine.next('refused')]
      t.match(refused[0], { counts: { address: 1 } })
      t.equal(
        (await chatter.ask('REGISTER', 'sip:pbx', { to: 'sip:101@pbx', ms: 3000 }).catch(() => undefined))?.status === 401,
        true,
        'who spoke has more time',
      )
      await new Promise((done) => setTimeout(done, 1500))
      t.equal(
        await chatter.ask('REGISTER', 'sip:pbx', { to: 'sip:101@pbx', ms: 300 }).catch(() => undefined),
        undefined,
        'and not for ever',
      )
      t.equal((await phone.ask('REGISTER', 'sip:pbx', { ...who, cseq: 3 }))?.status, 401, 'a phone that proved itself stays')
    }),

    t.test('TLS servers: the name by which they are configured decides', async (t) => {
      const own = await authority.issue('engine', 'IP:127.0.0.1')
      const engine = await Engine.start({ tls: { listen: '127.0.0.1:0', ...own } })
      t.teardown(() => engine.stop())
      const serve = async ({ cert, key }: Issued) => {
        const names: (string | false | undefined)[] = []
        const peers: SipPeer[] = []
        const server = createServer({
          cert: readFileSync(cert),
          key: readFileSync(key),
          SNICallback: (name, done) => (names.push(name), done(null)),
        })
        server.on('secureConnection', (socket) => void SipPeer.stream(socket, 'TLS', 0).then((peer) => peers.push(peer)))
        server.on('tlsClientError', () => undefined)
        await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
        t.teardown(() => (server.close(), peers.forEach((peer) => peer.close())))
        return { port: (server.address() as AddressInfo).port, names, peers }
      }
      const judged = (id: string) => engine.next('trunk', (m) => m['id'] === id && m['state'] !== 'unknown', 10_000)
      const good = await serve(await authority.issue('good', 'DNS:localhost'))
      const other = await serve(await authority.issue('other', 'DNS:localhost'))
      const wild = await serve(await authority.issue('wild', 'DNS:*.example.net'))
      const tls = { transport: 'tls', keepAliveSeconds: 30, caFile: authority.file }
      await engine.configure({ trunks: [trunk(`localhost:${good.port}`, { id: 'good', ...tls })] })
      t.match(await judged('good'), { state: 'reachable' })
      t.same(good.names, ['localhost'])
      await engine.configure({ trunks: [trunk(`localhost:${wild.port}`, { id: 'wild', ...tls })] })
      const reason = 'the certificate is not for localhost but for *.example.net'
      t.match(await judged('wild'), { state: 'untrusted', reason })
      await engine.configure({ trunks: [trunk(`localhost:${wild.port}`, { id: 'any', ...tls, caFile: '', tlsVerify: false })] })
      t.match(await judged('any'), { state: 'reachable' }, 'unless nobody wants to know')
      await engine.configure({ trunks: [trunk(`localhost:${other.port}`, { id: 'system', ...tls, caFile: '' })] })
      const leg = engine.dial({ trunk: 'system', to: '1' })
      t.match(await engine.next('ended', { leg }), { reason: 'unreachable' }, 'an authority the system does not know')
      t.equal(
        other.peers.reduce((sum, { received }) => sum + received.length, 0),
        0,
        'no INVITE arrived',
      )
    }),
  ])
})
