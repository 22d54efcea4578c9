/**
 * Phrases that were spoken when the program was installed, as WAV files next to a list of their texts: the box can apologise without any
 * engine, and says its own phrases at once after a start.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readWav } from '../../drivers/wav.ts'

export interface RenderedManifest {
  readonly format: 1
  /** Id of the synthesiser that spoke, in its default voice. */
  readonly engine: string
  readonly phrases: readonly {
    /** As it reached the engine. */
    readonly text: string
    /** Name of the file in the list's folder. */
    readonly file: string
    /** Of the file. */
    readonly sha256: string
  }[]
}

export interface RenderedPhrases {
  readonly engine: string
  has(text: string): boolean
  /** 8 kHz, level and edges as the cache has them; null when the file is gone or is not the one that was written. */
  read(text: string): Promise<Int16Array | null>
}

export const manifestName = 'manifest.json'

/** Name of a phrase's file. */
export function renderedFile(text: string): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.wav`
}

/** Null where nothing was rendered; a fault costs the advantage, nothing else. */
export async function openRendered(directory: string, onFault: (error: unknown) => void): Promise<RenderedPhrases | null> {
  let manifest: RenderedManifest
  try {
    manifest = JSON.parse(await readFile(join(directory, manifestName), 'utf8')) as RenderedManifest
    if (manifest.format !== 1) throw new Error(`${directory}: the list of rendered phrases has an unknown format`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onFault(error)
    return null
  }
  const phrases = new Map(manifest.phrases.map((phrase) => [phrase.text, phrase]))
  return {
    engine: manifest.engine,
    has: (text) => phrases.has(text),
    async read(text) {
      const phrase = phrases.get(text)
      if (phrase === undefined) return null
      try {
        const file = await readFile(join(directory, phrase.file))
        if (createHash('sha256').update(file).digest('hex') !== phrase.sha256)
          throw new Error(`${phrase.file} is not the file that was written`)
        const { rate, samples } = readWav(file)
        if (rate !== 8000) throw new Error(`${phrase.file} has ${rate} samples a second`)
        return samples
      } catch (error) {
        phrases.delete(text)
        onFault(error)
        return null
      }
    },
  }
}
