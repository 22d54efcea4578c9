/**
 * Text to clips: the one door through which the rest of the daemon speaks. A text is read as SSML or plain, put into
 * words, cut into sentences, and each is synthesised at once, the first ones first; what was said before comes from the
 * cache. An engine that fails costs quality, never a call: the next engine speaks, and after the last a tone is heard.
 */
import { createHash } from 'node:crypto'
import type { Clip } from '../../drivers/line.ts'
import { SpeechError, type Synthesiser } from '../../drivers/speech.ts'
import type { Log } from '../base/log.ts'
import type { PhraseCache, PhraseUse } from './cache.ts'
import { amplify, level } from './loudness.ts'
import { PriorityQueue } from './queue.ts'
import { renderedFile, type RenderedPhrases } from './rendered.ts'
import { splitSentences } from './sentences.ts'
import { isSsml, parseSsml, type Segment } from './ssml.ts'
import { failureTone } from './prompts.ts'
import { quoted } from '../base/for-log.ts'
import { primarySubtag } from '../words/tag.ts'
import { abbreviationRules } from './english-abbreviations.ts'
import { dateRules, moneyRules, numberRules, timeRules, type Rule } from './english-numbers.ts'
import { identifierRules } from './english-identifiers.ts'

// English text as it is to be read aloud, once, before any engine: telephone numbers digit by digit, times, dates,
// money, units and abbreviations in words. Other languages are left to their engine.

/** In this order: what is found first is not looked at again as a mere number. */
const rules: readonly Rule[] = [...dateRules, ...moneyRules, ...timeRules, ...identifierRules, ...abbreviationRules, ...numberRules]

/** No word of English, no number and no address that is read aloud: what would be looked for in it costs the square of its length. */
const longWord = /\S{200}(?=\S)/g

/** Text in any language: control characters and runs of white space gone. */
function tidy(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Co}\p{Cs}\u200B-\u200F\uFEFF]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** @param language BCP 47; text that is not English comes back tidied only */
export function normalise(text: string, language: string): string {
  const tidied = tidy(text)
  const tag = language.toLowerCase()
  if (tag !== 'en' && !tag.startsWith('en-')) return tidied
  const british = tag !== 'en' && tag !== 'en-us' && tag !== 'en-ca'
  let result = tidied
    .replace(longWord, '$& ')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s*…/g, '...')
    .replace(/\s+[—–]\s+|—/g, ', ')
  for (const [pattern, words] of rules) {
    result = result.replace(pattern, (...match: string[]) => words(match, british) ?? match[0]!)
  }
  return result.replace(/ {2,}/g, ' ').trim()
}

export interface SpeechRequest {
  /** Plain text, or SSML when it starts with `<speak`. */
  readonly text: string
  /** Name of a voice or of an engine. */
  readonly voice?: string
  /** BCP 47, such as `en-US`; when absent that of the voice, else the box's own. */
  readonly language?: string
  /** 1 = normal speed. */
  readonly rate?: number
  /** Never on disk, never in a log. */
  readonly sensitive?: boolean
  readonly callId: string
  /** Nobody waits for it: whatever a caller is to hear is made before. */
  readonly ahead?: boolean
  /** Aborted when nobody will hear it any more: what was not begun is not made, and is silent. */
  readonly signal?: AbortSignal
}

export interface SpokenClip extends Clip {
  /** Id of the synthesiser that spoke it. */
  readonly engine?: string
}

export type UtterancePart = SpokenClip | { readonly silenceMs: number }

export interface Utterance {
  /** In order of playing. They never reject. */
  readonly parts: readonly Promise<UtterancePart>[]
  /** What is known at once. */
  readonly warnings: readonly string[]
  /** What turned out later, such as a file that could not be fetched; resolves when all parts have. */
  readonly late: Promise<readonly string[]>
}

export interface SpeakerEngines {
  /** In order of preference where `preferred` does not say otherwise. */
  readonly engines: readonly Synthesiser[]
  /** Engines of a language, best first: ids, names of their voices, or ids without a version such as `flite`. Those left out come behind. */
  readonly preferred?: (language: string) => readonly string[]
}

export interface SpeakerOptions extends SpeakerEngines {
  /** Language of the box, BCP 47. */
  readonly language: string
  readonly cache: PhraseCache
  readonly log: Log
  /** Phrases made at a time. */
  readonly concurrency?: number
  /** Phrases spoken when the program was installed. */
  readonly rendered?: RenderedPhrases | null
}

interface Phrase {
  readonly text: string
  readonly language: string
  readonly voice: string
  readonly rate: number
  readonly gainDb: number
  /** When it will be heard, on the clock of `performance.now()`. */
  readonly dueMs: number
  readonly signal: AbortSignal | undefined
}

/** An engine found missing or broken is asked again after this. */
const restMs = 30_000
/** How long a phrase takes to say, by its length: only to know what will be heard when. */
const msPerCharacter = 65
/** Texts of one call that are asked for so close to each other are one document's, spoken one after the other. */
const sameDocumentMs = 50
const aheadMs = 3_600_000
/** Calls whose documents are remembered. */
const mostDocuments = 500

export class Speaker {
  readonly #options: SpeakerOptions
  readonly #queue: PriorityQueue
  #engines: SpeakerEngines
  /** Call -> until when what it is to hear lasts, as of when. */
  readonly #documents = new Map<string, { readonly askedMs: number; readonly untilMs: number }>()
  /** Engine -> when it may be asked again. */
  readonly #resting = new Map<Synthesiser, number>()

  constructor(options: SpeakerOptions) {
    this.#options = options
    this.#engines = options
    this.#queue = new PriorityQueue(options.concurrency ?? 2)
  }

  get engines(): readonly Synthesiser[] {
    return this.#engines.engines
  }

  /** Other voices from now on, such as after a model was installed. What is being spoken is spoken to its end. */
  replace(engines: SpeakerEngines): void {
    this.#engines = engines
    this.#resting.clear()
  }

  /** Which engines work; a warning in the log for each that does not. */
  async check(): Promise<readonly { readonly id: string; readonly ok: boolean; readonly reason: string }[]> {
    const { engines } = this.#engines
    const results = await Promise.all(engines.map(async (engine) => ({ id: engine.id, ...(await engine.check()) })))
    for (const [index, result] of results.entries()) {
      if (result.ok) {
        this.#resting.delete(engines[index]!)
        continue
      }
      this.#options.log.warn({ engine: result.id }, `A speech engine is out of service: ${result.reason}`)
      this.#resting.set(engines[index]!, performance.now() + restMs)
    }
    return results
  }

  /** Starts to speak the whole text; never throws. */
  prepare(request: SpeechRequest): Utterance {
    const warnings: string[] = []
    const language = request.language ?? this.#languageOf(request.voice ?? '')
    const voice = this.#voice(request.voice ?? '', language, warnings)
    const late: string[] = []
    const { signal } = request
    const use = { callId: request.callId, sensitive: request.sensitive === true }
    const parts: Promise<UtterancePart>[] = []
    const now = performance.now()
    let dueMs = this.#beginning(request, now)
    let early = dueMs <= now && this.#order(voice, language)[0]?.slow === true
    for (const segment of this.#segments(request.text, language, warnings)) {
      if (segment.kind === 'pause') {
        parts.push(Promise.resolve({ silenceMs: segment.ms }))
        dueMs += segment.ms
        continue
      }
      const rate = Math.max(0.5, Math.min(2, (request.rate ?? 1) * segment.rate))
      for (const piece of splitSentences(normalise(segment.text, language), early)) {
        early = false
        const pauseMs = Math.round(piece.pauseMs / rate)
        parts.push(this.#clip({ text: piece.text, language, voice, rate, gainDb: segment.gainDb, dueMs, signal }, use, late))
        if (pauseMs > 0) parts.push(Promise.resolve({ silenceMs: pauseMs }))
        dueMs += (piece.text.length * msPerCharacter) / rate + pauseMs
      }
    }
    if (request.ahead !== true) this.#documents.set(request.callId, { askedMs: now, untilMs: dueMs })
    return { parts, warnings, late: Promise.all(parts).then(() => [...new Set(late)]) }
  }

  /** When the first word is wanted. */
  #beginning({ callId, ahead }: SpeechRequest, now: number): number {
    if (ahead === true) return now + aheadMs
    const document = this.#documents.get(callId)
    this.#documents.delete(callId)
    if (this.#documents.size >= mostDocuments) this.#documents.delete(this.#documents.keys().next().value!)
    return document !== undefined && now - document.askedMs < sameDocumentMs ? document.untilMs : now
  }

  /** A voice of another language than the box's brings its language along. */
  #languageOf(name: string): string {
    const own = this.#options.language
    if (name === '') return own
    const speaking = this.engines.filter((engine) => has(engine, name))
    if (speaking.length === 0 || speaking.some((engine) => engine.id === name && engine.speaks(own))) return own
    const languages = speaking.flatMap((engine) => engine.voices().filter((voice) => voice.name === name || engine.id === name))
    if (languages.length === 0 || languages.some((voice) => primarySubtag(voice.language) === primarySubtag(own))) return own
    return languages[0]!.language
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
    if (this.engines.some((engine) => has(engine, name))) return name
    warnings.push(`There is no voice ${quoted(name.slice(0, 40))}; the default voice is used`)
    return ''
  }

  /** Resolves with a tone when nobody can say it. */
  async #clip(phrase: Phrase, use: PhraseUse, late: string[]): Promise<UtterancePart> {
    const { text, gainDb } = phrase
    if (gainDb === -Infinity) return { silenceMs: Math.round((text.length * msPerCharacter) / phrase.rate) }
    for (const engine of this.#order(phrase.voice, phrase.language)) {
      const voice = engine.voices().some(({ name }) => name === phrase.voice) ? phrase.voice : ''
      const key = keyOf(engine, { ...phrase, voice })
      try {
        const samples = await this.#samples(engine, key, { ...phrase, voice }, use)
        if (samples.length === 0) return { silenceMs: 0 }
        return { ...withGain({ key, samples, text }, gainDb), engine: engine.id }
      } catch (error) {
        if (phrase.signal?.aborted === true) return { silenceMs: 0 }
        const reason = error instanceof Error ? error.message : String(error)
        // Only a fault of its own puts an engine to rest; a text it cannot say does not.
        if (error instanceof SpeechError && error.code === 'engine-missing') this.#resting.set(engine, performance.now() + restMs)
        this.#options.log.error({ engine: engine.id, callId: use.callId }, `A phrase could not be spoken: ${reason}`)
        late.push(`${engine.id} could not speak a phrase: ${reason}`)
      }
    }
    const { rendered } = this.#options
    const kept = isEnglish(phrase.language) ? await rendered?.read(text) : null
    if (kept) return { ...withGain({ key: `rendered:${renderedFile(text)}`, samples: kept, text }, gainDb), engine: rendered!.engine }
    late.push('A tone was played in place of a phrase')
    return { ...failureTone, text }
  }

  #samples(engine: Synthesiser, key: string, phrase: Phrase, use: PhraseUse): Promise<Int16Array> {
    const { cache, rendered } = this.#options
    const found = cache.find(key, use)
    if (found !== undefined) return Promise.resolve(found)
    // What waits in the queue may have been made meanwhile: the cache is asked again inside.
    const speak = () => cache.get(key, use, async () => level(await synthesised(engine, phrase)))
    if (cache.onDisk(key)) return speak()
    const queued = () => this.#queue.add(phrase.dueMs, speak, phrase.signal)
    const { text, voice, rate, language } = phrase
    if (rendered?.engine !== engine.id || voice !== '' || rate !== 1 || !isEnglish(language) || !rendered.has(text)) return queued()
    return rendered.read(text).then((samples) => samples ?? queued())
  }

  /** Engines to be tried: the one that has the voice, those that speak the language, then the others. */
  #order(voice: string, language: string): Synthesiser[] {
    const speaking = this.#enginesFor(language)
    const named = speaking.filter((engine) => voice !== '' && has(engine, voice))
    const all = [...new Set([...named, ...speaking])]
    const awake = all.filter((engine) => (this.#resting.get(engine) ?? 0) <= performance.now())
    return awake.length > 0 ? awake : all
  }

  #enginesFor(language: string): Synthesiser[] {
    const { preferred } = this.#engines
    const speak = (tag: string): Synthesiser[] => {
      const wanted = preferred?.(tag) ?? []
      const place = (engine: Synthesiser): number => {
        const at = wanted.findIndex((name) => has(engine, name) || engine.id.startsWith(`${name}-`))
        return at < 0 ? wanted.length : at
      }
      return this.engines.filter((engine) => engine.speaks(tag)).sort((a, b) => place(a) - place(b))
    }
    const speaking = speak(language)
    return speaking.length > 0 ? speaking : speak(this.#options.language)
  }
}

function has(engine: Synthesiser, voice: string): boolean {
  return engine.id === voice || engine.voices().some(({ name }) => name === voice)
}

function isEnglish(language: string): boolean {
  return primarySubtag(language) === 'en'
}

/** An engine that does not come to an end is left; the next one speaks. */
async function synthesised(engine: Synthesiser, { text, language, voice, rate }: Phrase): Promise<Int16Array> {
  const limitMs = 5000 + text.length * msPerCharacter
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new SpeechError('engine-missing', `no answer in ${Math.round(limitMs / 1000)} s`))
      limit.abort()
    }, limitMs)
  })
  try {
    return await Promise.race([engine.synthesise({ text, language, voice, rate, signal: limit.signal }), late])
  } finally {
    clearTimeout(timer)
  }
}

function keyOf(engine: Synthesiser, phrase: Omit<Phrase, 'dueMs' | 'signal'>): string {
  const parts = [engine.id, phrase.voice, phrase.language.toLowerCase(), phrase.rate.toFixed(2), tidy(phrase.text)]
  return createHash('sha256').update(parts.join('\0')).digest('hex')
}

function withGain(clip: Clip, gainDb: number): Clip {
  if (gainDb === 0) return clip
  const samples = clip.samples.slice()
  amplify(samples, 10 ** (gainDb / 20))
  return { ...clip, key: `${clip.key}${gainDb > 0 ? '+' : ''}${gainDb}`, samples }
}
