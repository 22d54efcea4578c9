/**
 * Writes tiny ONNX models (a few kB each) that the real engine runs: what they "recognise" follows from the loudness and
 * pitch of the audio by a few multiplications, so that tests know the answer. Names and metadata are those sherpa-onnx wants.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelFiles } from '../../drivers/speech.ts'
import { float32, floats, input, int32, int64, integers, model, node, output, type Part } from './onnx-writer.ts'

/** Writes the files and describes them. */
function installed(
  folder: string,
  id: string,
  kind: string,
  languages: readonly string[],
  files: Record<string, [string, Part | string]>,
): ModelFiles {
  const directory = join(folder, id)
  mkdirSync(directory, { recursive: true })
  for (const [name, content] of Object.values(files)) writeFileSync(join(directory, name), content)
  return { id, kind, directory, languages, files: Object.fromEntries(Object.entries(files).map(([role, [name]]) => [role, name])) }
}

/** Mel bands (of 80, to 8 kHz) in which tones of 400 to 900 Hz and of 2 to 3 kHz lie. */
const lowBands = { from: 8, to: 22 }
const highBands = { from: 40, to: 54 }
const band = ({ from, to }: { from: number; to: number }): number[] =>
  Array.from({ length: 80 }, (_, index) => (index >= from && index < to ? 1 / (to - from) : 0))

const ctcMetadata = { model_type: 'EncDecCTCModelBPE', vocab_size: 3, subsampling_factor: 4, normalize_type: '' }
const ctcTokens = '▁low 0\n▁high 1\n<blk> 2\n'
/** Natural logarithm of a band's energy from which the models call it loud. */
const loudFrom = -6

/** Writes "low" for each burst of loud low tones, "high" for each of high ones, nothing for silence. */
export function tinyCtc(folder: string, id = 'tiny-ctc'): ModelFiles {
  return ctc(folder, id, [], 'audio_signal')
}

/**
 * The same, with so many layers of two matrices (width x 4 width and back) before it, whose result is not used but for
 * the time it takes. Layers 12, width 256 cost about what a small Conformer does.
 */
export function twinCtc(folder: string, id = 'twin-ctc', layers = 12, width = 256): ModelFiles {
  const matrix = (name: string, rows: number, columns: number): Part[] => [
    integers(`${name}.shape`, [rows, columns]),
    node('ConstantOfShape', [`${name}.shape`], [`${name}.ones`]),
    node('Add', [`${name}.ones`, 'twin.weight'], [name]),
  ]
  const parts: Part[] = [
    floats('twin.weight', [1], [1 / 1024]),
    floats('twin.nothing', [1], [1e-30]),
    node('Transpose', ['audio_signal'], ['twin.frames'], { perm: [0, 2, 1] }),
    ...matrix('twin.in', 80, width),
    node('MatMul', ['twin.frames', 'twin.in'], ['twin.0']),
    ...matrix('twin.up', width, 4 * width),
    ...matrix('twin.down', 4 * width, width),
  ]
  for (let layer = 0; layer < layers; layer += 1) {
    parts.push(
      node('MatMul', [`twin.${layer}`, 'twin.up'], [`twin.up.${layer}`]),
      node('Sigmoid', [`twin.up.${layer}`], [`twin.relu.${layer}`]),
      node('MatMul', [`twin.relu.${layer}`, 'twin.down'], [`twin.${layer + 1}`]),
    )
  }
  parts.push(
    node('ReduceMean', [`twin.${layers}`], ['twin.mean'], { axes: [1, 2], keepdims: 1 }),
    node('Mul', ['twin.mean', 'twin.nothing'], ['twin.zero']),
    node('Add', ['audio_signal', 'twin.zero'], ['twin.signal']),
  )
  return ctc(folder, id, parts, 'twin.signal')
}

function ctc(folder: string, id: string, before: readonly Part[], signal: string): ModelFiles {
  const onnx = model(
    [
      ...before,
      floats('weights', [3, 80, 1], [...band(lowBands), ...band(highBands), ...band({ from: 0, to: 0 })]),
      floats('bias', [3], [-loudFrom, -loudFrom, 0]),
      node('AveragePool', [signal], ['pooled'], { kernel_shape: [4], strides: [4] }),
      node('Conv', ['pooled', 'weights', 'bias'], ['scores']),
      node('Transpose', ['scores'], ['logprobs'], { perm: [0, 2, 1] }),
      input('audio_signal', float32, ['N', 80, 'T']),
      input('length', int64, ['N']),
      output('logprobs', float32, ['N', 'S', 3]),
    ],
    ctcMetadata,
  )
  return installed(folder, id, 'nemo-ctc', ['en-US'], { model: ['model.onnx', onnx], tokens: ['tokens.txt', ctcTokens] })
}

/** A table of "next token": each word is followed by the next one, the last by the end. */
const nextTokens = (vocabulary: number, follows: Readonly<Record<number, number>>): Part =>
  floats(
    'table',
    [vocabulary, vocabulary],
    Array.from({ length: vocabulary ** 2 }, (_, index) => (follows[Math.floor(index / vocabulary)] === index % vocabulary ? 10 : 0)),
  )

/** Tokens of the tiny Whisper: 0-1 "Hello there.", 2-3 " Thank you.", then its special ones. */
const whisper = { sot: 4, english: 5, german: 6, transcribe: 7, translate: 8, noSpeech: 9, noTimestamps: 10, eot: 11, size: 12 }

/**
 * Writes "Hello there." for loud high tones, and " Thank you." for everything else, silence too, as the real ones do. A multilingual one
 * finds German in high tones, English in others, unless its language is set. With `hears: 'length'` it writes "Hello there." for 15 s
 * and more instead, whatever is in them.
 */
export function tinyWhisper(
  folder: string,
  id = 'tiny-whisper',
  { multilingual = false, hears = 'high' }: { multilingual?: boolean; hears?: 'high' | 'length' } = {},
): ModelFiles {
  const level =
    hears === 'high'
      ? [
          floats('weights', [1, 80, 1], band(highBands)),
          node('Conv', ['mel', 'weights'], ['level']),
          node('ReduceMax', ['level'], ['loudest'], { axes: [2], keepdims: 1 }),
        ]
      : [
          integers('time', [2]),
          integers('as', [1, 1, 1]),
          floats('most', [1], [whisperWindow / whisperLoudFrom]),
          node('Shape', ['mel'], ['shape']),
          node('Gather', ['shape', 'time'], ['frames']),
          node('Cast', ['frames'], ['count'], { to: float32 }),
          node('Div', ['count', 'most'], ['share']),
          node('Reshape', ['share', 'as'], ['loudest']),
        ]
  const encoder = model(
    [
      ...level,
      floats('gain', [1, 1, 1, 1], [1]),
      node('Mul', ['loudest', 'gain'], ['n_layer_cross_k']),
      node('Neg', ['n_layer_cross_k'], ['n_layer_cross_v']),
      input('mel', float32, ['N', 80, 'T']),
      output('n_layer_cross_k', float32, [1, 'N', 1, 1]),
      output('n_layer_cross_v', float32, [1, 'N', 1, 1]),
    ],
    {
      model_type: 'whisper-tiny',
      n_mels: 80,
      n_text_layer: 1,
      n_text_ctx: 16,
      n_text_state: 4,
      n_vocab: whisper.size,
      sot: whisper.sot,
      eot: whisper.eot,
      blank_id: 0,
      translate: whisper.translate,
      transcribe: whisper.transcribe,
      no_timestamps: whisper.noTimestamps,
      no_speech: whisper.noSpeech,
      is_multilingual: multilingual ? 1 : 0,
      sot_sequence: multilingual ? [whisper.sot, whisper.english, whisper.transcribe].join(',') : whisper.sot,
      all_language_tokens: `${whisper.english},${whisper.german}`,
      all_language_codes: 'en,de',
    },
  )
  // Where the choice is between two tokens, the level decides: both get points, and the one of loud highs more of them.
  const weigh = Array.from({ length: whisper.size }, () => 0)
  weigh[0] = 4
  weigh[whisper.german] = 4
  const decoder = model(
    [
      nextTokens(whisper.size, { 0: 1, 1: whisper.eot, 2: 3, 3: whisper.eot, [whisper.noTimestamps]: 2, [whisper.sot]: whisper.english }),
      floats('weigh', [1, 1, whisper.size], weigh),
      floats('threshold', [1], [whisperLoudFrom]),
      floats('steepness', [1], [100]),
      floats(
        'open',
        [whisper.size, 1],
        Array.from({ length: whisper.size }, (_, token) => (token === whisper.noTimestamps || token === whisper.sot ? 1 : 0)),
      ),
      node('Gather', ['table', 'tokens'], ['next']),
      node('Gather', ['open', 'tokens'], ['undecided']),
      node('Sub', ['n_layer_cross_k', 'threshold'], ['excess']),
      node('ReduceMean', ['excess'], ['level'], { keepdims: 0 }),
      node('Mul', ['level', 'steepness'], ['steep']),
      node('Sigmoid', ['steep'], ['loud']),
      node('Mul', ['weigh', 'loud'], ['weighed']),
      floats('points', [1], [5]),
      node('Mul', ['weighed', 'points'], ['pointed']),
      node('Mul', ['undecided', 'pointed'], ['chosen']),
      node('Add', ['next', 'chosen'], ['logits']),
      node('Identity', ['in_n_layer_self_k_cache'], ['out_n_layer_self_k_cache']),
      node('Identity', ['in_n_layer_self_v_cache'], ['out_n_layer_self_v_cache']),
      input('tokens', int64, ['N', 'T']),
      input('in_n_layer_self_k_cache', float32, [1, 'N', 16, 4]),
      input('in_n_layer_self_v_cache', float32, [1, 'N', 16, 4]),
      input('n_layer_cross_k', float32, [1, 'N', 'A', 1]),
      input('n_layer_cross_v', float32, [1, 'N', 'A', 1]),
      input('offset', int64, [1]),
      output('logits', float32, ['N', 'T', whisper.size]),
      output('out_n_layer_self_k_cache', float32, [1, 'N', 16, 4]),
      output('out_n_layer_self_v_cache', float32, [1, 'N', 16, 4]),
    ],
    {},
  )
  const words = ['Hello', ' there.', ' Thank', ' you.', '<sot>', '<en>', '<de>', '<do>', '<tr>', '<none>', '<nots>', '<eot>']
  const tokens = words.map((word, index) => `${Buffer.from(word).toString('base64')} ${index}\n`).join('')
  return installed(folder, id, 'whisper', multilingual ? ['*'] : ['en-US'], {
    encoder: ['encoder.onnx', encoder],
    decoder: ['decoder.onnx', decoder],
    tokens: ['tokens.txt', tokens],
  })
}
/** Frames of 10 ms, a little fewer than 15 s. */
const whisperWindow = 1450
/** Of the levels after Whisper's normalisation, which end at 1.5 or so for the loudest. */
const whisperLoudFrom = 0.2

/** Writes "Good day" for loud audio, nothing for silence. */
export function tinyMoonshine(folder: string, id = 'tiny-moonshine'): ModelFiles {
  const preprocessor = model([
    integers('as', [1, 1, -1]),
    node('Abs', ['audio'], ['size']),
    node('Reshape', ['size', 'as'], ['line']),
    node('AveragePool', ['line'], ['pooled'], { kernel_shape: [384], strides: [384] }),
    node('Transpose', ['pooled'], ['features'], { perm: [0, 2, 1] }),
    input('audio', float32, [1, 'N']),
    output('features', float32, [1, 'T', 1]),
  ])
  const encoder = model([
    node('Identity', ['features'], ['encoded']),
    input('features', float32, [1, 'T', 1]),
    input('features_len', int32, [1]),
    output('encoded', float32, [1, 'T', 1]),
  ])
  const size = 5
  const decoder = (state: boolean): Buffer =>
    model([
      nextTokens(size, { 1: 2, 3: 4, 4: 2 }),
      floats('open', [size, 1], [0, 1, 0, 0, 0]),
      floats('word', [1, 1, size], [0, 0, 0, 1000, 0]),
      node('Gather', ['table', 'tokens'], ['next']),
      node('Gather', ['open', 'tokens'], ['undecided']),
      node('ReduceMax', ['encoded'], ['level'], { keepdims: 0 }),
      node('Mul', ['word', 'level'], ['weighed']),
      node('Mul', ['undecided', 'weighed'], ['chosen']),
      node('Add', ['next', 'chosen'], ['logits']),
      node('Identity', [state ? 'state_in' : 'encoded'], ['state']),
      input('tokens', int32, [1, 'S']),
      input('encoded', float32, [1, 'T', 1]),
      input('seq_len', int32, [1]),
      ...(state ? [input('state_in', float32, [1, 'T', 1])] : []),
      output('logits', float32, [1, 'S', size]),
      output('state', float32, [1, 'T', 1]),
    ])
  return installed(folder, id, 'moonshine', ['en-US'], {
    preprocessor: ['preprocess.onnx', preprocessor],
    encoder: ['encode.onnx', encoder],
    uncachedDecoder: ['uncached_decode.onnx', decoder(false)],
    cachedDecoder: ['cached_decode.onnx', decoder(true)],
    tokens: ['tokens.txt', '<unk>\t0\n<s>\t1\n</s>\t2\n▁Good\t3\n▁day\t4\n'],
  })
}

/** A voice as Piper's makers publish it: 50 ms of a 500 Hz tone for each phoneme, without metadata. */
export function rawPiper(): Buffer {
  const burst = 800
  return model([
    floats(
      'burst',
      [1, 1, burst],
      Array.from({ length: burst }, (_, n) => (0.3 / 64) * Math.sin((2 * Math.PI * 500 * n) / 16_000)),
    ),
    integers('as', [1, 1, -1]),
    integers('second', [1]),
    integers('third', [2]),
    floats('low', [1], [64]),
    floats('ones', [2], [1, 1]),
    node('Cast', ['input'], ['ids'], { to: float32 }),
    node('Reshape', ['ids', 'as'], ['line']),
    node('Clip', ['line', 'floor', 'floor'], ['same']),
    floats('floor', [], [64]),
    node('ConvTranspose', ['same', 'burst'], ['audio'], { strides: [burst] }),
    node('Slice', ['scales', 'second', 'third'], ['length']),
    node('Concat', ['ones', 'length'], ['stretch'], { axis: 0 }),
    node('Resize', ['audio', '', 'stretch'], ['stretched']),
    integers('shape', [1, 1, 1, -1]),
    node('Reshape', ['stretched', 'shape'], ['output']),
    input('input', int64, [1, 'N']),
    input('input_lengths', int64, [1]),
    input('scales', float32, [3]),
    output('output', float32, [1, 1, 1, 'S']),
  ])
}

/** The form of a published voice's `.onnx.json`, cut down to what is read. */
export const piperConfig = {
  audio: { sample_rate: 16_000, quality: 'low' },
  espeak: { voice: 'en-us' },
  inference: { noise_scale: 0.667, length_scale: 1, noise_w: 0.8 },
  phoneme_map: {},
  phoneme_id_map: Object.fromEntries(
    [..."_^$ !'(),-.:;?abcdefhijklmnopqrstuvwxyzæðŋɐɑɒɔəɚɛɜɡɪɫɹɾʃʊʌʒˈˌːθᵻ"].map((symbol, index) => [symbol, [index]]),
  ) as Record<string, number[]>,
}

/** As the installer leaves it. */
export function installedPiper(folder: string, onnx: Uint8Array, tokens: string, id = 'tiny-piper'): ModelFiles {
  return installed(folder, id, 'piper', ['en-US'], {
    model: ['voice.onnx', onnx],
    tokens: ['tokens.txt', tokens],
    config: ['voice.onnx.json', JSON.stringify(piperConfig)],
  })
}

/** 8 kHz audio of tones in the band that the models know as low or high. */
export function tones(pitch: 'low' | 'high', ms: number, peak = 12_000): Int16Array {
  const frequencies = pitch === 'low' ? [400, 480, 560, 640, 720, 800, 880] : [2000, 2150, 2300, 2450, 2600, 2750, 2900]
  return Int16Array.from({ length: ms * 8 }, (_, n) =>
    Math.round((peak / frequencies.length) * frequencies.reduce((sum, hz) => sum + Math.sin((2 * Math.PI * hz * n) / 8000 + hz), 0)),
  )
}

export const silence = (ms: number): Int16Array => new Int16Array(ms * 8)

export function joined(...parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
