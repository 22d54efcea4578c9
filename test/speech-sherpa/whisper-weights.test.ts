/**
 * What Whisper is known to do wrong, with its real weights and speech of flite. They come from `scripts/run
 * test/proofs/speech/main.ts install`, and these tests are left out without them.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { AnswerDecoder } from '../../daemon/speech/worker/answer.ts'
import { Decoder, urgency } from '../../daemon/speech/worker/decoder.ts'
import { createGrammarRecogniser } from '../../drivers/speech-grammar/recogniser.ts'
import { createSherpaRecogniser } from '../../drivers/speech-sherpa/recogniser.ts'
import { makeNoise, overLine, speak, type Voice } from '../../scripts/cli/selftest/corpus.ts'

const folder = resolve('.cache/speech/whisper-base')
const files = { encoder: 'base-encoder.int8.onnx', decoder: 'base-decoder.int8.onnx', tokens: 'base-tokens.txt' }
const skip = !Object.values(files).every((file) => existsSync(join(folder, file))) && `no weights in ${folder}`
const model = { id: 'whisper-base', kind: 'whisper', directory: folder, files, languages: ['*'] }

const line = async (text: string, voice: Voice = 'slt'): Promise<Int16Array> =>
  overLine(await speak(text, 'free', voice), 'quiet', 0, 3).samples
const words = (text: string): string => text.toLowerCase().replace(/[^a-z' ]+/g, '')

t.test('Whisper writes what was said, once, from its first word on, and nothing else', { skip }, async (t) => {
  const whisper = await createSherpaRecogniser(model)
  const grammar = await createGrammarRecogniser()
  t.after(() => Promise.all([whisper.close(), grammar.close()]))
  const hear = async (samples: Int16Array, language = 'en-US') =>
    (await whisper.recognise(samples, { language, hints: [], digits: null })).text

  const sentence = 'please call me back this afternoon'
  t.equal(words(await hear(await line(sentence))), sentence, 'no loop, no word lost')
  const abrupt = await line(sentence, 'rms')
  const first = abrupt.findIndex((sample) => Math.abs(sample) > 400)
  t.match(words(await hear(abrupt.subarray(first))), /^please call me/, 'the first word, without any silence before it')
  t.match(words(await hear(await line('where do I park the car'), 'en-US')), /car/, 'in the language that was named')

  const silences = [new Int16Array(24_000), makeNoise('white', 24_000, 30, 1), makeNoise('car', 24_000, 200, 2), new Int16Array(0)]
  for (const samples of silences) t.equal(await hear(Int16Array.from(samples)), '', 'nothing for silence and noise')
  t.match(words(await hear(await line('thank you very much for your help', 'rms'))), /thank you/, 'thanks that were said')

  const [open, closed] = [whisper, grammar].map((one) => new Decoder(one, () => () => undefined))
  const answers = new AnswerDecoder(open!, closed!)
  const asked = { language: 'en-US', hints: [], digits: 4 }
  t.match(await answers.decode(urgency.final, await line('four seven one nine', 'rms'), asked), { text: 'four seven one nine' })
})
