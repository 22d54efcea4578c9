/**
 * Makes a Piper voice, as its makers publish it, into what sherpa-onnx reads: metadata at the end of the ONNX file (it is a
 * protobuf message, so that entries may simply be appended) and a list of tokens in place of the JSON file's
 * map of phonemes.
 */
import { SpeechError } from '../speech.ts'
import { readOnnxBytes } from './onnx-file.ts'

/** The parts of a voice's `.onnx.json` that matter here. */
export interface PiperConfig {
  readonly audio: { readonly sample_rate: number }
  readonly espeak: { readonly voice: string }
  readonly language?: { readonly name_english?: string }
  readonly num_speakers?: number
  readonly phoneme_id_map: Readonly<Record<string, readonly number[]>>
  readonly inference?: { readonly noise_scale?: number; readonly length_scale?: number; readonly noise_w?: number }
}

const metadataField = 14

/** The voice with the metadata sherpa-onnx demands; one that has them already is returned as it is. Throws SpeechError. */
export function patchPiperMetadata(onnx: Uint8Array, config: unknown): Uint8Array {
  const { metadata } = readOnnxBytes(onnx)
  if (metadata.has('comment') && metadata.has('sample_rate') && metadata.has('n_speakers') && metadata.has('language')) return onnx
  const voice = parsePiperConfig(config)
  const entries: readonly (readonly [string, string])[] = [
    ['model_type', 'vits'],
    ['comment', 'piper'],
    ['language', voice.language?.name_english ?? voice.espeak.voice],
    ['voice', voice.espeak.voice],
    ['has_espeak', '1'],
    ['n_speakers', String(voice.num_speakers ?? 1)],
    ['sample_rate', String(voice.audio.sample_rate)],
  ]
  return Buffer.concat([
    onnx,
    ...entries.map(([key, value]) => bytesField(metadataField, Buffer.concat([textField(1, key), textField(2, value)]))),
  ])
}

/** Content of the file of tokens: `phoneme id` per line. Throws SpeechError. */
export function piperTokens(config: unknown): string {
  return Object.entries(parsePiperConfig(config).phoneme_id_map)
    .map(([phoneme, ids]) => `${phoneme} ${ids[0]}\n`)
    .join('')
}

/** Throws SpeechError for a configuration no voice can be made of. */
export function parsePiperConfig(config: unknown): PiperConfig {
  const voice = config as Partial<PiperConfig> | null
  const rate = voice?.audio?.sample_rate
  const phonemes = voice?.phoneme_id_map
  if (!Number.isInteger(rate) || rate! < 8000 || rate! > 48_000) throw unfit('no sample rate')
  if (typeof voice?.espeak?.voice !== 'string' || !/^[a-zA-Z0-9_+-]+$/.test(voice.espeak.voice)) throw unfit('no espeak voice')
  if (voice.num_speakers !== undefined && !Number.isInteger(voice.num_speakers)) throw unfit('no number of speakers')
  if (typeof phonemes !== 'object' || phonemes === null) throw unfit('no phonemes')
  for (const [phoneme, ids] of Object.entries(phonemes)) {
    // The engine ends the process over a phoneme of several characters, and over one it needs and lacks.
    if ([...phoneme].length !== 1 || !Array.isArray(ids) || !Number.isInteger(ids[0])) throw unfit(`a strange phoneme "${phoneme}"`)
  }
  if (!['_', '^', '$'].every((needed) => Object.hasOwn(phonemes, needed))) throw unfit('no padding or bounds among its phonemes')
  return voice as PiperConfig
}

function unfit(what: string): SpeechError {
  return new SpeechError('engine-failed', `The configuration of the voice has ${what}`)
}

function textField(number: number, text: string): Uint8Array {
  return bytesField(number, Buffer.from(text, 'utf8'))
}

function bytesField(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content])
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return Uint8Array.from([...bytes, rest])
}
