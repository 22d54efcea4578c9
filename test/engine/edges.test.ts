/** Phones and providers behind a proxy of the house (`edges`): who they are, what they may, and how they are reached. */
import { createSocket } from 'node:dgram'
import t from 'tap'
import { behindEdge, edgeAddress, lowerVia, peerWith, type Behind } from './behind-edge.ts'
import { Engine, extension, skip, trunk } from './engine.ts'
import { phoneCalls } from './phone-calls.ts'
import { register, storm } from './registering.ts'
import { Dialog, SipPeer, token } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'
import { eventually } from '../harness/waiting.ts'

const provider = '127.0.0.60'
const uri = 'sip:pbx'
const extensions = [extension('101', 'right'), extension('102', 'other')]
const main = trunk(`${provider}:5060`, { outboundProxy: `${edgeAddress}:5060`, numbers: ['+15550001000'] })

const startEngine = (more: object = {}) =>
  Engine.start({
    edges: [`${edgeAddress}/32`],
    phoneNetworks: [],
    emergencyNumbers: ['911'],
    trunks: [main],
    extensions,
    ban: { failures: 5, windowSeconds: 30, seconds: 60 },
    ...more,
  })

t.test('whoever speaks through an edge is known by the Via below it', { skip, timeout: 60_000 }, async (t) => {
  const engine = await startEngine()
  t.teardown(() => engine.stop())
  const phone = await behindEdge(engine.port(), { received: '10.7.0.1', rport: '40001' })
  const line = await behindEdge(engine.port(), { received: provider, rport: '5060' })
  const edge = await SipPeer.udp(engine.port(), edgeAddress)
  t.teardown(() => [phone, line, edge].forEach((peer) => peer.close()))

  await t.test('a phone registers, with its own address', async (t) => {
    t.equal((await register(phone, '101', 'right', [`Contact: <sip:101@192.168.9.9:5060;line=x>;expires=300`]))?.status, 200)
    t.match(await engine.next('registration'), { extension: '101', contacts: [{ address: '10.7.0.1:40001' }] })
  })

  for (const number of ['911', '*43', '+15551230009', '102']) {
    await t.test(`the phone dials ${number}`, async (t) => {
      const call = phoneCalls(phone, '101', 'right', number)
      const invite = await engine.next('invite')
      t.match(invite, { extension: '101', trunk: '', to: number, source: '10.7.0.1:40001' })
      engine.send('reject', { leg: invite['leg'], code: 480 })
      t.equal((await call).answer.status, 480)
      ;(await call).dialog.send('ACK')
    })
  }

  await t.test('a phone that never registered calls for help', async (t) => {
    const far = await behindEdge(engine.port(), { received: '10.7.0.77', rport: '40002' })
    t.teardown(() => far.close())
    const call = phoneCalls(far, '102', 'other', '911')
    const invite = await engine.next('invite')
    t.match(invite, { extension: '102', source: '10.7.0.77:40002' })
    engine.send('reject', { leg: invite['leg'], code: 480 })
    ;(await call).dialog.send('ACK')
  })

  await t.test('the provider calls', async (t) => {
    const call = new Dialog(line)
    call.invite('+15550001000', { body: sdp(4000) })
    const invite = await engine.next('invite')
    t.match(invite, { trunk: 'main', extension: '', source: `${provider}:5060` })
    engine.send('answer', { leg: invite['leg'] })
    await call.answered()
    t.equal((await call.ask('BYE')).status, 200)
  })

  await t.test('a phone watches a lamp', async (t) => {
    const who = { from: 'sip:101@pbx', callId: token(), headers: ['Event: dialog', 'Accept: application/dialog-info+xml', 'Expires: 600'] }
    const asked = 'sip:102@pbx'
    const challenge = await phone.ask('SUBSCRIBE', asked, who)
    const headers = [...who.headers, authorization(challenge!, 'SUBSCRIBE', asked, '101', 'right')]
    t.match(await phone.ask('SUBSCRIBE', asked, { ...who, cseq: 2, headers }), { status: 200 })
    t.match(await engine.next('subscribe'), { extension: '101', to: '102' })
  })

  await t.test('the edge itself asks whether the box is there, and nobody else without a password', async (t) => {
    t.equal((await edge.ask('OPTIONS', uri))?.status, 200)
    t.equal((await line.ask('OPTIONS', uri))?.status, 200)
    const other = await behindEdge(engine.port(), { received: '10.7.0.99' })
    t.teardown(() => other.close())
    t.equal((await other.ask('OPTIONS', uri))?.status, 401)
    t.equal((await edge.ask('INVITE', 'sip:102@pbx', { body: sdp(4000) }))?.status, 401, 'also where it is an outbound proxy')
  })

  await t.test('MESSAGE of a phone and of the provider', async (t) => {
    const text = { body: 'hello', type: 'text/plain' }
    t.equal((await phone.ask('MESSAGE', 'sip:+15550001000@pbx', text))?.status, 403)
    const answer = line.ask('MESSAGE', 'sip:+15550001000@pbx', text)
    const told = await engine.next('text')
    t.match(told, { trunk: 'main', source: `${provider}:5060` })
    engine.send('textReply', { id: told['id'], code: 200 })
    t.equal((await answer)?.status, 200)
  })
})

t.test('an edge opens as many connections as it likes', { skip, timeout: 30_000 }, async (t) => {
  const engine = await startEngine({ connections: { perAddress: 2, strangers: 3 } })
  t.teardown(() => engine.stop())
  for (const [address, answered] of [
    [edgeAddress, 8],
    ['127.0.0.74', 2],
  ] as const) {
    const peers = await Promise.all(Array.from({ length: 8 }, () => SipPeer.tcp(engine.port('tcp'), address)))
    const answers = await Promise.all(peers.map((peer) => peer.ask('REGISTER', uri, { to: 'sip:101@pbx', ms: 1500 })))
    t.equal(answers.filter((answer) => answer?.status === 401).length, answered, address)
    for (const peer of peers) peer.close()
  }
})

t.test('a phone behind address translation and an edge is heard, and hears', { skip, timeout: 30_000 }, async (t) => {
  const engine = await startEngine({ phoneNetworks: [] })
  t.teardown(() => engine.stop())
  const outside = '127.0.0.75'
  const phone = await behindEdge(engine.port(), { received: outside, rport: '40001' })
  const [own, stranger] = [createSocket('udp4'), createSocket('udp4')]
  for (const [socket, address] of [
    [own, outside],
    [stranger, '127.0.0.76'],
  ] as const)
    await new Promise<void>((resolve) => socket.bind(0, address, resolve))
  t.teardown(() => (phone.close(), own.close(), stranger.close()))
  const call = new Dialog(phone)
  const offer = { body: sdp(4000, { address: '192.168.77.2', codecs: '0' }) }
  call.invite('*43', { from: '<sip:101@pbx>', ...offer })
  const challenge = await call.final('INVITE')
  call.send('ACK')
  call.send('INVITE', { ...offer, headers: [authorization(challenge, 'INVITE', call.target, '101', 'right')] })
  const invite = await engine.next('invite')
  engine.send('answer', { leg: invite['leg'] })
  const answer = await phone.next('200', (m) => m.status === 200)
  call.learn(answer)
  call.send('ACK')
  await engine.next('answered')
  const port = Number(/m=audio (\d+)/.exec(answer.body)?.[1])
  let heard = 0
  own.on('message', () => heard++)
  let strange = 0
  stranger.on('message', () => strange++)
  let n = 0
  await eventually('packets come back', () => {
    n++
    for (const [socket, ssrc] of [
      [own, 1],
      [stranger, 2],
    ] as const) {
      const packet = Buffer.alloc(172, 0xff)
      packet.writeUInt16BE(0x8000, 0)
      packet.writeUInt16BE(n, 2)
      packet.writeUInt32BE(n * 160, 4)
      packet.writeUInt32BE(ssrc, 8)
      socket.send(packet, port, '127.0.0.1')
    }
    return heard >= 5
  })
  t.equal(strange, 0)
})

t.test('six wrong passwords shut out that phone, and no other', { skip, timeout: 60_000 }, async (t) => {
  const engine = await startEngine()
  t.teardown(() => engine.stop())
  const at = (received: string, rport: string) => behindEdge(engine.port(), { received, rport })
  const [guesser, right, beside] = [await at('10.7.1.1', '40001'), await at('10.7.1.2', '40001'), await at('10.7.1.1', '40099')]
  const edge = await SipPeer.udp(engine.port(), edgeAddress)
  t.teardown(() => [guesser, right, beside, edge].forEach((peer) => peer.close()))
  t.equal((await register(beside, '102', 'other'))?.status, 200, 'a phone of the same address is registered')
  for (let n = 0; n < 5; n++) t.equal((await register(guesser, '101', `wrong${n}`))?.status, 403)
  t.match(await engine.next('banned'), { address: '10.7.1.1' })
  t.equal(await guesser.ask('REGISTER', uri, { to: 'sip:101@pbx', ms: 300 }), undefined)
  t.equal((await register(right, '101', 'right'))?.status, 200)
  t.equal((await register(beside, '102', 'other'))?.status, 200, 'who is registered from exactly there is not')
  t.equal((await edge.ask('OPTIONS', uri))?.status, 200)
})

t.test('phones behind one edge have rates of their own, and hear when they are too many', { skip, timeout: 60_000 }, async (t) => {
  const engine = await startEngine()
  t.teardown(() => engine.stop())
  let behind: Behind = {}
  const phone = await peerWith(engine.port(), edgeAddress, () => lowerVia(behind))
  t.teardown(() => phone.close())
  const statuses: (number | undefined)[] = []
  for (let n = 0; n < 90; n++) {
    behind = { received: `10.8.${n}.1`, rport: '40000' }
    statuses.push((await register(phone, '101', 'right'))?.status)
  }
  t.same(new Set(statuses), new Set([200]))
  behind = { received: '10.8.200.1', rport: '40000' }
  const many = await storm(phone, '102', 'other', 1500)
  t.same(new Set(many.keys()), new Set([200, 503]))
  t.ok(many.get(200)! >= 1000, 'as many as all phones of a house')
  t.equal(many.get(200)! + many.get(503)!, 1500, 'none without an answer')
  t.ok(phone.received.filter(({ status }) => status === 503).every((answer) => Number(answer.header('Retry-After')) > 0))
})

const forged: readonly (readonly [string, Behind])[] = [
  ['the provider', { received: provider, rport: '5060' }],
  ['the edge', { received: edgeAddress }],
  ['a registered phone', { received: '10.7.0.1', rport: '40001' }],
  ['nobody, but with its address as sent-by', { sentBy: `${provider}:5060` }],
]
for (const [who, behind] of forged) {
  t.test(`a stranger whose Via names ${who} is a stranger`, { skip, timeout: 30_000 }, async (t) => {
    const engine = await startEngine()
    t.teardown(() => engine.stop())
    const phone = await behindEdge(engine.port(), { received: '10.7.0.1', rport: '40001' })
    const stranger = await peerWith(engine.port(), '127.0.0.70', () => lowerVia(behind))
    t.teardown(() => [phone, stranger].forEach((peer) => peer.close()))
    t.equal((await register(phone, '101', 'right'))?.status, 200)
    for (const method of ['INVITE', 'OPTIONS', 'MESSAGE', 'SUBSCRIBE'])
      t.equal(await stranger.ask(method, 'sip:+15550001000@pbx', { body: sdp(4000), ms: 300 }), undefined, method)
    for (let n = 0; n < 5; n++) t.equal((await register(stranger, '101', `wrong${n}`))?.status, 403)
    t.match(await engine.next('banned'), { address: '127.0.0.70' })
    t.equal((await register(phone, '101', 'right'))?.status, 200)
    t.same(engine.of('invite'), [])
  })
}

const longVia = Array.from({ length: 60 }, (_, n) => `SIP/2.0/UDP 10.9.0.${n + 1}:5060;branch=z9hG4bK${n}`).join(', ')
const rubbish: readonly string[] = [
  'Via: SIP/2.0/UDP ;branch=z9hG4bKx',
  'Via: SIP/2.0/UDP [::1;branch=z9hG4bKx',
  'Via: SIP/2.0/UDP [2001:db8::7]:5060;received=[2001:db8::8];branch=z9hG4bKx',
  'Via: SIP/2.0/UDP 10.9.0.1:99999;branch=z9hG4bKx',
  'Via: SIP/2.0/UDP 10.9.0.1:0;rport=-7;branch=z9hG4bKx',
  'Via: SIP/2.0/UDP 10.9.0.1;rport=4294967296;branch=z9hG4bKx',
  'Via: SIP/2.0/UDP phone.example;branch=z9hG4bKx',
  'Via: SIP/2.0/UDP 10.9.0.1;received=;branch=z9hG4bKx',
  'Via: SIP/2.0/UDP 10.9.0.1;received=%00%ff;branch=z9hG4bKx',
  `Via: SIP/2.0/UDP ${'a'.repeat(3000)};branch=z9hG4bKx`,
  `Via: SIP/2.0/UDP 10.9.0.1;received=${'1'.repeat(2000)};branch=z9hG4bKx`,
  `Via: ${longVia}`,
  Array.from({ length: 100 }, () => `Via: SIP/2.0/UDP ${edgeAddress}:5060;received=${edgeAddress};branch=z9hG4bKx`).join('\r\n'),
  'Via:',
  'Via: ,,,',
  'Via: SIP/2.0/TLS 10.9.0.1;maddr=239.0.0.1;ttl=300;branch=z9hG4bKx',
]
t.test('rubbish below the Via of an edge harms nobody', { skip, timeout: 60_000 }, async (t) => {
  const engine = await startEngine()
  t.teardown(() => engine.stop())
  let more = ''
  const peer = await peerWith(engine.port(), edgeAddress, () => more)
  const edge = await SipPeer.udp(engine.port(), edgeAddress)
  t.teardown(() => [peer, edge].forEach((one) => one.close()))
  for (const line of rubbish) {
    more = line
    const [answer] = await Promise.all([
      peer.ask('REGISTER', uri, { to: 'sip:101@pbx', ms: 400 }),
      peer.ask('INVITE', 'sip:911@pbx', { body: sdp(4000), ms: 400 }),
    ])
    t.ok(answer === undefined || [400, 401].includes(answer.status), line.slice(0, 80))
    t.equal((await edge.ask('OPTIONS', uri))?.status, 200)
  }
  t.same(engine.of('banned'), [])
})

t.test('a phone behind an edge is reached the way it came', { skip, timeout: 60_000 }, async (t) => {
  const engine = await startEngine()
  t.teardown(() => engine.stop())
  const one = await behindEdge(engine.port(), { received: '10.7.2.1', rport: '40001' })
  const two = await behindEdge(engine.port(), { received: '10.7.2.2', rport: '40001' })
  t.teardown(() => [one, two].forEach((peer) => peer.close()))
  const contact = '<sip:101@192.168.9.9:5060;line=x>'
  const pathOf = (peer: SipPeer, received: string) => `Path: <sip:${edgeAddress}:${peer.port};lr;received=sip:${received}:40001>`
  const answer = await register(one, '101', 'right', [`Contact: ${contact};expires=300`, 'Supported: path', pathOf(one, '10.7.2.1')])
  t.equal(answer?.status, 200)
  t.match(answer?.header('Path'), `<sip:${edgeAddress}:${one.port};lr;received=sip:10.7.2.1:40001>`)
  t.equal((await register(two, '101', 'right', [`Contact: ${contact};expires=300`, 'Require: path', pathOf(two, '10.7.2.2')]))?.status, 200)
  const told = await engine.next('registration', (m) => (m['contacts'] as unknown[]).length === 2)

  const rings = async (from: Engine, what: string) => {
    const leg = from.dial({ extension: '101', to: '101' })
    for (const [peer, received] of [
      [one, '10.7.2.1'],
      [two, '10.7.2.2'],
    ] as const) {
      const invite = await peer.request('INVITE')
      t.equal(invite.start, 'INVITE sip:101@192.168.9.9:5060;line=x SIP/2.0', `${what}: the whole Contact`)
      t.match(invite.header('Route'), `<sip:${edgeAddress}:${peer.port};lr;received=sip:${received}:40001>`)
      peer.answer(invite, 180)
    }
    from.send('hangup', { leg })
    for (const peer of [one, two]) {
      const cancel = await peer.request('CANCEL')
      t.match(cancel.header('Route'), /received=/)
      peer.answer(cancel, 200)
    }
    await from.next('ended', { leg })
  }
  await rings(engine, 'at once')
  engine.send('messages', { extension: '101', body: 'Messages-Waiting: yes\r\n' })
  for (const peer of [one, two]) t.match((await peer.request('NOTIFY')).header('Route'), /received=/)

  const next = await startEngine({ extensions: [extension('101', 'right', { contacts: told['contacts'] })] })
  t.teardown(() => next.stop())
  await rings(next, 'after a restart')
})

t.test('what a REGISTER requires, and how far its Path may go', { skip, timeout: 30_000 }, async (t) => {
  const engine = await startEngine({ phoneNetworks: ['127.0.0.0/8'] })
  t.teardown(() => engine.stop())
  const phone = await behindEdge(engine.port(), { received: '10.7.3.1', rport: '40001' })
  const stranger = await SipPeer.udp(engine.port(), '127.0.0.71')
  t.teardown(() => [phone, stranger].forEach((peer) => peer.close()))
  const cases: readonly (readonly [string, SipPeer, string[], number])[] = [
    ['a tag that nobody knows', phone, ['Require: nonsense'], 420],
    ['one of two', phone, ['Require: path, nonsense'], 420],
    ['path', phone, ['Require: path'], 200],
    ['a Path of 2,100 bytes', phone, [`Path: <sip:${'a'.repeat(2080)}.example;lr>`], 400],
    ['a Path of 9 proxies', phone, [`Path: ${Array.from({ length: 9 }, (_, n) => `<sip:192.0.2.${n + 1};lr>`).join(', ')}`], 400],
    ['a Path of 9 headers', phone, Array.from({ length: 9 }, (_, n) => `Path: <sip:192.0.2.${n + 1};lr>`), 400],
    ['a Path that is none', phone, ['Path: nonsense <<>'], 400],
    ['an unknown tag, without an edge', stranger, ['Require: nonsense'], 420],
  ]
  for (const [what, peer, headers, status] of cases) {
    const answer = await register(peer, '101', 'right', headers)
    t.equal(answer?.status, status, what)
    if (status === 420) t.equal(answer?.header('Unsupported'), 'nonsense')
  }
  await engine.settled()
  engine.messages.length = 0
  const answer = await register(stranger, '102', 'other', ['Supported: path', 'Path: <sip:192.0.2.1;lr>'])
  t.equal(answer?.status, 200)
  t.equal(answer?.header('Path'), '', 'the Path of somebody else leads nowhere')
  const told = await engine.next('registration', { extension: '102' })
  t.notOk((told['contacts'] as { path?: string }[])[0]?.path)
})
