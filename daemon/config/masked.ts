/**
 * The text of a configuration without its secrets: each stands there as `(kept ab12)`, which means the same secret where it comes back. A
 * secret is a value under one of the names that secrets have in the schema, wherever it stands: in a file that is refused, too, and in a
 * comment. So none is shown because a line slipped to another place, and none can be moved to where it would be shown.
 */
import { createHmac } from 'node:crypto'
import { isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { secretMark } from '../schema/config/forms.ts'
import { ConfigSchema } from '../schema/config.ts'
import type { ConfigFault } from './load.ts'
import { isDeep } from './source.ts'

interface Shape {
  [secretMark]?: boolean
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: readonly Shape[]
  allOf?: readonly { then?: Shape }[]
}

/** Names under which secrets stand, such as `password`. */
export const secretNames: ReadonlySet<string> = namesIn(ConfigSchema as unknown as Shape)

function namesIn({ properties = {}, items, anyOf = [], allOf = [] }: Shape, names = new Set<string>()): Set<string> {
  for (const [name, shape] of Object.entries(properties)) {
    if (shape[secretMark] === true) names.add(name)
    namesIn(shape, names)
  }
  for (const shape of [items, ...anyOf, ...allOf.map((one) => one.then)]) if (shape !== undefined) namesIn(shape, names)
  return names
}

/** A secret at its place in a text. */
interface Found {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly value: string
}

const markPattern = /^\(kept ([0-9a-f]{4,64})\)$/
const shortMark = 4
const longMark = 12

/** In order of their places. */
export function secretsIn(text: string): Found[] {
  const found = isDeep(text) ? [] : inDocument(text)
  const others = inLines(text).filter(({ start, end }) => !found.some((one) => one.start < end && start < one.end))
  return [...found, ...others].toSorted((a, b) => a.start - b.start)
}

/** As YAML reads it, as far as it can be read. */
function inDocument(text: string): Found[] {
  const found: Found[] = []
  visit(parseDocument(text, { version: '1.2', prettyErrors: false, uniqueKeys: false }), {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || !value.range || !secretNames.has(String(key.value))) return
      const [start, end] = value.range
      if (value.value === null || value.value === '' || start === end) return
      // A number or a truth that somebody meant as text.
      found.push({ name: String(key.value), start, end, value: typeof value.value === 'string' ? value.value : text.slice(start, end) })
    },
  })
  return found
}

const named = [...secretNames].join('|')
const inLine = new RegExp(`^(.*?)(?<![\\w])["']?(${named})["']?[ \\t]*:[ \\t]+(.*)$`)

/** Line by line, where a text is no YAML, and in comments. */
function inLines(text: string): Found[] {
  const found: Found[] = []
  let at = 0
  for (const line of text.split('\n')) {
    let [before, rest, start] = ['', line, at]
    for (let match = inLine.exec(rest); match !== null; match = inLine.exec(rest)) {
      const [whole, ahead = '', name = '', after = ''] = match
      before += ahead
      const from = start + whole.length - after.length
      const value = valueOf(after, before)
      if (value !== '') found.push({ name, start: from, end: from + value.length, value: unquoted(value) })
      start = from + value.length
      before += value
      rest = after.slice(value.length)
    }
    at += line.length + 1
  }
  return found
}

/** The value that `text` begins with; '' for none, and for what is read from elsewhere. `before`: the line up to it. */
function valueOf(text: string, before: string): string {
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(text)
  if (quoted !== null) return quoted[0]
  if (/^[{[&*|>#]/.test(text)) return ''
  if (before.includes('#')) return text.trimEnd()
  const end = before.includes('{') ? /[,}]|[ \t]#|[ \t]*$/ : /[ \t]#|[ \t]*$/
  return text.slice(0, end.exec(text)?.index ?? text.length).trimEnd()
}

const unquoted = (value: string): string => (/^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value)

export class SecretMarks {
  readonly #key: Uint8Array

  /** `key`: random, of this box; without it a mark says nothing. */
  constructor(key: Uint8Array) {
    this.#key = key
  }

  masked(text: string): string {
    const found = secretsIn(text)
    const marks = new Map(found.map(({ value }) => [value, this.#hash(value)]))
    const isShared = (hash: string): boolean => [...marks.values()].filter((one) => one.startsWith(hash.slice(0, shortMark))).length > 1
    return replaced(
      text,
      found.map(({ start, end, value }) => {
        const hash = marks.get(value)!
        const ending = text.slice(start, end).endsWith('\n') ? '\n' : ''
        return { start, end, by: `(kept ${hash.slice(0, isShared(hash) ? longMark : shortMark)})${ending}` }
      }),
    ).text
  }

  /**
   * The text with the secrets that its marks mean, as `sources` have them, the first that has one first. A mark that means none is a fault
   * at its place.
   */
  unmasked(text: string, sources: readonly string[], file: string): Unmasked {
    const known = sources.map((source) => secretsIn(source).map((one) => ({ ...one, raw: source.slice(one.start, one.end) })))
    const faults: ConfigFault[] = []
    const lines = new LineCounter()
    parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' })
    const edits = secretsIn(text).flatMap(({ name, start, end, value }) => {
      const mark = markPattern.exec(value.trim())?.[1]
      if (mark === undefined) return []
      const means = known.map((secrets) => secrets.filter((one) => one.name === name && this.#hash(one.value).startsWith(mark)))
      const [first, ...others] = means.find((one) => one.length > 0) ?? []
      if (first !== undefined && others.every((other) => other.value === first.value))
        return [{ start, end, by: inOneLine(first.raw) ?? JSON.stringify(first.value) }]
      const { line, col: column } = lines.linePos(start)
      const sentence = `(kept ${mark}) is not the ${name} of this box any more; write it, or load the configuration again`
      faults.push({ file, line, column, path: '', text: sentence })
      return []
    })
    return { ...replaced(text, edits), faults }
  }

  #hash(value: string): string {
    return createHmac('sha256', this.#key).update(value).digest('hex')
  }
}

/** As it was written, where that is good everywhere. */
const inOneLine = (raw: string): string | undefined => (/^("[^\n]*"|'[^\n]*'|[\w+/=.-]+)$/.test(raw) ? raw : undefined)

interface Edit {
  readonly start: number
  readonly end: number
  readonly by: string
}

export interface Unmasked {
  readonly text: string
  readonly faults: readonly ConfigFault[]
  /** Where something of the text stood before. Lines and columns count from 1. */
  placeBefore(place: Place): Place
}

interface Place {
  readonly line: number
  readonly column: number
}

/** Nothing of what is replaced has more than one line afterwards; what had more before moves what follows. */
function replaced(before: string, edits: readonly Edit[]): Omit<Unmasked, 'faults'> {
  let [text, at] = ['', 0]
  const moves: { readonly from: number; readonly by: number }[] = []
  for (const { start, end, by } of edits) {
    text += before.slice(at, start)
    at = end
    moves.push({ from: text.length, by: end - start - by.length })
    text += by
  }
  text += before.slice(at)
  return {
    text,
    placeBefore({ line, column }) {
      const offset = offsetOf(text, line, column)
      const moved = moves.reduce((sum, move) => (move.from < offset ? sum + move.by : sum), 0)
      return placeOf(before, offset + moved)
    },
  }
}

function offsetOf(text: string, line: number, column: number): number {
  let offset = 0
  for (let left = line - 1; left > 0; left--) {
    const next = text.indexOf('\n', offset)
    if (next === -1) break
    offset = next + 1
  }
  return offset + column - 1
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, Math.max(0, offset))
  return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 }
}

/**
 * The sentence without the secrets of these texts. A secret that is a mere word, such as `secret`, may stand in any sentence: it is one where
 * the sentence quotes it.
 */
export function withoutSecrets(sentence: string, texts: readonly string[]): string {
  const values = texts.flatMap((text) => secretsIn(text)).map(({ value }) => value)
  return values
    .filter((value) => value.length >= 4 && !markPattern.test(value))
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, value) => {
      return /^[a-z]+$/i.test(value) ? shown.replaceAll(`"${value}"`, '"(secret)"') : shown.replaceAll(value, '(secret)')
    }, sentence)
}
