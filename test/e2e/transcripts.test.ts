/**
 * Free speech and transcripts in real calls, with a model: a tiny one, which writes its one word for every loud stretch. What
 * is shown is the way of the audio and of the words, not understanding.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { concat, linearToUlaw, silence, speech } from '../harness/audio.ts'
import { installInPlaceOf, modelFolder } from '../harness/models.ts'
import { beganAt, childrenOf, commandOf } from '../harness/processes.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { StreamServer } from '../harness/stream-server.ts'
import { tinyCtc } from '../speech-sherpa/onnx.ts'

const models = modelFolder()
const made = modelFolder()
const tiny = tinyCtc(made.path)
const file = (role: string): string => join(tiny.directory, tiny.files[role] ?? '')
await installInPlaceOf('conformer-small', models.path, { model: file('model'), tokens: file('tokens') })
made.close()
const scene = await Scene.open({ settings: (base) => (base['speech'] = { models: { dir: models.path } }) })
const { app } = scene
t.setTimeout(300_000)
t.teardown(async () => {
  await scene.close()
  models.close()
})
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const sentence = 'please call me back this afternoon about the prescription of my daughter'
const speechProcesses = (): number[] => childrenOf(scene.daemon.pid).filter((pid) => commandOf(pid).includes('speech-process'))
const youngest = (): number => speechProcesses().toSorted((a, b) => beganAt(b) - beganAt(a))[0]!

await eventually('the model is loaded', () => scene.daemon.log.some((line) => line.msg === 'a speech process is ready'))

/** A call that is recorded; the recording ends with a second of silence. */
async function recorded(parameters: Record<string, unknown> = {}, words = sentence) {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route'
      ? [{ record: { transcribe: true, playBeep: false, silenceTimeout: 1, actionUrl: `${app.url}/recorded`, ...parameters } }]
      : []
  const caller = await scene.call()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 15)
  if (words !== '') caller.rtp.say(concat(silence(200), speech(words)))
  return caller
}

t.test('free speech arrives as the model has it', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ gather: { input: 'speech', actionUrl: `${app.url}/words` } }] : [])
  const caller = await scene.call()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 15)
  caller.rtp.say(concat(silence(300), speech('I need to move my appointment')))
  const { event } = await app.until('gather.completed')
  t.match(event, { reason: 'speech', engine: 'conformer-small' })
  t.match(event.speech, /^(low|high)( (low|high))*$/)
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})

t.test('a streamed call that is recorded has the words of the caller with its event, and not those of the server', async (t) => {
  const server = new StreamServer(app)
  app.script = (e) =>
    e.event === 'call.inbound.pre_route'
      ? [{ stream: { url: server.url, record: true, transcribe: true, actionUrl: `${app.url}/streamed` } }]
      : []
  const caller = await scene.call()
  const stream = await server.next()
  caller.rtp.say(concat(silence(200), speech(sentence)))
  await stream.until('the sentence', () => stream.of('media').length > 300)
  stream.socket.close(1000)
  const { event } = await app.until('stream.completed')
  t.match(event, { reason: 'client-closed', transcriptStatus: 'done', transcript: /^(low|high)( (low|high))*$/ })
  t.match(event.mediaUrl, event.recordingId)
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  const silent = await scene.call()
  const second = await server.next(2)
  second.say(Buffer.from(Uint8Array.from(speech(sentence), linearToUlaw)))
  second.mark('said')
  await second.until('what was said', () => second.of('mark').length === 1)
  second.socket.close(1000)
  t.match((await app.until('stream.completed', undefined, 15_000, 2)).event, { transcriptStatus: 'empty', transcript: '' })
  t.equal(await silent.sip.exit, 0, silent.sip.failure())
  t.same([...stream.faults, ...second.faults], [])
  server.reset()
  t.same(await scene.finish(), [])
})

t.test('the transcript comes with the event of the recording', async (t) => {
  const caller = await recorded()
  const { event } = await app.until('record.completed')
  t.match(event, { reason: 'silence', transcriptStatus: 'done' })
  const about = { callId: event.callId, transcript: event.transcript }
  t.match(event.transcript, /^(low|high)( (low|high))*$/)
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
  const { body } = await scene.daemon.api('GET', `/api/pbx/calls/history?order=desc&limit=1`)
  t.match(body.items[0], {
    callId: about.callId,
    recording: { state: 'ready', transcript: about.transcript, mediaUrl: /^\/api\/voice\/recordings\// },
  })
})

t.test('who says nothing has an empty transcript', async (t) => {
  const caller = await recorded({ initialTimeout: 1 }, '')
  const { event } = await app.until('record.completed')
  t.match(event, { reason: 'timeout', transcriptStatus: 'empty', transcript: '' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})

t.test('a speech process that dies in the middle of a recording costs its transcript nothing', async (t) => {
  const caller = await recorded()
  await eventually('somebody transcribes', () => speechProcesses().length === 2)
  const victim = youngest()
  execFileSync('kill', ['-9', String(victim)])
  const { event } = await app.until('record.completed', () => true, 30_000)
  t.match(event, { reason: 'silence', transcriptStatus: /^(done|pending)$/ })
  const transcript = event.transcriptStatus === 'done' ? event.transcript : (await app.until('record.transcribed')).event.transcript
  t.match(transcript, /^(low|high)( (low|high))*$/)
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})

t.test('a daemon killed before the transcript was there sends it after its restart', async (t) => {
  const caller = await recorded()
  // The process that transcribes is stopped, so that the event cannot have the transcript in it.
  await eventually('somebody transcribes', () => speechProcesses().length === 2)
  const stopped = youngest()
  execFileSync('kill', ['-STOP', String(stopped)])
  const { event } = await app.until('record.completed', () => true, 30_000)
  t.match(event, { transcriptStatus: 'pending', transcript: '' })
  await app.until('call.ended')
  await scene.daemon.kill()
  execFileSync('sh', ['-c', `kill -9 ${stopped} 2>/dev/null || true`])
  await scene.daemon.start()
  const late = await app.until('record.transcribed', () => true, 30_000)
  t.match(late.event, { recordingId: event.recordingId, callId: event.callId, transcriptStatus: 'done' })
  t.match(late.event.transcript, /^(low|high)( (low|high))*$/)
  t.equal(late.path, '/recorded')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})
