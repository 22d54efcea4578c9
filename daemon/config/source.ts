/** A YAML text that knows where each of its values stands. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import type { Document, Node, Scalar, YAMLMap, YAMLParseError } from 'yaml'
import type { ConfigFault } from './load.ts'
import { closeSync, fchmodSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { asOwnerOf } from '../base/owner.ts'

/** A fault of the configuration as one line: where it is, and what to write. */
interface PlacedFault {
  readonly file: string
  readonly line: number
  readonly column: number
  /** '' for the file as a whole. */
  readonly path: string
  readonly text: string
}

/** For a reader who knows which file is meant: `line 87, sip.udp: ...`. */
export function faultInFile({ line, path, text }: Pick<PlacedFault, 'line' | 'path' | 'text'>): string {
  return `line ${line}${path === '' ? '' : `, ${path}`}: ${text}`
}

/** The first of several, and how many more there are. */
export function faultsInFile(faults: readonly Pick<PlacedFault, 'line' | 'path' | 'text'>[]): string {
  const [first] = faults
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  return first === undefined ? 'The configuration has faults.' : `${faultInFile(first)}${more}`
}

export function faultLine({ file, line, column, path, text }: PlacedFault): string {
  return [`${file}:${line}:${column}`, ...(path === '' ? [] : [path]), text].join(': ')
}

/** Writes the configuration file as a person would leave it: whole or not at all, with the owner and the mode it had. */
const newMode = 0o640

/** Rejects nothing: '' when it is written, else why not. In a folder of somebody else root writes it as that one. */
export function writeConfigFile(file: string, text: string): string {
  try {
    asOwnerOf(dirname(resolve(file)), () => writeAs(file, text))
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

function writeAs(file: string, text: string): void {
  const part = `${file}.part`
  try {
    const before = statSync(file, { throwIfNoEntry: false })
    rmSync(part, { force: true })
    const handle = openSync(part, 'wx', 0o600)
    try {
      writeFileSync(handle, text)
      if (before !== undefined && process.geteuid?.() === 0) fchownSync(handle, before.uid, before.gid)
      fchmodSync(handle, before === undefined ? newMode : before.mode & 0o777)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

export type Path = readonly (string | number)[]

/** No setting stands so deep. Of a few thousand levels the reader of YAML takes the program with it. */
const mostLevels = 64
const nestedInLine = /^[ \t]*(?:[-?:][ \t]+){64}/m

export function isDeep(text: string): boolean {
  let level = 0
  for (const [sign] of text.matchAll(/[[\]{}]/g)) {
    level = sign === '[' || sign === '{' ? level + 1 : Math.max(0, level - 1)
    if (level > mostLevels) return true
  }
  return nestedInLine.test(text)
}

export class ConfigSource {
  readonly file: string
  readonly faults: ConfigFault[] = []
  readonly #lines = new LineCounter()
  readonly #document: Document.Parsed
  readonly #text: string
  readonly #keys = new WeakMap<YAMLMap, ReadonlyMap<string, Scalar>>()

  constructor(text: string, file: string) {
    this.file = file
    this.#text = text
    const deep = isDeep(text)
    this.#document = parseDocument(deep ? '{}' : text, { version: '1.2', prettyErrors: false, lineCounter: this.#lines, uniqueKeys: true })
    if (deep) this.faults.push(this.#fault(0, '', `the file nests values more than ${mostLevels} levels deep`))
    for (const error of this.#document.errors) {
      this.faults.push(this.#fault(error.pos[0], '', `this is not valid YAML: ${this.#words(error)}`))
    }
    const { contents } = this.#document
    if (this.faults.length > 0) return
    this.faults.push(...this.#marks())
    if (this.faults.length > 0) return
    // What a power cut or a full disk leaves of a file must not take every phone away.
    if (contents === null || (isScalar(contents) && contents.value === null)) {
      this.faults.push(this.#fault(0, '', 'the file is empty; write {} for an empty configuration'))
    } else if (!isMap(contents)) {
      this.faults.push(this.#fault(0, '', 'the file must consist of sections such as "http:" and "trunks:"'))
    }
  }

  #words({ code, message, pos: [at] }: YAMLParseError): string {
    if (code === 'DUPLICATE_KEY') return `${/^[\w-]+/.exec(this.#text.slice(at))?.[0] ?? 'a key'} is given twice`
    return message.replace(/\s*\n[\s\S]*$/, '')
  }

  /** What begins with * or ! is no text in YAML: a feature code or a password that is not quoted would be lost without a word. */
  #marks(): ConfigFault[] {
    const faults: ConfigFault[] = []
    const anchors = new Set<string>()
    let aliases = 0
    visit(this.#document, {
      Value: (_, { anchor }) => void (anchor !== undefined && anchors.add(anchor)),
      Alias: (_, { source, range }) => {
        aliases += 1
        if (anchors.has(source)) return
        const text = `put *${source} in quotes: "*${source}"; without them * names another value of the file`
        faults.push(this.#fault(range?.[0] ?? 0, '', text))
      },
    })
    for (const { code, pos } of this.#document.warnings)
      if (code === 'TAG_RESOLVE_FAILED')
        faults.push(this.#fault(pos[0], '', 'put a value that begins with ! in quotes; without them ! names a kind of value'))
    if (aliases === 0 || faults.length > 0) return faults
    try {
      this.data()
      return []
    } catch {
      return [this.#fault(0, '', 'the file repeats values by * too often; write them out')]
    }
  }

  /** The values as plain data. */
  data(): Record<string, unknown> {
    return this.#document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>
  }

  /** A fault at the value of that path, or at the nearest one around it that is written in the file. */
  at(path: Path, text: string): ConfigFault {
    for (let length = path.length; length >= 0; length--) {
      const node = this.#node(path.slice(0, length))
      if (node?.range) return this.#fault(node.range[0], pointer(path), text)
    }
    return this.#fault(0, pointer(path), text)
  }

  /** The same at a key instead of its value. */
  atKey(path: Path, text: string): ConfigFault {
    const parent = this.#node(path.slice(0, -1))
    const name = String(path.at(-1))
    const range = isMap(parent) ? this.#keyOf(parent, name)?.range : undefined
    return range ? this.#fault(range[0], pointer(path), text) : this.at(path, text)
  }

  /** Found once for all keys of a map: a file may have thousands that are not known. */
  #keyOf(map: YAMLMap, name: string): Scalar | undefined {
    let keys = this.#keys.get(map)
    if (keys === undefined) {
      const scalars = map.items.map(({ key }) => key).filter((key) => isScalar(key))
      this.#keys.set(map, (keys = new Map(scalars.map((key) => [String(key.value), key]))))
    }
    return keys.get(name)
  }

  /** How a value is written, without quotes; undefined where it is no plain value. */
  written(path: Path): string | undefined {
    const node = this.#node(path)
    return isScalar(node) ? node.source : undefined
  }

  #node(path: Path): Node | undefined {
    let node: unknown = this.#document.contents
    for (const part of path) {
      if (isMap(node)) node = node.get(part, true)
      else if (isSeq(node)) node = node.get(Number(part), true)
      else return undefined
    }
    return (node as Node | null) ?? undefined
  }

  #fault(offset: number, path: string, text: string): ConfigFault {
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.file, line: Math.max(1, line), column: Math.max(1, col), path, text }
  }
}

function pointer(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
