/** What carriers and their border controllers do that the plain case does not show. */
import t, { type Test } from 'tap'
import { whole } from '../../drivers/sip/reading.ts'
import { RtpPhone } from '../harness/phone.ts'
import { Engine, sipGivesUpMs, skip, trunk } from './engine.ts'
import { Dialog, SipPeer, type SipMessage } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

const challenge = ['Proxy-Authenticate: Digest realm="carrier", nonce="n1", algorithm=MD5, qop="auth"']

t.test('carriers', { skip, timeout: 120_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`, { username: 'clinic', password: 'secret' })] })
  t.teardown(async () => (peer.close(), engine.stop()))
  const dialled = async () => {
    const leg = engine.dial({ trunk: 'main', to: '+15557654321' })
    const invite = await peer.request('INVITE')
    return { leg, invite, call: Dialog.of(peer, invite) }
  }
  const standingOut = async () => {
    const made = await dialled()
    peer.answer(made.invite, 200, { body: sdp(9) })
    await made.call.request('ACK')
    await engine.next('answered', { leg: made.leg })
    return made
  }
  const standingIn = async (body = sdp(9), type = 'application/sdp') => {
    const call = new Dialog(peer)
    call.invite('101', { body, type })
    const leg = whole((await engine.next('invite', {}, 2000))['leg'])
    engine.send('answer', { leg })
    t.equal((await call.answered()).status, 200)
    await engine.next('answered', { leg })
    return { call, leg }
  }
  const hangsUp = async (leg: number, call: Dialog) => {
    engine.send('hangup', { leg })
    peer.answer(await call.request('BYE'), 200)
    return engine.next('ended', { leg })
  }
  const isProven = (t: Test, request: SipMessage) =>
    t.match(request.header('Proxy-Authorization'), /username="clinic".*response="[0-9a-f]{32}"/)

  for (const [direction, stands] of [
    ['out', standingOut],
    ['in', standingIn],
  ] as const) {
    await t.test(`407 to the BYE of a call ${direction}: it is sent again, with the password`, async (t) => {
      const { leg, call } = await stands()
      engine.send('hangup', { leg })
      peer.answer(await call.request('BYE'), 407, { headers: challenge })
      const again = await call.request('BYE')
      isProven(t, again)
      peer.answer(again, 200)
      t.match(await engine.next('ended', { leg }), { by: 'local', code: 200 })
    })
  }

  await t.test('407 to our re-INVITE and to PRACK', async (t) => {
    const { leg, call } = await standingIn()
    engine.send('hold', { leg, on: true })
    peer.answer(await call.request('INVITE'), 407, { headers: challenge })
    const again = await call.request('INVITE')
    isProven(t, again)
    peer.answer(again, 200, { body: sdp(9, { direction: 'recvonly', version: 2 }) })
    await call.ask('BYE')
    await engine.next('ended', { leg })
    const { leg: second, invite, call: out } = await dialled()
    peer.answer(invite, 183, { headers: ['Require: 100rel', 'RSeq: 7'], body: sdp(9) })
    peer.answer(await out.request('PRACK'), 407, { headers: challenge })
    const prack = await out.request('PRACK')
    isProven(t, prack)
    peer.answer(prack, 200)
    peer.answer(invite, 200)
    await out.request('ACK')
    await engine.next('answered', { leg: second })
    await hangsUp(second, out)
  })

  await t.test('two branches answer: the second one is acknowledged and hung up, the first one talks on', async (t) => {
    for (const [first, second] of [
      ['one', 'two'],
      ['two', 'one'],
    ] as const) {
      const { leg, invite, call } = await dialled()
      for (const tag of ['one', 'two']) peer.answer(invite, 180, { tag, headers: ['Require: 100rel', `RSeq: ${tag.length + 7}`] })
      for (const tag of ['one', 'two']) {
        peer.answer(await peer.next(`PRACK of ${tag}`, (m) => m.method === 'PRACK' && m.header('To').endsWith(`tag=${tag}`)), 200)
      }
      for (const tag of [first, second]) {
        peer.answer(invite, 200, { tag, body: sdp(9) })
        t.match((await call.request('ACK')).header('To'), `tag=${tag}`)
      }
      const bye = await call.request('BYE')
      t.match(bye.header('To'), `tag=${second}`)
      peer.answer(bye, 200)
      await engine.next('answered', { leg })
      t.same(engine.of('ended', { leg }), [])
      await hangsUp(leg, call)
    }
  })

  await t.test('a CANCEL that is taken, while 487 never comes: the leg is over at once', async (t) => {
    const { leg, invite, call } = await dialled()
    peer.answer(invite, 180)
    await engine.next('ringing', { leg })
    engine.send('hangup', { leg })
    peer.answer(await call.request('CANCEL'), 200)
    t.match(await engine.next('ended', { leg }, sipGivesUpMs / 10), { by: 'local', reason: 'canceled' })
  })

  await t.test('422: the call is made again with the interval that is asked for', async (t) => {
    const { leg, invite } = await dialled()
    peer.answer(invite, 422, { headers: ['Min-SE: 1800'] })
    const again = await peer.request('INVITE')
    t.match(again.header('Session-Expires'), /^1800/)
    t.equal(again.header('Min-SE'), '1800')
    peer.answer(again, 486)
    await engine.next('ended', { leg })
  })

  await t.test('a description among other parts', async (t) => {
    const isup = [
      'Content-Disposition: signal; handling=optional',
      'Content-Type: application/isup; version=itu-t92+; base=itu-t92+',
      '',
      '\u0001\u0010\t-',
    ]
    const place = ['Content-Type: application/pidf+xml', 'Content-ID: <place@carrier>', '', '<presence/>']
    const described = (version = 1) => [
      'Content-Disposition: session; handling=required',
      'Content-Type: application/sdp',
      '',
      sdp(9, { version }).trimEnd(),
      '',
    ]
    const whole = (...parts: readonly string[][]) =>
      [...parts.flatMap((part) => ['--sonus-content-delim', ...part]), '--sonus-content-delim--', ''].join('\r\n')
    const type = 'multipart/mixed;boundary=sonus-content-delim'
    for (const [what, body, kind] of [
      ['before ISUP', (version?: number) => whole(described(version), isup), type],
      ['behind ISUP', (version?: number) => whole(isup, described(version)), type],
      ['behind a place', (version?: number) => whole(place, described(version)), 'multipart/mixed; boundary="sonus-content-delim"'],
      [
        'without an end',
        (version?: number) => whole(described(version), isup).replace('--sonus-content-delim--\r\n', ''),
        'Multipart/Mixed;Boundary=sonus-content-delim',
      ],
      ['alone, with a charset', (version?: number) => sdp(9, { version: version ?? 1 }), 'Application/SDP;charset=ISO-10646'],
    ] as const) {
      const { leg, call } = await standingIn(body(), kind)
      t.equal((await call.ask('INVITE', { body: body(2), type: kind })).status, 200, `${what}: again`)
      call.send('ACK')
      await call.ask('BYE')
      await engine.next('ended', { leg })
      const { leg: out, invite, call: dialog } = await dialled()
      peer.answer(invite, 183, { body: body(), type: kind })
      t.match(await engine.next('ringing', { leg: out }), { early: true }, `${what}: early media`)
      peer.answer(invite, 200, { body: body(), type: kind })
      await dialog.request('ACK')
      await engine.next('answered', { leg: out })
      await hangsUp(out, dialog)
    }
  })

  await t.test('a re-INVITE of ours that is refused ends nothing, but for 481 and 408', async (t) => {
    for (const [code, headers, over] of [
      [500, ['Retry-After: 1'], false],
      [503, [], false],
      [403, [], false],
      [481, [], true],
      [408, [], true],
    ] as const) {
      const { leg, call } = await standingIn()
      engine.send('hold', { leg, on: true })
      peer.answer(await call.request('INVITE'), code, { headers })
      await call.request('ACK')
      if (over) peer.answer(await call.request('BYE'), 200)
      else t.equal((await call.ask('BYE')).status, 200, `${code}`)
      t.match(await engine.next('ended', { leg }), { by: over ? 'system' : 'remote' }, `${code}`)
    }
  })

  await t.test(
    'a re-INVITE before the one before it is acknowledged is put off; an ACK with the branch of its INVITE is one',
    async (t) => {
      const { leg, call } = await standingIn()
      call.send('INVITE', { body: sdp(9, { version: 2 }) })
      t.equal((await call.final('INVITE')).status, 200)
      const early = await call.ask('INVITE', { body: sdp(9, { version: 3 }) })
      t.equal(early.status, 500)
      t.match(early.header('Retry-After'), /^([0-9]|10)$/, 'RFC 3261 14.2')
      call.send('ACK')
      await call.ask('BYE')
      await engine.next('ended', { leg })
      let branch = ''
      peer.changes = (text) => {
        if (text.startsWith('INVITE')) branch = /branch=\S+/.exec(text)![0]
        return text.startsWith('ACK') ? text.replace(/branch=\S+/, branch) : text
      }
      const { leg: other, call: second } = await standingIn()
      for (const version of [2, 3]) {
        t.equal((await second.ask('INVITE', { body: sdp(9, { version }) })).status, 200)
        second.send('ACK')
      }
      peer.changes = undefined
      await second.ask('BYE')
      await engine.next('ended', { leg: other })
    },
  )

  await t.test('the description changes before the answer (UPDATE), and the answer has none', async (t) => {
    const [before, after] = [await RtpPhone.open(), await RtpPhone.open()]
    t.teardown(() => (before.close(), after.close()))
    const { leg, invite, call } = await dialled()
    peer.answer(invite, 183, { headers: ['Require: 100rel', 'RSeq: 7', 'Allow: UPDATE, PRACK'], body: sdp(before.port) })
    peer.answer(await call.request('PRACK'), 200)
    const update = await call.ask('UPDATE', { body: sdp(after.port, { codecs: '8 101', version: 2 }) })
    t.match(update, { status: 200, body: /RTP\/AVP 8 101/ })
    peer.answer(invite, 200)
    await call.request('ACK')
    t.match(await engine.next('answered', { leg }), { codec: 'PCMA' })
    await after.until('audio where it was moved to', () => after.packets.length > 5)
    t.ok(after.packets.every(({ payloadType }) => payloadType === 8))
    await hangsUp(leg, call)
  })

  const contact = (value: string) => (text: string) =>
    /^SIP\/2\.0 200 [^]*\d+ INVITE\r\n/.test(text) ? text.replace(/^Contact: .*\r\n/m, value) : text
  for (const [what, change] of [
    ['none', contact('')],
    ['no brackets', (text: string) => text.replace(/^Contact: <(.*)>/m, 'Contact: $1')],
    ['a name with a comma', (text: string) => text.replace('Contact: <', 'Contact: "Clinic, Main" <')],
    ['a telephone number', contact('Contact: <tel:+15557654321>\r\n')],
    ['nonsense', contact('Contact: @@\r\n')],
    ['no address', contact('Contact: <sip:x@0.0.0.0:5060>\r\n')],
    ['no address of IPv6', contact('Contact: <sip:x@[::]:5060>\r\n')],
    ['a name that cannot be', contact('Contact: <sip:x@df7jal23ls0d.invalid;transport=ws>\r\n')],
  ] as const) {
    await t.test(`an answer whose Contact is ${what} is acknowledged, and can be hung up`, async (t) => {
      const { leg, invite, call } = await dialled()
      peer.changes = change
      peer.answer(invite, 200, { body: sdp(9) })
      peer.changes = undefined
      await call.request('ACK', 1000)
      await engine.next('answered', { leg })
      t.match(await hangsUp(leg, call), { by: 'local', code: 200 })
    })
  }

  await t.test('a caller whose Contact is no address can be hung up', async (t) => {
    peer.changes = (text) => text.replace(/^Contact: <sip:peer@[^>]*>/m, 'Contact: <sip:peer@0.0.0.0>')
    const { leg, call } = await standingIn()
    peer.changes = undefined
    await hangsUp(leg, call)
    t.same(engine.of('ended'), [])
  })
})
