/** What a phone registers as its Contact is what requests to it say, whole; they go to where the phone is heard. */
import t from 'tap'
import { edgeAddress, lowerVia, peerWith } from './behind-edge.ts'
import { Engine, extension, skip } from './engine.ts'
import { register } from './registering.ts'
import { SipPeer, token } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

const long = `ref=${'0123456789abcdef'.repeat(19)}`
/** PORT is the phone's own. */
const contacts = [
  'sip:101@192.0.2.9:PORT;line=ab12cd',
  'sip:101@192.0.2.9;transport=udp;line=ab12cd',
  'sip:101@192.0.2.9:5062;line=ab12cd;transport=TCP',
  'sip:101@192.0.2.9:PORT;ob',
  'sip:101@192.0.2.9:PORT;rinstance=1f2e3d;ob;registering_acc=pbx_example',
  `sip:101@192.0.2.9:PORT;${long}`,
  'sip:line%201@192.0.2.9:PORT;x=%41%22a%3Bb%22',
  'sip:101:secret@192.0.2.9:PORT',
  'sip:192.0.2.9:PORT',
  'sip:s0me-Opaque.User~1@desk.invalid;transport=udp',
  'sip:101@[2001:db8::7]:5060;line=1',
  'sips:101@192.0.2.9:PORT;line=1',
  'sip:101@192.0.2.9:PORT;maddr=198.51.100.1;ttl=3;method=INVITE;user=phone;lr',
]
/** How the value stands in the header. */
const forms: readonly ((uri: string) => string)[] = [
  (uri) => `Contact: <${uri}>;expires=300`,
  (uri) => `m: "Desk, one" <${uri}>;expires=300;+sip.instance="<urn:uuid:1>"`,
  (uri) => `CONTACT :\r\n <${uri}>\r\n ;expires=300`,
]

const uriIn = (start: string): string => start.split(' ')[1] ?? ''

const rows = contacts.map((contact, n) => ({ number: String(200 + n), contact, form: forms[n % forms.length]! }))
const houseOf = (kept: readonly object[] = []) =>
  rows.map(({ number }, n) => extension(number, 'right', kept[n] === undefined ? {} : { contacts: [kept[n]] }))

t.test('a call and a NOTIFY of messages bear the Contact that was registered', { skip, timeout: 60_000 }, async (t) => {
  for (const transport of ['udp', 'tcp'] as const) {
    const engine = await Engine.start({ extensions: houseOf() })
    t.teardown(() => engine.stop())
    const phone =
      transport === 'udp' ? await SipPeer.udp(engine.port('udp'), '127.0.0.21') : await SipPeer.tcp(engine.port('tcp'), '127.0.0.21')
    t.teardown(() => phone.close())
    const kept: object[] = []
    const rings = async (at: Engine, number: string, uri: string, name: string) => {
      const leg = at.dial({ extension: number, to: number })
      const invite = await phone.request('INVITE')
      t.equal(uriIn(invite.start), uri, name)
      phone.answer(invite, 180)
      await at.next('ringing', { leg })
      at.send('hangup', { leg })
      const cancel = await phone.request('CANCEL')
      t.equal(uriIn(cancel.start), uri, 'its CANCEL')
      phone.answer(cancel, 200)
      phone.answer(invite, 487)
      t.equal(uriIn((await phone.request('ACK')).start), uri, 'its ACK')
      await at.next('ended', { leg })
    }
    for (const { number, contact, form } of rows) {
      const uri = contact.replace('PORT', String(phone.port))
      const answer = await register(phone, number, 'right', [form(uri)])
      t.equal(answer?.status, 200, uri)
      t.match(answer?.header('Contact'), `<${uri}>`, 'the registrar repeats it')
      const told = await engine.next('registration')
      t.match(told, { contacts: [{ uri, address: `127.0.0.21:${phone.port}` }] })
      kept.push((told['contacts'] as object[])[0]!)
      await rings(engine, number, uri, `${transport}: the call`)
      engine.send('messages', { extension: number, body: 'Messages-Waiting: no\r\n' })
      const notify = await phone.request('NOTIFY')
      t.equal(uriIn(notify.start), uri, 'the NOTIFY')
      phone.answer(notify, 200)
    }
    if (transport === 'tcp') continue
    await engine.stop()
    const next = await Engine.start({ extensions: houseOf(kept) })
    t.teardown(() => next.stop())
    for (const { number, contact } of rows)
      await rings(next, number, contact.replace('PORT', String(phone.port)), 'after a restart, from its row')
  }
})

t.test(
  'what is answered in a call, and lamps, go to where the phone is heard, with its Contact whole',
  { skip, timeout: 60_000 },
  async (t) => {
    for (const transport of ['udp', 'tcp'] as const) {
      const engine = await Engine.start({ extensions: [extension('101', 'right')] })
      t.teardown(() => engine.stop())
      const phone =
        transport === 'udp' ? await SipPeer.udp(engine.port('udp'), '127.0.0.22') : await SipPeer.tcp(engine.port('tcp'), '127.0.0.22')
      t.teardown(() => phone.close())
      const uri = 'sip:101@192.0.2.9:5070;line=%61b;ob'
      Object.defineProperty(phone, 'contact', { get: () => `<${uri}>` })
      await register(phone, '101', 'right', [`Contact: <${uri}>`])
      const leg = engine.dial({ extension: '101', to: '101' })
      phone.answer(await phone.request('INVITE'), 200, { body: sdp(4000) })
      t.equal(uriIn((await phone.request('ACK')).start), uri)
      await engine.next('answered', { leg })
      engine.send('hangup', { leg })
      const bye = await phone.request('BYE')
      t.equal(uriIn(bye.start), uri)
      phone.answer(bye, 200)
      const asked = 'sip:101@pbx'
      const who = { from: asked, callId: token(), headers: ['o: dialog', 'Accept: application/dialog-info+xml', 'Expires: 600'] }
      const challenge = await phone.ask('SUBSCRIBE', asked, who)
      const proof = authorization(challenge!, 'SUBSCRIBE', asked, '101', 'right')
      t.match(await phone.ask('SUBSCRIBE', asked, { ...who, cseq: 2, headers: [...who.headers, proof] }), { status: 200 })
      engine.send('notify', { subscription: (await engine.next('subscribe'))['subscription'], body: '<x/>' })
      t.equal(uriIn((await phone.request('NOTIFY')).start), uri, 'a lamp')
    }
  },
)

t.test('two phones of one extension behind one address both ring, each by its own Contact', { skip, timeout: 60_000 }, async (t) => {
  const cases = [
    ['two ports', ['sip:101@192.168.1.5:5060', 'sip:101@192.168.1.6:5060'], false],
    ['two lines of one phone', ['sip:101@192.168.1.5:5060;line=a', 'sip:101@192.168.1.5:5060;line=b'], true],
    ['two users', ['sip:a@192.168.1.5:5060', 'sip:b@192.168.1.5:5060'], true],
  ] as const
  for (const [name, uris, onePort] of cases) {
    const engine = await Engine.start({ extensions: [extension('101', 'right')] })
    t.teardown(() => engine.stop())
    const first = await SipPeer.udp(engine.port('udp'), '127.0.0.23')
    const second = onePort ? first : await SipPeer.udp(engine.port('udp'), '127.0.0.23')
    for (const [n, uri] of uris.entries()) await register(n === 0 ? first : second, '101', 'right', [`Contact: <${uri}>`])
    engine.dial({ extension: '101', to: '101' })
    const rung = [await first.request('INVITE'), await second.request('INVITE')].map(({ start }) => uriIn(start))
    t.same(rung.toSorted(), uris.toSorted(), name)
    await engine.stop()
    first.close()
    if (!onePort) second.close()
  }
})

t.test('the same Contact in another spelling is one phone', { skip, timeout: 30_000 }, async (t) => {
  const engine = await Engine.start({ extensions: [extension('101', 'right')] })
  const phone = await SipPeer.udp(engine.port('udp'), '127.0.0.24')
  t.teardown(async () => (phone.close(), engine.stop()))
  await register(phone, '101', 'right', ['Contact: <sip:101@192.0.2.9;line=1;transport=udp>'])
  const again = await register(phone, '101', 'right', ['Contact: <sip:%3101@192.0.2.9;transport=UDP;line=1>'])
  t.same(again?.headers('Contact').length, 1)
  t.equal((await register(phone, '101', 'right', [`Contact: <sip:101@192.0.2.9;x=${'1'.repeat(600)}>`]))?.status, 400, 'too long')
})

t.test('behind an edge: the Contact whole, by the way of the edge', { skip, timeout: 30_000 }, async (t) => {
  const engine = await Engine.start({ edges: [`${edgeAddress}/32`], phoneNetworks: [], extensions: [extension('101', 'right')] })
  const edge = await peerWith(engine.port(), edgeAddress, () => lowerVia({ received: '10.7.0.1', rport: '40001' }))
  t.teardown(async () => (edge.close(), engine.stop()))
  const uri = `sip:101@192.168.9.9:5060;line=%61b;${long}`
  t.equal((await register(edge, '101', 'right', [`Contact: <${uri}>`, `Path: <sip:${edgeAddress}:${edge.port};lr>`]))?.status, 200)
  engine.dial({ extension: '101', to: '101' })
  const invite = await edge.request('INVITE')
  t.equal(uriIn(invite.start), uri)
  t.match(invite.header('Route'), `<sip:${edgeAddress}:${edge.port};lr>`)
})
