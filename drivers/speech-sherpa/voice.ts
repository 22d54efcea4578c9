/** Piper voices, run by sherpa-onnx; phonemes come from the data of Debian's espeak-ng. One phrase at a time, on one thread. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toTelephoneRate } from '../resample.ts'
import { SpeechError, type ModelFiles, type SynthesisRequest, type Synthesiser } from '../speech.ts'
import { loadSherpa, type SherpaVoice } from './load.ts'
import { fileOf, onnxOf, tokensOf, serves } from './model-files.ts'
import { parsePiperConfig, type PiperConfig } from './piper-format.ts'
import { Queue } from './queue.ts'

export interface PiperOptions {
  /** Folder `espeak-ng-data`; that of the Debian package otherwise. */
  readonly dataDirectory?: string
}

export interface PiperVoice extends Synthesiser {
  close(): Promise<void>
}

const entries = ['sample_rate', 'n_speakers', 'language', 'comment']

/**
 * Files of the model: `model` (with metadata, see piper-format.ts), `tokens`, and, if there is one, `config` (the voice's
 * `.onnx.json`, for the speed and variation its makers chose). Throws SpeechError.
 */
export async function createPiperVoice(model: ModelFiles, options: PiperOptions = {}): Promise<PiperVoice> {
  if (model.kind !== 'piper')
    throw new SpeechError('engine-failed', `The model ${model.id} is of the kind ${model.kind}, not a Piper voice`)
  const { path, outline } = onnxOf(model, 'model', entries)
  if (outline.metadata.get('comment') !== 'piper') throw new SpeechError('engine-failed', `The model ${model.id} is not a Piper voice`)
  const tokens = tokensOf(model)
  if (!['_', '^', '$'].every((needed) => tokens.symbols.has(needed)) || [...tokens.symbols].some((symbol) => [...symbol].length !== 1)) {
    throw new SpeechError('engine-failed', `The list of tokens of the model ${model.id} is not one of phonemes`)
  }
  const inference = model.files['config'] === undefined ? {} : (readConfig(fileOf(model, 'config')).inference ?? {})
  const lengthScale = inference.length_scale ?? 1
  const dataDirectory = espeakData(options.dataDirectory)
  const sherpa = loadSherpa()
  let engine: SherpaVoice | null = await sherpa.OfflineTts.createAsync({
    model: {
      vits: {
        model: path,
        tokens: tokens.path,
        dataDir: dataDirectory,
        noiseScale: inference.noise_scale ?? 0.667,
        noiseScaleW: inference.noise_w ?? 0.8,
        lengthScale,
      },
      numThreads: 1,
      provider: 'cpu',
      debug: 0,
    },
    maxNumSentences: 1,
  })
  const queue = new Queue()

  const speak = async (request: SynthesisRequest): Promise<Int16Array> => {
    if (engine === null) throw new SpeechError('engine-failed', `The voice ${model.id} is closed`)
    // Double brackets would be read as phoneme names.
    const text = request.text
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .replaceAll('[[', '[ [')
      .trim()
    // Without a letter or digit there are no phonemes, and the engine has nothing to return.
    if (!/[\p{L}\p{N}]/u.test(text)) return new Int16Array(0)
    let audio
    try {
      audio = await engine.generateAsync({
        text,
        sid: 0,
        // A speed other than 1 replaces the voice's own length in the engine.
        speed: Math.max(0.25, Math.min(4, request.rate)) / lengthScale,
        enableExternalBuffer: false,
        onProgress: () => (request.signal?.aborted === true ? 0 : 1),
      })
    } catch (error) {
      throw new SpeechError('engine-failed', `The voice ${model.id} failed: ${error instanceof Error ? error.message : String(error)}`)
    }
    return toTelephoneRate(toPcm(audio.samples), audio.sampleRate)
  }

  return {
    id: model.id,
    slow: true,
    check: async () => (engine === null ? { ok: false, reason: `The voice ${model.id} is closed` } : { ok: true, reason: '' }),
    speaks: (language) => serves(model.languages, language),
    voices: () => model.languages.map((language) => ({ name: model.id, language })),
    synthesise: async (request) => {
      if (!serves(model.languages, request.language)) {
        throw new SpeechError('language-unsupported', `The voice ${model.id} does not speak ${request.language}`)
      }
      return queue.run(request.signal, () => speak(request))
    },
    close: async () => {
      await queue.idle()
      engine = null
    },
  }
}

function readConfig(path: string): PiperConfig {
  try {
    return parsePiperConfig(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    if (error instanceof SpeechError) throw error
    throw new SpeechError('engine-failed', `The configuration ${path} cannot be read`)
  }
}

function espeakData(given: string | undefined): string {
  const parents = ['/usr/share', ...readdirSync('/usr/lib').map((name) => join('/usr/lib', name))]
  const folders = given === undefined ? parents.map((parent) => join(parent, 'espeak-ng-data')) : [given]
  const found = folders.find((folder) => existsSync(join(folder, 'phontab')))
  if (found === undefined) throw new SpeechError('engine-missing', 'Piper voices need phoneme data: apt-get install espeak-ng-data')
  return found
}

function toPcm(samples: Float32Array): Int16Array {
  const out = new Int16Array(samples.length)
  for (let index = 0; index < samples.length; index += 1) {
    out[index] = Math.max(-32_768, Math.min(32_767, Math.round(samples[index]! * 32_767)))
  }
  return out
}
