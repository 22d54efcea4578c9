/**
 * What a version promises to programs and to hands: the HTTP interface with its verbs and events, the configuration, the commands of `pbx`, and
 * the names of the packages and units. Without words and examples it is small enough to keep one for each released version (test/released).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Argument, Command, Option } from 'commander'
import { root } from '../../daemon/base/root.ts'
import { configJsonSchema } from '../../daemon/config/json-schema.ts'
import { openApiDocument } from '../../daemon/description/openapi.ts'
import { describedRoutes } from '../generate/described.ts'
import { program } from '../cli/run.ts'
import { Comparison, resolved, type Break, type Shape, type Way } from './shapes.ts'

export interface ArgumentFacts {
  readonly name: string
  readonly required: boolean
  readonly values?: readonly string[]
}

export interface CommandFacts {
  readonly arguments: readonly ArgumentFacts[]
  /** By the long name: the value that it wants, or `flag`. */
  readonly options: Readonly<
    Record<string, { readonly takes: 'flag' | 'value' | 'optional'; readonly must: boolean; readonly values?: readonly string[] }>
  >
}

export interface Contract {
  readonly interface: Shape
  readonly configuration: Shape
  readonly commands: Readonly<Record<string, CommandFacts>>
  readonly package: readonly string[]
}

interface Operation {
  readonly parameters?: readonly Shape[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Contents }
  readonly responses?: Readonly<Record<string, { readonly content?: Contents }>>
}
type Contents = Readonly<Record<string, { readonly schema?: Shape }>>

const words = new Set([
  'description',
  'examples',
  'example',
  'summary',
  'title',
  'tags',
  'default',
  'operationId',
  'callbacks',
  'markdownDescription',
])

/** A schema without what is for people. `members`: its keys are names that somebody chose. */
function bare(value: unknown, members = false): unknown {
  if (Array.isArray(value)) return value.map((one) => bare(one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => members || (!words.has(key) && !/^(4|5)\d\d$/.test(key)))
      .map(([key, inner]) => [
        key,
        bare(inner, ['properties', 'patternProperties', 'paths', 'webhooks', 'schemas'].includes(key) && !members),
      ]),
  )
}

const takes = ({ required, optional }: Option) => (required ? 'value' : optional ? 'optional' : 'flag')
const chosen = ({ argChoices }: Option | Argument) => (argChoices === undefined ? {} : { values: argChoices })

function factsOf(command: Command, path: string): [string, CommandFacts][] {
  const options = command.options.map((option): [string, CommandFacts['options'][string]] => [
    option.long ?? option.short!,
    { takes: takes(option), must: option.mandatory, ...chosen(option) },
  ])
  const own: CommandFacts = {
    arguments: command.registeredArguments.map((one) => ({ name: one.name(), required: one.required, ...chosen(one) })),
    options: Object.fromEntries(options),
  }
  const inner = command.createHelp().visibleCommands(command)
  return [[path, own], ...inner.filter((one) => one.name() !== 'help').flatMap((one) => factsOf(one, `${path} ${one.name()}`))]
}

/** Debian packages, units, and the paths that a technician's own scripts name. */
function packaged(): string[] {
  const units = readdirSync(join(root, 'systemd')).filter((name) => /^pbxd.*\.(service|socket|timer)$/.test(name))
  return ['pbxd', 'pbxd-speech-engine', '/usr/bin/pbx', '/etc/pbxd/pbxd.yaml', '/var/lib/pbxd', '/run/pbxd/pbxd.sock', ...units.toSorted()]
}

/** That of this checkout. */
export function contractNow(): Contract {
  const { paths, webhooks, components } = openApiDocument(describedRoutes()) as Record<string, unknown>
  return {
    interface: bare({ paths, webhooks, components }) as Shape,
    configuration: bare(configJsonSchema()) as Shape,
    commands: Object.fromEntries(factsOf(program(), 'pbx')),
    package: packaged(),
  }
}

export const packed = (contract: Contract): Buffer => gzipSync(JSON.stringify(contract), { level: 9 })

/** That of a released version, MAJOR.MINOR. */
export const released = (version: string): Contract =>
  JSON.parse(gunzipSync(readFileSync(join(root, 'test/released', version, 'contract.json.gz'))).toString('utf8')) as Contract

export const releasedVersions = (): string[] =>
  readdirSync(join(root, 'test/released'))
    .filter((name) => /^\d+\.\d+$/.test(name))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))

/** Everything of `before` on which somebody may rely and that `after` does not keep. */
export function breaksBetween(before: Contract, after: Contract): Break[] {
  const gone = before.package.filter((name) => !after.package.includes(name)).map((name) => ({ where: name, what: 'is gone' }))
  const comparison = new Comparison()
  const side = (contract: Contract) => ({ shape: contract.configuration, document: contract.configuration })
  return [
    ...operations(before.interface, after.interface, 'paths'),
    ...operations(before.interface, after.interface, 'webhooks'),
    ...comparison.breaks(side(before), side(after), 'in', 'pbxd.yaml'),
    ...Object.entries(before.commands).flatMap(([name, facts]) => commandBreaks(name, facts, after.commands[name])),
    ...gone,
  ]
}

/** The box sends webhooks: what it reads elsewhere it writes there, and the other way round. */
function operations(before: Shape, after: Shape, kind: 'paths' | 'webhooks'): Break[] {
  const all = (document: Shape): Readonly<Record<string, Readonly<Record<string, Operation>>>> => (document[kind] ?? {}) as never
  const [sent, answered]: [Way, Way] = kind === 'paths' ? ['in', 'out'] : ['out', 'in']
  return Object.entries(all(before)).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const where = kind === 'paths' ? `${method.toUpperCase()} ${path}` : path
      const now = all(after)[path]?.[method]
      if (now === undefined) return [{ where, what: 'is gone' }]
      const comparison = new Comparison()
      const contents = (was: Contents = {}, is: Contents = {}, way: Way, at: string): Break[] =>
        Object.entries(was).flatMap(([type, { schema = {} }]) => {
          const same = is[type]
          if (same === undefined) return [{ where: at, what: `has no ${type} any more` }]
          return comparison.breaks({ shape: schema, document: before }, { shape: same.schema ?? {}, document: after }, way, at)
        })
      const open = (operation: Operation): boolean => operation.security?.length === 0
      return [
        ...(open(old) && !open(now) ? [{ where, what: 'needs a token now' }] : []),
        ...parameters(old, now, { before, after }, where),
        ...(now.requestBody?.required === true && old.requestBody?.required !== true ? [{ where, what: 'needs a body now' }] : []),
        ...contents(old.requestBody?.content, now.requestBody?.content, sent, where),
        ...Object.entries(old.responses ?? {}).flatMap(([status, { content }]) => {
          const answer = now.responses?.[status]
          if (answer === undefined) return [{ where: `${where} ${status}`, what: 'is gone' }]
          return contents(content, answer.content, answered, `${where} ${status}`)
        }),
      ]
    }),
  )
}

function parameters(old: Operation, now: Operation, { before, after }: { before: Shape; after: Shape }, where: string): Break[] {
  const named = (operation: Operation, document: Shape) =>
    new Map(
      (operation.parameters ?? [])
        .map((one) => resolved({ shape: one, document }))
        .map((one) => [`${String(one.in)} ${String(one.name)}`, one]),
    )
  const [had, has] = [named(old, before), named(now, after)]
  const must = (one: { readonly required?: unknown } | undefined): boolean => one?.required === true
  const comparison = new Comparison()
  return [
    ...Array.from(had).flatMap(([name, one]) => {
      const at = `${where} ${String(one.name)}`
      const same = has.get(name)
      if (same === undefined) return [{ where: at, what: 'is gone' }]
      return comparison.breaks({ shape: one.schema as Shape, document: before }, { shape: same.schema as Shape, document: after }, 'in', at)
    }),
    ...Array.from(has.values())
      .filter((one) => must(one) && !must(had.get(`${String(one.in)} ${String(one.name)}`)))
      .map((one) => ({ where: `${where} ${String(one.name)}`, what: 'is required now' })),
  ]
}

function commandBreaks(name: string, old: CommandFacts, now: CommandFacts | undefined): Break[] {
  if (now === undefined) return [{ where: name, what: 'is gone' }]
  const lost = (where: string, was: readonly string[] | undefined, is: readonly string[] | undefined): Break[] =>
    is === undefined
      ? []
      : (was ?? ['other values']).filter((value) => !is.includes(value)).map((value) => ({ where, what: `has no ${value} any more` }))
  const options = Object.entries(old.options).flatMap(([option, facts]) => {
    const where = `${name} ${option}`
    const same = now.options[option]
    if (same === undefined) return [{ where, what: 'is gone' }]
    const fits = same.takes === facts.takes || same.takes === 'optional'
    return [...(fits ? [] : [{ where, what: `was a ${facts.takes} and is a ${same.takes}` }]), ...lost(where, facts.values, same.values)]
  })
  const must = Object.entries(now.options).filter(([option, facts]) => facts.must && old.options[option]?.must !== true)
  const places = old.arguments.flatMap((argument, at) => {
    const same = now.arguments[at]
    const where = `${name} <${argument.name}>`
    return same === undefined ? [{ where, what: 'is gone' }] : lost(where, argument.values, same.values)
  })
  const more = now.arguments.filter((argument, at) => argument.required && old.arguments[at]?.required !== true)
  return [
    ...options,
    ...must.map(([option]) => ({ where: `${name} ${option}`, what: 'is required now' })),
    ...places,
    ...more.map((argument) => ({ where: `${name} <${argument.name}>`, what: 'is required now' })),
  ]
}
