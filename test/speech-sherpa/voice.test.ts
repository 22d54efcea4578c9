import t from 'tap'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SpeechError, type ModelFiles, type SynthesisRequest } from '../../drivers/speech.ts'
import { readOnnxBytes } from '../../drivers/speech-sherpa/onnx-file.ts'
import { createPiperVoice } from '../../drivers/speech-sherpa/voice.ts'
import { patchPiperMetadata, piperTokens } from '../../drivers/speech-sherpa/piper-format.ts'
import { installedPiper, piperConfig, rawPiper } from './onnx.ts'

const folder = mkdtempSync(join(tmpdir(), 'pbx-piper-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const onnx = patchPiperMetadata(rawPiper(), piperConfig)
const model = installedPiper(folder, onnx, piperTokens(piperConfig))
const hello: SynthesisRequest = { text: 'Hello world.', language: 'en-US', voice: '', rate: 1 }
const rms = (samples: Int16Array): number => Math.sqrt(samples.reduce((sum, s) => sum + s * s, 0) / samples.length)

t.test('a voice as published gets what the engine needs at the end of its file', async (t) => {
  const raw = rawPiper()
  t.same(onnx.subarray(0, raw.length), raw)
  t.same(Object.fromEntries(readOnnxBytes(onnx).metadata), {
    model_type: 'vits',
    comment: 'piper',
    language: 'en-us',
    voice: 'en-us',
    has_espeak: '1',
    n_speakers: '1',
    sample_rate: '16000',
  })
  t.same(patchPiperMetadata(onnx, piperConfig), onnx, 'once is enough')
  const named = { ...piperConfig, language: { code: 'en_GB', name_english: 'English' }, num_speakers: 3 }
  t.match(Object.fromEntries(readOnnxBytes(patchPiperMetadata(raw, named)).metadata), { language: 'English', n_speakers: '3' })
  t.throws(() => patchPiperMetadata(raw.subarray(0, 900), piperConfig), { code: 'engine-failed' })
})

t.test('the list of tokens has a line for each phoneme', async (t) => {
  const tokens = piperTokens(piperConfig)
  t.equal(tokens.split('\n').length - 1, Object.keys(piperConfig.phoneme_id_map).length)
  t.ok(tokens.startsWith('_ 0\n^ 1\n$ 2\n  3\n! 4\n'))
})

t.test('a configuration that the engine would die of is refused', async (t) => {
  const phonemes = piperConfig.phoneme_id_map
  const { _: _padding, ...unpadded } = phonemes
  for (const bad of [
    null,
    'text',
    {},
    { ...piperConfig, audio: {} },
    { ...piperConfig, audio: { sample_rate: 1e9 } },
    { ...piperConfig, espeak: { voice: '' } },
    { ...piperConfig, num_speakers: '1' },
    { ...piperConfig, phoneme_id_map: { ...phonemes, ab: [9] } },
    { ...piperConfig, phoneme_id_map: { ...phonemes, a: [] } },
    { ...piperConfig, phoneme_id_map: unpadded },
  ]) {
    t.throws(() => piperTokens(bad), { code: 'engine-failed' }, JSON.stringify(bad).slice(0, 60))
  }
})

t.test('a voice speaks at 8 kHz, faster and slower', async (t) => {
  const voice = await createPiperVoice(model)
  t.teardown(() => voice.close())
  t.equal(voice.id, 'tiny-piper')
  t.equal(voice.slow, true)
  t.same(await voice.check(), { ok: true, reason: '' })
  t.ok(voice.speaks('en-GB') && !voice.speaks('de'))
  t.same(voice.voices(), [{ name: 'tiny-piper', language: 'en-US' }])
  const plain = await voice.synthesise(hello)
  // 50 ms for each of some thirty phonemes, pauses and bounds.
  t.ok(plain.length > 8000 && plain.length < 20_000, `${plain.length} samples`)
  t.ok(rms(plain) > 3000)
  const fast = await voice.synthesise({ ...hello, rate: 2 })
  const slow = await voice.synthesise({ ...hello, rate: 0.5 })
  t.ok(Math.abs(fast.length * 2 - plain.length) < 10 && Math.abs(slow.length / 2 - plain.length) < 10)
  t.equal((await voice.synthesise({ ...hello, rate: 0 })).length, (await voice.synthesise({ ...hello, rate: 0.25 })).length)
  await t.rejects(voice.synthesise({ ...hello, language: 'de' }), { code: 'language-unsupported' })
})

t.test('strange texts give audio or silence', async (t) => {
  const voice = await createPiperVoice(model)
  t.teardown(() => voice.close())
  for (const text of ['', ' ', '...', '\u{1f600}', '\0'])
    t.equal((await voice.synthesise({ ...hello, text })).length, 0, JSON.stringify(text))
  for (const text of ['a\0b', '[[h@]] x', 'ツ', 'Ünïcödé', '<speak>x</speak>', '9', 'a'.repeat(2000)]) {
    t.ok((await voice.synthesise({ ...hello, text })) instanceof Int16Array, JSON.stringify(text.slice(0, 20)))
  }
})

t.test('phrases are made in order, aborted ones dropped, and the event loop keeps turning', async (t) => {
  const voice = await createPiperVoice(model)
  t.teardown(() => voice.close())
  const stop = new AbortController()
  const order: string[] = []
  const long = Array.from({ length: 60 }, () => 'The clinic is closed today.').join(' ')
  const give = (name: string, request: SynthesisRequest): Promise<unknown> =>
    voice.synthesise(request).then(
      () => order.push(name),
      (error: SpeechError) => order.push(`${name} ${error.code}`),
    )
  const all = [
    give('first', hello),
    give('second', { ...hello, text: long, signal: stop.signal }),
    give('third', { ...hello, signal: stop.signal }),
    give('last', hello),
  ]
  await all[0]
  stop.abort()
  await Promise.all(all)
  t.same(order, ['first', 'second aborted', 'third aborted', 'last'])

  const whole = performance.now()
  let turns = 0
  const timer = setInterval(() => (turns += 1), 2)
  await voice.synthesise({ ...hello, text: long })
  clearInterval(timer)
  const took = performance.now() - whole
  t.ok(turns > 2, `${turns} turns in ${took.toFixed(0)} ms`)
})

t.test('a closed voice says so', async (t) => {
  const voice = await createPiperVoice(model)
  const running = voice.synthesise(hello)
  await voice.close()
  t.ok((await running).length > 0)
  t.equal((await voice.check()).ok, false)
  await t.rejects(voice.synthesise(hello), { code: 'engine-failed' })
})

t.test('files that the engine would die of are refused', async (t) => {
  const refused = async (bad: ModelFiles, message: RegExp, options = {}): Promise<void> => {
    await t.rejects(createPiperVoice(bad, options), { name: 'Error', message })
  }
  await refused({ ...model, kind: 'whisper' }, /not a Piper voice/)
  await refused(installedPiper(folder, rawPiper(), piperTokens(piperConfig), 'raw'), /lacks the metadata/)
  await refused(installedPiper(folder, onnx.subarray(0, 2000), piperTokens(piperConfig), 'cut'), /cut off/)
  await refused(installedPiper(folder, onnx, '<blk> 0\n', 'tokens'), /not one of phonemes/)
  const config = installedPiper(folder, onnx, piperTokens(piperConfig), 'config')
  writeFileSync(join(config.directory, 'voice.onnx.json'), '{')
  await refused(config, /cannot be read/)
  await refused(model, /apt-get install espeak-ng-data/, { dataDirectory: folder })
})
