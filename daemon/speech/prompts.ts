/**
 * The prompt library of `play`: the box's own phrases, WAV files of a folder (`<name>.wav` overrides a phrase of that
 * name), and audio files by URL. The box's own phrases are spoken at start, in the background.
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clip } from '../../drivers/line.ts'
import { toTelephoneRate } from '../../drivers/resample.ts'
import { readWav } from '../../drivers/wav.ts'
import type { AudioFetcher } from './fetch-audio.ts'
import { builtInPrompts } from './phrases.ts'
import type { Speaker, Utterance, UtterancePart } from './speaker.ts'
import { failureTone } from './tones.ts'
import { quoted } from '../base/for-log.ts'

export interface PromptRequest {
  readonly prompt?: string | undefined
  readonly url?: string | undefined
  readonly callId: string
}

export interface PromptsOptions {
  readonly speaker: Speaker
  readonly fetcher: AudioFetcher
  /** Folder of the box's own recordings; none when absent. */
  readonly directory?: string
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

export class Prompts {
  readonly #options: PromptsOptions
  readonly #files = new Map<string, { readonly stamp: string; readonly clip: Clip }>()
  /** Spoken at start and kept, so that an apology needs no engine. */
  readonly #spoken = new Map<string, readonly UtterancePart[]>()

  /** Prefix of names -> the file of what follows it. */
  readonly #sources = new Map<string, (name: string) => string | null>()

  constructor(options: PromptsOptions) {
    this.#options = options
  }

  /** Names that begin with `prefix:` are files of another part; null where there is none. For documents of the daemon itself. */
  addSource(prefix: string, fileOf: (name: string) => string | null): void {
    this.#sources.set(prefix, fileOf)
  }

  /** Speaks the box's own phrases ahead, anew when the voices have changed; resolves when they are there. */
  async warm(): Promise<void> {
    await Promise.all(Object.keys(builtInPrompts).map((name) => this.#make(name, true).late))
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
    if (Object.hasOwn(builtInPrompts, prompt)) {
      if (this.#options.directory === undefined) return this.#speak(prompt)
      return this.#ownOrSpoken(prompt)
    }
    return this.#later(() => this.#file(prompt, this.#pathOf(prompt)))
  }

  #later(get: () => Promise<{ clip: Clip | null; warning: string }>): Utterance {
    const answer = get()
    return {
      parts: [answer.then(({ clip }): UtterancePart => clip ?? { silenceMs: 0 })],
      warnings: [],
      late: answer.then(({ warning }) => (warning === '' ? [] : [warning])),
    }
  }

  #speak(name: string): Utterance {
    const kept = this.#spoken.get(name)
    if (kept !== undefined) return { parts: kept.map((part) => Promise.resolve(part)), warnings: [], late: Promise.resolve([]) }
    return this.#make(name, false)
  }

  /** What was kept serves until the new one is there. */
  #make(name: string, ahead: boolean): Utterance {
    const text = builtInPrompts[name as keyof typeof builtInPrompts]
    const utterance = this.#options.speaker.prepare({ text, language: 'en-US', callId: 'prompts', ahead })
    void Promise.all(utterance.parts).then((parts) => {
      if (!parts.some((part) => 'key' in part && part.key === failureTone.key)) this.#spoken.set(name, parts)
    })
    return utterance
  }

  /** A file of the box's own goes before the phrase; both have as many parts as the phrase. */
  #ownOrSpoken(name: string): Utterance {
    const spoken = this.#speak(name)
    const file = this.#file(name, this.#pathOf(name))
    return {
      ...spoken,
      parts: spoken.parts.map(async (part, index): Promise<UtterancePart> => {
        const { clip } = await file
        if (clip === null) return part
        return index === 0 ? clip : { silenceMs: 0 }
      }),
    }
  }

  #pathOf(name: string): string | null {
    return this.#options.directory === undefined ? null : join(this.#options.directory, `${name}.wav`)
  }

  async #file(name: string, path: string | null): Promise<{ clip: Clip | null; warning: string }> {
    const missing = { clip: null, warning: `There is no prompt ${quoted(name)}` }
    if (path === null) return missing
    try {
      const { mtimeMs, size } = await stat(path)
      const stamp = `${mtimeMs} ${size}`
      const known = this.#files.get(name)
      if (known?.stamp === stamp) return { clip: known.clip, warning: '' }
      const { rate, samples } = readWav(await readFile(path))
      const telephone = toTelephoneRate(samples, rate)
      const key = createHash('sha256')
        .update(new Uint8Array(telephone.buffer, 0, telephone.byteLength))
        .digest('hex')
      const clip = { key, samples: telephone, text: name }
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
