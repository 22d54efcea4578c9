/** The verb `stream` over real SIP: a caller (sipp, RTP), the box, and a server of media streams, good and bad. */
import t from 'tap'
import { linearToUlaw, rms, speech, tone, toneLevel, ulawToLinear } from '../harness/audio.ts'
import { eventually, Scene } from '../harness/scene.ts'
import type { Phone } from '../harness/sipp.ts'
import { StreamServer, type StreamConnection } from '../harness/stream-server.ts'

const scene = await Scene.open()
const { app } = scene
const server = new StreamServer(app)
t.setTimeout(600_000)
t.teardown(() => scene.close())
t.beforeEach(() => {
  app.reset()
  server.reset()
})
t.afterEach(() => scene.sweep())

const coded = (samples: Int16Array): Buffer => Buffer.from(Uint8Array.from(samples, linearToUlaw))
/** Every byte there is, those of both zeros among them, in an order that no codec would make. */
const pattern = (bytes: number): Buffer => Buffer.from(Uint8Array.from({ length: bytes }, (_, i) => (i * 37 + (i >> 5)) % 256))

interface Streamed {
  readonly caller: Phone
  readonly stream: StreamConnection
}

/** A call whose application opens a stream, and answers what follows with `after`. */
async function streamed(
  parameters: Record<string, unknown> = {},
  after: readonly object[] = [],
  rest: readonly object[] = [],
): Promise<Streamed> {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ stream: { url: server.url, ...parameters } }, ...rest] : after)
  const caller = await scene.call()
  return { caller, stream: await server.next() }
}

/** Packets of the caller, one after the other, from the first that is not silent on. */
function wordsOf(caller: Phone): Buffer {
  const audio = caller.rtp.packets.filter(({ payloadType }) => payloadType === 0)
  const bytes = Buffer.concat(audio.map(({ payload }) => payload))
  const first = bytes.findIndex((byte) => byte !== 0xff && byte !== 0x7f)
  return first < 0 ? Buffer.alloc(0) : bytes.subarray(first)
}

async function ended(caller: Phone, stream: StreamConnection): Promise<void> {
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(stream.faults, [])
  t.same(await scene.finish(), [])
}

t.test('start, media, keys and stop have their form; the query of the URL is kept; the caller hangs up', async (t) => {
  const { caller, stream } = await streamed({ parameters: { patient: 'A-5' }, actionUrl: `${app.url}/after` })
  t.equal(stream.request.url, '/media?room=1')
  const { start, streamSid } = stream.start
  t.match(start, { streamSid, tracks: ['inbound'], mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 } })
  t.same(start.customParameters, { patient: 'A-5' })
  t.match(start.accountSid, /^AC[0-9a-f]{32}$/)
  t.equal(start.callSid, app.events()[0].callId)
  caller.rtp.say(tone(440, 1000))
  await eventually('what the caller says', () => toneLevel(stream.heard().subarray(-4000), 440) > -30)
  await caller.rtp.press('5#')
  await stream.until('keys', () => stream.of('dtmf').length === 2)
  t.same(
    stream.of('dtmf').map(({ frame }) => frame.dtmf),
    [
      { track: 'inbound_track', digit: '5' },
      { track: 'inbound_track', digit: '#' },
    ],
  )
  await caller.hangup()
  await stream.closed()
  t.equal(stream.closeCode, 1000)
  t.match(stream.frames.at(-1)!.frame, { event: 'stop', stop: { callSid: start.callSid, accountSid: start.accountSid } })
  t.match((await app.until('stream.completed')).event, { reason: 'hangup', streamSid, framesIn: 0, framesOut: stream.of('media').length })
  const chunks = stream.of('media').map(({ frame }) => Number(frame.media.chunk))
  t.same(
    chunks,
    chunks.map((_, i) => i + 1),
    'no frame is missing',
  )
  await ended(caller, stream)
})

t.test('what the server says is heard byte for byte, and each mark is told when what stands before it has left', async (t) => {
  const { caller, stream } = await streamed()
  stream.mark('nothing before it')
  await stream.until('the first mark', () => stream.of('mark').length === 1, 1000)
  const sent = pattern(12_345)
  // In pieces that are no whole frames, all at once.
  for (let at = 0; at < sent.length; at += 1111) stream.say(sent.subarray(at, at + 1111))
  stream.mark('said')
  stream.mark('said')
  await stream.until('the marks', () => stream.of('mark').length === 3)
  const told = stream.of('mark').at(-1)!.at
  await caller.rtp.quiet(200)
  const off = told - caller.rtp.lastSound()
  // How soon after it is measured by the bench; what was queued took a second and a half.
  t.ok(off > -500, `the mark came ${off} ms after the last packet`)
  t.same(wordsOf(caller).subarray(0, sent.length), sent)
  t.same(
    stream.of('mark').map(({ frame }) => frame.mark.name),
    ['nothing before it', 'said', 'said'],
  )
  stream.socket.close(1000)
  await ended(caller, stream)
})

t.test('what the caller says arrives byte for byte', async (t) => {
  const { caller, stream } = await streamed()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 20)
  const said = pattern(8000)
  // Just below zero there is a code of its own.
  caller.rtp.say(Int16Array.from(said, (byte) => (byte === 0x7f ? -1 : ulawToLinear(byte))))
  const arrived = (): Buffer => Buffer.concat(stream.of('media').map(({ frame }) => Buffer.from(frame.media.payload, 'base64')))
  await stream.until('the end of it', () => arrived().includes(said.subarray(-160)) || arrived().includes(said.subarray(-320, -160)))
  // Between two frames a busy machine may have put one that the network seemed to have lost.
  const frames = Array.from({ length: said.length / 160 }, (_, i) => said.subarray(i * 160, (i + 1) * 160))
  const came = frames.filter((frame) => arrived().includes(frame))
  t.ok(came.length >= 0.8 * frames.length, `${came.length} of ${frames.length} frames`)
  t.equal(new Set(came.flatMap((frame) => [...frame])).size, 256, 'every byte there is')
  await caller.hangup()
  await stream.closed()
  await ended(caller, stream)
})

t.test('a tone of 20 s, sent as fast as it can be, is heard without a gap or a click', async (t) => {
  const { caller, stream } = await streamed()
  const sent = coded(tone(500, 20_000))
  for (let at = 0; at < sent.length; at += 160) stream.say(sent.subarray(at, at + 160))
  stream.mark('end')
  await stream.until('the end of the tone', () => stream.of('mark').length === 1, 30_000)
  await caller.rtp.quiet(200)
  const heard = Int16Array.from(wordsOf(caller), ulawToLinear)
  t.equal(
    Buffer.compare(
      wordsOf(caller).subarray(0, sent.length - 1),
      sent.subarray(sent.findIndex((b) => b !== 0xff && b !== 0x7f)).subarray(0, sent.length - 1),
    ),
    0,
  )
  t.ok(heard.length >= sent.length - 8)
  stream.socket.close(1000)
  await ended(caller, stream)
})

t.test('an echo server: the caller hears himself', async (t) => {
  server.each = (connection, frame) => {
    if (frame.event === 'media') connection.send({ event: 'media', media: { payload: frame.media.payload } })
  }
  const { caller, stream } = await streamed()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 20)
  const said = performance.now()
  caller.rtp.say(tone(700, 1500))
  const came = await caller.rtp.sound(said)
  t.comment(`round trip ${Math.round(came - said)} ms`)
  await caller.rtp.quiet(500)
  t.ok(toneLevel(caller.rtp.heard().subarray(-16_000), 700) > -40)
  await caller.hangup()
  await stream.closed()
  await ended(caller, stream)
})

t.test('clear: what is queued is not heard, all marks at once and in order, and new audio afterwards', async (t) => {
  const { caller, stream } = await streamed()
  const queuedMs = 35_000
  stream.say(coded(tone(400, queuedMs - 5000)))
  for (const name of ['a', 'b']) stream.mark(name)
  stream.say(coded(tone(400, 5000)))
  stream.mark('c')
  await caller.rtp.sound()
  await caller.rtp.until('a second of it', () => caller.rtp.packets.length > 60)
  const cleared = performance.now()
  stream.clear()
  await stream.until('marks', () => stream.of('mark').length === 3, 1000)
  const last = await caller.rtp.quiet(300)
  // How soon is measured by the bench.
  t.ok(last - cleared < queuedMs / 3, `heard ${Math.round(last - cleared)} ms longer`)
  t.same(
    stream.of('mark').map(({ frame }) => frame.mark.name),
    ['a', 'b', 'c'],
  )
  const again = performance.now()
  stream.say(coded(tone(900, 500)))
  t.ok((await caller.rtp.sound(again)) > again)
  await caller.rtp.quiet(300)
  stream.socket.close(1000)
  await ended(caller, stream)
})

t.test('a server that closes is heard to its end, then the next verb; without drainOnClose at once', async (t) => {
  for (const drainOnClose of [true, false]) {
    const { caller, stream } = await streamed({ drainOnClose }, [], [{ say: { text: 'Goodbye.' } }])
    stream.say(coded(tone(600, 2000)))
    await caller.rtp.sound()
    stream.socket.close(1000)
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    const toneMs = Int16Array.from(wordsOf(caller), ulawToLinear)
    t.equal(toneLevel(toneMs.subarray(8000, 15_000), 600) > -30, drainOnClose)
    t.match((await app.until('call.ended')).event, { endReason: 'document-end' })
    await ended(caller, stream)
    app.reset()
    server.reset()
  }
})

t.test('a server that is lost: actionUrl is told why, with the code', async (t) => {
  for (const [end, closeCode] of [
    [(stream: StreamConnection) => stream.socket.terminate(), 1006],
    [(stream: StreamConnection) => stream.socket.close(1011), 1011],
  ] as const) {
    const { caller, stream } = await streamed({ actionUrl: `${app.url}/after`, statusCallbackUrl: `${app.url}/status`, name: 'agent' }, [
      { hangup: {} },
    ])
    // What becomes of a stream is sent until it is taken.
    app.status = (event, { attempt }) => ({ status: closeCode === 1006 && event.event === 'stream.started' && attempt === 1 ? 500 : 204 })
    stream.say(coded(tone(600, 20_000)))
    await caller.rtp.sound()
    end(stream)
    if (closeCode === 1006) t.match(await app.until('stream.started', undefined, 15_000, 2), { attempt: 2 })
    t.match((await app.until('stream.completed')).event, { reason: 'error', closeCode, streamSid: stream.streamSid })
    t.match((await app.until('stream.error')).event, { name: 'agent', streamSid: stream.streamSid })
    await app.until('stream.started')
    await app.until('stream.stopped')
    await ended(caller, stream)
    app.reset()
    server.reset()
  }
})

t.test('a server that refuses is asked twice; without actionUrl the failure policy decides', async (t) => {
  server.instead = 'refuse'
  app.script = () => [{ stream: { url: server.url } }]
  const caller = await scene.call()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.equal(server.requests, 2)
  t.match((await app.until('call.ended')).event, { endedBy: 'system' })
  t.same(await scene.finish(), [])
})

t.test('garbage is passed over, a frame of 1 MiB is played, one that is larger ends the stream', async (t) => {
  const { caller, stream } = await streamed({ actionUrl: `${app.url}/after` }, [{ hangup: {} }])
  const garbage = ['{', '[]', 'null', '1', '{"event":"x"}', '{"event":"media"}', '{"event":"media","media":{}}', '{"event":"mark"}']
  for (const each of garbage) stream.send(each)
  stream.send(Buffer.from([1, 2, 3]))
  stream.send({ event: 'media', streamSid: null, media: { payload: '***' } })
  const head = `{"event":"media","media":{"payload":"`
  const most = Math.floor(((1 << 20) - head.length - 3) / 4) * 4
  stream.send(`${head}${coded(tone(800, 120_000)).toString('base64').slice(0, most)}"}}`)
  await caller.rtp.sound()
  stream.clear()
  await caller.rtp.quiet(300)
  t.equal(stream.closeCode, null)
  stream.say(Buffer.alloc(1 << 20))
  t.match((await app.until('stream.completed')).event, { reason: 'error', framesIn: 2 })
  await ended(caller, stream)
})

t.test('a server that reads nothing for 10 s, and one that says nothing, cost nothing', async (t) => {
  const { caller, stream } = await streamed()
  stream.socket.pause()
  const before = stream.frames.length
  await caller.rtp.until('10 s', () => caller.rtp.packets.length > 520, 15_000)
  stream.socket.resume()
  await stream.until('what was held back', () => stream.frames.length > before + 450)
  t.same(stream.faults, [])
  await caller.hangup()
  await stream.closed()
  await ended(caller, stream)
})

t.test('another document through the API cuts the stream, and its event is not sent', async (t) => {
  const { caller, stream } = await streamed({ actionUrl: `${app.url}/after` })
  stream.say(coded(tone(600, 20_000)))
  await caller.rtp.sound()
  const { callId } = app.events()[0]
  const answer = await scene.daemon.api('POST', `/api/voice/calls/${callId}`, { document: [{ pause: { seconds: 0.5 } }] })
  t.equal(answer.status, 200)
  await stream.closed()
  t.match(stream.frames.at(-1)!.frame, { event: 'stop' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.notOk(app.names().includes('stream.completed'))
  const trace = (await scene.daemon.api('GET', `/api/voice/calls/${callId}/trace`)).body
  t.match(JSON.stringify(trace), /stream ended: replaced/)
  await ended(caller, stream)
})

t.test('in the background the server hears the caller while other verbs run', async (t) => {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route'
      ? [{ stream: { url: server.url, background: true } }, { gather: { numDigits: 1, actionUrl: `${app.url}/key` } }]
      : []
  const caller = await scene.call()
  const stream = await server.next()
  stream.say(coded(tone(600, 1000)))
  await stream.until('a second', () => stream.of('media').length > 50)
  await caller.rtp.press('7')
  t.match((await app.until('gather.completed')).event, { digits: '7' })
  await stream.closed()
  t.equal(stream.closeCode, 1000)
  t.ok(rms(caller.rtp.heard()) < 50, 'the server is not heard')
  await ended(caller, stream)
})

t.test('a third stream in the background is refused, and the call goes on', async (t) => {
  const stream = { url: server.url, background: true, statusCallbackUrl: `${app.url}/status`, name: 'ear' }
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ stream }, { stream }, { stream }, { gather: { numDigits: 1 } }] : [])
  const caller = await scene.call()
  t.match((await app.until('stream.error')).event, { name: 'ear', error: /has 2 background streams/ })
  const second = await server.next(2)
  t.equal(server.connections.length, 2)
  await caller.hangup()
  await second.closed()
  await ended(caller, second)
})

t.test('extensions: who speaks, and how much is still to be heard', async (t) => {
  const { caller, stream } = await streamed({ extensions: ['vad', 'queue'] })
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 20)
  caller.rtp.say(speech('Good morning, I would like to speak to somebody.'))
  await stream.until('the voice', () => stream.of('speech').length >= 2)
  t.match(stream.of('speech')[0]!.frame, { streamSid: stream.streamSid, speech: { state: 'started', timestamp: /^\d+$/ } })
  t.equal(stream.of('speech')[1]!.frame.speech.state, 'stopped')
  stream.say(coded(tone(500, 35_000)))
  await stream.until('xoff', () => stream.of('queue').length === 1)
  stream.clear()
  await stream.until('all of it', () => stream.of('queue').length === 3)
  t.same(
    stream.of('queue').map(({ frame }) => frame.queue.state),
    ['xoff', 'xon', 'drained'],
  )
  stream.socket.close(1000)
  await ended(caller, stream)
})
