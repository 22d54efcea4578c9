/** Whose audio the verb `stream` sends and in which form, over real SIP: both tracks, 16 kHz from a G.722 phone and back, no keys in it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findClip, keyTone, linearToUlaw, readWav, speech, tone, toneLevel, writeWav } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { Scene } from '../harness/scene.ts'
import { StreamServer, type StreamConnection } from '../harness/stream-server.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['inbound'] = [
      { extension: '*', to: '700', destination: 'endpoint:reception' },
      { trunk: 'main', to: '+15550001000', destination: 'endpoint:reception' },
    ]
  },
})
const { app, daemon } = scene
const server = new StreamServer(app)
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => {
  app.reset()
  server.reset()
})
t.afterEach(() => scene.sweep())

const welcome = 'Welcome to Riverside Clinic, how can we help you today?'
const coded = (samples: Int16Array): Buffer => Buffer.from(Uint8Array.from(samples, linearToUlaw))
const bytesOf = (samples: Int16Array): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
const media = (stream: StreamConnection, track: string) => stream.of('media').filter(({ frame }) => frame.media.track === track)
/** Of its halves of a second, however late what is in it began. */
const loudest = (samples: Int16Array, hz: number): number =>
  Math.max(...Array.from({ length: samples.length / 4000 }, (_, n) => toneLevel(samples.subarray(n * 4000, (n + 1) * 4000), hz)))
const last = (samples: Int16Array, count: number): Int16Array => samples.subarray(-count)
/** The tone as a harness of 8 kHz sees it whose samples come twice as fast. */
const wideTone = (hz: readonly number[], ms: number): Int16Array =>
  tone(
    hz.map((each) => each / 2),
    2 * ms,
  )
const wideLevel = (samples: Int16Array, hz: number): number => toneLevel(samples, hz / 2)

t.test('what the caller says and what is said to them are two tracks, told in step, while another stream speaks', async (t) => {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route'
      ? [{ stream: { url: server.url, background: true, track: 'both', name: 'both' } }, { stream: { url: server.url } }]
      : []
  const caller = await scene.call()
  const streams = [await server.next(1), await server.next(2)]
  const both = streams.find(({ start }) => start.start.tracks.length === 2)!
  const speaker = streams.find((one) => one !== both)!
  t.same(both.start.start.tracks, ['inbound', 'outbound'])
  caller.rtp.say(tone(440, 3000))
  speaker.say(coded(tone(600, 3000)))
  speaker.mark('said')
  await speaker.until('what was said', () => speaker.of('mark').length === 1)
  await both.until('as much of both', () => media(both, 'inbound').length === media(both, 'outbound').length)
  const chunks = (track: string): number[] => media(both, track).map(({ frame }) => Number(frame.media.chunk))
  t.same(chunks('inbound'), chunks('outbound'), 'in step')
  t.same(
    chunks('inbound'),
    chunks('inbound').map((_, n) => n + 1),
    'without a gap',
  )
  const [inbound, outbound] = [both.heard('inbound'), both.heard('outbound')]
  t.ok(loudest(inbound, 440) > -20 && loudest(inbound, 600) < -45, 'the caller alone')
  t.ok(loudest(outbound, 600) > -20 && loudest(outbound, 440) < -45, 'the server of the other stream alone')
  await caller.hangup()
  await Promise.all([both.closed(), speaker.closed()])
  t.same([...both.faults, ...speaker.faults], [])
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})

t.test('outbound alone holds what the caller hears', async (t) => {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route'
      ? [{ stream: { url: server.url, background: true, track: 'outbound_track' } }, { say: { text: welcome } }]
      : []
  const caller = await scene.call()
  const stream = await server.next()
  t.same(stream.start.start.tracks, ['outbound'])
  await stream.closed()
  const heard = findClip(stream.heard('outbound'), speech(welcome))
  t.ok(heard.heardMs > heard.clipMs * 0.8, JSON.stringify(heard))
  t.same(stream.faults, [])
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})

t.test('a foreground stream that asks for the outbound track is refused with the reason', async (t) => {
  const { status, body } = await daemon.api('POST', '/api/voice/validate', [{ stream: { url: 'wss://example.org/media', track: 'both' } }])
  t.equal(status, 200)
  t.match(JSON.stringify(body), /background/)
})

t.test('16 kHz: from a phone in G.722 and back nothing above 4 kHz is lost', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ stream: { url: server.url, codec: 'audio/x-l16;rate=16000' } }] : [])
  const voice = wideTone([1000, 5000], 30_000)
  const desk = scene.keep(
    await Baresip.start({
      registrar: `127.0.0.1:${daemon.sipPort}`,
      user: '101',
      password: 'a-long-password',
      codecs: 'G722/16000/1',
      voice,
      voiceRate: 16_000,
    }),
  )
  await desk.until('REGISTER_OK')
  await desk.command('dial', '700')
  await desk.until('CALL_ESTABLISHED')
  const stream = await server.next()
  t.same(stream.start.start.mediaFormat, { encoding: 'audio/x-l16', sampleRate: 16_000, channels: 1 })
  await stream.until('2 s of it', () => stream.of('media').length > 100)
  const heard = last(stream.heard(), 16_000)
  for (const hz of [1000, 5000]) t.ok(wideLevel(heard, hz) > -25, `${hz} Hz: ${wideLevel(heard, hz).toFixed(1)} dB`)
  const said = bytesOf(wideTone([700, 6000], 2000))
  // In pieces that cut samples in two.
  for (let at = 0; at < said.length; at += 1001) stream.say(said.subarray(at, at + 1001))
  stream.mark('said')
  await stream.until('what was said', () => stream.of('mark').length === 1)
  stream.socket.close(1000)
  await desk.until('CALL_CLOSED')
  const wide = desk.heardWide()
  for (const hz of [700, 6000]) {
    const loudest = Math.max(
      ...Array.from({ length: Math.floor(wide.length / 8000) }, (_, n) => wideLevel(wide.subarray(n * 8000, (n + 1) * 8000), hz)),
    )
    t.ok(loudest > -25, `${hz} Hz: ${loudest.toFixed(1)} dB`)
  }
  t.same(stream.faults, [])
  t.same(await scene.finish(), [])
})

t.test('16 kHz on a call of 8 kHz is the same sound, and a second stream of that call has its own form', async (t) => {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route'
      ? [{ stream: { url: server.url, background: true } }, { stream: { url: server.url, codec: 'audio/x-l16;rate=16000' } }]
      : []
  const caller = await scene.call()
  const streams = [await server.next(1), await server.next(2)]
  const wide = streams.find(({ start }) => start.start.mediaFormat.sampleRate === 16_000)!
  const narrow = streams.find((one) => one !== wide)!
  caller.rtp.say(tone(440, 2500))
  wide.say(bytesOf(wideTone([600], 1000)))
  wide.mark('said')
  await wide.until('what was said', () => wide.of('mark').length === 1)
  t.ok(wideLevel(last(wide.heard(), 8000), 440) > -20, 'what the caller says, at 16 kHz')
  t.ok(toneLevel(last(narrow.heard(), 4000), 440) > -20, 'the same at 8 kHz')
  t.ok(
    Math.max(...[4000, 8000, 12_000].map((at) => toneLevel(last(caller.rtp.heard(), at).subarray(0, 4000), 600))) > -20,
    'what the server says',
  )
  await caller.hangup()
  await Promise.all(streams.map((one) => one.closed()))
  t.same([...wide.faults, ...narrow.faults], [])
  t.same(await scene.finish(), [])
})

t.test('keys that come as tones are told as keys, and are no part of the audio', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ stream: { url: server.url } }] : [])
  const caller = await scene.call({ keyEvents: false })
  const stream = await server.next()
  caller.rtp.say(tone(300, 500))
  caller.rtp.say(keyTone('5', 120))
  caller.rtp.say(tone(300, 500))
  await stream.until('the key', () => stream.of('dtmf').length === 1)
  t.match(stream.of('dtmf')[0]!.frame.dtmf, { digit: '5', track: 'inbound_track' })
  await stream.until('quiet again', () => stream.heard().length > 8000 && toneLevel(last(stream.heard(), 800), 300) < -60)
  const heard = stream.heard()
  const worst = Math.max(
    ...Array.from({ length: Math.floor(heard.length / 160) }, (_, n) => toneLevel(heard.subarray(n * 160, (n + 1) * 160), 1336)),
  )
  t.ok(worst < -30, `the key is ${worst.toFixed(1)} dB at its loudest`)
  const frames300 = Array.from({ length: Math.floor(heard.length / 160) }, (_, n) => toneLevel(heard.subarray(n * 160, (n + 1) * 160), 300))
  t.ok(frames300.filter((level) => level > -20).length >= 45, 'what was said around it is there')
  await caller.hangup()
  await stream.closed()
  t.same(stream.faults, [])
  t.same(await scene.finish(), [])
})

t.test('a stream is recorded on both sides, and stream.completed says where', async (t) => {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route' ? [{ stream: { url: server.url, record: true, actionUrl: `${app.url}/after` } }] : []
  const caller = await scene.call()
  const stream = await server.next()
  caller.rtp.say(tone(440, 1500))
  stream.say(coded(tone(600, 1500)))
  stream.mark('said')
  await stream.until('what was said', () => stream.of('mark').length === 1)
  stream.socket.close(1000)
  const { event } = await app.until('stream.completed')
  t.match(event, {
    reason: 'client-closed',
    recordingId: /^[0-9a-f-]{36}$|.{20,}/,
    mediaUrl: `/api/voice/recordings/${event['recordingId']}.wav`,
  })
  t.equal(event['transcript'], undefined, 'none was asked for')
  const answer = await fetch(`${daemon.http}${event['mediaUrl']}`, { headers: { authorization: `Bearer ${daemon.token}` } })
  t.equal(answer.status, 200)
  const file = Buffer.from(await answer.arrayBuffer())
  t.equal(file.readUInt16LE(22), 2, 'two channels')
  const [left, right] = [0, 2].map((at) =>
    Int16Array.from({ length: (file.length - 44) >> 2 }, (_, n) => file.readInt16LE(44 + 4 * n + at)),
  )
  t.ok(loudest(left!, 440) > -20 && loudest(left!, 600) < -45, 'the caller on the left')
  t.ok(loudest(right!, 600) > -20 && loudest(right!, 440) < -45, 'the server on the right')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  const ended = (await app.until('call.ended')).event
  t.same(ended['recordings'], [event['recordingId']])
  t.same(await scene.finish(), [])
})

t.test('a transcript without a recording is refused with the reason', async (t) => {
  const { body } = await daemon.api('POST', '/api/voice/validate', [{ stream: { url: 'wss://example.org/media', transcribe: true } }])
  t.match(JSON.stringify(body), /a transcript is made of a recording/)
})

t.test('pbx simulate plays a WAV file to a stream and saves what comes back', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ stream: { url: server.url } }] : [])
  server.each = (stream, frame) => {
    if (frame.event === 'media') stream.say(Buffer.from(frame.media.payload, 'base64'))
  }
  const [question, answer] = ['question.wav', 'answer.wav'].map((name) => join(daemon.dir, name))
  writeFileSync(question!, writeWav(tone(440, 2000)))
  const run = await daemon.pbx('simulate', 'inbound', '--from', '101', '--to', '700', '--play', question!, '--save', answer!)
  t.equal(run.code, 0, run.error)
  t.match(run.out, /connecting to[^]*connected[^]*answer\.wav/)
  const { samples } = readWav(readFileSync(answer!))
  const tones = Array.from({ length: Math.floor(samples.length / 1600) }, (_, n) =>
    toneLevel(samples.subarray(n * 1600, (n + 1) * 1600), 440),
  )
  t.ok(tones.filter((level) => level > -20).length >= 8, `the echo of the tone: ${tones.map(Math.round).join(' ')}`)
  const refused = await daemon.pbx('simulate', 'inbound', '--from', '101', '--to', '700', '--play', daemon.configFile)
  t.equal(refused.code, 1)
  t.match(refused.error, /not a WAV file/)
  t.same(await scene.finish(), [])
})
