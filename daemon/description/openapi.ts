/**
 * The OpenAPI 3.1 document, made of the very values that are served. A schema with an `$id` becomes a component of that
 * name, as one that is `named`; what all routes share (errors, limits, headers) is added here.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type TSchema } from '@sinclair/typebox'
import { errorTable } from '../base/errors.ts'
import { root } from '../base/root.ts'
import { exampleTime, named, nameMark } from '../schema/named.ts'
import { neededMark } from '../schema/read-answer.ts'
import { tags } from './tags.ts'
import type { Route } from '../http/route.ts'
import { unions, webhookHeaders, webhooks } from './webhooks.ts'

type Json = Record<string, unknown>

const errorSchema: Json = {
  type: 'object',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { type: 'string', description: 'For people.' },
    code: { $ref: '#/components/schemas/ErrorCode' },
    details: { type: 'array', items: { $ref: '#/components/schemas/ErrorDetail' } },
    requestId: { type: 'string', description: 'As in the header X-Request-Id.' },
  },
}

const errorDetailSchema: Json = {
  type: 'object',
  required: ['path', 'message'],
  properties: { path: { type: 'string', description: 'JSON pointer into the request.' }, message: { type: 'string' } },
}

const errorCodeSchema: Json = {
  type: 'string',
  description: 'Stable; for programs. Later versions may have more.',
  enum: Object.keys(errorTable),
}

const problemSchema: Json = {
  type: 'object',
  description: 'RFC 9457; sent when Accept asks for it.',
  required: ['type', 'title', 'status', 'error', 'code', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    error: { type: 'string', description: 'The same as detail.' },
    code: { $ref: '#/components/schemas/ErrorCode' },
    details: { type: 'array', items: { $ref: '#/components/schemas/ErrorDetail' } },
    requestId: { type: 'string' },
  },
}

const description = `Errors have one form everywhere: \`{"error":"...","code":"...","details":[...],"requestId":"..."}\`; with
\`Accept: application/problem+json\` that of RFC 9457. Every answer carries \`X-Request-Id\`. Requests of a token are limited;
\`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` show how much is left, \`Retry-After\` when to come back. What of a body is not
used is named in \`warnings\` of the answer; a name of the query that a route does not have is refused with 422.

What the box sends to applications stands under \`webhooks\`: events that are answered with a control document, and others that only report;
and the requests to the CRM at \`crm.baseUrl\` (\`crm.*\`). Each is signed (\`X-Service-Signature\`). Frames of media streams are
\`StreamFrame\` and \`StreamServerFrame\` among the components.`

const aboutSocket = `HTTP over the unix socket \`control.socket\`, as the \`pbx\` program uses it: \`curl --unix-socket FILE
http://box/api/status\`. Who may open the socket needs no token and has no rate limit; the routes of the web port (openapi.json) are open
here as well. Where the web port wants a whole id, the socket also takes a part of it that no other has, or \`last\`.

An answer of the type \`application/x-ndjson\` is one JSON value a line; its last line is \`{"done":true}\`, or \`{"failed":{"error":"...",
"code":"..."}}\`.`

const headers = { RequestId: { description: 'Names this request in the log.', schema: { type: 'string' } } }

const components = '#/components/schemas/'

/** What is collected on the way through the routes, and what a name stands for where a route describes more than it checks. */
interface Components {
  readonly schemas: Json
  readonly described: Readonly<Record<string, TSchema>>
}

const exampleAfterMs = 7 * 24 * 3_600_000

/** Of the web port. `now` (ms): the examples then have days to come, so that they can be tried. */
export function openApiDocument(routes: readonly Route[], now?: number): Json {
  const document = describe(routes.filter(({ access, people }) => access !== 'technician' || people !== undefined))
  if (now === undefined) return document
  const day = new Date(now + exampleAfterMs).toISOString().slice(0, 10)
  return JSON.parse(JSON.stringify(document).replaceAll(exampleTime, `${day}${exampleTime.slice(10)}`)) as Json
}

/** The routes of the technician's socket that the web port does not have. */
export function socketDocument(routes: readonly Route[]): Json {
  const { known, paths } = pathsOf(routes.filter(({ access, people }) => access === 'technician' && people === undefined))
  const info = { title: 'pbxd: the technician’s socket', version: versionOf(), description: aboutSocket }
  return { openapi: '3.1.0', info, paths, components: { schemas: known.schemas, headers } }
}

function pathsOf(routes: readonly Route[]): { known: Components; paths: Record<string, Json> } {
  const described = Object.assign({}, ...routes.map(({ describes }) => describes?.schemas ?? {})) as Components['described']
  const schemas: Json = { Error: errorSchema, ErrorDetail: errorDetailSchema, ErrorCode: errorCodeSchema, Problem: problemSchema }
  const known = { schemas, described }
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    if (route.undescribed === true) continue
    const path = route.path.replaceAll(/:([A-Za-z][A-Za-z0-9]*)/g, '{$1}')
    const item = (paths[path] ??= {})
    item[route.method.toLowerCase()] = operation(route, known)
  }
  return { known, paths }
}

const versionOf = (): string => (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

function describe(routes: readonly Route[]): Json {
  const { known, paths } = pathsOf(routes)
  const events = webhooks((schema, read) => plain(schema, known, read), routes)
  const { schemas } = known
  Object.assign(
    schemas,
    unions((schema) => plain(schema, known)),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'pbxd',
      version: versionOf(),
      description,
      contact: { name: 'The administrator of this telephone system' },
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
    paths,
    webhooks: events,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token.' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-pbx', description: 'The session of a person, from a page of the box.' },
        basic: { type: 'http', scheme: 'basic', description: 'Any user name; the password is an access token.' },
      },
      headers,
      parameters: webhookHeaders,
    },
  }
}

function operation(route: Route, known: Components): Json {
  const parameters = [
    ...fields(pathSchema(route), 'path', known),
    ...fields(route.query, 'query', known),
    ...(route.idempotent === true ? [idempotencyKey] : []),
  ]
  const scope = rightOf(route)
  const text = [route.description ?? `${route.summary}.`, scope].filter((part) => part !== '').join('\n\n')
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: text,
    tags: [route.tag],
    security: security(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, route.body, known) }),
    ...(route.bodyType === 'raw' || route.bodyType === 'stream' ? { requestBody: { content: { '*/*': {} } } } : {}),
    ...(route.callbacks === undefined ? {} : { callbacks: callbacks(route.callbacks) }),
    responses: responses(route, known),
  }
}

/** Each event is described once, as a webhook; which URL it goes to is said here. */
function callbacks(sent: NonNullable<Route['callbacks']>): Json {
  return Object.fromEntries(
    Object.entries(sent).flatMap(([member, events]) =>
      events.map((event) => [event, { [`{$request.body#/${member}}`]: { $ref: `#/webhooks/${event}` } }]),
    ),
  )
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A repetition with the same key within 24 hours is answered as the first time, without a second effect.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** What a request needs, in words. */
function rightOf({ access, people }: Route): string {
  const roles = people === undefined ? '' : `the session of a person with the role ${people.map((role) => `\`${role}\``).join(', ')}`
  if (access === 'person') return `Needs ${roles}.`
  if (access === 'page') return 'Answered to pages of the box alone (Sec-Fetch-Site, Origin).'
  if (access === 'public' || access === 'optional' || (access === 'technician' && people === undefined)) return ''
  const scope = access === 'basic-token' ? 'voice' : access === 'technician' ? 'admin' : access
  return `Needs a token with the scope \`${scope}\`${people === undefined ? '' : ` or ${roles}`}.`
}

function security({ access, people }: Route): Json[] {
  if (access === 'public' || access === 'page' || (access === 'technician' && people === undefined)) return []
  if (access === 'person') return [{ session: [] }]
  if (people !== undefined) return [{ bearer: [] }, { session: [] }]
  if (access === 'basic-token') return [{ basic: [] }]
  return access === 'optional' ? [{}, { bearer: [] }] : [{ bearer: [] }]
}

/** With every parameter of the path, also where the route leaves its form open. */
function pathSchema({ path, params }: Route): Json {
  const described = (params?.properties ?? {}) as Json
  const names = path.matchAll(/:([A-Za-z][A-Za-z0-9]*)/g)
  return { properties: Object.fromEntries(Array.from(names, ([, name]) => [name!, described[name!] ?? { type: 'string' }])) }
}

function fields(schema: TSchema | Json | undefined, place: 'path' | 'query', known: Components): Json[] {
  if (schema === undefined) return []
  const required = new Set((schema.required as string[] | undefined) ?? [])
  return Object.entries((schema.properties ?? {}) as Record<string, TSchema>).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required.has(name) && property.default === undefined),
    ...(property.description === undefined ? {} : { description: property.description }),
    schema: plain(property, known),
  }))
}

function requestBody(route: Route, body: TSchema, known: Components): Json {
  const type = route.bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const example: unknown = (body.examples as unknown[] | undefined)?.[0]
  return {
    required: route.bodyType !== 'json-or-nothing',
    content: {
      [type]: { schema: plain(withName(body, `${nameOf(route)}Request`), known, true), ...(example === undefined ? {} : { example }) },
      ...(route.file?.type === undefined ? {} : { [route.file.type]: {} }),
    },
  }
}

function responses(route: Route, known: Components): Json {
  const all: Json = {}
  for (const [status, spec] of Object.entries(route.responses)) {
    const type = spec.contentType ?? (spec.schema === undefined ? undefined : 'application/json')
    all[status] = {
      description: spec.description,
      headers: requestIdHeader,
      ...(type === undefined
        ? Number(status) < 400
          ? {}
          : { content: errorContent }
        : {
            content: {
              [type]: {
                schema: spec.schema === undefined ? { type: 'string' } : plain(withName(spec.schema, `${nameOf(route)}Answer`), known),
                ...(spec.example === undefined ? {} : { example: spec.example }),
              },
            },
          }),
    }
  }
  if (route.body !== undefined || route.bodyType === 'raw') tellUnused(all, known)
  for (const [status, text] of commonErrors(route)) {
    all[status] ??= { description: text, headers: requestIdHeader, content: errorContent }
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => Number(a) - Number(b)))
}

const unusedWarnings: Json = {
  type: 'array',
  items: { type: 'string' },
  description: 'In the answer to a request: what of it is not used, such as a member that is misspelt.',
  examples: [['/timeot is not used: was "timeout" meant?']],
}

/** Answers to a request with a body name the members of it that are not used (Context.answer). */
function tellUnused(all: Json, known: Components): void {
  for (const [status, response] of Object.entries(all as Record<string, { content?: Record<string, { schema: Json }> }>)) {
    const schema = response.content?.['application/json']?.schema
    if (Number(status) < 300 && schema !== undefined) addWarnings(schema, known)
  }
}

function addWarnings(schema: Json, known: Components): void {
  if (typeof schema.$ref === 'string') addWarnings(known.schemas[schema.$ref.slice(components.length)] as Json, known)
  for (const branch of (schema.anyOf ?? []) as Json[]) addWarnings(branch, known)
  const properties = schema.properties as Json | undefined
  if (schema.type === 'object' && properties !== undefined) properties.warnings ??= unusedWarnings
}

const nameOf = ({ operationId }: Route): string => operationId.replace(/^./, (letter) => letter.toUpperCase())

/** What nothing else names is named after its operation: generated clients have no types without a name. */
function withName(schema: TSchema, name: string): TSchema {
  if (schema.$id !== undefined || schema[nameMark] !== undefined) return schema
  const { items, ...list } = schema as TSchema & { items?: TSchema }
  if (items !== undefined) return { ...list, items: withName(items, `${name}Item`) }
  return schema.type === 'object' || schema.anyOf !== undefined ? named(name, schema) : schema
}

const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
const errorContent = {
  'application/json': { schema: { $ref: `${components}Error` } },
  'application/problem+json': { schema: { $ref: `${components}Problem` } },
}

function commonErrors(route: Route): [string, string][] {
  const errors: [string, string][] = []
  if (route.access === 'page')
    errors.push(['403', 'The request came from a page of another site.'], ['421', 'The box is not known by this name.'])
  if (route.access !== 'public' && route.access !== 'page' && (route.access !== 'technician' || route.people !== undefined)) {
    errors.push(['401', 'Without a valid access token.'], ['429', 'Too many requests; `Retry-After` says when to come back.'])
    if (route.access !== 'optional') errors.push(['403', 'The token may not do this.'])
  } else if (route.rate !== undefined) errors.push(['429', 'Too many requests; `Retry-After` says when to come back.'])
  if (route.params !== undefined) errors.push(['404', 'There is no such thing.'])
  errors.push(['400', 'The address cannot be decoded.'])
  if (route.query?.['patternProperties'] === undefined) errors.push(['422', 'The request is not valid; `details` says where.'])
  if (route.bodyType === 'raw' || route.bodyType === 'stream')
    errors.push(['413', 'The body is too large; `limitBytes` says how much is allowed.'])
  if (route.body !== undefined) {
    errors.push(
      ['400', 'The body cannot be read.'],
      ['413', 'The body is too large; `limitBytes` says how much is allowed.'],
      ['415', 'The body has another content type.'],
      ['422', 'The request is not valid; `details` says where.'],
    )
  }
  if (route.missing !== undefined || (route.method !== 'GET' && route.access !== 'public'))
    errors.push(['503', 'Something is not configured, full or overloaded; `code` says what. With `Retry-After` it is worth another try.'])
  if (route.idempotent === true) errors.push(['409', 'A request with this Idempotency-Key is still running.'])
  errors.push(['500', 'A fault of the telephone system.'])
  return errors
}

/**
 * As plain JSON, with named schemas moved to the components. `read`: others write it and the box reads it, so that members with a default may
 * be left out. What also stands in answers is a second component then: there those members are always present.
 */
function plain(schema: unknown, known: Components, read = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => plain(item, known, read))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, [nameMark]: given, ...rest } = schema as Json
  const plainName = $id ?? given
  if (typeof plainName !== 'string') return members(rest, known, read)
  const { schemas, described } = known
  const { $id: _, ...full } = (described[plainName] ?? rest) as Json
  const reads = read || isSent(plainName)
  const name = reads && !isSent(plainName) && hasDefaults(full) ? `${plainName}Given` : plainName
  if (!(name in schemas)) {
    schemas[name] = {}
    schemas[name] = members(full, known, reads)
  }
  // The same schema may mean more in one place than in another: its description for this place stands next to the reference.
  const own = (schemas[name] as { description?: unknown }).description
  return {
    $ref: components + name,
    ...(rest.description === undefined || rest.description === own ? {} : { description: rest.description }),
  }
}

/** What stands in no answer of the box. */
const isSent = (name: string): boolean => /(Request|Verb)$|^Crm/.test(name) || onlyGiven.has(name)
const onlyGiven: ReadonlySet<string> = new Set(['CallAction', 'ControlDocument', 'Customer', 'CustomerPage'])

function hasDefaults(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => key === 'default' || (!isVerbatim(key) && hasDefaults(inner)))
}

/** Values, not known. */
const isVerbatim = (key: string): boolean => ['example', 'examples', 'default', 'const', 'enum', 'required'].includes(key)

/** Generators of clients take a member with a default for one that is always there, and one that is required for one that must be given. */
function members(schema: Json, known: Components, read: boolean): Json {
  const { properties = {}, description = '' } = schema
  const isGiven = (name: string): boolean => !read || (properties as Record<string, Json>)[name]?.default === undefined
  const result: Json = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === neededMark) continue
    if (key === '$ref' && typeof value === 'string' && !value.startsWith('#')) result.$ref = components + value
    else if (key === 'properties') result[key] = mapped(value as Json, (inner) => plain(inner, known, read))
    else if (key === 'required') Object.assign(result, neededOf((value as string[]).filter(isGiven), read))
    else if (key !== 'default' || !read) result[key] = isVerbatim(key) ? value : plain(value, known, read)
  }
  if (read && schema.default !== undefined) result.description = `${String(description)} Default: ${JSON.stringify(schema.default)}.`.trim()
  return result
}

const neededOf = (names: readonly string[], read: boolean): Json => (read && names.length === 0 ? {} : { required: names })

const mapped = (properties: Json, change: (inner: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, change(inner)]))
