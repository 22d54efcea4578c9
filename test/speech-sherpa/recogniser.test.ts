import t from 'tap'
import fc from 'fast-check'
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { toTelephoneRate } from '../../drivers/resample.ts'
import { SpeechError, type ModelFiles, type Recogniser, type RecognitionRequest } from '../../drivers/speech.ts'
import { readOnnxBytes } from '../../drivers/speech-sherpa/onnx-file.ts'
import { withoutPhantoms } from '../../drivers/speech-sherpa/phantoms.ts'
import { createSherpaRecogniser, longestPiece, pieces } from '../../drivers/speech-sherpa/recogniser.ts'
import { upsample, Upsampler } from '../../drivers/upsample.ts'
import { readWav } from '../../drivers/wav.ts'
import { joined, silence, tinyCtc, tinyMoonshine, tinyWhisper, tones, twinCtc } from './onnx.ts'

const folder = mkdtempSync(join(tmpdir(), 'pbx-sherpa-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const checkout = join(import.meta.dirname, '../..')

const english: RecognitionRequest = { language: 'en-US', hints: [], digits: null }
const around = (...parts: Int16Array[]): Int16Array => joined(silence(300), ...parts, silence(300))
const text = async (recogniser: Recogniser, samples: Int16Array, request = english): Promise<string> =>
  (await recogniser.recognise(samples, request)).text

async function opened(t: { teardown(fn: () => Promise<void>): void }, model: ModelFiles): Promise<Recogniser> {
  const recogniser = await createSherpaRecogniser(model)
  t.teardown(() => recogniser.close())
  return recogniser
}

function noise(ms: number, peak: number): Int16Array {
  let state = 12_345
  return Int16Array.from({ length: ms * 8 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.round((state / 0x40000000 - 1) * peak)
  })
}

t.test('the models of the tests are small', async (t) => {
  for (const model of [tinyCtc(folder), tinyWhisper(folder), tinyMoonshine(folder), twinCtc(folder)]) {
    for (const name of Object.values(model.files)) t.ok(statSync(join(model.directory, name)).size < 100_000, `${model.id} ${name}`)
  }
})

t.test('a CTC model hears words and says nothing about silence', async (t) => {
  const recogniser = await opened(t, tinyCtc(folder))
  t.equal(recogniser.id, 'tiny-ctc')
  t.equal(recogniser.vocabulary, 'open')
  t.ok(recogniser.recognises('en-GB') && recogniser.recognises('en') && !recogniser.recognises('fr'))
  t.same(await recogniser.recognise(around(tones('low', 500)), english), { text: 'low' })
  t.equal(
    await text(recogniser, around(tones('high', 300), silence(300), tones('low', 300), silence(300), tones('low', 300))),
    'high low low',
  )
  t.equal(await text(recogniser, silence(2000)), '')
  await t.rejects(recogniser.recognise(silence(500), { ...english, language: 'fr' }), { code: 'language-unsupported' })
})

t.test('Whisper hears words, and its thanks for silence are not believed', async (t) => {
  const recogniser = await opened(t, tinyWhisper(folder))
  t.equal(await text(recogniser, around(tones('high', 800))), 'Hello there.')
  t.equal(await text(recogniser, around(tones('low', 600))), 'Thank you.', 'said aloud it stays')
  t.equal(await text(recogniser, silence(2000)), '')
  t.equal(await text(recogniser, noise(3000, 300)), '')
  t.equal(await text(recogniser, around(tones('low', 40))), '', 'a click')
})

t.test('a multilingual Whisper is told the language when it knows it, and otherwise finds out', async (t) => {
  const recogniser = await opened(t, tinyWhisper(folder, 'tiny-multilingual', { multilingual: true }))
  const high = around(tones('high', 800))
  t.ok(recogniser.recognises('fr-CA'))
  t.same(await recogniser.recognise(high, { ...english, language: 'en-GB' }), { text: 'Hello there.', language: 'en' })
  t.same(await recogniser.recognise(high, { ...english, language: 'de' }), { text: 'Hello there.', language: 'de' })
  t.same(await recogniser.recognise(high, { ...english, language: 'xx' }), { text: 'Hello there.', language: 'de' })
  t.same(await recogniser.recognise(around(tones('low', 800)), { ...english, language: 'xx' }), { text: 'Thank you.', language: 'en' })
})

t.test('Moonshine hears words and says nothing about silence', async (t) => {
  const recogniser = await opened(t, tinyMoonshine(folder))
  t.equal(await text(recogniser, around(tones('low', 800))), 'Good day')
  t.equal(await text(recogniser, silence(2000)), '')
})

t.test('requests are answered in order, one decode at a time', async (t) => {
  const recogniser = await opened(t, twinCtc(folder))
  const answered: string[] = []
  const clips = [tones('low', 4000), tones('high', 200), around(tones('low', 200), silence(200), tones('high', 200)), tones('high', 1000)]
  await Promise.all(clips.map(async (clip) => answered.push(await text(recogniser, clip))))
  t.same(answered, ['low', 'high', 'low high', 'high'])
})

t.test('a waiting request that is aborted is not begun, the result of a running one is dropped', async (t) => {
  const recogniser = await opened(t, twinCtc(folder))
  const stop = new AbortController()
  const order: string[] = []
  const note = (name: string) => (error: SpeechError) => {
    order.push(name)
    t.equal(error.code, 'aborted')
  }
  const running = recogniser.recognise(tones('low', 30_000), { ...english, signal: stop.signal }).catch(note('running'))
  const hour = new Int16Array(8000 * 3600)
  const waiting = recogniser.recognise(hour, { ...english, signal: stop.signal }).catch(note('waiting'))
  const last = text(recogniser, tones('high', 200)).then((heard) => {
    order.push('last')
    t.equal(heard, 'high')
  })
  await wait(20)
  stop.abort()
  await Promise.all([running, waiting, last])
  t.same(order, ['running', 'waiting', 'last'])
  await t.rejects(
    recogniser.recognise(silence(100), { ...english, signal: stop.signal }),
    { code: 'aborted' },
    'aborted before it was asked',
  )
})

t.test('the event loop keeps turning while a minute is decoded', async (t) => {
  const recogniser = await opened(t, twinCtc(folder))
  const minute = joined(...Array.from({ length: 30 }, () => joined(tones('low', 1500), silence(500))))
  let turns = 0
  const timer = setInterval(() => (turns += 1), 2)
  const started = performance.now()
  const heard = await text(recogniser, minute)
  const took = performance.now() - started
  clearInterval(timer)
  t.equal(heard, Array.from({ length: 30 }, () => 'low').join(' '))
  t.ok(turns > took / 20, `${turns} turns in ${took.toFixed(0)} ms`)
})

t.test('garbage gives a result and does not pile up', async (t) => {
  const clipped = noise(60_000, 32_767).map((sample) => (sample > 0 ? 32_767 : -32_768))
  const cases = {
    silence: silence(5000),
    noise: noise(5000, 3000),
    clipped,
    empty: new Int16Array(0),
    one: Int16Array.of(5),
    short: noise(70, 9000),
  }
  for (const model of [tinyCtc(folder), tinyWhisper(folder), tinyMoonshine(folder)]) {
    const recogniser = await opened(t, model)
    const round = async (): Promise<void> => {
      for (const samples of Object.values(cases)) t.type(await text(recogniser, samples), 'string')
    }
    await round()
    const before = process.memoryUsage().rss
    for (let index = 0; index < 2; index += 1) await round()
    const grown = (process.memoryUsage().rss - before) / 2 ** 20
    t.ok(grown < 80, `${model.id} grew by ${grown.toFixed(0)} MiB`)
  }
})

t.test('closing waits for the running decode; later requests fail', async (t) => {
  const recogniser = await createSherpaRecogniser(tinyCtc(folder))
  const running = text(recogniser, tones('low', 5000))
  await recogniser.close()
  t.equal(await running, 'low')
  await t.rejects(recogniser.recognise(tones('low', 500), english), { code: 'engine-failed' })
})

t.test('files that the engine would die of are refused', async (t) => {
  const refused = async (model: ModelFiles, message: RegExp): Promise<void> => {
    await t.rejects(createSherpaRecogniser(model), { code: 'engine-failed', message })
  }
  const good = tinyCtc(folder, 'broken')
  const onnx = readFileSync(join(good.directory, 'model.onnx'))
  await refused({ ...good, kind: 'piper' }, /recognises nothing/)
  await refused({ ...good, kind: 'constructor' }, /recognises nothing/)
  await refused({ ...good, files: { tokens: 'tokens.txt' } }, /names no file for "model"/)
  await refused({ ...good, files: { ...good.files, model: 'absent.onnx' } }, /cannot be read/)
  await refused({ ...good, files: { ...good.files, tokens: 'absent.txt' } }, /cannot be read/)
  await refused({ ...good, files: { ...good.files, model: 'tokens.txt' } }, /not an ONNX file/)
  writeFileSync(join(good.directory, 'model.onnx'), onnx.subarray(0, onnx.length / 2))
  await refused(good, /cut off/)
  writeFileSync(join(good.directory, 'model.onnx'), '')
  await refused(good, /not an ONNX file/)
  writeFileSync(join(good.directory, 'model.onnx'), onnx)
  writeFileSync(join(good.directory, 'tokens.txt'), '▁low 0\n')
  await refused(good, /no blank/)
  const whisper = tinyWhisper(folder, 'whisper-broken')
  await refused({ ...whisper, files: { ...whisper.files, encoder: 'decoder.onnx' } }, /lacks the metadata n_mels/)
})

t.test('no beginning and no damage of a model file upsets the reader', async (t) => {
  const model = tinyCtc(folder, 'outline')
  const onnx = readFileSync(join(model.directory, 'model.onnx'))
  const { metadata, inputs, outputs } = readOnnxBytes(onnx)
  t.same([...metadata.keys()], ['model_type', 'vocab_size', 'subsampling_factor', 'normalize_type'])
  t.same([inputs, outputs], [['audio_signal', 'length'], ['logprobs']])
  const harmless = (bytes: Uint8Array): boolean => {
    try {
      return readOnnxBytes(bytes).outputs.length > 0
    } catch (error) {
      return error instanceof SpeechError
    }
  }
  fc.assert(fc.property(fc.nat({ max: onnx.length }), (length) => harmless(onnx.subarray(0, length))))
  fc.assert(
    fc.property(fc.nat({ max: onnx.length - 1 }), fc.integer({ min: 0, max: 255 }), (at, byte) => {
      const copy = Uint8Array.from(onnx)
      copy[at] = byte
      return harmless(copy)
    }),
  )
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), harmless))
})

t.test('a model that ends its process ends only that, and memory comes back with it', async (t) => {
  const start = (): ReturnType<typeof fork> => {
    const child = fork(join(import.meta.dirname, 'child.ts'), { serialization: 'advanced', silent: true })
    t.teardown(() => child.kill('SIGKILL'))
    return child
  }
  const ask = async (child: ReturnType<typeof fork>, message: object): Promise<unknown> => {
    const reply = once(child, 'message')
    child.send(message)
    return (await reply)[0]
  }
  const good = start()
  t.same(await ask(good, { load: twinCtc(folder) }), { loaded: 'twin-ctc' })

  const bad = tinyCtc(folder, 'bad')
  const path = join(bad.directory, 'model.onnx')
  const onnx = readFileSync(path)
  const careful = start()
  writeFileSync(path, onnx.subarray(0, onnx.length - 300))
  t.match(await ask(careful, { load: bad }), { code: 'engine-failed' }, 'a truncated file is refused')
  writeFileSync(path, onnx.toString('latin1').replace('AveragePool', 'AveragePoop'), 'latin1')
  t.match(await ask(careful, { load: bad }), { code: 'engine-failed' }, 'so is one with an operation that does not exist')
  // Whole and loadable; the engine divides by this entry while it decodes.
  writeFileSync(path, onnx.toString('latin1').replace('subsampling_factor\x12\x014', 'subsampling_factor\x12\x010'), 'latin1')
  t.same(await ask(careful, { load: bad }), { loaded: 'bad' })
  const ended = once(careful, 'exit') as Promise<[number | null, string | null]>
  careful.send({ samples: tones('low', 500) })
  const [code, signal] = await ended
  t.ok(code !== 0, `ended by ${signal ?? code}`)

  t.same(await ask(good, { samples: around(tones('low', 500)) }), { text: 'low' }, 'the other one goes on')
  good.send({ close: true })
  t.same(await once(good, 'exit'), [0, null], 'nothing native keeps the process')
})

t.test('without the native package there is an error that names it', async (t) => {
  const alone = join(folder, 'alone')
  mkdirSync(join(alone, 'drivers/speech-sherpa'), { recursive: true })
  writeFileSync(join(alone, 'package.json'), '{ "type": "module" }')
  cpSync(join(checkout, 'drivers/speech.ts'), join(alone, 'drivers/speech.ts'))
  cpSync(join(checkout, 'drivers/speech-sherpa/load.ts'), join(alone, 'drivers/speech-sherpa/load.ts'))
  const script = `import { loadSherpa } from './drivers/speech-sherpa/load.ts'
    try { loadSherpa() } catch (error) { console.log(error.code + ': ' + error.message) }`
  const run = (): string => spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: alone, encoding: 'utf8' }).stdout
  t.match(run(), /^engine-missing: .*sherpa-onnx-node and sherpa-onnx-linux-/)
  cpSync(join(checkout, 'node_modules/sherpa-onnx-node'), join(alone, 'node_modules/sherpa-onnx-node'), { recursive: true })
  t.match(run(), /^engine-missing: .*sherpa-onnx-node and sherpa-onnx-linux-/)
})

t.test('what models invent is told from what was said', async (t) => {
  const quiet = noise(2000, 60)
  const spoken = around(tones('low', 600))
  for (const phantom of ['Thank you.', 'you', ' Thanks for watching!', 'Bye-bye.', 'Subtitles by the Amara.org community']) {
    t.equal(withoutPhantoms(phantom, quiet), '', phantom)
    t.equal(withoutPhantoms(phantom, spoken), phantom.trim(), `${phantom} aloud`)
  }
  t.equal(withoutPhantoms('Thank you, doctor.', quiet), 'Thank you, doctor.', 'only whole phrases')
  t.equal(withoutPhantoms('[BLANK_AUDIO]', spoken), '')
  t.equal(withoutPhantoms('(phone ringing) ♪ Hello.', spoken), 'Hello.')
  t.equal(withoutPhantoms('. . .', spoken), '')
  t.equal(withoutPhantoms(Array.from({ length: 40 }, () => 'you').join(' '), quiet), '', 'a loop of a phantom')
  t.equal(withoutPhantoms(`I am ${Array.from({ length: 30 }, () => 'so sorry,').join(' ')}`, spoken), 'I am so sorry')
  t.equal(withoutPhantoms('No, no, no, no, no!', spoken), 'No, no, no, no, no!')
})

t.test('a sentence that a model writes once more is written once; what somebody repeats is kept', (t) => {
  const speech = (ms: number): Int16Array => around(tones('low', ms))
  const twice = (text: string): string => `${text} ${text}`
  // Written by Whisper base for recordings of people, whole and cut off in the second or the fifth time.
  const loops: readonly [written: string, said: string, ms: number][] = [
    [
      "Ethan's stripe runs down the middle. Ethan's stripe runs down the middle. Ethan's stripe",
      "Ethan's stripe runs down the middle.",
      2400,
    ],
    [twice('Make me a 16 ounce iced mocha with milk.'), 'Make me a 16 ounce iced mocha with milk.', 3000],
    ['8 9 2 6 2 0 3 8 8 9 2 6 2 0 3 8 8 9 2 6 2 0 3 8 8 9 2 6 2 0 3 8 8 9 2 6 2', '8 9 2 6 2 0 3 8', 4800],
    ['284.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1', '284.1.', 3500],
    ['0 out 0 out 0 out 0 out 0', '0 out', 400],
    ['2, 0, 5, 5, 3, 8, 7, 5, 2, 2, 3, 8, 7, 5, 2, 2, 3, 8, 7, 5, 2, 2, 2, 3, 8, 7, 5, 2', '2, 0, 5, 5, 3, 8, 7, 5, 2, 2', 2400],
  ]
  for (const [written, said, ms] of loops) t.equal(withoutPhantoms(written, speech(ms)), said, written)
  const repeated: readonly [said: string, ms: number][] = [
    ['No, no, no, no, no!', 900],
    [twice('Call me.'), 1200],
    [twice('Five five one two.'), 2600],
    ['It hurts here, here and here, and here.', 2500],
    ['bye bye bye', 600],
  ]
  for (const [said, ms] of repeated) t.equal(withoutPhantoms(said, speech(ms)), said, said)
  t.end()
})

t.test('Whisper is given 15 seconds at least, the rest of them silence', async (t) => {
  const recogniser = await opened(t, tinyWhisper(folder, 'window-whisper', { hears: 'length' }))
  for (const ms of [300, 2000, 14_000]) t.equal(await text(recogniser, tones('high', ms)), 'Hello there.', `${ms} ms`)
})

t.test('thanks and goodbyes that somebody says are kept', async (t) => {
  for (const voice of ['slt', 'rms', 'awb', 'kal16']) {
    for (const words of ['thank you', 'thanks', 'bye', 'okay', 'you']) {
      const file = join(folder, 'say.wav')
      spawnSync('flite', ['-voice', voice, '-t', words, '-o', file])
      const { samples, rate } = readWav(readFileSync(file))
      const spoken = toTelephoneRate(samples, rate)
      const hiss = noise(spoken.length / 8 + 700, 60)
      const softly = around(spoken).map((sample, index) => Math.round(sample * 0.3) + (hiss[index] ?? 0))
      t.equal(withoutPhantoms(words, spoken), words, `${voice}: ${words}`)
      t.equal(withoutPhantoms(words, softly), words, `${voice}: ${words}, softly on a noisy line`)
    }
  }
})

t.test('long audio is cut in its pauses, and nothing is lost', async (t) => {
  const audio = joined(tones('low', 12_000), silence(400), tones('low', 40_000), silence(200))
  const parts = [...pieces(audio)]
  t.same(joined(...parts), audio)
  t.ok(parts.every(({ length }) => length <= longestPiece))
  t.ok(parts[0]!.length >= 12_000 * 8 && parts[0]!.length <= 12_400 * 8)
  t.equal([...pieces(new Int16Array(0))].length, 1)
})

t.test('to 16 kHz: the band stays, its mirror is gone, pieces give what the whole gives', async (t) => {
  const tone = (hz: number, rate: number): number[] =>
    Array.from({ length: rate / 4 }, (_, n) => Math.round(16_000 * Math.sin((2 * Math.PI * hz * n) / rate)))
  for (const hz of [200, 1000, 3000, 3500]) {
    const out = upsample(Int16Array.from(tone(hz, 8000)))
    const want = tone(hz, 16_000)
    t.equal(out.length, want.length)
    let error = 0
    for (let n = 200; n < out.length - 200; n += 1) error = Math.max(error, Math.abs(out[n]! * 32_768 - want[n]!))
    t.ok(error < 100, `${hz} Hz is off by ${error.toFixed(0)} of 16000 at most`)
  }
  const audio = noise(500, 20_000)
  const whole = new Upsampler().push(audio)
  const stream = new Upsampler()
  const parts: number[] = []
  for (let at = 0; at < audio.length;) {
    const length = 1 + ((at * 7) % 200)
    parts.push(...stream.push(audio.subarray(at, at + length)))
    at += length
  }
  t.same(Float32Array.from(parts), whole)
})
