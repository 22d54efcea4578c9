/**
 * What may be shown of a text that anybody may have had a part in: words that the program's own documentation uses, small figures, addresses
 * of hosts, times, versions, codes of errors, ids of calls, and ids that the caller knows. Everything else is a `*`. A rule of what may not
 * be shown would have to know every name and every secret there is.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants } from 'node:os'
import { forLog } from '../base/for-log.ts'
import { root } from '../base/root.ts'
import { ConfigSchema } from '../schema/config.ts'

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly enum?: readonly unknown[]
}

const address = String.raw`(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?:\/\d{1,2})?(?::\d{1,5})?(?![\d.]*\d)`
const moment = String.raw`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?`
const call = String.raw`\b(?:CA|AC|MZ)[0-9a-f]{32}\b`
const version = String.raw`(?<![\w.])v?\d{1,3}(?:\.\d{1,5}){1,3}(?![\w.]*\w)`
const token = new RegExp(`(?<kept>${address}|${moment}|${call}|${version})|(?<word>[\\p{L}\\p{N}_]+)`, 'gu')
const ownFrame = /^(\s+at (?:async )?[\w.$#<> [\]]{1,80} ?\(?)(?:file:\/\/)?([^\s():]+|node:[\w/]+)(:\d+:\d+\)?)$/

/** Of logs: keys of each line, and what systemd says. */
const daily = [
  'ready',
  'pid',
  'msg',
  'err',
  'hostname',
  'exited',
  'started',
  'stopped',
  'scheduled',
  'restart',
  'counter',
  'succeeded',
  'main',
  'process',
  'code',
  'status',
  'signal',
  'killed',
  'kill',
  'watchdog',
  'timeout',
  'consumed',
  'core',
]
let known: Set<string> | undefined

/** Lower case. Names of people and places have capitals: what is written small in the documentation is none. */
function vocabulary(): Set<string> {
  if (known !== undefined) return known
  known = new Set(['pbxd', 'pbx', 'etc', 'var', 'lib', 'run', 'usr', 'srv', 'pem', 'crt', 'wav', 'yaml', 'sock', ...daily])
  for (const name of schemaWords(ConfigSchema as unknown as Shape)) for (const word of wordsOf(name)) known.add(word)
  const docs = join(root, 'docs')
  const pages = existsSync(docs) ? readdirSync(docs, { withFileTypes: true, recursive: true }) : []
  for (const page of pages)
    if (page.isFile() && page.name.endsWith('.md'))
      for (const [word] of readFileSync(join(page.parentPath, page.name), 'utf8').matchAll(
        /(?<![\p{L}\p{N}@._=/-])[a-z]{2,20}(?![\p{L}\p{N}@_=])/gu,
      ))
        known.add(word)
  return known
}

function* schemaWords(shape: Shape): Generator<string> {
  for (const one of shape.enum ?? []) if (typeof one === 'string') yield one
  for (const [name, inner] of Object.entries(shape.properties ?? {})) {
    yield name
    yield* schemaWords(inner)
  }
  for (const inner of [...(shape.anyOf ?? []), ...(shape.items === undefined ? [] : [shape.items])]) yield* schemaWords(inner)
}

/** Of `remoteStationId`: remote, station, id. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Whether a name is made of words of the program: a key, a code, a file. */
export function isOwnName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.-]{0,60}$/.test(name) && wordsOf(name).every((word) => vocabulary().has(word))
}

/** `ids`: names of things in the configuration. */
export function shownText(text: string, ids: ReadonlySet<string> = new Set()): string {
  return text
    .split('\n')
    .map((line) => frame(line) ?? shownLine(line, ids))
    .join('\n')
}

/** Of a stack, where it is a place in the program. */
function frame(line: string): string | null {
  const [, before, place, after] = ownFrame.exec(line) ?? []
  if (before === undefined || place === undefined || after === undefined) return null
  if (place.startsWith('node:')) return line
  return place.startsWith(`${root}/`) ? `${before}${place.slice(root.length + 1)}${after}` : null
}

function shownLine(line: string, ids: ReadonlySet<string>): string {
  const shown = forLog(line).replace(token, (found: string, ...rest: unknown[]) => {
    const { kept } = rest.at(-1) as { kept?: string }
    const [at, whole] = rest.slice(-3) as [number, string]
    return kept !== undefined || ids.has(found) || mayStand(found, whole.slice(0, at)) ? found : '*'
  })
  return shown.replaceAll(/\*(?:[^\p{L}\p{N}\s]{0,3}\s?\*)+/gu, '*')
}

function mayStand(word: string, before: string): boolean {
  if (/^\d{1,4}$/.test(word)) return true
  if (word in constants.errno) return true
  const small = word.toLowerCase()
  const begins = before.trim() === '' || /[.:!?]\s+$/.test(before)
  if (word === small || word === word.toUpperCase() || (begins && word.slice(1) === small.slice(1))) return vocabulary().has(small)
  return /^[a-z]/.test(word) && isOwnName(word)
}
