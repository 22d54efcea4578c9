/** SoundSwallower's decoder: utterances against grammars, word by word with their times and scores. Lives in the worker alone. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import createModule, { type Decoder, type SoundSwallowerModule } from 'soundswallower'
import { code } from '../code.ts'

/** Hypothesis of one word or silence. */
export interface Segment {
  /** As named in the grammar; fillers have angle or square brackets. */
  readonly word: string
  /** 10 ms frames from the beginning. */
  readonly from: number
  readonly frames: number
  /** Logarithm of the likelihood, against that of the best sound of each frame: 0 is perfect. */
  readonly score: number
}

export const framesPerSecond = 100
const samplesPerFrame = 80
/** The engine's scores are logarithms at 2^-10 of their size. */
const scoreScale = 1024
/** Its probabilities have three decimals. */
const leastProbability = 0.0005

export const modelFolder = join(dirname(fileURLToPath(import.meta.resolve('soundswallower'))), 'model', 'en-us')

const phones = 'AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH'.split(' ')
export const phoneSet: ReadonlySet<string> = new Set(phones)
/** Weight of the grammar's probabilities, cost of a word, and how far behind the best a hypothesis may fall. */
interface Search {
  readonly lw: number
  readonly wip: number
  readonly beam: number
  readonly pbeam: number
  readonly wbeam: number
}
/** The low word insertion probability halves the errors in digit strings. */
const forWords: Search = { lw: 6.5, wip: 0.01, beam: 1e-48, pbeam: 1e-48, wbeam: 7e-29 }
/** Each sound is a word here, and should cost next to nothing. Wider beams cost three times as much and find no more. */
export const forSounds: Search = { lw: 1, wip: 0.05, beam: 1e-6, pbeam: 1e-6, wbeam: 1e-4 }

/** Its own dictionary has 130,000 words, which cost it memory and half a second; the decoder wants a file with one at least. */
const soundsFile = join(process.env['PBXD_ROOT'] ?? code, 'drivers/speech-grammar/phones.dict')

/** Any sounds in any order: what is measured against. */
export const anySounds = `#JSGF V1.0; grammar any; public <any> = (${phones.map((phone) => `any_${phone}`).join(' | ')})+;`

const processEvents = ['uncaughtException', 'unhandledRejection'] as const

export async function openModule(): Promise<SoundSwallowerModule> {
  const before = processEvents.map((event) => new Set<unknown>(process.listeners(event as 'uncaughtException')))
  // Not in its types: where the models are, as text with a slash at the end.
  const settings = { modelBase: `${dirname(modelFolder)}/` } as Partial<SoundSwallowerModule>
  const module = await createModule(settings)
  // What the compiler's glue does about the errors of others is not its business.
  processEvents.forEach((event, at) => {
    for (const listener of process.listeners(event as 'uncaughtException')) if (!before[at]!.has(listener)) process.off(event, listener)
  })
  return module
}

export class Engine {
  readonly #decoder: Decoder

  private constructor(decoder: Decoder) {
    this.#decoder = decoder
  }

  /** With no words yet. */
  static async open(module: SoundSwallowerModule): Promise<Engine> {
    const decoder = new module.Decoder({ dict: soundsFile, samprate: 8000, loglevel: 'FATAL' })
    await decoder.initialize()
    // Its own removal of noise mistakes more than it gains, even on a quiet line; `noise.ts` does better. The model's own
    // settings come after what is given to the constructor: only now can they be changed.
    decoder.set_config('remove_noise', 0)
    await decoder.reinitialize_audio()
    return new Engine(decoder)
  }

  addWords(words: readonly (readonly [word: string, phones: string])[]): void {
    if (words.length > 0) this.#decoder.add_words(...words.map(([word, sounds]): [string, string] => [word, sounds]))
  }

  /** The best hypothesis under a grammar of JSGF; empty when there is none. */
  decode(grammar: string, audio: Float32Array, search: Search = forWords): Segment[] {
    for (const [name, value] of Object.entries(search)) this.#decoder.set_config(name, value)
    this.#decoder.set_grammar(grammar)
    this.#decoder.start()
    try {
      this.#decoder.process_audio(audio, false, true)
    } finally {
      this.#decoder.stop()
    }
    if (this.#decoder.get_text() === '') return []
    return (this.#decoder.get_alignment().w ?? [])
      .filter(({ t }) => t !== '(NULL)')
      .map(({ t, b, d, p }) => ({
        word: t.replace(/\(\d+\)$/, ''),
        from: Math.round(b * framesPerSecond),
        frames: Math.round(d * framesPerSecond),
        score: Math.log(Math.max(p, leastProbability)) * scoreScale,
      }))
  }

  close(): void {
    this.#decoder.delete()
  }
}

export function toAudio(samples: Int16Array): Float32Array {
  return Float32Array.from(samples, (sample) => sample / 32_768)
}

export const frameCount = (samples: Int16Array): number => Math.floor(samples.length / samplesPerFrame)
