/**
 * Checks the files of a model before the engine sees them. The engine answers a missing file, a missing metadata entry or
 * a strange list of tokens by ending the process; an installed model was checked when it was installed, but files change.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SpeechError, type ModelFiles } from '../speech.ts'
import { readOnnxFile, type OnnxOutline } from './onnx-file.ts'

/** Which languages a model serves. */

/** First part of a BCP 47 tag, in lower case. */
export function primary(language: string): string {
  return language.toLowerCase().split('-')[0] ?? ''
}

/** A model of one English understands and speaks all Englishes. */
export function serves(languages: readonly string[], language: string): boolean {
  return languages.some((known) => known === '*' || primary(known) === primary(language))
}

/** Longest list of tokens that is read. */
const longestTokens = 8 << 20

/** Path of the file of a role. Throws SpeechError when the model has none. */
export function fileOf(model: ModelFiles, role: string): string {
  const name = model.files[role]
  if (name === undefined) throw new SpeechError('engine-failed', `The model ${model.id} names no file for "${role}"`)
  return join(model.directory, name)
}

/** Checks that the file is a whole ONNX file with these metadata entries; gives its path. Throws SpeechError. */
export function onnxOf(model: ModelFiles, role: string, entries: readonly string[] = []): { path: string; outline: OnnxOutline } {
  const path = fileOf(model, role)
  const outline = readOnnxFile(path)
  const missing = entries.filter((entry) => !outline.metadata.has(entry))
  if (missing.length > 0) throw new SpeechError('engine-failed', `The model file ${path} lacks the metadata ${missing.join(', ')}`)
  return { path, outline }
}

/** Symbols by id, in the form `symbol id` per line. Throws SpeechError. */
export function tokensOf(model: ModelFiles): { path: string; symbols: ReadonlySet<string> } {
  const path = fileOf(model, 'tokens')
  let content: string
  try {
    if (statSync(path).size > longestTokens) throw new SpeechError('engine-failed', `The list of tokens ${path} is too long`)
    content = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof SpeechError) throw error
    throw new SpeechError('engine-failed', `The list of tokens ${path} cannot be read`)
  }
  const symbols = new Set<string>()
  for (const line of content.split('\n')) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    // The symbol of a blank leaves nothing before the number, or the blank alone.
    const match = /^(.*?)[ \t]+(\d+)\s*$/.exec(text)
    if (match !== null) symbols.add(match[1] === '' ? ' ' : match[1]!)
  }
  if (symbols.size === 0) throw new SpeechError('engine-failed', `The list of tokens ${path} holds no tokens`)
  return { path, symbols }
}
