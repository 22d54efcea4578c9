/**
 * Text to clips: the one door through which the rest of the daemon speaks. A text is read as SSML or plain, put into
 * words, cut into sentences, and each is synthesised at once, the first ones first; what was said before comes from the
 * cache. An engine that fails costs quality, never a call: the next engine speaks, and after the last a tone is heard.
 */
import { createHash } from 'node:crypto'
import type { Clip } from '../../drivers/line.ts'
import { SpeechError, type Synthesiser } from '../../drivers/speech.ts'
import type { Log } from '../log.ts'
import type { PhraseCache, PhraseUse } from './cache.ts'
import { amplify, level } from './loudness.ts'
import { normalise, tidy } from './normalise.ts'
import { PriorityQueue } from './queue.ts'
import { splitSentences } from './sentences.ts'
import { isSsml, parseSsml, type Segment } from './ssml.ts'
import { failureTone } from './tones.ts'

export interface SpeechRequest {
  /** Plain text, or SSML when it starts with `<speak`. */
  readonly text: string
  readonly voice?: string
  /** BCP 47, such as `en-US`; the box's own language when absent. */
  readonly language?: string
  /** 1 = normal speed. */
  readonly rate?: number
  /** Never on disk, never in a log. */
  readonly sensitive?: boolean
  readonly callId: string
}

export type UtterancePart = Clip | { readonly silenceMs: number }

export interface Utterance {
  /** In order of playing. They never reject. */
  readonly parts: readonly Promise<UtterancePart>[]
  /** What is known at once. */
  readonly warnings: readonly string[]
  /** What turned out later, such as a file that could not be fetched; resolves when all parts have. */
  readonly late: Promise<readonly string[]>
}

export interface SpeakerOptions {
  /** In order of preference. */
  readonly engines: readonly Synthesiser[]
  /** Language of the box, BCP 47. */
  readonly language: string
  readonly cache: PhraseCache
  readonly log: Log
  /** Phrases made at a time. */
  readonly concurrency?: number
}

interface Phrase {
  readonly text: string
  readonly language: string
  readonly voice: string
  readonly rate: number
  readonly gainDb: number
}

/** An engine found missing or broken is asked again after this. */
const restMs = 30_000

export class Speaker {
  readonly #options: SpeakerOptions
  readonly #queue: PriorityQueue
  /** Engine -> when it may be asked again. */
  readonly #resting = new Map<Synthesiser, number>()

  constructor(options: SpeakerOptions) {
    this.#options = options
    this.#queue = new PriorityQueue(options.concurrency ?? 2)
  }

  /** Which engines work; a warning in the log for each that does not. */
  async check(): Promise<readonly { readonly id: string; readonly ok: boolean; readonly reason: string }[]> {
    const results = await Promise.all(this.#options.engines.map(async (engine) => ({ id: engine.id, ...(await engine.check()) })))
    for (const [index, result] of results.entries()) {
      if (result.ok) continue
      this.#options.log.warn({ engine: result.id }, `A speech engine is out of service: ${result.reason}`)
      this.#resting.set(this.#options.engines[index]!, Date.now() + restMs)
    }
    return results
  }

  /** Starts to speak the whole text; never throws. */
  prepare(request: SpeechRequest): Utterance {
    const language = request.language ?? this.#options.language
    const warnings: string[] = []
    const voice = this.#voice(request.voice ?? '', language, warnings)
    const late: string[] = []
    const use = { callId: request.callId, sensitive: request.sensitive === true }
    const parts: Promise<UtterancePart>[] = []
    for (const segment of this.#segments(request.text, language, warnings)) {
      if (segment.kind === 'pause') {
        parts.push(Promise.resolve({ silenceMs: segment.ms }))
        continue
      }
      const rate = Math.max(0.5, Math.min(2, (request.rate ?? 1) * segment.rate))
      for (const piece of splitSentences(normalise(segment.text, language))) {
        const phrase = { text: piece.text, language, voice, rate, gainDb: segment.gainDb }
        parts.push(this.#clip(phrase, use, parts.length, late))
        if (piece.pauseMs > 0) parts.push(Promise.resolve({ silenceMs: Math.round(piece.pauseMs / rate) }))
      }
    }
    return { parts, warnings, late: Promise.all(parts).then(() => [...new Set(late)]) }
  }

  #segments(text: string, language: string, warnings: string[]): readonly Segment[] {
    if (!isSsml(text)) return [{ kind: 'text', text, rate: 1, gainDb: 0 }]
    const document = parseSsml(text, language)
    warnings.push(...document.warnings)
    return document.segments
  }

  #voice(name: string, language: string, warnings: string[]): string {
    const speaking = this.#enginesFor(language)
    if (speaking.length === 0) warnings.push(`No voice speaks ${language}; the voice of ${this.#options.language} is used`)
    if (name === '') return ''
    if (this.#options.engines.some((engine) => engine.voices().some((voice) => voice.name === name))) return name
    warnings.push(`There is no voice "${name.slice(0, 40)}"; the default voice is used`)
    return ''
  }

  /** Resolves with a tone when nobody can say it. */
  async #clip(phrase: Phrase, use: PhraseUse, priority: number, late: string[]): Promise<UtterancePart> {
    if (phrase.gainDb === -Infinity) return { silenceMs: Math.round((phrase.text.length * 65) / phrase.rate) }
    for (const engine of this.#order(phrase)) {
      const key = keyOf(engine, phrase)
      try {
        const samples = await this.#samples(engine, key, phrase, use, priority)
        if (samples.length === 0) return { silenceMs: 0 }
        return withGain({ key, samples, text: phrase.text }, phrase.gainDb)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        // Only a fault of its own puts an engine to rest; a text it cannot say does not.
        if (error instanceof SpeechError && error.code === 'engine-missing') this.#resting.set(engine, Date.now() + restMs)
        this.#options.log.error({ engine: engine.id, callId: use.callId }, `A phrase could not be spoken: ${reason}`)
        late.push(`${engine.id} could not speak a phrase: ${reason}`)
      }
    }
    late.push('A tone was played in place of a phrase')
    return { ...failureTone, text: phrase.text }
  }

  #samples(engine: Synthesiser, key: string, phrase: Phrase, use: PhraseUse, priority: number): Promise<Int16Array> {
    const { cache } = this.#options
    const found = cache.find(key, use)
    if (found !== undefined) return Promise.resolve(found)
    const { text, language, voice, rate } = phrase
    // What waits in the queue may have been made meanwhile: the cache is asked again inside.
    const make = () => cache.get(key, use, async () => level(await engine.synthesise({ text, language, voice, rate })))
    return cache.onDisk(key) ? make() : this.#queue.add(priority, make)
  }

  /** Engines to be tried: the one that has the voice, those that speak the language, then whoever is left. */
  #order(phrase: Phrase): Synthesiser[] {
    const speaking = this.#enginesFor(phrase.language)
    const named = speaking.filter((engine) => phrase.voice !== '' && engine.voices().some((voice) => voice.name === phrase.voice))
    const all = [...new Set([...named, ...speaking])]
    const awake = all.filter((engine) => (this.#resting.get(engine) ?? 0) <= Date.now())
    return awake.length > 0 ? awake : all
  }

  #enginesFor(language: string): Synthesiser[] {
    const speaking = this.#options.engines.filter((engine) => engine.speaks(language))
    return speaking.length > 0 ? speaking : this.#options.engines.filter((engine) => engine.speaks(this.#options.language))
  }
}

function keyOf(engine: Synthesiser, phrase: Phrase): string {
  const parts = [engine.id, phrase.voice, phrase.language.toLowerCase(), phrase.rate.toFixed(2), tidy(phrase.text)]
  return createHash('sha256').update(parts.join('\0')).digest('hex')
}

function withGain(clip: Clip, gainDb: number): Clip {
  if (gainDb === 0) return clip
  const samples = clip.samples.slice()
  amplify(samples, 10 ** (gainDb / 20))
  return { ...clip, key: `${clip.key}${gainDb > 0 ? '+' : ''}${gainDb}`, samples }
}
