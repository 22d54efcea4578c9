/** Desk phones (baresip): registration, calls both ways, TLS with SRTP, G.722, hold, and what strangers get. */
import { createSocket } from 'node:dgram'
import t from 'tap'
import { findClip, speech, tone, toneLevel } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { listens } from '../harness/ears.ts'
import { Scene, eventually, pause } from '../harness/scene.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['inbound'] = [
      { extension: '*', to: '700', destination: 'endpoint:reception' },
      { trunk: 'main', to: '+15550001000', destination: 'endpoint:reception' },
    ]
    base['limits'] = { requestsPerSecond: 1000, burst: 1000, originatesPerMinute: 1000 }
    base['sip'] = { ...(base['sip'] as object), ban: { failures: 3, windowSeconds: 30, seconds: 600 } }
  },
})
const { app, daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const welcome = 'Welcome to Riverside Clinic, how can we help you today?'
const password = 'a-long-password'
const registrar = `127.0.0.1:${daemon.sipPort}`
const phone = async (options: Partial<Parameters<typeof Baresip.start>[0]> = {}) =>
  scene.keep(await Baresip.start({ registrar, user: '101', password, ...options }))

/** Everything one SIP request gets back within a time, as text. */
async function ask(address: string, request: string, ms = 700): Promise<string[]> {
  const socket = createSocket('udp4')
  await new Promise<void>((done) => socket.bind(0, address, done))
  const answers: string[] = []
  socket.on('message', (data) => answers.push(data.toString('latin1')))
  socket.send(request.replaceAll('PORT', String(socket.address().port)).replaceAll('ADDRESS', address), daemon.sipPort, '127.0.0.1')
  await pause(ms)
  socket.close()
  return answers
}

let serial = 0
const request = (method: string, user: string, more = '') =>
  `${method} sip:${method === 'REGISTER' ? '' : `${user}@`}127.0.0.1:${daemon.sipPort} SIP/2.0\r\nVia: SIP/2.0/UDP ADDRESS:PORT;rport;branch=z9hG4bKt${++serial}\r\nFrom: <sip:${user}@127.0.0.1>;tag=t${serial}\r\nTo: <sip:${user}@127.0.0.1>\r\nCall-ID: ask-${serial}-${process.pid}\r\nCSeq: 1 ${method}\r\nContact: <sip:${user}@ADDRESS:PORT>\r\nMax-Forwards: 70\r\n${more}Content-Length: 0\r\n\r\n`

t.test('a phone registers with its password; pbx lines shows it', async (t) => {
  const desk = await phone()
  await desk.until('REGISTER_OK')
  const shown = async () => /101.*\b(registered|reachable)\b/s.test((await daemon.pbx('lines')).out)
  await eventually('pbx lines shows the phone', shown, 4000)
  t.same(await scene.finish(), [])
})

t.test('a wrong password and an unknown user get the same answer, and no version string', async (t) => {
  const wrong = await phone({ password: 'not-the-password', address: '127.0.0.21' })
  t.match(await wrong.until('REGISTER_FAIL'), { param: /40[13]|50/ })
  const unknown = await phone({ user: '999', address: '127.0.0.22' })
  t.match(await unknown.until('REGISTER_FAIL'), { param: /40[13]/ })
  const strip = (text: string) =>
    text
      .replace(/nonce="[^"]*"/, '')
      .replace(/opaque="[^"]*"/, '')
      .split('\r\n')
      .filter((line) => !/^(Via|From|To|Call-ID|CSeq|Date):/i.test(line))
      .join('\n')
  const [known] = await ask('127.0.0.23', request('REGISTER', '101'))
  const [stranger] = await ask('127.0.0.24', request('REGISTER', '9999'))
  t.ok(known?.startsWith('SIP/2.0 401'), String(known))
  t.equal(strip(known ?? ''), strip(stranger ?? ''))
  t.notMatch(String(known), /^(Server|User-Agent):/im)
  t.same(await scene.finish(), [])
})

t.test('an address is ignored after repeated failures', async (t) => {
  const address = '127.0.0.31'
  const digest = (nonce: string) =>
    `Authorization: Digest username="101", realm="pbx", nonce="${nonce}", uri="sip:127.0.0.1", response="0123456789abcdef0123456789abcdef", algorithm=MD5\r\n`
  let answers: string[] = []
  for (let i = 0; i < 6; i++) {
    const [challenge] = await ask(address, request('REGISTER', '101'), 250)
    const nonce = /nonce="([^"]*)"/.exec(challenge ?? '')?.[1] ?? ''
    answers = await ask(address, request('REGISTER', '101', digest(nonce)), 250)
  }
  t.same(answers, [], 'silence after the third failure')
  t.equal((await ask('127.0.0.32', request('REGISTER', '101'))).length, 1, 'another address is served')
  t.match((await daemon.pbx('lines', 'bans')).out, /127\.0\.0\.31 .* 3$/m)
  t.match(await daemon.pbx('lines', 'unban', address), { code: 0, out: /may register again/ })
  t.match(await daemon.pbx('lines', 'unban', address), { code: 1, out: /is not banned/ })
  t.equal((await ask(address, request('REGISTER', '101'))).length, 1, 'it is heard again')
})

t.test('unknown sources get silence for calls, and malformed datagrams for all', async (t) => {
  const sdp = 'Content-Type: application/sdp\r\n'
  t.same(await ask('127.0.0.41', request('INVITE', '101', sdp)), [], 'INVITE of a stranger')
  t.same(await ask('127.0.0.41', request('OPTIONS', '101')), [], 'OPTIONS of a stranger')
  for (const junk of [
    '\x00\x01\x02',
    'INVITE',
    'GET / HTTP/1.1\r\n\r\n',
    'SIP/2.0 200 OK\r\n\r\n',
    'REGISTER sip: SIP/2.0\r\nVia: \r\n\r\n',
    'x'.repeat(60000),
  ])
    t.ok((await ask('127.0.0.42', junk, 60)).length <= 1)
  t.equal((await fetch(`${daemon.http}/readyz`)).status, 200)
})

t.test('a phone calls the application, hears it, presses a key', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ say: { text: welcome } }, { gather: { numDigits: 1, timeout: 9 } }] : [])
  const desk = await phone()
  await desk.until('REGISTER_OK')
  await desk.command('dial', '700')
  await desk.until('CALL_ESTABLISHED')
  t.match((await app.until('call.inbound.pre_route')).event, { from: '101', to: '700', callerName: String, trunkId: '' })
  await eventually('the prompt', () => findClip(desk.lately(20_000), speech(welcome)).whole)
  await desk.command('sndcode', '5')
  // While it is held down: a key is taken when it is pressed.
  t.match((await app.until('gather.completed')).event, { digits: '5', reason: 'digits' })
  await desk.until('CALL_CLOSED')
  t.same(await scene.finish(), [])
})

t.test('originate calls a registered phone', async (t) => {
  app.script = () => [{ say: { text: welcome } }]
  const desk = await phone({ autoAnswer: true })
  await desk.until('REGISTER_OK')
  const placed = await scene.originate({ to: '101', endpoint: 'reception' })
  t.equal(placed.status, 200, JSON.stringify(placed.body))
  await desk.until('CALL_ESTABLISHED')
  t.match((await app.until('call.answered')).event, { to: '101', direction: 'outbound' })
  await desk.until('CALL_CLOSED', 12000)
  await eventually('the prompt is heard', () => findClip(desk.heard(), speech(welcome)).whole)
  t.same(await scene.finish(), [])
})

t.test('a phone nobody registered cannot be called', async (t) => {
  const placed = await scene.originate({ to: '102', endpoint: 'reception' })
  if (placed.status === 200) t.match((await app.until('call.ended')).event, { state: /failed|no-answer/ })
  else t.match(placed, { status: /409|503/, body: { code: /no_line|extension_unavailable/ } })
  t.same(await scene.finish(), [])
})

t.test('a phone that declines is busy to the caller, and the caller hears ringing at once', async (t) => {
  const caller = await phone()
  const called = await phone({ user: '102', password: 'another-long-password', address: '127.0.0.3' })
  await Promise.all([caller.until('REGISTER_OK'), called.until('REGISTER_OK')])
  await caller.command('dial', `sip:102@${registrar}`)
  await Promise.all([called.until('CALL_INCOMING'), caller.until('CALL_RINGING')])
  await called.command('hangup')
  t.match((await caller.until('CALL_CLOSED')).param, /^486/)
})

t.test('without a rule of outbound no phone dials out, which is told', async (t) => {
  const caller = await phone()
  await caller.until('REGISTER_OK')
  await caller.command('dial', `sip:+15551234567@${registrar}`)
  t.match((await caller.until('CALL_CLOSED')).param, /^404/)
  t.match(
    (await daemon.pbx('status')).out,
    /A call of the last hour was refused because no rule matches, the last to \*\*\*4567 from extension 101/,
  )
})

t.test('a phone calls for help without any rule: through the trunk, loudly', async (t) => {
  const centre = await scene.expect('answer')
  const caller = await phone()
  await caller.until('REGISTER_OK')
  await caller.command('dial', `sip:911@${registrar}`)
  await caller.until('CALL_ESTABLISHED')
  await centre.rtp.sound()
  const called = /An emergency number was called 1 times in the last day, the last time from 101/
  t.match((await daemon.pbx('status')).out.replaceAll(/\s+/g, ' '), called, 'people at the box see it while it lasts')
  await caller.command('hangup')
  await caller.until('CALL_CLOSED')
  t.ok(scene.trunk.requests.some((line) => line.startsWith('INVITE sip:911@')))
  t.match((await daemon.pbx('status')).out.replaceAll(/\s+/g, ' '), called)
  await caller.command('dial', `sip:911@${registrar}`)
  t.match((await caller.until('CALL_CLOSED', 8000, 2)).param, /^503/)
  t.match((await daemon.pbx('status')).out, /AN EMERGENCY CALL COULD NOT BE PUT THROUGH/)
})

t.test('TLS with mandatory SRTP, both ways', async (t) => {
  app.script = () => [{ say: { text: welcome } }]
  const desk = await phone({ registrar: `127.0.0.1:${daemon.tlsPort}`, transport: 'tls', mediaEncryption: 'srtp-mand', autoAnswer: true })
  await desk.until('REGISTER_OK')
  await desk.command('dial', '700')
  await desk.until('CALL_ESTABLISHED')
  await desk.until('CALL_CLOSED', 12000)
  await eventually('the prompt is heard', () => findClip(desk.heard(), speech(welcome)).whole)
  await scene.originate({ to: '101', endpoint: 'reception' })
  await desk.until('CALL_ESTABLISHED', 8000, 2)
  await desk.until('CALL_CLOSED', 12000, 2)
  t.same(await scene.finish(), [])
})

t.test('G.722 carries the prompt', async (t) => {
  app.script = () => [{ say: { text: welcome } }]
  const desk = await phone({ codecs: 'G722/16000/1', voice: tone(300, 30000), voiceRate: 16000 })
  await desk.until('REGISTER_OK')
  await desk.command('dial', '700')
  await desk.until('CALL_ESTABLISHED')
  await desk.until('CALL_CLOSED', 12000)
  const heard = () => findClip(desk.heard(), speech(welcome), 0, 0.5)
  await eventually('the prompt is heard', () => heard().heardMs > heard().clipMs * 0.8)
  t.same(await scene.finish(), [])
})

t.test('hold and resume by the phone during a call; the call goes on', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ gather: { numDigits: 1, timeout: 30 } }] : [{ say: { text: welcome } }])
  const desk = await phone()
  await desk.until('REGISTER_OK')
  await desk.command('dial', '700')
  await desk.until('CALL_ESTABLISHED')
  await listens(desk, 500)
  t.ok((await desk.command('hold')).ok)
  await pause(1000)
  t.ok((await desk.command('resume')).ok)
  // What baresip hears after its own hold is in none of its files.
  await desk.command('sndcode', '3')
  await pause(150)
  await desk.command('sndcode', '\x04')
  t.match((await app.until('gather.completed')).event, { digits: '3' })
  await desk.until('CALL_CLOSED', 12000)
  t.equal((await app.until('call.ended')).event.endReason, 'document-end')
  t.same(await scene.finish(), [])
})

t.test('a trunk caller holds by re-INVITE and resumes: no media while held, the prompt afterwards', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ gather: { numDigits: 1, timeout: 30 } }] : [{ say: { text: welcome } }])
  const caller = await scene.call()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 20)
  await caller.sip.command('HOLD')
  await caller.sip.until('the hold', (messages) => (messages.match(/^CSeq: *\d+ ACK/gim) ?? []).length >= 2)
  let before = -1
  const noneSince = (): boolean => before === (before = caller.rtp.packets.length)
  await eventually('no media while held', noneSince, 5000, 200)
  await caller.sip.command('RESUME')
  await caller.rtp.until('audio after the hold', () => caller.rtp.packets.length > before + 20)
  await caller.rtp.press('1')
  await app.until('gather.completed')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.heardText(welcome).whole)
  t.same(await scene.finish(), [])
})

t.test('the caller’s voice reaches a recording through SRTP', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ record: { maxSeconds: 2, playBeep: false } }] : [])
  const desk = await phone({ registrar: `127.0.0.1:${daemon.tlsPort}`, transport: 'tls', mediaEncryption: 'srtp-mand' })
  await desk.until('REGISTER_OK')
  await desk.command('dial', '700')
  const { event } = await app.until('record.completed')
  t.match(event, { reason: 'max-length' })
  const wav = Buffer.from(
    await (await fetch(daemon.http + event.mediaUrl, { headers: { authorization: `Bearer ${daemon.token}` } })).arrayBuffer(),
  )
  const samples = new Int16Array(wav.buffer, wav.byteOffset + 44, 8000)
  t.ok(toneLevel(samples, 300) > -20, '300 Hz')
  await desk.until('CALL_CLOSED')
  t.same(await scene.finish(), [])
})
