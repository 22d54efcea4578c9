/** The daemon's own speech process with the engines that every box has: Silero, the embedded grammar, WebRTC's detector. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { createEar } from '../../daemon/speech/process/ear.ts'
import type { ProcessPlan } from '../../daemon/speech/process/protocol.ts'
import { createRemoteVoice } from '../../daemon/speech/process/remote-voice.ts'
import { createTranscriber } from '../../daemon/speech/process/transcriber.ts'
import { tryModels } from '../../daemon/speech/process/trial.ts'
import { toTelephoneRate } from '../../drivers/resample.ts'
import { patchPiperMetadata, piperTokens } from '../../drivers/speech-sherpa/piper-format.ts'
import { readWav } from '../../drivers/wav.ts'
import { installedPiper, piperConfig, rawPiper, tinyCtc } from '../speech-sherpa/onnx.ts'
import { listen, scene, send } from './scene.ts'

const silero = resolve('.cache/models/silero-vad/silero_vad.onnx')
const embedded: ProcessPlan = { role: 'call', detector: { kind: 'silero', file: silero }, recognisers: ['embedded-grammar'], voices: [] }

const folder = mkdtempSync(join(tmpdir(), 'pbxd-said-'))
t.after(() => rmSync(folder, { recursive: true, force: true }))

/** Spoken by flite, without the silence around it. */
function say(text: string, voice = 'slt'): Int16Array {
  const file = join(folder, 'said.wav')
  execFileSync('flite', ['-voice', voice, '-t', text, '-o', file])
  const { samples, rate } = readWav(readFileSync(file))
  const telephone = toTelephoneRate(samples, rate)
  const heard = (sample: number): boolean => Math.abs(sample) > 40
  return telephone.slice(telephone.findIndex(heard), telephone.findLastIndex(heard) + 1)
}

/** No telephone line is quite silent. */
const hiss = (ms: number): Int16Array => Int16Array.from({ length: ms * 8 }, (_, index) => ((index * 7919) % 41) - 20)

for (const kind of ['silero', 'webrtc'] as const) {
  t.test(`words of a caller, with ${kind}`, { skip: kind === 'silero' && !existsSync(silero) && 'no Silero model' }, async (t) => {
    const { supervisor, until } = scene({ ...embedded, detector: kind === 'silero' ? { kind, file: silero } : { kind } }, { program: '' })
    t.after(() => supervisor.stop())
    t.match(supervisor.state(), { status: 'idle', pid: null }, 'without a model to load it starts when it is first needed')
    const ear = createEar({ process: supervisor })
    for (const [text, over] of [
      ['yes', {}],
      ['no', {}],
      ['four seven one', { digits: 3 }],
      ['appointment', { hints: ['appointment', 'prescription', 'billing'] }],
    ] as const) {
      const { hearing, next, all } = listen(ear, { endSilenceMs: 800, ...over })
      send(hearing, hiss(500), say(text), hiss(1100))
      t.match(
        await next('speech-final', 'speech-false-alarm'),
        { text, engine: 'embedded-grammar' },
        `${text} is told within 300 ms of the silence`,
      )
      t.same(all.map(({ type }) => type).slice(0, 2), ['voice', 'speech-onset'])
      hearing.stop()
    }
    t.match(supervisor.state(), { status: 'running', detector: kind, recognisers: ['embedded-grammar'], leftOut: [] })
    const quiet = listen(ear)
    send(quiet.hearing, hiss(3000))
    quiet.hearing.finish()
    t.match(await quiet.next('speech-final'), { text: '' })
    t.equal(quiet.all.length, 1)
    quiet.hearing.stop()
    const foreign = listen(ear, { language: 'fi-FI' })
    t.match(await foreign.next('recogniser-error'), { reason: 'language-unsupported' })
    await until(({ sessions }) => sessions === 0)
  })
}

t.test('twenty callers at once are understood', async (t) => {
  const { supervisor } = scene({ ...embedded, detector: existsSync(silero) ? embedded.detector : { kind: 'webrtc' } }, { program: '' })
  t.after(() => supervisor.stop())
  const ear = createEar({ process: supervisor })
  const yes = say('yes')
  const callers = Array.from({ length: 20 }, () => listen(ear, { endSilenceMs: 600 }))
  for (const { hearing } of callers) send(hearing, hiss(300), yes, hiss(900))
  for (const { next } of callers) t.match(await next('speech-final', 'speech-false-alarm'), { text: 'yes' })
})

t.test('models of sherpa-onnx: a recording, a caller, a voice', { skip: !existsSync(silero) && 'no Silero model' }, async (t) => {
  const ctc = tinyCtc(folder)
  const piper = installedPiper(folder, patchPiperMetadata(rawPiper(), piperConfig), piperTokens(piperConfig))
  const detector = { kind: 'silero', file: silero } as const
  t.match(await tryModels({ role: 'call', detector: null, recognisers: [ctc], voices: [piper] }), { ok: true, loaded: [ctc.id, piper.id] })
  const recording = scene({ role: 'recording', detector, recognisers: [ctc], voices: [] }, { program: '' })
  const call = scene({ role: 'call', detector, recognisers: [ctc, 'embedded-grammar'], voices: [piper] }, { program: '' })
  t.after(() => Promise.all([recording.supervisor.stop(), call.supervisor.stop()]))
  const transcriber = createTranscriber({ process: recording.supervisor })
  const live = transcriber.live({ language: 'en-US', hints: [] })
  for (let times = 0; times < 3; times += 1) send(live, hiss(1000), say('I need to move my appointment'))
  const transcript = await live.end()
  t.match(transcript, { status: 'done', engine: ctc.id, text: /^(low|high)( (low|high))*$/ }, 'the model of the tests knows two words')
  const quiet = transcriber.live({ language: 'en-US', hints: [] })
  send(quiet, hiss(5000))
  t.match(await quiet.end(), { status: 'empty' })
  t.same(transcriber.available('fr'), { ok: false, reason: 'language-unsupported' })
  await call.until(({ status }) => status === 'running')
  const { hearing, next } = listen(createEar({ process: call.supervisor }), { partials: true })
  send(hearing, hiss(300), say('I need to move my appointment'), hiss(1000))
  t.match(await next('speech-final'), { engine: ctc.id })
  const voice = createRemoteVoice({ process: call.supervisor, model: piper })
  t.same(await voice.check(), { ok: true, reason: '' })
  t.ok((await voice.synthesise({ text: 'One.', language: 'en-US', voice: '', rate: 1 })).length > 0)
})

t.test('a model file that is none does not take anything else with it', async (t) => {
  const broken: ProcessPlan = {
    ...embedded,
    recognisers: [
      { id: 'broken', kind: 'nemo-ctc', directory: folder, files: { model: 'said.wav', tokens: 'said.wav' }, languages: ['en'] },
      { id: 'odd', kind: 'no-such-kind', directory: folder, files: {}, languages: ['en'] },
      'embedded-grammar',
    ],
  }
  say('yes')
  const { supervisor, until } = scene(broken, { program: '' })
  t.after(() => supervisor.stop())
  const state = await until(({ status }) => status === 'running')
  t.same(state.recognisers, ['embedded-grammar'])
  t.same(state.leftOut.map(({ id }) => id).toSorted(), ['broken', 'odd'])
  t.match(await tryModels({ ...broken, recognisers: broken.recognisers.slice(0, 1) }), { ok: false })
  t.match(await tryModels(embedded), { ok: true, loaded: ['silero', 'embedded-grammar'] })
})
