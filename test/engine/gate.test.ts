/** Who may speak to pbx-engine: registration, guessing, strangers, damaged messages; and how it starts and stops. */
import t from 'tap'
import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../harness/daemon.ts'
import { certificate } from '../harness/processes.ts'
import { RtpPhone } from '../harness/phone.ts'
import { Engine, extension, pause, skip, trunk } from './engine.ts'
import { Dialog, SipPeer, token } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

const uri = 'sip:pbx'

t.test('the registrar', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start({
    extensions: [extension('101', 'right'), extension('102', 'other')],
    ban: { failures: 5, windowSeconds: 30, seconds: 2 },
  })
  t.teardown(() => engine.stop())
  /** The newest binding of an extension changed to this phone. */
  const bound = (phone: SipPeer) =>
    engine.next('registration', (m) => (m['contacts'] as { address: string }[])[0]?.address.endsWith(`:${phone.port}`) === true)
  const register = async (
    phone: SipPeer,
    user: string,
    password: string,
    { expires = 120, nc = 1, callId = token(), contact = phone.contact } = {},
  ) => {
    const who = { to: `sip:${user}@pbx`, from: `sip:${user}@pbx`, callId, headers: [`Contact: ${contact};expires=${expires}`] }
    const challenge = await phone.ask('REGISTER', uri, who)
    if (challenge === undefined) return undefined
    const given = authorization(challenge, 'REGISTER', uri, user, password, { nc })
    return phone.ask('REGISTER', uri, { ...who, cseq: 2, headers: [...who.headers, given] })
  }

  await t.test('registers, refreshes, unregisters', async (t) => {
    const phone = await SipPeer.udp(engine.port())
    const ok = await register(phone, '101', 'right')
    t.equal(ok?.status, 200)
    t.match(ok?.header('Contact'), /expires=1(20|19)/)
    t.notMatch(ok?.text, /PJSIP|pjproject|2\.17|Server:|User-Agent/i)
    t.match(await engine.next('registration'), {
      extension: '101',
      contacts: [{ transport: 'udp', address: `127.0.0.1:${phone.port}`, expiresAt: Number }],
    })
    t.equal((await register(phone, '101', 'right'))?.status, 200)
    t.equal(((await engine.next('registration'))['contacts'] as unknown[]).length, 1, 'one binding, not two')
    t.equal((await register(phone, '101', 'right', { expires: 0 }))?.status, 200)
    t.match(await engine.next('registration'), { extension: '101', contacts: [] })
    phone.close()
  })

  await t.test('a phone registers itself only', async (t) => {
    const phone = await SipPeer.udp(engine.port())
    const challenge = await phone.ask('REGISTER', uri, { to: 'sip:102@pbx' })
    const answer = await phone.ask('REGISTER', uri, {
      to: 'sip:102@pbx',
      headers: [authorization(challenge!, 'REGISTER', uri, '101', 'right')],
    })
    t.equal(answer?.status, 403)
    phone.close()
  })

  await t.test('an answer serves once: stale=true', async (t) => {
    const phone = await SipPeer.udp(engine.port())
    const challenge = await phone.ask('REGISTER', uri, { to: 'sip:101@pbx' })
    const given = authorization(challenge!, 'REGISTER', uri, '101', 'right')
    t.equal((await phone.ask('REGISTER', uri, { to: 'sip:101@pbx', headers: [given] }))?.status, 200)
    const thief = await SipPeer.udp(engine.port())
    const stale = await thief.ask('REGISTER', uri, { to: 'sip:101@pbx', headers: [given] })
    t.equal(stale?.status, 401)
    t.match(stale?.header('WWW-Authenticate'), /stale=true/)
    const next = authorization(challenge!, 'REGISTER', uri, '101', 'right', { nc: 2 })
    t.equal((await phone.ask('REGISTER', uri, { to: 'sip:101@pbx', headers: [next] }))?.status, 200, 'counted up')
    // Wrong or right, an answer to another nonce is worth nothing, and phones that kept one from before a restart ask again by themselves.
    const foreign = given.replace(/nonce="[^"]+"/, 'nonce="made-up"')
    for (let n = 0; n < 8; n++) {
      const again = await phone.ask('REGISTER', uri, { to: 'sip:101@pbx', headers: [foreign] })
      t.match(again?.header('WWW-Authenticate'), /stale=true/)
    }
    thief.close()
    phone.close()
  })

  await t.test('an unknown user and a wrong password get the same answer, and five of them silence', async (t) => {
    const [one, two] = [await SipPeer.udp(engine.port(), '127.0.0.21'), await SipPeer.udp(engine.port(), '127.0.0.22')]
    const wrong = await register(one, '101', 'wrong')
    const unknown = await register(two, '999', 'wrong')
    const shape = (text = '') =>
      text.replace(/(nonce|branch|tag|Call-ID:|From:|To:)[^;\r]*/g, '$1').replaceAll(/127\.0\.0\.\d+:?\d*|rport=\d+/g, '')
    t.equal(wrong?.status, 403)
    t.equal(shape(wrong?.text), shape(unknown?.text))
    for (let n = 2; n <= 5; n++) t.equal((await register(one, '101', `wrong${n}`))?.status, 403)
    t.match(await engine.next('banned'), { address: '127.0.0.21', seconds: 2, failures: 5 })
    t.equal(await one.ask('REGISTER', uri, { to: 'sip:101@pbx', ms: 300 }), undefined, 'silence')
    t.equal((await register(two, '102', 'other'))?.status, 200, 'another address is not banned')
    await bound(two)
    await pause(2000)
    t.equal((await register(one, '101', 'right'))?.status, 200, 'the ban ends')
    await bound(one)
    one.close()
    two.close()
  })

  await t.test('a digest holds for the URI it was made for, written as phones and address translators do', async (t) => {
    const phone = await SipPeer.udp(engine.port(), '127.0.0.23')
    const status = async (made: string, asked: string) => {
      const challenge = await phone.ask('REGISTER', asked, { to: 'sip:101@pbx' })
      const headers = [authorization(challenge!, 'REGISTER', made, '101', 'right')]
      return (await phone.ask('REGISTER', asked, { to: 'sip:101@pbx', headers }))?.status
    }
    for (const made of ['sip:PBX', 'sip:pbx:5060', 'sip:pbx;transport=udp', 'sips:pbx']) t.equal(await status(made, 'sip:pbx'), 200, made)
    t.equal(await status('sip:192.0.2.1:5060', 'sip:127.0.0.1'), 200, 'one address for another')
    for (const made of ['sip:other', 'sip:101@pbx', 'tel:+1900', 'nonsense', '']) t.equal(await status(made, 'sip:pbx'), 400, made)
    t.same(engine.of('banned'), [])
    phone.close()
  })

  for (const transport of ['udp', 'tcp'] as const) {
    await t.test(`calls from and to a registered phone over ${transport}`, async (t) => {
      const phone = await SipPeer[transport](engine.port(transport))
      t.equal((await register(phone, '101', 'right'))?.status, 200)
      t.match(await bound(phone), { extension: '101', contacts: [{ transport }] })
      const rtp = await RtpPhone.open()
      const call = new Dialog(phone)
      call.invite('+15557654321', { from: '<sip:101@pbx>', body: sdp(rtp.port) })
      const challenge = await call.final('INVITE')
      t.equal(challenge.status, 401)
      t.same(engine.of('invite'), [], 'no call yet')
      call.send('ACK')
      call.send('INVITE', { headers: [authorization(challenge, 'INVITE', call.target, '101', 'right')], body: sdp(rtp.port) })
      const invite = await engine.next('invite')
      t.match(invite, { trunk: '', extension: '101', from: '101', to: '+15557654321' })
      engine.send('answer', { leg: invite['leg'] })
      await call.answered()
      await engine.next('answered', { leg: invite['leg'] })
      t.equal((await call.ask('BYE')).status, 200)
      await engine.next('ended', { leg: invite['leg'] })
      const leg = engine.dial({ extension: '101', to: '101', from: '102', callerName: 'Nurse' })
      const request = await phone.request('INVITE')
      t.match(request.header('From'), /"Nurse" <sip:102@pbx>/)
      phone.answer(request, 200, { body: sdp(rtp.port) })
      const back = Dialog.of(phone, request)
      await back.request('ACK')
      t.match(await engine.next('answered', { leg }), { codec: 'PCMU' })
      engine.send('hangup', { leg })
      phone.answer(await back.request('BYE'), 200)
      await engine.next('ended', { leg })
      rtp.close()
      await register(phone, '101', 'right', { expires: 0 })
      phone.close()
    })
  }

  await t.test('what an earlier engine knew is known', async (t) => {
    const phone = await SipPeer.udp(engine.port(), '127.0.0.40')
    const contact = {
      uri: `sip:x@127.0.0.40:${phone.port}`,
      transport: 'udp',
      address: `127.0.0.1:${phone.port}`,
      expiresAt: Date.now() + 1500,
    }
    await engine.configure({ extensions: [extension('101', 'right'), extension('103', 'x', { contacts: [contact] })] })
    t.match(await engine.next('registration', { extension: '103' }), { contacts: [] }, 'and expires')
    phone.close()
  })
})

t.test('strangers', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start({ phoneNetworks: [] })
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)], extensions: [extension('101', 'right')] })
  t.teardown(async () => (peer.close(), engine.stop()))
  const stranger = await SipPeer.udp(engine.port(), '127.0.0.9')
  t.teardown(() => stranger.close())

  await t.test('hear nothing, but may register', async (t) => {
    for (const method of [
      'INVITE',
      'OPTIONS',
      'BYE',
      'CANCEL',
      'MESSAGE',
      'SUBSCRIBE',
      'NOTIFY',
      'FROBNICATE',
      'ACK',
      'UPDATE',
      'PRACK',
      'INFO',
      'REFER',
    ]) {
      void stranger.ask(method, 'sip:101@127.0.0.1', { body: method === 'INVITE' ? sdp(9) : '', ms: 10 })
      void stranger.ask(method, 'sip:101@127.0.0.1', { to: 'sip:101@127.0.0.1>;tag=x;a=<', ms: 10 })
    }
    stranger.raw('\r\n\r\n')
    stranger.raw('hello')
    stranger.raw('GET / HTTP/1.0\r\n\r\n')
    stranger.raw(Buffer.from([0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42, ...Array(12).fill(7)]))
    const first = await stranger.ask('REGISTER', uri, { to: 'sip:101@pbx' })
    t.equal(first?.status, 401)
    t.equal(stranger.bytes, first?.text.length, 'not one byte before it')
    await engine.settled()
    t.same(engine.of('invite'), [])
  })

  await t.test('call for help with the password of an extension, and are in that call', async (t) => {
    await engine.configure({
      emergencyNumbers: ['911', '9911'],
      trunks: [trunk(`127.0.0.1:${peer.port}`)],
      extensions: [extension('101', 'right')],
    })
    for (const number of ['911', '9911']) {
      const target = `sip:${number}@127.0.0.1`
      const challenge = await stranger.ask('INVITE', target, { from: 'sip:101@pbx', body: sdp(9) })
      t.equal(challenge?.status, 401)
      const wrong = authorization(challenge!, 'INVITE', target, '101', 'wrong')
      t.equal((await stranger.ask('INVITE', target, { from: 'sip:101@pbx', body: sdp(9), headers: [wrong] }))?.status, 403)
      const dialog = new Dialog(stranger)
      dialog.invite(number, { from: '<sip:101@pbx>', body: sdp(9) })
      const asked = await dialog.final('INVITE')
      dialog.send('ACK')
      dialog.send('INVITE', { body: sdp(9), headers: [authorization(asked, 'INVITE', dialog.target, '101', 'right')] })
      const { leg } = await engine.next('invite', { to: number, extension: '101' })
      engine.send('progress', { leg, code: 180, media: false })
      dialog.send('CANCEL')
      t.equal((await dialog.final('INVITE')).status, 487)
      dialog.send('ACK')
      await engine.next('ended', { leg })
    }
    void stranger.ask('INVITE', 'sip:912@127.0.0.1', { body: sdp(9), ms: 10 })
    t.equal((await stranger.ask('REGISTER', uri, { to: 'sip:101@pbx' }))?.status, 401)
    await engine.settled()
    t.same(
      engine.of('invite').filter(({ to }) => to === '912'),
      [],
    )
  })

  await t.test('a known peer is answered', async (t) => {
    const status = async (method: string) => (await peer.ask(method, 'sip:101@127.0.0.1', { ms: 1500 }))?.status
    t.equal(await status('OPTIONS'), 200)
    t.equal(await status('MESSAGE'), 400, 'a text without words')
    t.equal(await status('SUBSCRIBE'), 405)
    t.equal(await status('FROBNICATE'), 501)
    t.equal(await status('BYE'), 481)
    t.equal(await status('INFO'), 481)
  })

  await t.test('damaged messages', async (t) => {
    const line = 'INVITE sip:101@127.0.0.1 SIP/2.0\r\n'
    const head = (callId: string) =>
      `${peer.via()}\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:101@x>\r\nCall-ID: ${callId}\r\nCSeq: 1 INVITE\r\nContact: ${peer.contact}\r\nMax-Forwards: 70\r\n`
    const texts = [
      line,
      `${line}\r\n`,
      `${line}${head('d1').replace('CSeq: 1 INVITE', 'CSeq: 99999999999999 INVITE')}\r\n`,
      `${line}${head('d2')}Content-Type: application/sdp\r\nContent-Length: 9999\r\n\r\nv=0`,
      `${line}${head('d3')}Content-Type: application/sdp\r\nContent-Length: -1\r\n\r\nv=0`,
      `${line}${head('d4')}Content-Type: application/sdp\r\n\r\nv=0\r\no=\r\nm=audio\r\n`,
      `${line}${head('d5')}Content-Type: application/sdp\r\n\r\n${sdp(9)}${'m=audio 1 RTP/AVP 0\r\n'.repeat(30)}`,
      `${line}${head('d6')}X-Long: ${'y'.repeat(60_000)}\r\n\r\n`,
      `${line}${head('d7').replaceAll('<sip:', '<sip:'.repeat(50))}\r\n`,
      `\0\0\0\0${line}`,
      `SIP/2.0 200 OK\r\n${head('d8')}\r\n`,
      `SIP/2.0 99999 OK\r\n\r\n`,
      `${line}${head('d9')}Record-Route: <tel:1>;lr\r\n\r\n`,
    ]
    for (const text of texts) peer.raw(text)
    t.equal((await peer.ask('OPTIONS', 'sip:101@127.0.0.1'))?.status, 200, 'it goes on')
    for (const invite of engine.of('invite')) engine.send('hangup', { leg: invite['leg'] })
  })

  await t.test('drain', async (t) => {
    engine.send('drain')
    await engine.settled()
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(9) })
    const refused = await call.final('INVITE')
    t.equal(refused.status, 503)
    t.match(refused.header('Retry-After'), /\d+/)
  })
})

t.test('start and stop', { skip, timeout: 60_000 }, async (t) => {
  await t.test('a port that is in use at the start is bound later, by the next configure', async (t) => {
    const port = await freePort()
    const other = createSocket('udp4')
    await new Promise<void>((resolve) => other.bind(port, '127.0.0.1', resolve))
    const engine = await Engine.start({ udp: `127.0.0.1:${port}`, tcp: null })
    t.teardown(() => engine.stop())
    const peer = await SipPeer.udp(port)
    void peer
      .request('REGISTER', 9000)
      .then((register) => peer.answer(register, 200, { headers: [`Contact: ${register.header('Contact')};expires=300`] }))
    const trunks = [trunk(`127.0.0.1:${peer.port}`, { register: true, username: 'u' })]
    t.match(await engine.configure({ trunks }), { udp: null, errors: [{ part: 'udp', text: /in use/i }] })
    await new Promise<void>((resolve) => other.close(() => resolve()))
    t.match(await engine.configure({}), { udp: `127.0.0.1:${port}`, errors: [] })
    t.match(await engine.next('trunk', { state: 'registered' }), { id: 'main' }, 'lines work')
    const leg = engine.dial({ trunk: 'main', to: '1' })
    peer.answer(await peer.request('INVITE'), 486)
    await engine.next('ended', { leg, code: 486 })
    peer.close()
  })

  await t.test('the end of the socket ends every call within 2 s; SIGTERM ends nothing', async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'pbx-engine-'))
    t.teardown(() => rmSync(dir, { recursive: true }))
    await certificate(dir)
    const engine = await Engine.start({ tls: { listen: '127.0.0.1:0', cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') } })
    t.ok(engine.port('tls') > 0)
    const peer = await SipPeer.udp(engine.port())
    await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
    const calls: Dialog[] = []
    for (let n = 0; n < 3; n++) {
      const call = new Dialog(peer)
      call.invite('101', { body: sdp(9) })
      engine.send('answer', { leg: (await engine.next('invite'))['leg'] })
      await call.answered()
      calls.push(call)
    }
    const ringing = new Dialog(peer)
    ringing.invite('101', { body: sdp(9) })
    await engine.next('invite')
    engine.dial({ trunk: 'main', to: '1' })
    const invite = await peer.request('INVITE')
    peer.answer(invite, 180)
    await engine.next('ringing')
    process.kill(engine.child.pid!, 'SIGTERM')
    await engine.settled()
    t.equal(engine.child.exitCode, null)
    const began = Date.now()
    const stopped = engine.stop()
    const seen = Promise.all([
      ...calls.map(async (call) => peer.answer(await call.request('BYE'), 200)),
      ringing.final('INVITE'),
      peer.request('CANCEL'),
    ])
    t.ok(await seen, 'BYE, a refusal, CANCEL')
    t.match(await stopped, { code: 0, signal: null })
    t.comment(`stopped after ${Date.now() - began} ms`)
    peer.close()
  })
})
