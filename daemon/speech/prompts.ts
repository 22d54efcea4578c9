/**
 * The prompt library of `play`: the box's own phrases, WAV files of a folder (`<name>.wav` overrides a phrase of that
 * name), and audio files by URL. The box's own phrases are spoken in the language of the site, at start, in the background.
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clip, PlaySource } from '../../drivers/line.ts'
import { toTelephoneRate } from '../../drivers/resample.ts'
import { readWav } from '../../drivers/wav.ts'
import type { AudioFetcher } from './fetch-audio.ts'
import type { Speaker, Utterance, UtterancePart, SpeechRequest } from './speaker.ts'
import { quoted } from '../base/for-log.ts'
import { words, type Wording } from '../words/words.ts'

// What is spoken as what a line plays: to somebody else than the caller, whom the session speaks to.

/** In order of playing; they never reject. */
export function spokenSources(speaker: Pick<Speaker, 'prepare'>, request: SpeechRequest): Promise<PlaySource>[] {
  return speaker.prepare(request).parts.map(async (part): Promise<PlaySource> => {
    const made = await part
    return 'silenceMs' in made ? { kind: 'silence', ms: made.silenceMs } : { kind: 'clip', clip: made }
  })
}

// Sounds that need no engine and no file.

/** Before a recording: 1 kHz, 200 ms, -13 dBm0. */
const beep: PlaySource = { kind: 'tone', hz: [1000], ms: 200, dbm0: -13 }

/** Heard in place of a phrase that nobody could speak: two short notes, falling. */
export const failureTone: Clip = { key: 'tone:failure:1', samples: notes([480, 400], 180, 60) }

function notes(hz: readonly number[], ms: number, gapMs: number): Int16Array {
  const length = ms * 8
  const step = (ms + gapMs) * 8
  const samples = new Int16Array(hz.length * step)
  for (const [note, frequency] of hz.entries()) {
    for (let index = 0; index < length; index += 1) {
      const edge = Math.min(1, index / 80, (length - 1 - index) / 80)
      samples[note * step + index] = Math.round(3200 * edge * Math.sin((2 * Math.PI * frequency * index) / 8000))
    }
  }
  return samples
}

export interface PromptRequest {
  readonly prompt?: string | undefined
  readonly url?: string | undefined
  readonly callId: string
}

export interface PromptsOptions {
  readonly speaker: Speaker
  readonly fetcher: AudioFetcher
  /** Of the site, BCP 47. */
  readonly language: string
  /** Folder of the box's own recordings; none when absent. */
  readonly directory?: string
}

type PromptName = keyof Wording['prompts']

interface Playable {
  readonly clip: Clip | null
  readonly warning: string
}

const promptNames = Object.keys(words().prompts) as PromptName[]
const samplesPerMs = 8
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

export class Prompts {
  readonly #options: PromptsOptions
  readonly #files = new Map<string, { readonly stamp: string; readonly clip: Clip }>()
  /** Spoken at start and kept, so that an apology needs no engine. */
  readonly #spoken = new Map<PromptName, Clip>()

  /** Prefix of names -> the file of what follows it. */
  readonly #sources = new Map<string, (name: string) => string | null>()

  constructor(options: PromptsOptions) {
    this.#options = options
  }

  /** Names that begin with `prefix:` are files of another part; null where there is none. For documents of the daemon itself. */
  addSource(prefix: string, fileOf: (name: string) => string | null): void {
    this.#sources.set(prefix, fileOf)
  }

  /** Speaks the box's own phrases ahead, and again when the voices have changed; resolves when they are there. */
  async warm(): Promise<void> {
    await Promise.all(promptNames.map((name) => this.#make(name, true)))
  }

  /** Never throws; what cannot be played is a warning and no sound. */
  prepare(request: PromptRequest): Utterance {
    const { prompt, url } = request
    if (url !== undefined) return this.#later(() => this.#options.fetcher.get(url))
    if (prompt === undefined) return { parts: [], warnings: ['Nothing to play'], late: Promise.resolve([]) }
    const [prefix = '', ...rest] = prompt.split(':')
    const source = rest.length === 0 ? undefined : this.#sources.get(prefix)
    if (source !== undefined) return this.#later(() => this.#file(prompt, source(rest.join(':'))))
    if (!namePattern.test(prompt))
      return { parts: [], warnings: [`There is no prompt ${quoted(prompt.slice(0, 64))}`], late: Promise.resolve([]) }
    const own = promptNames.find((name) => name === prompt)
    if (own !== undefined) return this.#later(() => this.#ownOrSpoken(own))
    return this.#later(() => this.#file(prompt, this.#pathOf(prompt)))
  }

  #later(get: () => Promise<Playable>): Utterance {
    const answer = get()
    return {
      parts: [answer.then(({ clip }): UtterancePart => clip ?? { silenceMs: 0 })],
      warnings: [],
      late: answer.then(({ warning }) => (warning === '' ? [] : [warning])),
    }
  }

  async #ownOrSpoken(name: PromptName): Promise<Playable> {
    const own = await this.#file(name, this.#pathOf(name))
    if (own.clip !== null) return own
    const kept = this.#spoken.get(name)
    return kept === undefined ? this.#make(name, false) : { clip: kept, warning: '' }
  }

  /** In English where no voice can say it in the language of the site: a caller is better served by that than by a tone. */
  async #make(name: PromptName, ahead: boolean): Promise<Playable> {
    const warnings: string[] = []
    const [own, english] = [words(this.#options.language), words()]
    for (const { language, prompts } of own.tag === english.tag ? [own] : [own, english]) {
      const utterance = this.#options.speaker.prepare({ text: prompts[name], language, callId: 'prompts', ahead })
      const parts = await Promise.all(utterance.parts)
      warnings.push(...utterance.warnings, ...(await utterance.late))
      if (parts.some((part) => 'key' in part && part.key === failureTone.key)) continue
      const clip = joined(prompts[name], parts)
      // What was kept serves until the new one is there.
      this.#spoken.set(name, clip)
      return { clip, warning: warnings.join('; ') }
    }
    return { clip: { ...failureTone, text: own.prompts[name] }, warning: warnings.join('; ') }
  }

  #pathOf(name: string): string | null {
    return this.#options.directory === undefined ? null : join(this.#options.directory, `${name}.wav`)
  }

  async #file(name: string, path: string | null): Promise<Playable> {
    const missing = { clip: null, warning: `There is no prompt ${quoted(name)}` }
    if (path === null) return missing
    try {
      const { mtimeMs, size } = await stat(path)
      const stamp = `${mtimeMs} ${size}`
      const known = this.#files.get(name)
      if (known?.stamp === stamp) return { clip: known.clip, warning: '' }
      const { rate, samples } = readWav(await readFile(path))
      const telephone = toTelephoneRate(samples, rate)
      const clip = { key: keyOf(telephone), samples: telephone, text: name }
      this.#files.set(name, { stamp, clip })
      return { clip, warning: '' }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missing
      return {
        clip: null,
        warning: `The prompt ${quoted(name)} cannot be played: ${error instanceof Error ? error.message : String(error)}`,
      }
    }
  }
}

/** One after the other as one clip, at the rate of the telephone. */
function joined(text: string, parts: readonly UtterancePart[]): Clip {
  const pieces = parts.map((part) => ('silenceMs' in part ? new Int16Array(part.silenceMs * samplesPerMs) : part.samples))
  const samples = new Int16Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  return { key: keyOf(samples), samples, text }
}

function keyOf(samples: Int16Array): string {
  return createHash('sha256')
    .update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    .digest('hex')
}
