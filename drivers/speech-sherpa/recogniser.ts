/**
 * Speech recognition by the neural models that sherpa-onnx runs: NeMo CTC (Conformer, Parakeet), Whisper, Moonshine. One
 * thread per decode: more of them spin and take the processor from the calls. The engine gives no probabilities for these
 * kinds of model, so there is no confidence to report.
 */
import { SpeechError, type ModelFiles, type Recogniser, type Recognition, type RecognitionRequest } from '../speech.ts'
import { loadSherpa, type SherpaRecogniser } from './load.ts'
import { onnxOf, tokensOf, primary, serves } from './model-files.ts'
import { withoutPhantoms } from './phantoms.ts'
import { aborted, Queue } from './queue.ts'
import { upsample } from '../upsample.ts'

/**
 * Cuts long audio where it is quietest. The memory of every model grows with the length of what it is given, and Whisper
 * reads no more than 30 seconds at all.
 */

/** Samples at 8 kHz. A piece is never longer than this, and a cut is looked for in its last third. */
export const longestPiece = 15 * 8000
const earliestCut = 10 * 8000
const quiet = 800

export function* pieces(samples: Int16Array): Generator<Int16Array> {
  let start = 0
  while (samples.length - start > longestPiece) {
    const cut = quietest(samples, start + earliestCut, start + longestPiece)
    yield samples.subarray(start, cut)
    start = cut
  }
  yield samples.subarray(start)
}

/** Middle of the quietest 100 ms. */
function quietest(samples: Int16Array, from: number, to: number): number {
  let best = to
  let least = Infinity
  for (let at = from; at + quiet <= to; at += quiet / 4) {
    let energy = 0
    for (let index = at; index < at + quiet; index += 1) energy += samples[index]! ** 2
    if (energy < least) {
      least = energy
      best = at + quiet / 2
    }
  }
  return best
}

interface Family {
  /** Configuration of the model, its files checked; `language` is Whisper's. */
  readonly config: (language: string) => Record<string, unknown>
  /** Language codes that Whisper accepts; null where it takes none. */
  readonly codes: ReadonlySet<string> | null
  /** Writes word by word and may invent them. */
  readonly inventive: boolean
  /** So many samples at 8 kHz it is given at least, the rest silence. */
  readonly paddedTo: (length: number) => number
}

const rate = 16_000
/** Samples at 8 kHz. Less holds no word. */
const shortest = 480
/** Models fail on less audio than their first layers take in. */
const leastSamples = (length: number): number => Math.max(length, 4000)
/**
 * Whisper learned from windows of 30 s, most of them with silence at the end, and begins its sentence once more when there is less of
 * it. Its own program fills up to 30 s; half of that loops no more and costs half the time (docs/figures/speech.md).
 */
const whisperSamples = (length: number): number => Math.max(length + 8000, longestPiece)
/** Frames of 10 ms, the fewest that the engine takes: it fills them with what is not silence to the model. */
const tailPaddings = 1

const families: Readonly<Record<string, (model: ModelFiles) => Family>> = {
  'nemo-ctc': (model) => {
    const { path } = onnxOf(model, 'model', ['vocab_size', 'subsampling_factor', 'normalize_type'])
    const { symbols } = tokensOf(model)
    if (!['<blk>', '<eps>', '<blank>'].some((symbol) => symbols.has(symbol))) {
      throw new SpeechError('engine-failed', `The list of tokens of the model ${model.id} has no blank symbol`)
    }
    return { config: () => ({ nemoCtc: { model: path } }), codes: null, inventive: false, paddedTo: leastSamples }
  },
  whisper: (model) => {
    const encoder = onnxOf(model, 'encoder', whisperEntries)
    const decoder = onnxOf(model, 'decoder').path
    const { metadata } = encoder.outline
    const multilingual = metadata.get('is_multilingual') === '1'
    if (multilingual && !(metadata.has('all_language_tokens') && metadata.has('all_language_codes'))) {
      throw new SpeechError('engine-failed', `The model ${model.id} does not name its languages`)
    }
    return {
      config: (language) => ({
        whisper: {
          encoder: encoder.path,
          decoder,
          language,
          task: 'transcribe',
          tailPaddings,
        },
      }),
      codes: multilingual ? new Set(metadata.get('all_language_codes')!.split(',')) : null,
      inventive: true,
      paddedTo: whisperSamples,
    }
  },
  moonshine: (model) => {
    const roles = ['preprocessor', 'encoder', 'uncachedDecoder', 'cachedDecoder']
    const files = Object.fromEntries(roles.map((role) => [role, onnxOf(model, role).path]))
    return { config: () => ({ moonshine: files }), codes: null, inventive: true, paddedTo: leastSamples }
  },
}

const whisperEntries = [
  'n_mels',
  'n_text_layer',
  'n_text_ctx',
  'n_text_state',
  'n_vocab',
  'sot',
  'eot',
  'blank_id',
  'translate',
  'transcribe',
  'is_multilingual',
  'no_timestamps',
  'no_speech',
  'sot_sequence',
]

/**
 * Loads the model without holding up the event loop. Throws SpeechError for files that are missing or no model of their
 * kind; what passes these checks and still is no good ends the process.
 */
export async function createSherpaRecogniser(model: ModelFiles): Promise<Recogniser> {
  const make = Object.hasOwn(families, model.kind) ? families[model.kind] : undefined
  if (make === undefined)
    throw new SpeechError('engine-failed', `The model ${model.id} is of the kind ${model.kind}, which recognises nothing`)
  const family = make(model)
  const tokens = tokensOf(model).path
  const sherpa = loadSherpa()
  const config = (language: string): object => ({
    featConfig: { sampleRate: rate, featureDim: 80 },
    modelConfig: { ...family.config(language), tokens, numThreads: 1, provider: 'cpu', debug: 0 },
    decodingMethod: 'greedy_search',
  })
  try {
    return new SherpaModel(model, family, config, await sherpa.OfflineRecognizer.createAsync(config('')))
  } catch (error) {
    throw failed(model, error)
  }
}

class SherpaModel implements Recogniser {
  readonly id: string
  readonly vocabulary = 'open'
  readonly #model: ModelFiles
  readonly #family: Family
  readonly #config: (language: string) => object
  readonly #queue = new Queue()
  #engine: SherpaRecogniser | null
  /** The last language that was set on the engine. */
  #told = ''

  constructor(model: ModelFiles, family: Family, config: (language: string) => object, engine: SherpaRecogniser) {
    this.id = model.id
    this.#model = model
    this.#family = family
    this.#config = config
    this.#engine = engine
  }

  recognises(language: string): boolean {
    return serves(this.#model.languages, language)
  }

  async recognise(samples: Int16Array, request: RecognitionRequest): Promise<Recognition> {
    if (!this.recognises(request.language)) {
      throw new SpeechError('language-unsupported', `The model ${this.id} does not understand ${request.language}`)
    }
    return this.#queue.run(request.signal, () => this.#decode(samples, request))
  }

  async close(): Promise<void> {
    await this.#queue.idle()
    // The weights go with the last reference, at the next garbage collection.
    this.#engine = null
  }

  async #decode(samples: Int16Array, request: RecognitionRequest): Promise<Recognition> {
    const texts: string[] = []
    let language = ''
    for (const piece of pieces(samples)) {
      if (request.signal?.aborted === true) throw aborted()
      if (piece.length < shortest) continue
      const result = await this.#decodePiece(piece, request.language)
      language ||= result.lang
      const text = this.#family.inventive ? withoutPhantoms(result.text, piece) : result.text.trim()
      if (text !== '') texts.push(text)
    }
    const text = texts.join(' ')
    return text === '' || language === '' ? { text } : { text, language }
  }

  async #decodePiece(piece: Int16Array, language: string): Promise<{ text: string; lang: string }> {
    const engine = this.#engine
    if (engine === null) throw new SpeechError('engine-failed', `The model ${this.id} is closed`)
    const audio = new Int16Array(this.#family.paddedTo(piece.length))
    audio.set(piece)
    try {
      this.#tell(engine, language)
      const stream = engine.createStream()
      stream.acceptWaveform({ samples: upsample(audio), sampleRate: rate })
      const result = await engine.decodeAsync(stream)
      return { text: result.text, lang: result.lang ?? '' }
    } catch (error) {
      throw failed(this.#model, error)
    }
  }

  /** A language the model has no code for would end the process; it is left to find out by itself. */
  #tell(engine: SherpaRecogniser, language: string): void {
    const codes = this.#family.codes
    if (codes === null) return
    const code = codes.has(primary(language)) ? primary(language) : ''
    if (code === this.#told) return
    engine.setConfig(this.#config(code))
    this.#told = code
  }
}

function failed(model: ModelFiles, error: unknown): SpeechError {
  if (error instanceof SpeechError) return error
  return new SpeechError('engine-failed', `The model ${model.id} failed: ${error instanceof Error ? error.message : String(error)}`)
}
