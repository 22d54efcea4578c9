/**
 * Speaks the box's own phrases ahead, with flite: scripts/render-prompts.ts [FOLDER] (default .cache/prompts). What is there
 * already is left alone. Exit code 0 done, 1 failed.
 */
import { join } from 'node:path'
import { createFlite } from '../drivers/speech-embedded/engines.ts'
import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import type { Synthesiser } from '../drivers/speech.ts'
import { level } from '../daemon/speech/loudness.ts'
import { normalise } from '../daemon/speech/speaker.ts'
import { manifestName, openRendered, renderedFile, type RenderedManifest } from '../daemon/speech/rendered.ts'
import { splitSentences } from '../daemon/speech/sentences.ts'
import { wavBytes } from '../drivers/wav.ts'
import { fixedSentences, words } from '../daemon/words/words.ts'
import { cardinal, dateWords, ordinal, timeOfDay } from '../daemon/speech/number-words.ts'

/** English texts that applications are likely to say: spoken ahead when the program is installed. */
const common = [
  'Goodbye.',
  'Hello.',
  'Thank you.',
  'Thank you for calling.',
  'Please hold.',
  'Please wait.',
  'Please try again.',
  'Please leave a message after the tone.',
  'I did not understand that.',
  'Sorry, I did not understand that.',
  'Please say yes or no.',
  'Your message was saved.',
  'Connecting you now.',
  'All lines are busy.',
  'We are closed now.',
]
const weekDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)
const withStop = (text: string): string[] => [text, `${text}.`]

/** Texts as an application writes them: common sentences, digits, days, months, hours. */
function commonPhrases(): string[] {
  return [
    ...common,
    ...[0, ...upTo(9)].flatMap((key) => withStop(cardinal(key))),
    ...upTo(9).map((key) => `Press ${cardinal(key)}.`),
    ...weekDays.flatMap(withStop),
    ...upTo(12).flatMap((month) => withStop(dateWords(null, month, null)!)),
    ...upTo(31).map((day) => ordinal(day)),
    ...['am', 'pm'].flatMap((half) => upTo(12).map((hour) => timeOfDay(hour, 0, half))),
  ]
}

/** What every box in English says by itself, whatever its configuration: spoken when the program is installed (scripts/render-prompts.ts). */
export function spokenPhrases(): string[] {
  const { prompts, codes, recording, menus } = words()
  return [...Object.values(prompts), ...commonPhrases(), ...[codes, recording, menus].flatMap(fixedSentences)]
}

/** Speaks phrases of the box into a folder, for `openRendered`. Run when the program is installed. */
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

const directory = process.argv[2] ?? join(import.meta.dirname, '../.cache/prompts')
const engine = createFlite()
const phrases = spokenPhrases()
try {
  const there = await isRendered(directory, engine.id, phrases)
  console.log(there ? `${directory} is up to date` : `${await renderPrompts(directory, engine, phrases)} phrases in ${directory}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
