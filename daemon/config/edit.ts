/**
 * Changes of values within the text of a configuration: only what differs is written, so that comments, order and spelling of all
 * else stay, to the byte. Forms of pages and routes that set a section go this way.
 */
import { isDeepStrictEqual } from 'node:util'
import { isMap, isScalar, isSeq, parseDocument, type Document, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'
import { ApiError } from '../base/errors.ts'
import { isDeep } from './source.ts'
import { pause, type Clock } from '../base/clock.ts'
import type { ConfigDesk } from './desk.ts'
import { ConfigError } from './load.ts'

export type Values = Readonly<Record<string, unknown>>

/** What the sections of a text say; null where it is no YAML of sections. */
export function valuesOf(text: string): Values | null {
  const document = read(text)
  return document === null ? null : data(document)
}

/**
 * The text with these sections instead of those that it has; null takes one away. Items of lists are matched by what names them.
 * @throws ApiError validation_failed where the text is no YAML of sections
 */
export function withValues(text: string, values: Values): string {
  const document = read(text)
  if (document === null) throw new ApiError('validation_failed', 'The text is no valid YAML: repair it first.')
  const wanted: Record<string, unknown> = { ...data(document) }
  for (const [key, value] of Object.entries(values))
    if (value === null) delete wanted[key]
    else wanted[key] = value
  const patched = patch(text, wanted)
  return says(patched, wanted) ? patched : rewritten(document, wanted)
}

/** What names an item of a list. */
const names = ['id', 'number', 'ext', 'name', 'device'] as const

function read(text: string): Document | null {
  if (isDeep(text)) return null
  const document = parseDocument(text, { version: '1.2', prettyErrors: false, uniqueKeys: true })
  const { contents, errors } = document
  if (errors.length > 0 || !(contents === null || isMap(contents) || (isScalar(contents) && contents.value === null))) return null
  return text.includes('*') && !hasValues(document) ? null : document
}

/** Not where a * names nothing, or too much. */
function hasValues(document: Document): boolean {
  try {
    data(document)
    return true
  } catch {
    return false
  }
}

const data = (document: Document): Values => (document.toJS({ maxAliasCount: 100 }) ?? {}) as Values

function says(text: string, wanted: Values): boolean {
  const values = valuesOf(text)
  return values !== null && isDeepStrictEqual(JSON.parse(JSON.stringify(values)), JSON.parse(JSON.stringify(wanted)))
}

/** Where a text is written in a way that cannot be changed in place, such as with aliases: comments stay, line breaks may not. */
function rewritten(document: Document, wanted: Values): string {
  for (const key of Object.keys(data(document))) if (!(key in wanted)) document.delete(key)
  for (const [key, value] of Object.entries(wanted)) if (!isDeepStrictEqual(data(document)[key], value)) document.set(key, value)
  return document.toString({ lineWidth: 0 })
}

/** One change in place after the other: each is of what the one before has left. */
function patch(text: string, wanted: Values): string {
  for (let [now, left] = [text, 500]; left > 0; left--) {
    const document: Document = parseDocument(now, { version: '1.2', prettyErrors: false })
    const { contents } = document
    const change = isMap(contents) ? changeOfMap({ text: now, document }, contents as YAMLMap, wanted, false) : firstSections(now, wanted)
    if (change === undefined) return now
    now = now.slice(0, change.start) + change.by + now.slice(change.end)
  }
  return text
}

interface Change {
  readonly start: number
  readonly end: number
  readonly by: string
}
/** A text as it is read. */
interface Reading {
  readonly text: string
  readonly document: Document
}
type Tree = Readonly<Record<string, unknown>>

const isTree = (value: unknown): value is Tree => value !== null && typeof value === 'object' && !Array.isArray(value)

function firstSections(text: string, wanted: Values): Change | undefined {
  const [first] = Object.entries(wanted)
  if (first === undefined) return undefined
  return { start: text.length, end: text.length, by: `${lineBreak(text, text.length)}${pairText(first, 0)}\n` }
}

/** The first change that brings a node nearer to the value; undefined where it says that already. `flow`: within braces or brackets. */
function changeOf(of: Reading, node: Node | null | undefined, value: unknown, flow: boolean): Change | undefined {
  if (isMap(node) && isTree(value)) return changeOfMap(of, node, value, flow || node.flow === true)
  if (isSeq(node) && Array.isArray(value)) return changeOfSeq(of, node, value, flow || node.flow === true)
  if (isScalar(node) && node.range && !isTree(value) && !Array.isArray(value)) {
    if (node.value === value) return undefined
    const [start, end] = node.range
    const quoted = /["']/.test(of.text[start] ?? '')
    return { start, end, by: start === end ? ` ${inline(value)}` : quoted ? JSON.stringify(value) : inline(value) }
  }
  if (!node?.range) return undefined
  const [start, end] = node.range
  return { start, end, by: start === end ? ` ${inline(value)}` : inline(value) }
}

function changeOfMap(of: Reading, map: YAMLMap, wanted: Tree, flow: boolean): Change | undefined {
  const { text } = of
  const pairs = map.items as Pair<Node, Node | null>[]
  const nameOf = ({ key }: Pair<Node, Node | null>): string => (isScalar(key) ? String(key.value) : '')
  const gone = pairs.findIndex((pair) => !(nameOf(pair) in wanted))
  if (gone !== -1) return without(text, map, pairs.map(spanOfPair), gone, flow, '{}')
  for (const pair of pairs) {
    const value = wanted[nameOf(pair)]
    const change = pair.value === null && value !== null ? undefined : changeOf(of, pair.value, value, flow)
    if (change !== undefined) return change
  }
  const next = Object.entries(wanted).find(([key, value]) => value !== undefined && !pairs.some((pair) => nameOf(pair) === key))
  if (next === undefined) return undefined
  const at = pairs.length
  return flow
    ? into(text, map, pairs.map(spanOfPair), at, `${inlineKey(next[0])}: ${inline(next[1])}`, true)
    : below(text, map, pairs.map(spanOfPair), at, (column) => pairText(next, column))
}

function changeOfSeq(of: Reading, seq: YAMLSeq, wanted: readonly unknown[], flow: boolean): Change | undefined {
  const { text, document } = of
  const nodes = seq.items as Node[]
  const spans = nodes.map((node) => ({ start: node.range?.[0] ?? 0, end: node.range?.[1] ?? 0 }))
  const now = nodes.map((node) => node.toJS(document) as unknown)
  const alike = same(now, wanted)
  for (const [index, value] of wanted.entries()) {
    if (index < now.length && alike(now[index], value)) {
      const change = changeOf(of, nodes[index], value, flow)
      if (change !== undefined) return change
      continue
    }
    if (index < now.length && !wanted.slice(index).some((other) => alike(now[index], other)))
      return without(text, seq, spans, index, flow, '[]')
    if (nodes.length === 0 && flow && isTree(value) && startsValue(text, seq)) return firstBelow(text, seq, value)
    return flow
      ? into(text, seq, spans, index, inline(value), false)
      : below(text, seq, spans, index, (column) => `${' '.repeat(column)}- ${inline(value)}`)
  }
  return nodes.length > wanted.length ? without(text, seq, spans, wanted.length, flow, '[]') : undefined
}

/** Items are alike by what names them, else by all that they say. */
function same(now: readonly unknown[], wanted: readonly unknown[]): (one: unknown, other: unknown) => boolean {
  const all = [...now, ...wanted]
  const name = names.find((key) => all.length > 0 && all.every((item) => isTree(item) && typeof item[key] === 'string'))
  if (name === undefined) return isDeepStrictEqual
  return (one, other) => (one as Tree)[name] === (other as Tree)[name]
}

interface Span {
  readonly start: number
  readonly end: number
}

const spanOfPair = ({ key, value }: Pair<Node, Node | null>): Span => ({
  start: key.range?.[0] ?? 0,
  end: Math.max(value?.range?.[1] ?? 0, key.range?.[1] ?? 0),
})

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}
/** After what ends with a line break, the end of the line is that of the line before. */
const lastLineEnd = (text: string, end: number): number => (text[end - 1] === '\n' ? end - 1 : lineEnd(text, end))
const lineBreak = (text: string, at: number): string => (at === 0 || text[at - 1] === '\n' ? '' : '\n')

/** Without an item; the last one leaves an empty list. */
function without(text: string, node: Node, spans: readonly Span[], index: number, flow: boolean, empty: string): Change {
  const { start, end } = spans[index]!
  const next = spans[index + 1]
  const before = spans[index - 1]
  if (flow) {
    if (spans.length === 1) return { start: node.range![0], end: node.range![1], by: empty }
    return next === undefined ? { start: before!.end, end, by: '' } : { start, end: next.start, by: '' }
  }
  const from = lineStart(text, start)
  const to = Math.min(text.length, lastLineEnd(text, end) + 1)
  // What a list stands in goes on in the line of its first item: `- id: office`.
  const isFirstOfItem = /[^\s-]/.test(text.slice(from, start)) || (isMap(node) && /-\s*$/.test(text.slice(from, start)))
  if (isFirstOfItem && next !== undefined) return { start, end: next.start, by: '' }
  if (spans.length > 1) return { start: from, end: to, by: '' }
  const colon = text.lastIndexOf(':', node.range![0])
  return { start: colon + 1, end: to, by: ` ${empty}${text.slice(colon + 1, from)}` }
}

/** Another item within braces or brackets. */
function into(text: string, node: Node, spans: readonly Span[], index: number, written: string, braces: boolean): Change {
  const [start, end] = node.range!
  if (spans.length === 0) return { start, end, by: braces ? `{ ${written} }` : `[${written}]` }
  const before = spans[index]
  if (before !== undefined) return { start: before.start, end: before.start, by: `${written}, ` }
  const at = spans.at(-1)!.end
  return { start: at, end: at, by: `, ${written}` }
}

/** Another item in lines of its own. */
function below(text: string, node: Node, spans: readonly Span[], index: number, written: (column: number) => string): Change {
  const first = isMap(node) ? spans[0]!.start : node.range![0]
  const column = first - lineStart(text, first)
  if (index === 0) {
    const at = lineStart(text, first)
    return { start: at, end: at, by: `${written(column)}\n` }
  }
  const at = lastLineEnd(text, spans[index - 1]!.end)
  return { start: at, end: at, by: `\n${written(column)}` }
}

/** Whether an empty list is the value of a key that stands in a line of its own. */
function startsValue(text: string, { range }: Node): boolean {
  return /^\s*["\w.-]+:[ \t]*$/.test(text.slice(lineStart(text, range![0]), range![0]))
}

function firstBelow(text: string, { range }: Node, value: Tree): Change {
  const [start, end] = range!
  const indent = /^\s*/.exec(text.slice(lineStart(text, start), start))![0]
  const rest = text.slice(end, lineEnd(text, end))
  const comment = rest.trim()
  return {
    start: text.slice(0, start).trimEnd().length,
    end: end + rest.length,
    by: `${comment === '' ? '' : ` ${comment}`}\n${indent}  - ${inline(value)}`,
  }
}

/** A section, or a key of one, in lines of its own. */
function pairText([key, value]: readonly [string, unknown], column: number): string {
  const indent = ' '.repeat(column)
  const head = `${indent}${inlineKey(key)}:`
  if (Array.isArray(value) && value.some(isTree)) return [head, ...value.map((item) => `${indent}  - ${inline(item)}`)].join('\n')
  return `${head} ${inline(value)}`
}

/** A value in one line. What YAML could read as something else is in quotes. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (!isTree(value)) return typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value ?? null)
  const pairs = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return pairs.length === 0 ? '{}' : `{ ${pairs.map(([key, inner]) => `${inlineKey(key)}: ${inline(inner)}`).join(', ')} }`
}

const inlineKey = (key: string): string => (isPlain(key) ? key : JSON.stringify(key))

const isPlain = (text: string): boolean =>
  /^[A-Za-z(][\w ./@()-]*$/.test(text) && !/\s$|^(true|false|null|yes|no|on|off|nan|inf)$/i.test(text)

/** Sections of the configuration that a route of another room sets, such as the opening times: in the text, with its comments, as a change like any other. */
interface Sections {
  /**
   * Resolves once the change has stood. `change`: of the values that the text has now. Throws ApiError: validation_failed with the first fault
   * in its words, config_change_running, config_unapplied, config_taken_back, not_supported.
   */
  set(change: (values: Values) => Values, order: { readonly by: string; readonly note: string }): Promise<void>
}

const lookMs = 100

export function sectionsOf({ desk, clock }: { readonly desk: ConfigDesk; readonly clock: Clock }): Sections {
  return {
    async set(change, order) {
      const fault = desk.fileFault()
      if (fault?.kind === 'other' || fault?.kind === 'refused')
        throw new ApiError(
          'config_unapplied',
          `The configuration file has changes that are not in use (${fault.text}): a technician applies or reverts them first.`,
        )
      const text = fileText(desk)
      const next = withValues(text, change(valuesOf(text) ?? {}))
      const { faults } = desk.check(next)
      const details = faults.map(({ path, text: message }) => ({ path, message }))
      if (faults[0] !== undefined) throw new ApiError('validation_failed', `${faults[0].text}.`, { details })
      desk.apply({ ...order, text: next, confirmed: true })
      while (!desk.isIdle) await pause(clock, lookMs)
      const { change: ended } = desk.state()
      if (ended?.state === 'reverted') throw new ApiError('config_taken_back', `The change was taken back: ${ended.reason}.`)
    },
  }
}

function fileText(desk: ConfigDesk): string {
  try {
    return desk.fileText()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ApiError('config_unapplied', `The configuration file cannot be read: ${error.faults[0]?.text ?? ''}`)
  }
}
