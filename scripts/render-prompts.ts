/**
 * Speaks the box's own phrases ahead, with flite: scripts/render-prompts.ts [FOLDER] (default .cache/prompts). What is there
 * already is left alone. Exit code 0 done, 1 failed.
 */
import { join } from 'node:path'
import { spokenPhrases } from '../daemon/pbx/spoken-ahead/spoken-phrases.ts'
import { isRendered, renderPrompts } from '../daemon/speech/render-prompts.ts'
import { createFlite } from '../drivers/speech-embedded/engines.ts'

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
