/** What leaves the box for a supporter: copies of which only that is shown of which it is known that it names no patient and is no secret. */
import { isIP } from 'node:net'
import { forLog } from '../base/for-log.ts'
import { parseListen, secretMark } from '../schema/config/forms.ts'
import { ConfigSchema } from '../schema/config.ts'
import { isOwnName, shownText } from './shown.ts'

const removed = '(removed)'
const telling = /pass|secret|token|pin$|sha256|credential/i

interface Shape {
  readonly [secretMark]?: boolean
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly allOf?: readonly { readonly then: Shape }[]
}

/** All keys whose values are secrets somewhere, and what sounds like one: a file need not be good to be shown. */
function isSecret(key: string): boolean {
  secretKeys ??= new Set(namesOf(ConfigSchema as unknown as Shape))
  return secretKeys.has(key) || telling.test(key)
}

let secretKeys: Set<string> | undefined

function namesOf(shape: Shape): string[] {
  const inner = [shape.items, ...(shape.anyOf ?? []), ...(shape.allOf ?? []).map(({ then }) => then)].flatMap((one) =>
    one === undefined ? [] : namesOf(one),
  )
  const members = Object.entries(shape.properties ?? {}).flatMap(([name, value]) => (value[secretMark] === true ? [name] : namesOf(value)))
  return [...inner, ...members]
}

/** What the daemon says of itself. Figures stay, and times; numbers of telephones that were made figures do not. */
export function masked(value: unknown, ids?: ReadonlySet<string>, key = ''): unknown {
  if (typeof value === 'string') return telling.test(key) ? removed : shownText(value, ids)
  if (typeof value === 'number') return Math.abs(value) < 1e6 || /time|at$|ms$|bytes|seconds|size|memory|pid/i.test(key) ? value : removed
  if (Array.isArray(value)) return value.map((item) => masked(item, ids, key))
  if (typeof value !== 'object' || value === null) return value
  return named(Object.entries(value).map(([name, item]) => [isOwnName(name) ? name : removed, masked(item, ids, name)]))
}

/** Two that are not shown are two all the same. */
function named(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, value] of entries) {
    let as = name
    for (let n = 2; Object.hasOwn(result, as); n++) as = `${name} ${n}`
    result[as] = value
  }
  return result
}

/** A configuration as it was parsed. */
export function maskedConfig(value: unknown): unknown {
  return shown(value, [ConfigSchema as unknown as Shape], '', idsIn(value))
}

/** Values of `id`, and short numbers of extensions and mailboxes, by which one thing names another. */
export function idsIn(value: unknown): Set<string> {
  const ids = new Set<string>()
  const look = (tree: unknown): void => {
    if (Array.isArray(tree)) return tree.forEach(look)
    if (typeof tree !== 'object' || tree === null) return
    for (const [key, inner] of Object.entries(tree)) {
      if (key === 'id' && typeof inner === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(inner)) ids.add(inner)
      if (['number', 'ext'].includes(key) && /^\d{2,6}$/.test(String(inner))) ids.add(String(inner))
      look(inner)
    }
  }
  look(value)
  return ids
}

/** `shapes`: what may stand there; none where the schema knows nothing of it. */
function shown(value: unknown, shapes: readonly Shape[], key: string, ids: ReadonlySet<string>): unknown {
  const all = shapes.flatMap(alternatives)
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items: inner }) => inner ?? [])
    return value.map((item) => shown(item, items, key, ids))
  }
  if (typeof value === 'object' && value !== null)
    return named(Object.entries(value).map(([name, item]) => member(name, item, { all, ids, key })))
  if (typeof value === 'string') return isSecret(key) ? removed : shownString(value, all, key, ids)
  if (typeof value !== 'number') return value
  if (Math.abs(value) >= 1e6) return forLog(String(value))
  return isSecret(key) || all.some(({ type, pattern }) => type === 'string' && pattern === undefined) ? removed : value
}

interface Around {
  readonly all: readonly Shape[]
  readonly ids: ReadonlySet<string>
  readonly key: string
}

/** What a table holds by names of the administrator is shown where it is hours and destinations. */
const tables = /^(open|keys)$/

function member(name: string, item: unknown, { all, ids, key }: Around): readonly [string, unknown] {
  const own = all.flatMap(({ properties }) => properties?.[name] ?? [])
  const more = all.flatMap(({ patternProperties }) => Object.values(patternProperties ?? {}))
  const as = own.length > 0 || /^[A-Za-z0-9_.*#+-]{1,64}$/.test(name) ? name : removed
  if (own.length === 0 && more.length > 0) return [forLog(as), shown(item, more, tables.test(key) ? key : '', ids)]
  if (typeof item !== 'object' && (isSecret(name) || name === 'name' || name === 'label')) return [as, removed]
  return [isSecret(name) ? as : forLog(as), shown(item, own, name, ids)]
}

function alternatives(shape: Shape): Shape[] {
  const inner = [...(shape.anyOf ?? []), ...(shape.allOf ?? []).map(({ then }) => then)]
  return [shape, ...inner.flatMap(alternatives)]
}

/** Keys whose values are names of hosts, and such whose values are places on the disk. */
const hosts = /^(server|outboundProxy|publicAddress|nameservers|fromDomain|realm|allowedHosts|allow|listen|udp|tcp)$/
const places = /^(file|dir|cert|key|ca|caFile|streamCaFile|sshConfig|socket|device|music)$/
const hostName = /^(?=.{1,253}$)(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d{1,5})?$/
/** Hours, days, ports, codes, short numbers. */
const figures =
  /^(?:[\d*#]{1,6}|\d{1,2}:\d\d(?:-\d{1,2}:\d\d)?|\d{4}-\d\d-\d\d|\d{4,5}-\d{4,5}|[A-Z]{2}|[a-z]{2}(?:-[A-Z]{2})?|off|none|any|all|\*)$/

function shownString(text: string, shapes: readonly Shape[], key: string, ids: ReadonlySet<string>): string {
  if (shapes.some((shape) => shape.const === text || shape.enum?.includes(text))) return text
  if (key !== '' && (ids.has(text) || isReference(text, ids))) return text
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return hostOf(text)
  if (/^\s*\+?\d[\d ().\/-]{5,30}\s*$/.test(text) && !figures.test(text)) return key === '' ? removed : forLog(text)
  if (shapes.length > 0 && figures.test(text) && shapes.some(({ pattern }) => pattern !== undefined && new RegExp(pattern, 'u').test(text)))
    return text
  if (/^(open|closedOn|special|rtpPorts)$/.test(key) && figures.test(text)) return text
  if (isAddress(text) || (hosts.test(key) && hostName.test(text))) return text
  if (key === 'timeZone' && Intl.supportedValuesOf('timeZone').concat('UTC').includes(text)) return text
  if (places.test(key)) return shownPlace(text)
  return key === 'events' ? shownText(text, ids) : removed
}

/** Such as `endpoint:reception`, of things that the configuration has. */
function isReference(text: string, ids: ReadonlySet<string>): boolean {
  const [, kind = '', id = ''] = /^([a-z]{1,20}):([^:]*)$/.exec(text) ?? []
  return isOwnName(kind) && ids.has(id)
}

function hostOf(text: string): string {
  try {
    const { protocol, host, pathname, search } = new URL(text)
    return `${protocol}//${host}${pathname.length > 1 || search !== '' ? '/(removed)' : ''}`
  } catch {
    return removed
  }
}

function isAddress(text: string): boolean {
  const [, network = ''] = /^([0-9a-fA-F:.]+)\/\d{1,3}$/.exec(text) ?? []
  const host = parseListen(text)?.host ?? ''
  return isIP(text) > 0 || isIP(network) > 0 || isIP(host) > 0 || host === 'localhost'
}

/** Parts of a path that are made of words of the program. */
function shownPlace(path: string): string {
  return path
    .split('/')
    .map((part) => (part === '' || part === '..' || isOwnName(part) || /^tty[A-Z]{1,4}\d{1,2}$/.test(part) ? part : '*'))
    .join('/')
}

/** A line of the log: members of an object, or what another program said. */
export function maskedLine(line: string, ids?: ReadonlySet<string>): string {
  try {
    const read: unknown = JSON.parse(line)
    if (typeof read === 'object' && read !== null) return JSON.stringify(masked(read, ids))
  } catch {
    // A stack, or what another program said.
  }
  return shownText(line, ids)
}
