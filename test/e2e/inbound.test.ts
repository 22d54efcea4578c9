/** A caller from the trunk (sipp) and an application (HTTP): what an inbound call is, from the first event to call.ended. */
import t from 'tap'
import { findClip, readWav, silence, speech, toEightKhz, toneLevel, tone, concat } from '../harness/audio.ts'
import { Scene, eventually, pause } from '../harness/scene.ts'

const scene = await Scene.open()
const { app, daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const welcome = 'Welcome to Riverside Clinic.'
const goodbye = 'Goodbye, and thank you for calling.'
const menu = 'Please press the key of the service that you would like to speak to now.'

t.test('the first event is call.inbound.pre_route with the whole envelope, sent while the caller hears ringback', async (t) => {
  let ringing = false
  app.script = async () => {
    await eventually('180', () => caller.sip.statuses().includes(180))
    ringing = !caller.sip.statuses().includes(200)
    return [{ say: { text: welcome } }]
  }
  const caller = await scene.call({ from: '+15551230001', name: 'ANN LEE' })
  const first = await app.until('call.inbound.pre_route')
  const { callId, eventId, timestamp, ...rest } = first.event
  t.match(callId, /^CA[0-9a-f]{32}$/)
  t.match(eventId, /^[0-9a-f-]{36}$/)
  t.ok(Math.abs(Date.parse(timestamp) - first.date) < 2000, 'timestamp is the time')
  t.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.match(rest, {
    event: 'call.inbound.pre_route',
    sequence: 1,
    direction: 'inbound',
    from: '+15551230001',
    to: '+15550001000',
    callerName: 'ANN LEE',
    trunkId: 'main',
    state: 'ringing',
  })
  t.equal(first.path, '/voice')
  t.equal(first.attempt, 1)
  t.notMatch(JSON.stringify(first.event), 'null')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(ringing, '180 before the answer, 200 only after the document')
  await app.until('call.ended')
  t.same(await scene.finish(), [])
})

t.test('say is heard whole, and the call ends after its last sample', async (t) => {
  app.script = () => [{ say: { text: welcome } }, { pause: { seconds: 0.5 } }, { say: { text: goodbye } }]
  const caller = await scene.call()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  const over = performance.now()
  const heard = caller.rtp.heard()
  const first = findClip(heard, speech(welcome))
  const second = findClip(heard, speech(goodbye))
  t.ok(first.whole, `"${welcome}" ${JSON.stringify(first)}`)
  t.ok(second.whole, `"${goodbye}" ${JSON.stringify(second)}`)
  const gap = second.atMs - first.atMs - first.clipMs
  t.ok(gap > 400, `the pause between them was ${gap} ms`)
  t.ok(first.atMs >= 150, 'silence first, so that no syllable is clipped')
  t.comment(`BYE ${over - caller.rtp.lastSound()} ms after the last sound`)
  const ended = (await app.until('call.ended')).event
  t.match(ended, { state: 'completed', endReason: 'document-end', endedBy: 'app', sipCode: 200, documents: 1, recordings: [] })
  t.type(ended.talkSeconds, 'number')
  t.type(ended.ringSeconds, 'number')
  for (const key of ['startedAt', 'answeredAt', 'endedAt']) t.ok(Date.parse(ended[key]) > 0, key)
  t.same(app.names(), ['call.inbound.pre_route', 'call.ended'])
  t.same(await scene.finish(), [])
})

t.test('hangup as the first verb refuses before answer; after a say it ends the call', async (t) => {
  app.script = () => [{ hangup: { cause: 'busy' } }]
  const busy = await scene.call()
  t.equal(await busy.sip.exit, 0, busy.sip.failure())
  t.same(busy.sip.statuses().at(-1), 486)
  t.match((await app.until('call.ended')).event, { endedBy: 'app' })
  app.reset()
  app.script = () => [{ say: { text: goodbye } }, { hangup: {} }]
  const caller = await scene.call()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.heardText(goodbye).whole)
  t.match((await app.until('call.ended')).event, { endReason: 'app-hangup', endedBy: 'app' })
  t.same(await scene.finish(), [])
})

t.test('an empty document, 204 and an empty body end a live call', async (t) => {
  for (const answer of [[], { status: 204 }, { status: 200, headers: { 'content-length': '0' } }] as const) {
    app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ gather: { timeout: 0 } }] : answer)
    const caller = await scene.call()
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    await app.until('call.ended')
    t.same(app.names(), ['call.inbound.pre_route', 'gather.completed', 'call.ended'])
    t.same(await scene.finish(), [])
    app.reset()
  }
})

t.test('redirect fetches the next document; a loop is stopped by the guard', async (t) => {
  app.script = (e, r) => (r.path === '/next' ? [{ say: { text: welcome } }] : [{ redirect: { url: `${app.url}/next?step=2` } }])
  const caller = await scene.call()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.match((await app.until('call.redirected')).event, { redirectCount: 1, url: `${app.url}/next?step=2` })
  t.ok(caller.rtp.heardText(welcome).whole)
  t.same(await scene.finish(), [])
  app.reset()
  app.script = () => [{ redirect: { url: `${app.url}/voice` } }]
  const second = await scene.call()
  await app.until('call.ended', undefined, 30000)
  await second.sip.exit
  t.equal(app.names().filter((n) => n === 'call.redirected').length, 10)
  t.same(await scene.finish(), [])
})

t.test('play speaks a WAV from a URL; an unknown verb, a missing parameter or a later verb refuses the whole document', async (t) => {
  const clip = concat(silence(20), tone(523, 700), silence(20))
  const { writeWav } = await import('../harness/audio.ts')
  app.files.set('/chime.wav', Buffer.from(writeWav(clip)))
  app.script = () => [{ play: { url: `${app.url}/chime.wav` } }]
  const caller = await scene.call()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(findClip(caller.rtp.heard(), tone(523, 600)).heardMs >= 500, 'the tone of the file')
  t.same(await scene.finish(), [])
  for (const [document, pointer] of [
    [[{ say: { text: welcome } }, { dance: {} }], '/1/dance'],
    [[{ say: { text: welcome } }, { redirect: {} }], '/1/redirect'],
    [[{ say: { text: welcome } }, { stream: { url: 'wss://example.com/', track: 'both' } }], '/1/stream/track'],
    [[{ gather: { actionUrl: '/relative' } }], '/0/gather/actionUrl'],
    [{ say: { text: welcome } }, ''],
  ] as const) {
    const answer = await daemon.api('POST', '/api/voice/validate', { document })
    t.match(answer, { status: 200, body: { valid: false, errors: [{ path: pointer }] } }, JSON.stringify(answer.body))
  }
})

t.test('record keeps the caller until the finish key; the WAV is fetched with the token, by Range too', async (t) => {
  const maxSeconds = 20
  app.script = (e) =>
    e.event === 'call.inbound.pre_route'
      ? [{ say: { text: 'Speak now.' } }, { record: { finishOnKey: '#', maxSeconds } }]
      : [{ say: { text: goodbye } }]
  const caller = await scene.call()
  await caller.rtp.sound()
  await caller.rtp.quiet(600)
  caller.rtp.say(concat(tone(330, 1500, 9000), silence(400)))
  await caller.rtp.said()
  await caller.rtp.press('#')
  const { event } = await app.until('record.completed')
  t.match(event, { reason: 'finish-key', finishKey: '#', transcript: '', transcriptStatus: 'off' })
  t.equal(event.mediaUrl, `/api/voice/recordings/${event.recordingId}.wav`)
  t.ok(event.durationMs > 1200 && event.durationMs < maxSeconds * 1000, `${event.durationMs} ms`)
  t.ok(findClip(caller.rtp.heard(), tone([1000], 150)).atMs >= 0, 'the tone after which one speaks')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.match((await app.until('call.ended')).event.recordings, [event.recordingId])
  const get = (headers: Record<string, string>) => fetch(daemon.http + event.mediaUrl, { headers })
  t.equal((await get({})).status, 401)
  const whole = await get({ authorization: `Bearer ${daemon.token}` })
  t.equal(whole.status, 200)
  t.match(whole.headers.get('content-type'), /^audio\/(x-)?wav/)
  const bytes = Buffer.from(await whole.arrayBuffer())
  const { samples, sampleRate } = readWav(bytes)
  const voice = findClip(toEightKhz(samples, sampleRate), tone(330, 1000))
  t.ok(voice.heardMs >= 900, `330 Hz in the recording: ${JSON.stringify(voice)}`)
  t.ok(toneLevel(samples.subarray(-800), 941) < -40, 'the tone of the key is not in it')
  t.ok(Math.abs((samples.length * 1000) / sampleRate - event.durationMs) < 100, 'durationMs is the length of the file')
  const part = await get({ authorization: `Bearer ${daemon.token}`, range: 'bytes=44-1043' })
  t.equal(part.status, 206)
  t.same(Buffer.from(await part.arrayBuffer()), bytes.subarray(44, 1044))
  t.equal((await daemon.api('DELETE', `/api/voice/recordings/${event.recordingId}`)).status < 300, true)
  t.ok([404, 410].includes((await get({ authorization: `Bearer ${daemon.token}` })).status))
  t.same(await scene.finish(), [])
})

t.test('a caller who cancels while the application thinks: the request is aborted, call.ended is canceled', async (t) => {
  app.script = () => 'hang'
  const caller = await scene.call()
  const first = await app.until('call.inbound.pre_route')
  await caller.sip.until('180', (m) => m.includes('SIP/2.0 180'))
  await caller.sip.command('DROP')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.match((await app.until('call.ended')).event, {
    state: 'canceled',
    endReason: 'canceled',
    endedBy: 'caller',
    sipCode: 487,
  })
  await eventually('aborted', () => first.aborted, 1000)
  t.same(await scene.finish(), [])
})

t.test('hang-up in every state: during say, gather and record, and while the application thinks', async (t) => {
  const states = {
    say: { document: [{ say: { text: menu } }], events: [] },
    gather: { document: [{ gather: { timeout: 20 } }], events: ['gather.completed'] },
    record: { document: [{ record: { initialTimeout: 20 } }], events: ['record.completed'] },
    thinking: { document: [{ gather: { timeout: 0 } }], events: ['gather.completed'] },
  } as const
  for (const [state, { document, events }] of Object.entries(states)) {
    app.script = (e) => (e.event === 'call.inbound.pre_route' ? document : state === 'thinking' ? 'hang' : [])
    const caller = await scene.call()
    await caller.rtp.until('audio', () => caller.rtp.packets.length > 30)
    if (state === 'thinking') await app.until('gather.completed')
    await caller.hangup()
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    const ended = await app.until('call.ended')
    t.match(ended.event, { state: 'completed', endReason: 'caller-hangup', endedBy: 'caller' }, state)
    t.same(app.names(), ['call.inbound.pre_route', ...events, 'call.ended'], state)
    if (state === 'gather' || state === 'record') t.equal(app.events()[1].reason, 'hangup', state)
    t.same(await scene.finish(), [], state)
    app.reset()
  }
  t.same((await daemon.api('GET', '/api/voice/calls')).body.calls?.filter((c: any) => c.state === 'in-progress') ?? [], [])
})

t.test('SIP over TCP carries a call as well', async (t) => {
  app.script = () => [{ say: { text: welcome } }]
  const caller = await scene.call({ transport: 't1' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.heardText(welcome).whole)
  t.same(await scene.finish(), [])
})
