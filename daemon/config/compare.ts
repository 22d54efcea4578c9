/**
 * What a change of the configuration changes, key by key, in words for a person and with when it counts. Items of lists are matched by
 * their names; of lists without names (rules) the items themselves are shown. Secrets are compared, and never shown.
 */
import { isDeepStrictEqual } from 'node:util'
import { effectMark, secretMark, type Effect } from '../schema/config/forms.ts'
import type { ConfigChange } from '../schema/config/change.ts'
import { ConfigSchema, type Config } from '../schema/config.ts'

/** What becomes of the changes of a configuration, taken together. */
export interface Plan {
  readonly changes: ConfigChange[]
  readonly effect: 'none' | 'live' | 'restart'
  /** Whether it is taken back unless it is confirmed. */
  readonly confirm: boolean
}

/** The box is reached by these: an administrator who changes one may be locked out. */
const doors = /^(http|control|sip\.(udp|tcp|tls))\b/

export function planOf(changes: ConfigChange[]): Plan {
  const effect = changes.length === 0 ? 'none' : changes.every((change) => change.effect === 'live') ? 'live' : 'restart'
  return { changes, effect, confirm: changes.some(({ path }) => doors.test(path)) }
}

/** `trunks[main].channels: 30 -> 20`. */
export function inWords({ path, change, before = '', after = '' }: ConfigChange): string {
  switch (change) {
    case 'added':
      return `+ ${path}: ${after}`
    case 'removed':
      return `- ${path}: ${before}`
    case 'changed':
      return `~ ${path}: ${before} -> ${after}`
    case 'moved':
      return `~ ${path}: in another order`
  }
}

interface Shape {
  readonly [secretMark]?: boolean
  readonly [effectMark]?: Effect
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  /** Of lists whose items come in kinds. */
  readonly allOf?: readonly { readonly if: { readonly properties: { readonly kind: { readonly const: string } } }; readonly then: Shape }[]
}

type Tree = Readonly<Record<string, unknown>>

/** What names an item of a list; the first that it has. */
const names = ['id', 'number', 'ext', 'name', 'device'] as const

/** In the order of the schema; empty where both mean the same. */
export function compareConfigs(before: Config, after: Config): ConfigChange[] {
  return [...compareTrees(ConfigSchema as unknown as Shape, before as unknown as Tree, after as unknown as Tree, '', 'restart')]
}

function* compareTrees(shape: Shape, before: Tree, after: Tree, path: string, outer: Effect): Iterable<ConfigChange> {
  const { properties = {} } = shapeOf(shape, after)
  for (const key of new Set([...Object.keys(properties), ...Object.keys(before), ...Object.keys(after)]))
    yield* compare(properties[key] ?? {}, before[key], after[key], path === '' ? key : `${path}.${key}`, shape[effectMark] ?? outer)
}

function* compare(shape: Shape, before: unknown, after: unknown, path: string, outer: Effect): Iterable<ConfigChange> {
  if (isDeepStrictEqual(before, after)) return
  const effect = shape[effectMark] ?? outer
  if (shape[secretMark] === true) yield { path, change: 'changed', before: '(secret)', after: '(another secret)', effect }
  else if (isTree(before) && isTree(after) && shape.properties !== undefined) yield* compareTrees(shape, before, after, path, effect)
  else if (isList(before) && isList(after) && shape.items !== undefined) yield* compareLists(shape.items, before, after, path, effect)
  else if (before === undefined) yield { path, change: 'added', after: shown(shape, after), effect }
  else if (after === undefined) yield { path, change: 'removed', before: shown(shape, before), effect }
  else yield { path, change: 'changed', before: shown(shape, before), after: shown(shape, after), effect }
}

function* compareLists(
  items: Shape,
  before: readonly Tree[],
  after: readonly Tree[],
  path: string,
  effect: Effect,
): Iterable<ConfigChange> {
  const name = names.find((key) => [...before, ...after].every((item) => typeof item[key] === 'string'))
  const idOf = (item: Tree): string => String(item[name ?? ''])
  const same = name === undefined ? isDeepStrictEqual : (one: Tree, other: Tree) => idOf(one) === idOf(other)
  const at = (item: Tree): string => (name === undefined ? path : `${path}[${idOf(item)}]`)
  for (const item of before)
    if (!after.some((other) => same(item, other))) yield { path: at(item), change: 'removed', before: shown(items, item), effect }
  for (const item of after) {
    const old = before.find((other) => same(item, other))
    if (old === undefined) yield { path: at(item), change: 'added', after: shown(items, item), effect }
    else yield* compare(items, old, item, at(item), effect)
  }
  const stay = (list: readonly Tree[], others: readonly Tree[]): Tree[] => list.filter((item) => others.some((other) => same(item, other)))
  const [first, then] = [stay(before, after), stay(after, before)]
  if (first.some((item, index) => !same(item, then[index]!))) yield { path, change: 'moved', effect }
}

/** As one line of YAML, without secrets, and without what was not written because it is empty. */
function shown(shape: Shape, value: unknown): string {
  if (shape[secretMark] === true) return '(secret)'
  if (Array.isArray(value)) return `[${value.map((item) => shown(shape.items ?? {}, item)).join(', ')}]`
  if (!isTree(value)) return value === null ? 'off' : String(value)
  const { properties = {} } = shapeOf(shape, value)
  const members = Object.entries(value).filter(
    ([, inner]) => inner !== '' && inner !== undefined && !(Array.isArray(inner) && inner.length === 0),
  )
  return `{ ${members.map(([key, inner]) => `${key}: ${shown(properties[key] ?? {}, inner)}`).join(', ')} }`
}

function shapeOf(shape: Shape, { kind }: Tree): Shape {
  return shape.allOf?.find((choice) => choice.if.properties.kind.const === kind)?.then ?? shape
}

function isTree(value: unknown): value is Tree {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function isList(value: unknown): value is readonly Tree[] {
  return Array.isArray(value) && value.every(isTree)
}
