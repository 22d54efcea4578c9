/** Gathers with speech and recordings with transcripts, in real sessions on the simulated line. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { SpeechStage, words } from './speech-stage.ts'

const gather = (more: object = {}) => ({ gather: { input: 'dtmf speech', timeout: 3, ...more } })
const final = (text: string) => ({ type: 'speech-final', text, confidence: 0.8, language: 'en-US', engine: 'test' }) as const
const voice = (ms: number) => new Int16Array(ms * 8).fill(8000)

t.test('what the caller says reaches the application, with what the ear was told to expect', async (t) => {
  const stage = await SpeechStage.open(t)
  stage.start([gather({ numDigits: 4, hints: ['reception'], endSilence: 1.2 })])
  const hearing = await stage.hearing()
  t.match(hearing.request, { language: 'en-US', hints: ['reception'], digits: 4, endSilenceMs: 1200, partials: false })
  await stage.until('audio', () => hearing.frames > 3)
  hearing.say({ type: 'speech-onset' })
  hearing.say(final(' one two three four '))
  t.match(await stage.event('gather.completed'), {
    reason: 'speech',
    speech: 'one two three four',
    confidence: 0.8,
    language: 'en-US',
    engine: 'test',
  })
  t.ok(hearing.stopped)
  t.match(stage.trace(), /heard: \\"one two three four\\"/)
})

t.test('sound without words is no-match; a sensitive gather leaves no words in the trace', async (t) => {
  const stage = await SpeechStage.open(t)
  stage.start([gather()])
  const hearing = await stage.hearing()
  hearing.say({ type: 'speech-onset' })
  hearing.say(final(''))
  t.match(await stage.event('gather.completed'), { reason: 'no-match', speech: '', engine: 'test' })

  const secret = await SpeechStage.open(t)
  secret.start([gather({ sensitive: true, partialUrl: `${secret.url}/partial` })])
  const ear = await secret.hearing()
  ear.say({ type: 'speech-onset' })
  ear.say({ type: 'speech-partial', text: 'tuberculosis', stable: false })
  ear.say(final('tuberculosis'))
  t.match(await secret.event('gather.completed'), { speech: 'tuberculosis' })
  t.notMatch(secret.trace(), /tuberculosis/)
})

t.test('a voice stops the prompt; a false alarm resumes it from the cut, and all of it is heard', async (t) => {
  const stage = await SpeechStage.open(t)
  stage.start([{ say: { text: 'hello' } }, gather({ timeout: 0.3 })])
  const hearing = await stage.hearing()
  await new Promise((next) => setTimeout(next, 400))
  hearing.say({ type: 'speech-onset' })
  await new Promise((next) => setTimeout(next, 100))
  hearing.say({ type: 'speech-false-alarm' })
  t.match(await stage.event('gather.completed'), { reason: 'timeout', bargeIn: false })
  const played = stage.heard.filter((notice) => notice.type === 'heard' && notice.kind === 'clip') as {
    startedMs: number
    endedMs: number
    completed: boolean
  }[]
  t.same(
    played.map(({ completed }) => completed),
    [false, true],
  )
  const heardMs = played.reduce((sum, { startedMs, endedMs }) => sum + endedMs - startedMs, 0)
  t.ok(Math.abs(heardMs - 1000) < 60, `${heardMs} ms of 1000 were heard`)
  t.same(hearing.prompting, [true, false, true, false])
})

t.test('a key stops the recognition', async (t) => {
  const stage = await SpeechStage.open(t)
  stage.start([gather({ numDigits: 1 })])
  const hearing = await stage.hearing()
  hearing.say({ type: 'speech-onset' })
  await stage.far.press('5')
  t.match(await stage.event('gather.completed'), { reason: 'digits', digits: '5', speech: '', engine: '' })
  t.ok(hearing.stopped)
})

t.test('a caller who hangs up while speaking is heard', async (t) => {
  const stage = await SpeechStage.open(t)
  stage.start([gather()])
  const hearing = await stage.hearing()
  hearing.onFinish = () => setTimeout(() => hearing.say(final('my name is')), 50)
  hearing.say({ type: 'speech-onset' })
  stage.far.hangup()
  t.match(await stage.event('gather.completed'), { reason: 'hangup', speech: 'my name is', state: 'completed' })
})

t.test('partial words go to partialUrl, the newest only, and none after the end', async (t) => {
  const stage = await SpeechStage.open(t)
  stage.start([gather({ partialUrl: `${stage.url}/partial` })])
  const hearing = await stage.hearing()
  t.equal(hearing.request.partials, true)
  hearing.say({ type: 'speech-onset' })
  for (const text of ['I', 'I need', 'I need to', 'I need to move']) hearing.say({ type: 'speech-partial', text, stable: false })
  await stage.until('two partials', () => stage.events.filter((event) => event.event === 'gather.partial').length === 2)
  hearing.say(final('I need to move it'))
  await stage.event('gather.completed')
  t.same(
    stage.events.filter((event) => event.event === 'gather.partial').map(({ speech, stable }) => [speech, stable]),
    [
      ['I', false],
      ['I need to move', false],
    ],
  )
  t.same(stage.events.map(({ sequence }) => sequence).toSorted(), [1, 2, 3, 4])
})

t.test('without an ear, or with one that fails, keys work, and speech ends with reason error', async (t) => {
  const keys = await SpeechStage.open(t)
  keys.start([gather({ numDigits: 2 })])
  const ear = await keys.hearing()
  ear.say({ type: 'recogniser-error', reason: 'the speech process ended' })
  t.ok(ear.stopped)
  await keys.far.press('42')
  t.match(await keys.event('gather.completed'), { reason: 'digits', digits: '42' })
  t.match(keys.trace(), /the speech process ended/)

  const deaf = await SpeechStage.open(t, { ear: false })
  deaf.start([gather({ input: 'speech', endSilence: 0.3 })])
  await deaf.until('the gather', () => deaf.call?.answered)
  await deaf.far.speak(voice(300))
  t.match(await deaf.event('gather.completed'), { reason: 'error', speech: '', engine: '' })
})

const record = { record: { transcribe: true, playBeep: false, silenceTimeout: 0.3 } }
async function recorded(stage: SpeechStage, verb: object = record) {
  stage.start([verb])
  await stage.until('the recording', () => stage.call?.row.activity === 'recording')
  await stage.far.speak(voice(200))
  return stage.event('record.completed')
}

t.test('the transcript comes with the recording', async (t) => {
  const stage = await SpeechStage.open(t)
  stage.transcriber.live_.resolve(words('call me back'))
  const event = await recorded(stage)
  t.match(event, { reason: 'silence', transcript: 'call me back', transcriptStatus: 'done' })
  t.ok(stage.transcriber.frames > 10)
  t.match(stage.store.tables.recordings.get(event.recordingId), { transcript: 'call me back', transcriptStatus: 'done' })
  t.equal(stage.transcripts.pending, 0)
})

t.test('a transcript that is late follows after the call, from the file where the live one failed', async (t) => {
  const stage = await SpeechStage.open(t)
  stage.transcriber.live_.resolve({ status: 'failed', text: '', reason: 'engine-failed', engine: '' })
  const event = await recorded(stage)
  t.match(event, { transcript: '', transcriptStatus: 'pending' })
  await stage.call.settled
  stage.transcriber.file_.resolve(words('call me back'))
  const late = await stage.event('record.transcribed')
  t.match(late, {
    recordingId: event.recordingId,
    transcript: 'call me back',
    transcriptStatus: 'done',
    callId: event.callId,
    state: 'completed',
  })
  t.equal(late.sequence, event.sequence + 1)
  t.equal(readFileSync(stage.transcriber.files[0]!).toString('latin1', 0, 4), 'RIFF')
  t.match(stage.store.tables.recordings.get(event.recordingId), { transcript: 'call me back', transcriptStatus: 'done' })
})

t.test('a pending transcript survives a restart, and is gone with its recording', async (t) => {
  const stage = await SpeechStage.open(t)
  const event = await recorded(stage)
  t.match(event, { transcriptStatus: 'pending' })
  await stage.call.settled
  await stage.transcripts.stop()
  stage.transcriber.live_.resolve(words('lost with the process'))
  const next = stage.newTranscripts(400)
  next.start()
  stage.transcriber.file_.resolve(words('read again'))
  t.match(await stage.event('record.transcribed'), { transcript: 'read again' })
  await next.stop()

  const other = await SpeechStage.open(t)
  const { recordingId } = await recorded(other)
  t.equal(other.transcripts.pending, 1)
  t.ok(await other.recordings.remove(recordingId))
  t.equal(other.transcripts.pending, 0)
  other.transcriber.live_.resolve(words('too late'))
  await other.call.settled
  t.notOk(other.events.some(({ event }) => event === 'record.transcribed'))
})

t.test('no model, nothing said, not asked for', async (t) => {
  const missing = await SpeechStage.open(t)
  missing.transcriber.state = { ok: false, reason: 'model-missing' }
  t.match(await recorded(missing), { transcript: '', transcriptStatus: 'off', transcriptReason: 'model-missing' })

  const silent = await SpeechStage.open(t)
  silent.start([{ record: { ...record.record, initialTimeout: 0.2 } }])
  t.match(await silent.event('record.completed'), { reason: 'timeout', transcript: '', transcriptStatus: 'empty' })
  t.equal(silent.transcriber.abandoned, 1)

  const plain = await SpeechStage.open(t)
  const event = await recorded(plain, { record: { ...record.record, transcribe: false } })
  t.match(event, { transcript: '', transcriptStatus: 'off' })
  t.notOk('transcriptReason' in event)

  const secret = await SpeechStage.open(t)
  secret.transcriber.live_.resolve(words('tuberculosis'))
  t.match(await recorded(secret, { record: { ...record.record, sensitive: true } }), { transcript: 'tuberculosis' })
  t.notMatch(secret.trace(), /tuberculosis/)
})

t.test('a message whose transcript is waited for is told at once when the call is ended, and the transcript later', async (t) => {
  const stage = await SpeechStage.open(t, { waitMs: 4000 })
  stage.start([record])
  await stage.until('the recording', () => stage.call?.row.activity === 'recording')
  await stage.far.speak(voice(200))
  await stage.until('the job', () => stage.transcripts.pending === 1)
  await new Promise((next) => setTimeout(next, 50))
  await stage.voice.replace(stage.call.id, { kind: 'end', own: { reason: 'api', by: 'app' } })
  await stage.call.settled
  t.match(await stage.event('record.completed'), { transcriptStatus: 'pending' })
  stage.transcriber.live_.resolve(words('call me back'))
  t.match(await stage.event('record.transcribed'), { transcript: 'call me back', transcriptStatus: 'done' })
  t.equal(stage.transcripts.pending, 0)
})
