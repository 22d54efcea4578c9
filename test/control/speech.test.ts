/** Speech over the control socket: the text that becomes a file, the file that becomes a text, and what status says of both. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startSocket } from '../../daemon/http/socket.ts'
import { createLog } from '../../daemon/base/log.ts'
import { PhraseCache } from '../../daemon/speech/cache.ts'
import type { Transcriber, TranscriptRequest } from '../../daemon/speech/hearing.ts'
import { Speaker } from '../../daemon/speech/speaker.ts'
import { speechSummary } from '../../daemon/speech/summary.ts'
import { speechTrials } from '../../daemon/speech/trials.ts'
import { createFlite } from '../../drivers/speech-embedded/engines.ts'
import { readWav } from '../../drivers/wav.ts'
import { socketClient } from '../harness/socket.ts'
import { inMemoryServices, speechView } from './in-memory-services.ts'

const log = createLog({ level: 'silent' })
const dir = mkdtempSync(join(tmpdir(), 'pbxd-control-speech-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))
const services = inMemoryServices()
t.teardown(() => rmSync(services.speech.uploads, { recursive: true, force: true }))
const control = await startSocket({ socket: join(dir, 's'), routes: services.routes(), log })
t.teardown(() => control.close())

const ask = socketClient(control.socket)
const left = (): string[] => (existsSync(services.speech.uploads) ? readdirSync(services.speech.uploads) : [])

t.test('a file of any length is handed over whole, told of as it goes, and removed', async (t) => {
  const bytes = Buffer.alloc(3_000_000, 7)
  const { status, lines } = await ask('POST', '/api/speech/transcription?language=en-US&hint=Dr.%20Lee&hint=billing', bytes)
  t.equal(status, 200)
  t.match(lines, [
    { type: 'progress', doneMs: 500, totalMs: 1000 },
    { type: 'transcript', status: 'done', text: 'move my appointment', engine: 'parakeet-110m', ms: 12 },
    { done: true },
  ])
  t.ok(services.heard?.bytes.equals(bytes))
  t.same(services.heard?.options, { hints: ['Dr. Lee', 'billing'], language: 'en-US' })
  t.same(left(), [])
})

t.test('a client that goes away ends the transcription, and its file goes too', async () => {
  const asked = request({ socketPath: control.socket, method: 'POST', path: '/api/speech/transcription?hint=forever', agent: false })
  asked.on('error', () => undefined)
  asked.on('response', (response) => response.once('data', () => asked.destroy()))
  asked.end('x')
  await services.hungUp
  while (left().length > 0) await new Promise(setImmediate)
})

t.test('requests that make no sense are refused', async (t) => {
  t.match(await ask('POST', `/api/speech/transcription?hint=${'x'.repeat(101)}`, 'x'), { status: 422, json: { code: 'validation_failed' } })
  t.match(await ask('POST', '/api/speech/transcription?language=%2e%2e', 'x'), { status: 422, json: { code: 'validation_failed' } })
  t.match(await ask('POST', '/api/speech/say', '{"text":""}'), { status: 422 })
  t.match(await ask('POST', '/api/speech/say', '{"text":"a","rate":9}'), { status: 422 })
  t.match(await ask('POST', '/api/speech/say', '{"text":"nobody"}'), { status: 422, lines: [{ error: /flite is missing/ }] })
  t.same(left(), [])
})

t.test('the state of speech, in detail and in one sentence', async (t) => {
  t.same((await ask('GET', '/api/speech')).lines, [speechView])
  t.same((await ask('POST', '/api/speech/reload')).lines, [speechView])
  t.equal(services.reloads, 1)
  t.equal(
    speechSummary(speechView),
    'calls: closed grammar only (no speech model: pbx models install conformer-small); recordings: no transcripts (pbx models install parakeet-110m); voice: flite',
  )
  const call = { role: 'call', engine: 'conformer-small', vocabulary: 'open', why: '', fix: '' } as const
  t.equal(
    speechSummary({ roles: [call, { role: 'voice', engine: '', why: '', fix: 'apt-get install flite' }] }),
    'calls: conformer-small; voice: none (apt-get install flite)',
  )
})

t.test('a text is spoken by the real voice, and a file goes to the transcriber', async (t) => {
  const storageDir = join(dir, 'storage')
  const asked: { path: string; request: TranscriptRequest }[] = []
  const transcriber: Transcriber = {
    available: (language) => ({ ok: language === 'en-US', reason: language === 'en-US' ? '' : 'language-unsupported' }),
    live: () => ({ audio: () => undefined, end: () => Promise.reject(new Error('not asked for')), abandon: () => undefined }),
    file: async (path, request, progress) => {
      asked.push({ path, request })
      progress?.(1, 2)
      return { status: 'done', text: readFileSync(path, 'utf8'), reason: '', engine: 'x' }
    },
  }
  const make = (command: string) =>
    speechTrials({
      speaker: new Speaker({ engines: [createFlite({ command })], language: 'en-US', cache: new PhraseCache(1 << 20, null), log }),
      transcriber,
      language: 'en-US',
      storageDir,
      log,
    })
  const speech = make('flite')
  const said = await speech.say({ text: '<speak>Hello.<break time="500ms"/>Room 101.</speak>', voice: 'rms' })
  t.match(said, { engine: 'flite-2.2', warnings: [] })
  const { rate, samples } = readWav(Buffer.from(said.wav, 'base64'))
  t.equal(rate, 8000)
  t.equal(samples.length / 8000, said.seconds)
  t.ok(said.seconds > 1.5 && said.seconds < 5, `${said.seconds} s`)
  t.ok(said.firstMs <= said.ms)
  await t.rejects(make('/nowhere/flite').say({ text: 'Hello.' }), { code: 'not_supported', message: /could not speak/ })
  writeFileSync(join(speech.uploads, 'a'), 'words')
  const progress: number[] = []
  const { signal } = new AbortController()
  t.match(await speech.transcribe(join(speech.uploads, 'a'), { hints: ['b'] }, (done, total) => progress.push(done, total), signal), {
    text: 'words',
  })
  t.match(asked, [{ request: { language: 'en-US', hints: ['b'], signal } }])
  t.same(progress, [1, 2])
  t.same(speech.transcribes('de'), { ok: false, reason: 'language-unsupported' })
  t.same(speech.transcribes(undefined), { ok: true, reason: '' })
  make('flite')
  t.same(readdirSync(speech.uploads), [], 'what a killed daemon has left is removed')
})
