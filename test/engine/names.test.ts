/** Trunks that are names: who they are by SRV and A, with a TTL of 0, through a proxy, while DNS is away and after it changed its mind. */
import t from 'tap'
import { NameServer, noDnsmasq } from '../harness/dns.ts'
import { Engine, sipGivesUpMs, skip, trunk } from './engine.ts'
import { Dialog, SipPeer } from './sip-peer.ts'

const service = (name: string, host: string, port: number, priority = 10): string =>
  `srv-host=_sip._udp.${name}.clinic.test,${host}.clinic.test,${port},${priority},1`
const address = (host: string, ip: string): string => `host-record=${host}.clinic.test,${ip}`

t.test('names', { skip: skip || noDnsmasq, timeout: 180_000 }, async (t) => {
  const names = await NameServer.open([])
  const engine = await Engine.start({ nameservers: [names.address], phoneNetworks: [] })
  const provider = await SipPeer.udp(engine.port(), '127.0.0.42')
  const proxy = await SipPeer.udp(engine.port(), '127.0.0.52')
  t.teardown(async () => (provider.close(), proxy.close(), await names.stop(), engine.stop()))

  /** Places a call at the engine until it answers at all: a name is looked up some moments after `configure`. */
  const callIn = async (peer: SipPeer, ms = 5000) => {
    for (const deadline = Date.now() + ms; ;) {
      const call = new Dialog(peer)
      call.invite('+15550001000')
      const invite = await engine.next('invite', {}, 200).catch(() => undefined)
      if (invite === undefined && Date.now() < deadline) continue
      if (invite !== undefined) {
        engine.send('reject', { leg: invite['leg'], code: 486 })
        await call.final('INVITE')
        call.send('ACK')
        await engine.next('ended', { leg: invite['leg'] })
      }
      return invite?.['trunk']
    }
  }
  const callOut = async (peer: SipPeer, id = 'main') => {
    const leg = engine.dial({ trunk: id, to: '+15551230001' })
    const invite = await peer.request('INVITE', 8000)
    peer.answer(invite, 486)
    await engine.next('ended', { leg })
    return invite.start
  }

  await t.test('a name looked up by SRV makes and takes calls', async (t) => {
    await names.serve([service('sip', 'a', provider.port), address('a', '127.0.0.42')])
    await engine.configure({ trunks: [trunk('sip.clinic.test')] })
    t.equal(await callIn(provider), 'main')
    t.match(await callOut(provider), /^INVITE sip:\+15551230001@sip\.clinic\.test/)
    t.equal(await callIn(proxy, 300), undefined, 'a stranger stays one')
  })

  await t.test('calls through an outbound proxy, by name and by number', async (t) => {
    await names.serve([address('proxy', '127.0.0.52'), address('b', '127.0.0.42')])
    for (const outboundProxy of [`proxy.clinic.test:${proxy.port}`, `127.0.0.52:${proxy.port}`]) {
      await engine.configure({ trunks: [trunk(`127.0.0.42:${provider.port}`, { id: outboundProxy, outboundProxy })] })
      t.equal(await callIn(proxy), outboundProxy)
      t.equal(await callIn(provider), outboundProxy, 'and from the server itself')
      t.match(await callOut(proxy, outboundProxy), /@127\.0\.0\.42/)
    }
  })

  await t.test('many trunks with TTL 0, each asked every second', async (t) => {
    await names.serve(['a', 'b', 'c', 'd', 'e', 'f'].flatMap((n) => [service(n, n, provider.port), address(n, '127.0.0.42')]))
    const both = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((n) => [`${n}.clinic.test`, `${n}.clinic.test:${provider.port}`])
    await engine.configure({ trunks: both.map((server) => trunk(server, { id: server, keepAliveSeconds: 1 })) })
    for (const server of both) await engine.next('trunk', { id: server, state: 'reachable' })
    const before = provider.bytes
    await engine.configure({ trunks: both.map((server) => trunk(server, { id: server, keepAliveSeconds: 1, numbers: ['1'] })) })
    for (let i = 0; i < 30; i++) t.match(await callOut(provider, both[i % both.length]), /^INVITE/)
    t.ok(provider.bytes > before)
    t.equal(engine.child.exitCode, null)
    await engine.configure({ trunks: [] })
  })

  await t.test('a first server that is dead costs the first call four seconds and the next one nothing', async (t) => {
    const dead = await SipPeer.udp(engine.port(), '127.0.0.61')
    t.teardown(() => dead.close())
    dead.answersOptions = false
    await names.serve([
      service('failing', 'dead', dead.port, 10),
      service('failing', 'live', provider.port, 20),
      address('dead', '127.0.0.61'),
      address('live', '127.0.0.42'),
    ])
    await engine.configure({ trunks: [trunk('failing.clinic.test')] })
    t.equal(await callIn(provider), 'main', 'its servers are known')
    const began = performance.now()
    t.match(await callOut(provider), /failing\.clinic\.test/)
    t.ok(performance.now() - began < sipGivesUpMs, 'long before the first is given up by the rules of SIP')
    t.ok(await dead.request('INVITE'), 'it was asked first')
    await callOut(provider)
    t.same(dead.received, [], 'and is left alone for a while')
    await engine.configure({ trunks: [trunk('failing.clinic.test', { keepAliveSeconds: 1 })] })
    await engine.next('trunk', { state: 'reachable' })
    await engine.configure({ trunks: [] })
  })

  await t.test('an account whose first registrar is dead registers with the second', async (t) => {
    const dead = await SipPeer.udp(engine.port(), '127.0.0.62')
    t.teardown(() => dead.close())
    await names.serve([
      service('registrar', 'mute', dead.port, 10),
      service('registrar', 'live', provider.port, 20),
      address('mute', '127.0.0.62'),
      address('live', '127.0.0.42'),
    ])
    await engine.configure({ trunks: [trunk('registrar.clinic.test', { register: true, username: 'clinic', password: 'x' })] })
    await dead.request('REGISTER')
    const silent = performance.now()
    const register = await provider.request('REGISTER', 60_000)
    t.ok(performance.now() - silent < sipGivesUpMs, 'long before PJSIP gives the first up')
    provider.answer(register, 200, { headers: [`Contact: ${register.header('Contact')};expires=300`] })
    await engine.next('trunk', { state: 'registered' })
    await engine.configure({ trunks: [] })
    provider.answer(await provider.request('REGISTER'), 200)
  })

  await t.test('while no name server answers, what was known is used; afterwards what is new', async (t) => {
    await names.serve([service('moving', 'c', provider.port), address('c', '127.0.0.42')])
    await engine.configure({ trunks: [trunk('moving.clinic.test')] })
    t.match(await callOut(provider), /moving\.clinic\.test/)
    await names.stop()
    await new Promise((done) => setTimeout(done, 2100)) // the answer was good for two seconds
    t.match(await callOut(provider), /moving\.clinic\.test/, 'in the outage')
    await names.serve([service('moving', 'd', proxy.port), address('d', '127.0.0.52')])
    t.match(await callOut(proxy), /moving\.clinic\.test/, 'after the name has moved')
    t.equal(await callIn(proxy), 'main', 'and calls come from there')
  })
})
