/** One utterance against one expectation: grammar, words, decoding, judgement. Lives in the worker. */
import { isFiller, judge } from './acceptance.ts'
import { Dictionary, type Sounds } from './dictionary.ts'
import { anySounds, Engine, forSounds, frameCount, framesPerSecond, openModule, toAudio } from './engine.ts'
import { isTone, signalToNoiseDb, withoutNoise, withoutSilence } from '../steady-noise.ts'
import { grammarFor, spell, spelling, toJsgf, wordsOf, type Grammar, type Wanted } from './grammar.ts'

export interface Understood {
  readonly text: string
  readonly confidence: number
}

const nothing: Understood = { text: '', confidence: 0 }
const leastFrames = 12
/** Nobody needs longer for what a grammar has, digits apart. */
const longestFrames = 6 * framesPerSecond
const longestDigitsFrames = 20 * framesPerSecond
/** Nobody says a phrase more slowly, with the silence around it: what lasts longer is music, or somebody who says something else. */
const mostFrames = (phones: number): number => 120 + 30 * phones
/** Samples whose loudest is below this are silence. */
const audible = 60
/** Speech is so much louder than the pauses around and in it; below that the line is too noisy to distinguish yes from no. */
const leastDb = 10
/** A line that is quieter is left as it is: taking noise away that is not there harms the words. */
const quietFromDb = 30
/** The decoder cannot forget a word; with so many it is rebuilt. */
const mostWords = 6000

interface Heard {
  readonly audio: ReturnType<typeof toAudio>
  /** The same as any sounds in any order. */
  readonly sounds: ReturnType<Engine['decode']>
  readonly frames: number
  readonly snrDb: number
}

export class Listener {
  readonly #dictionary: Dictionary
  #engine: Engine
  readonly #spellings = new Map<string, string>()
  readonly #names = new Map<string, { readonly name: string; readonly phones: number } | null>()

  private constructor(engine: Engine, dictionary: Dictionary) {
    this.#engine = engine
    this.#dictionary = dictionary
  }

  static async open(guesser?: string): Promise<Listener> {
    return new Listener(await openEngine(), new Dictionary(guesser))
  }

  async understand(samples: Int16Array, wanted: Wanted): Promise<Understood> {
    const grammar = grammarFor(wanted)
    const frames = frameCount(samples)
    const longest = grammar.digits === null ? longestFrames : longestDigitsFrames
    if (frames < leastFrames || frames > longest || !samples.some((sample) => Math.abs(sample) >= audible)) return nothing
    const snrDb = signalToNoiseDb(samples)
    if (snrDb < leastDb) return nothing
    await this.#learn(wordsOf(grammar))
    const voice = withoutSilence(snrDb < quietFromDb ? withoutNoise(samples) : samples)
    if (isTone(voice)) return nothing
    const audio = toAudio(voice)
    const heard = { audio, sounds: this.#engine.decode(anySounds, audio, forSounds), frames: frameCount(voice), snrDb }
    // The phrases alone first: together with the words that may stand around them, they would fit a little worse than they do.
    const alone = this.#fit({ ...grammar, polite: false }, heard)
    return alone === nothing && grammar.polite ? this.#fit(grammar, heard) : alone
  }

  #fit(grammar: Grammar, { audio, sounds, frames, snrDb }: Heard): Understood {
    const jsgf = toJsgf(grammar, (word) => this.#names.get(word)?.name)
    if (jsgf === null) return nothing
    const hypothesis = this.#engine.decode(jsgf, audio)
    const names = hypothesis.map(({ word }) => word).filter((word) => !isFiller(word))
    if (names.length === 0) return nothing
    const words = names.map((name) => this.#spellings.get(name) ?? '')
    const phones = words.reduce((sum, word) => sum + (this.#names.get(word)?.phones ?? 0), 0)
    if (grammar.digits === null && frames > mostFrames(phones)) return nothing
    const verdict = judge(hypothesis, sounds, { phones, frames, snrDb })
    return verdict.accepted ? { text: spell(grammar, words), confidence: verdict.confidence } : nothing
  }

  /** Words get names of our own: what is in a spelling does not matter to the decoder then. */
  async #learn(words: ReadonlySet<string>): Promise<void> {
    if (this.#names.size + words.size > mostWords) {
      const old = this.#engine
      this.#engine = await openEngine()
      this.#names.clear()
      this.#spellings.clear()
      old.close()
    }
    const added: [string, Sounds][] = []
    for (const word of words) {
      if (this.#names.has(word)) continue
      const ways = await this.#dictionary.look(spelling(word))
      const name = `w${this.#names.size}`
      ways.forEach((sounds, at) => added.push([at === 0 ? name : `${name}(${at + 1})`, sounds]))
      this.#names.set(word, ways.length === 0 ? null : { name, phones: ways[0]!.split(' ').length })
      this.#spellings.set(name, word)
    }
    this.#engine.addWords(added)
  }
}

async function openEngine(): Promise<Engine> {
  return Engine.open(await openModule())
}
