/** Speaks phrases of the box into a folder, for `openRendered`. Run when the program is installed. */
import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Synthesiser } from '../../drivers/speech.ts'
import { level } from './loudness.ts'
import { normalise } from './speaker.ts'
import { manifestName, openRendered, renderedFile, type RenderedManifest } from './rendered.ts'
import { splitSentences } from './sentences.ts'
import { wavBytes } from '../../drivers/wav.ts'

const language = 'en-US'

/** Phrases as they reach an engine. */
export function renderedTexts(phrases: readonly string[]): string[] {
  return [...new Set(phrases.flatMap((text) => splitSentences(normalise(text, language)).map((piece) => piece.text)))]
}

/** Whether the folder has every phrase, spoken by this engine. */
export async function isRendered(directory: string, engine: string, phrases: readonly string[]): Promise<boolean> {
  const found = await openRendered(directory, () => undefined)
  return found !== null && found.engine === engine && renderedTexts(phrases).every((text) => found.has(text))
}

/** Replaces the folder in one step; resolves with the number of phrases. Throws SpeechError and what the file system throws. */
export async function renderPrompts(directory: string, engine: Synthesiser, phrases: readonly string[]): Promise<number> {
  const made = `${directory}.new`
  await rm(made, { recursive: true, force: true })
  await mkdir(made, { recursive: true })
  const spoken: { text: string; file: string; sha256: string }[] = []
  const texts = renderedTexts(phrases)
  const speak = async (text: string): Promise<void> => {
    const file = wavBytes(level(await engine.synthesise({ text, language, voice: '', rate: 1 })))
    const name = renderedFile(text)
    await writeFile(join(made, name), file)
    spoken.push({ text, file: name, sha256: createHash('sha256').update(file).digest('hex') })
  }
  await Promise.all(texts.map(speak))
  const manifest: RenderedManifest = { format: 1, engine: engine.id, phrases: spoken.sort((a, b) => (a.text < b.text ? -1 : 1)) }
  await writeFile(join(made, manifestName), `${JSON.stringify(manifest, null, 1)}\n`)
  await rm(directory, { recursive: true, force: true })
  await rename(made, directory)
  return texts.length
}
