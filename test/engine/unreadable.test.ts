/** What PJSIP cannot read of a message: whether the message still says what it means, is refused, or is read after all. */
import t from 'tap'
import { Engine, extension, skip, trunk } from './engine.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

const account = { username: 'clinic', password: 'secret' }
// In several lines, as a carrier of mobile phones sends it.
const digest = 'Digest realm="carrier",\r\n   nonce="n1",\r\n\topaque="ALU:x__",\r\n algorithm=MD5,\r\n   qop="auth"'
/** Headers that can be left out: what a call is does not hang on them. */
const optional = [
  'Allow: @@@',
  'Allow-Events: (',
  'Accept: "',
  'Authorization: Bearer eyJhbGciOi.eyJzdWIi.sig',
  'Proxy-Authorization: NTLM qop="auth", realm="SIP"',
  'Expires: Thu, 01 Dec 2026 16:00:00 GMT',
  'Max-Forwards: many',
  'Min-SE: soon',
  'Min-Expires: ,',
  'Retry-After: Thu',
  'Session-Expires: never',
  'Supported: @',
  'Unsupported: @',
  'Subscription-State: ',
  'this line is no header',
  ': neither is this',
] as const

t.test('a header that cannot be read', { skip, timeout: 120_000 }, async (t) => {
  const engine = await Engine.start({ extensions: [extension('101', 'right')] })
  const peer = await SipPeer.udp(engine.port())
  t.teardown(async () => (peer.close(), engine.stop()))
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`, account)] })
  const invited = (headers: readonly string[], change: (text: string) => string = (text) => text) => {
    const call = new Dialog(peer)
    call.peer.changes = change
    call.invite('101', { headers, body: sdp(9) })
    call.peer.changes = undefined
    return call
  }
  const dialled = async () => {
    const leg = engine.dial({ trunk: 'main', to: '+15557654321' })
    const invite = await peer.request('INVITE')
    return { leg, invite, call: Dialog.of(peer, invite) }
  }

  for (const header of optional) {
    await t.test(`${JSON.stringify(header)} is passed over`, async (t) => {
      for (const headers of [[header], [header, 'Subject: behind it']]) {
        const call = invited(headers)
        const { leg } = await engine.next('invite', {}, 1000)
        engine.send('answer', { leg })
        t.equal((await call.answered()).status, 200, 'a call in')
        await engine.next('answered', { leg })
        t.equal((await call.ask('BYE', { headers })).status, 200)
        await engine.next('ended', { leg })
      }
      const { leg, invite, call } = await dialled()
      peer.answer(invite, 180, { headers: [header] })
      await engine.next('ringing', { leg }, 1000)
      peer.answer(invite, 200, { headers: [header], body: sdp(9) })
      await call.request('ACK', 1000)
      await engine.next('answered', { leg })
      engine.send('hangup', { leg })
      peer.answer(await call.request('BYE'), 200, { headers: [header] })
      t.match(await engine.next('ended', { leg }, 1000), { by: 'local', code: 200 }, 'a call out')
    })
  }

  await t.test('a challenge that is none of ours, before and after one that is', async (t) => {
    for (const others of [['Bearer realm="b"'], ['NTLM realm="SIP", targetname="x"', 'Kerberos realm="k"', 'Basic realm="y"'], ['AKAv1']]) {
      for (const order of [
        [...others, digest],
        [digest, ...others],
      ]) {
        const { leg, invite } = await dialled()
        peer.answer(invite, 407, { headers: order.map((challenge) => `Proxy-Authenticate: ${challenge}`) })
        const second = await peer.request('INVITE', 1000)
        t.match(second.header('Proxy-Authorization'), /^Digest username="clinic"/, order.join(' | '))
        peer.answer(second, 486)
        await engine.next('ended', { leg })
      }
    }
    const { leg, invite } = await dialled()
    peer.answer(invite, 407, { headers: ['Proxy-Authenticate: Bearer realm="b"'] })
    t.match(await engine.next('ended', { leg }, 2000), { by: 'remote', reason: 'rejected', code: 407 }, 'none that we could answer')
  })

  for (const header of ['Route: sip', 'Record-Route: @', 'Contact: @@', 'Content-Length: -5', 'Content-Type: ']) {
    await t.test(`without ${JSON.stringify(header)} a request is another one: 400`, async (t) => {
      const name = header.slice(0, header.indexOf(':'))
      const call = invited(name === 'Contact' ? [] : [header], (text) =>
        name === 'Contact' ? text.replace(/^Contact: .*/m, header) : text,
      )
      t.equal((await call.final('INVITE', 1000)).status, 400)
      call.send('ACK')
      t.same(engine.of('invite'), [])
    })
  }

  await t.test('a phone that registers nonsense hears so', async (t) => {
    const phone = await SipPeer.udp(engine.port())
    t.teardown(() => phone.close())
    t.equal((await register(phone, '101', 'right', ['Contact: <sip:@@>']))?.status, 400)
    t.equal((await register(phone, '101', 'right', [`Contact: ${phone.contact}`, 'Expires: tomorrow', 'Allow: @']))?.status, 200)
  })

  await t.test('bytes behind a datagram’s length are none of its body', async (t) => {
    const rows: readonly (readonly [what: string, change: (text: string) => string])[] = [
      ['zeros', (text) => `${text}\0\0\0\0`],
      ['a line of noise', (text) => `${text}x\r\n`],
      ['half a line', (text) => `${text}a=`],
      ['a second message', (text) => `${text}OPTIONS sip:x SIP/2.0\r\n\r\n`],
      [
        'a length in the middle of a line, which is wrong itself',
        (text) => text.replace(/(Content-Length: )(\d+)/, (_, name: string, n: string) => name + (Number(n) - 3)),
      ],
      ['a length of 0 before a description', (text) => text.replace(/(Content-Length: )\d+/, '$10')],
      ['a length beyond the end', (text) => text.replace(/(Content-Length: )\d+/, '$1900')],
      ['no length', (text) => text.replace(/Content-Length: .*\r\n/, '')],
    ]
    for (const [what, change] of rows) {
      const call = invited([], change)
      const invite = await engine.next('invite', {}, 1000).catch(() => undefined)
      t.ok(invite, `${what}: a call in`)
      if (invite === undefined) continue
      engine.send('answer', { leg: invite['leg'] })
      t.match(await call.answered(), { status: 200, body: /^m=audio \d+ RTP\/AVP 0 101\r\n/m }, what)
      await engine.next('answered', { leg: invite['leg'] })
      await call.ask('BYE')
      await engine.next('ended', { leg: invite['leg'] })
    }
  })
})
