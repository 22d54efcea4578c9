/** What the helper packages of both languages are generated from: the verbs, events, frames and routes of the OpenAPI document. */
import { openApiDocument } from '../../daemon/description/openapi.ts'
import { describedRoutes } from './described.ts'

/** A schema of the document; names are references. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly required?: boolean; readonly schema: Schema }[]
  readonly requestBody?: Content & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, Content>>
}

interface Document {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly webhooks: Readonly<Record<string, { readonly post?: Described }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export interface Verb {
  readonly name: string
  readonly about: string
  readonly options: Schema
  /** The one parameter without which the verb is nothing: it comes first in a call. */
  readonly first: string | undefined
}

export interface Event {
  readonly name: string
  readonly schema: string
  /** It is answered with a control document. */
  readonly answered: boolean
}

/** How the body of an answer is read. */
export type Reading = 'json' | 'bytes' | 'text' | 'lines' | 'events' | 'none'

export interface Operation {
  readonly name: string
  readonly about: string
  readonly method: string
  readonly path: string
  readonly pathNames: readonly string[]
  readonly query: readonly { readonly name: string; readonly required: boolean; readonly schema: Schema }[]
  readonly body: { readonly schema: Schema; readonly required: boolean; readonly raw: boolean } | undefined
  readonly reading: Reading
  readonly answers: readonly Schema[]
}

export interface Sdk {
  readonly version: string
  readonly verbs: readonly Verb[]
  readonly events: readonly Event[]
  readonly operations: readonly Operation[]
  /** By name, without those of verbs: all that the others lead to. */
  readonly schemas: ReadonlyMap<string, Schema>
}

export const refName = (ref: string): string => ref.split('/').at(-1)!

const answeredTag = 'Events that are answered'

function verbsOf(all: Document['components']['schemas']): Verb[] {
  return (all['ControlDocument']?.items?.anyOf ?? []).map(({ $ref = '' }) => {
    const schema = all[refName($ref)]!
    const [name, options] = Object.entries(schema.properties ?? {})[0]!
    const required = options.required ?? []
    return { name, about: schema.description ?? '', options, first: required.length === 1 ? required[0] : undefined }
  })
}

function eventsOf(webhooks: Document['webhooks']): Event[] {
  return Object.entries(webhooks).flatMap(([name, { post }]) => {
    const ref = post?.requestBody?.content?.['application/json']?.schema.$ref
    // What the CRM serves and the whole of all events have other forms.
    if (post === undefined || ref === undefined || name.startsWith('crm.') || !name.includes('.')) return []
    return [{ name, schema: refName(ref), answered: post.tags.includes(answeredTag) }]
  })
}

function readingOf(type: string | undefined): Reading {
  if (type === undefined) return 'none'
  const known: Readonly<Record<string, Reading>> = {
    'application/json': 'json',
    'application/x-ndjson': 'lines',
    'text/event-stream': 'events',
  }
  return known[type] ?? (/^text\/|svg/.test(type) ? 'text' : 'bytes')
}

function operation(method: string, path: string, described: Described): Operation {
  const good = Object.entries(described.responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? Object.entries(content).map(([type, { schema }]) => ({ type, schema })) : [],
  )
  const body = Object.entries(described.requestBody?.content ?? {}).toSorted(
    ([a], [b]) => Number(b.endsWith('json')) - Number(a.endsWith('json')),
  )[0]
  return {
    name: described.operationId,
    about: described.summary,
    method: method.toUpperCase(),
    path,
    pathNames: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name),
    query: (described.parameters ?? []).flatMap((one) =>
      one.in === 'query' ? [{ name: one.name!, required: one.required === true, schema: one.schema }] : [],
    ),
    body: body && { schema: body[1].schema, required: described.requestBody?.required === true, raw: body[0] !== 'application/json' },
    reading: readingOf(good[0]?.type),
    answers: good.filter(({ type }) => type === good[0]?.type).map(({ schema }) => schema),
  }
}

function leadsTo(value: unknown, found: (name: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') found(refName(inner))
    else if (key !== 'examples') leadsTo(inner, found)
  }
}

export function sdk(): Sdk {
  const document = openApiDocument(describedRoutes()) as unknown as Document
  const all = document.components.schemas
  const verbs = verbsOf(all)
  const events = eventsOf(document.webhooks)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) =>
      described.security?.some((way) => 'bearer' in way) === true ? [operation(method, path, described)] : [],
    ),
  )
  const ofVerbs = new Set(['ControlDocument', ...verbs.map(({ name }) => `${capital(name)}Verb`)])
  const schemas = new Map<string, Schema>()
  const visit = (name: string): void => {
    if (schemas.has(name) || ofVerbs.has(name)) return
    schemas.set(name, all[name]!)
    leadsTo(all[name], visit)
  }
  for (const name of ['StreamFrame', 'StreamServerFrame', 'ErrorCode', 'ErrorDetail', ...events.map(({ schema }) => schema)]) visit(name)
  leadsTo([operations, verbs], visit)
  const inOrder = [...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { version: document.info.version, verbs, events, operations, schemas: new Map(inOrder) }
}

/** `Gather` of `gather`, for names of types. */
export const capital = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1)}`

/** Parameters of a verb that are addresses, each with the scheme of a relative one. */
export function addressesOf({ options }: Verb): readonly (readonly [name: string, scheme: 'http' | 'ws'])[] {
  return Object.entries(options.properties ?? {}).flatMap(([name, { format, pattern = '' }]) =>
    format === 'uri' ? [[name, pattern.includes('[wW]') ? 'ws' : 'http'] as const] : [],
  )
}
