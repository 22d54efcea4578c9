/** The state of a trunk: its registration and its pauses, whether it is there, and calls that find nobody. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import t from 'tap'
import { Engine, pause, sipGivesUpMs, skip, trunk } from './engine.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

t.test('the state of trunks', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  t.teardown(async () => (peer.close(), engine.stop()))
  const server = `127.0.0.1:${peer.port}`

  await t.test('registers with digest, refreshes, and unregisters when it is removed', async (t) => {
    await engine.configure({ trunks: [trunk(server, { username: 'clinic', password: 'secret', register: true })] })
    t.match(await engine.next('trunk'), { id: 'main', state: 'registering' })
    const first = await peer.request('REGISTER')
    t.equal(first.header('Authorization'), '')
    peer.answer(first, 401, { headers: ['WWW-Authenticate: Digest realm="carrier", nonce="abc", algorithm=MD5'] })
    const second = await peer.request('REGISTER')
    t.match(second.header('Authorization'), /username="clinic".*response="[0-9a-f]{32}"/)
    // A star has no business in an answer; PJSIP by itself would stumble over it.
    peer.answer(second, 200, { headers: ['Contact: *', `Contact: ${second.header('Contact')};expires=60`] })
    t.match(await engine.next('trunk'), { id: 'main', state: 'registered', code: 200 })
    await engine.configure({ trunks: [] })
    const last = await peer.request('REGISTER')
    t.match(last.text, /expires[=:]\s*0/i)
    peer.answer(last, 200)
  })

  await t.test('is refused, and recovers when the settings change', async (t) => {
    await engine.configure({ trunks: [trunk(server, { id: 'two', username: 'clinic', password: 'wrong', register: true })] })
    t.match(await engine.next('trunk', { id: 'two' }), { state: 'registering' })
    peer.answer(await peer.request('REGISTER'), 403)
    t.match(await engine.next('trunk', { id: 'two' }), { state: 'refused', code: 403 })
    await engine.configure({ trunks: [trunk(server, { id: 'two', username: 'clinic', password: 'right', register: true })] })
    const again = await peer.request('REGISTER')
    peer.answer(again, 200, { headers: [`Contact: ${again.header('Contact')};expires=300`] })
    t.match(await engine.next('trunk', { id: 'two', state: 'registered' }), { code: 200 })
  })

  await t.test('every refusal is tried again, after pauses that grow, and Retry-After is kept', async (t) => {
    const accounts = { soon: 420, gone: 503, ordered: 503, banned: 403 } as const
    const trunks = (Object.keys(accounts) as (keyof typeof accounts)[]).map((id) => trunk(server, { id, register: true, username: id }))
    const registers = (id: string, ms?: number) =>
      peer.next(`REGISTER ${id}`, (m) => m.method === 'REGISTER' && m.header('To').includes(`sip:${id}@`), ms)
    await engine.configure({ trunks })
    const said = new Map<string, Record<string, unknown>>()
    for (const [id, code] of Object.entries(accounts)) {
      peer.answer(await registers(id), code, { headers: id === 'ordered' ? ['Retry-After: 120'] : [] })
      said.set(id, await engine.next('trunk', { id, state: 'refused', code }))
    }
    const pauseOf = (id: string) => Number(said.get(id)!['retrySeconds'])
    t.ok(pauseOf('soon') >= 5 && pauseOf('soon') <= 7, `420 is asked again soon: ${pauseOf('soon')}`)
    t.ok(pauseOf('ordered') >= 120, 'Retry-After')
    t.ok(pauseOf('banned') >= 60, '403 is not hammered')
    const again = await registers('soon', 9000)
    peer.answer(again, 420)
    const longer = await engine.next('trunk', { id: 'soon', state: 'refused' })
    t.ok(Number(longer['retrySeconds']) >= 10, 'the second pause is longer')
    const back = await registers('gone', 9000)
    peer.answer(back, 200, { headers: [`Contact: ${back.header('Contact')};expires=300`] })
    await engine.next('trunk', { id: 'gone', state: 'registered' })
  })

  await t.test('registers again when its connection breaks', async (t) => {
    const listener = createServer()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    t.teardown(() => listener.close())
    const accepted = async () => SipPeer.stream(((await once(listener, 'connection')) as [Socket])[0], 'TCP', 0)
    const { port } = listener.address() as AddressInfo
    const answersOnce = async (connection: Promise<SipPeer>) => {
      const registrar = await connection
      const request = await registrar.request('REGISTER')
      registrar.answer(request, 200, { headers: [`Contact: ${request.header('Contact')};expires=300`] })
      return registrar
    }
    const first = accepted()
    await engine.configure({ trunks: [trunk(`127.0.0.1:${port}`, { id: 'tcp', transport: 'tcp', register: true, username: 'tcp' })] })
    const broken = await answersOnce(first)
    await engine.next('trunk', { id: 'tcp', state: 'registered' })
    const second = accepted()
    broken.close()
    const whole = await answersOnce(second)
    await engine.configure({ trunks: [] })
    whole.close()
  })

  await t.test('answers OPTIONS', async (t) => {
    await engine.configure({
      trunks: [trunk(server, { id: 'four', keepAliveSeconds: 1 }), trunk('127.0.0.1:9', { id: 'five', keepAliveSeconds: 1 })],
    })
    t.match(await engine.next('trunk', { id: 'four', state: 'reachable' }), { code: 200 })
    peer.answersOptions = false
    const options = await peer.request('OPTIONS')
    peer.answer(options, 404)
    await peer.ask('OPTIONS', 'sip:pbx')
    await engine.settled()
    t.same(
      engine.of('trunk', { id: 'four' }).filter((m) => m['state'] !== 'unknown'),
      [],
      'any answer is a sign of life',
    )
  })

  await t.test('silence is seen within ten seconds, and so is its end', async (t) => {
    await engine.configure({ trunks: [trunk(server, { id: 'six', keepAliveSeconds: 5 })] })
    peer.answersOptions = true
    await engine.next('trunk', { id: 'six', state: 'reachable' })
    peer.answersOptions = false
    t.match(await engine.next('trunk', { id: 'six', state: 'unreachable' }, 10_000), { code: 0, reason: /no answer to OPTIONS/ })
    peer.answersOptions = true
    await engine.next('trunk', { id: 'six', state: 'reachable' }, 10_000)
  })

  await t.test('a server that says nothing costs a call four seconds, and is not taken for a person who does not answer', async (t) => {
    await engine.configure({ trunks: [trunk(server, { id: 'seven' })] })
    const began = performance.now()
    const leg = engine.dial({ trunk: 'seven', to: '+15551230001' })
    await peer.request('INVITE')
    t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'unreachable', code: 0, cause: 38 })
    t.ok(performance.now() - began < sipGivesUpMs)
  })

  const silentByItselfMs = 4000
  await t.test('a server that says nothing for as long as the order waits is given up', async (t) => {
    const leg = engine.dial({ trunk: 'seven', to: '+15551230009', silenceMs: 1000 })
    const began = performance.now()
    t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'unreachable', code: 0, cause: 38 })
    t.ok(performance.now() - began < silentByItselfMs, 'sooner than by itself')
  })

  await t.test('a call that the far end no longer knows is ended by the system, not by a person', async (t) => {
    const leg = engine.dial({ trunk: 'seven', to: '+15551230002' })
    const invite = await peer.next('INVITE', (m) => m.method === 'INVITE' && m.start.includes('0002'))
    const call = Dialog.of(peer, invite)
    peer.answer(invite, 200, { body: sdp(peer.port) })
    await call.request('ACK')
    await engine.next('answered', { leg })
    engine.send('hold', { leg, on: true })
    peer.answer(await call.request('INVITE'), 481)
    peer.answer(await call.request('BYE'), 200)
    t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'failed' })
  })
})

t.test('a registration lasts as long as the registrar says, wherever it says it', { skip, timeout: 90_000 }, async (t) => {
  const engine = await Engine.start()
  t.teardown(() => engine.stop())
  const rows = [
    ['in Expires alone', (contact: string) => [`Contact: ${contact}`, 'Expires: 30']],
    ['in the Contact, and something else in Expires', (contact: string) => ['Expires: 3600', `Contact: ${contact};expires=30`]],
    ['of others first', (contact: string) => ['Contact: <sip:else@192.0.2.9>;expires=3600', `Contact: ${contact};expires=30`]],
  ] as const
  const registrars = await Promise.all(rows.map(() => SipPeer.udp(engine.port())))
  t.teardown(() => registrars.forEach((registrar) => registrar.close()))
  const account = (n: number) =>
    trunk(`127.0.0.1:${registrars[n]!.port}`, { id: `t${n}`, username: 'clinic', password: 'x', register: true })
  await engine.configure({ trunks: rows.map((_, n) => account(n)) })
  await Promise.all(
    rows.map(async ([what, headers], n) => {
      const registrar = registrars[n]!
      const first = await registrar.request('REGISTER')
      registrar.answer(first, 200, { headers: headers(first.header('Contact').replace(/;expires=\d+/, '')) })
      // Of the 300 s that were asked for, the next one would come after more than four minutes.
      const second = await registrar.request('REGISTER', 60_000)
      t.match(second.header('Contact'), first.header('Contact').replace(/;expires.*/, ''), what)
      registrar.answer(second, 200, { headers: headers(second.header('Contact').replace(/;expires=\d+/, '')) })
    }),
  )
})
