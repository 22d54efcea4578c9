/** Requests to trouble the web port with: made from its own description, then damaged; and bytes that are hardly HTTP at all. */
import type { Random } from '../../../scripts/cli/selftest/corpus.ts'

type Json = Record<string, unknown>

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Json> }
}

interface Operation {
  security?: Json[]
  parameters?: { name: string; in: string; schema: Json }[]
  requestBody?: { content: Record<string, { schema?: Json; example?: unknown }> }
}

export interface Case {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
}

const hourMs = 3_600_000
const inTwoDays = new Date(Date.now() + 48 * hourMs).toISOString()
const strings = [
  inTwoDays,
  inTwoDays.replace('Z', '+02:00'),
  new Date(Date.now() - hourMs).toISOString(),
  '2026-11-01T01:30:00',
  '9999-12-31T23:59:59.999999Z',
  '555-123-0001; 555-123-0002,5551230003',
  'Jane Doe <jane@example.com>',
  'a@b, c@d',
  'Europe/Berlin',
  '1772460391000',
  '',
  ' ',
  '0',
  '-1',
  'null',
  '+15551230001',
  '%2B1555',
  '../../../etc/passwd',
  'a'.repeat(300),
  'x'.repeat(5_000),
  '\u0000',
  'a\r\nX-Injected: 1',
  '\u202e\ud83d\ude00',
  'ä'.repeat(40),
  '<script>',
  "' OR 1=1 --",
  '__proto__',
  'constructor',
  '${7*7}',
  'http://127.0.0.1:1/',
  'http://[::ffff:169.254.169.254]/latest',
  'file:///etc/passwd',
  'javascript:0',
  'http://user:password@host:99999/',
]
const numbers = [0, -1, 1, 0.5, 1e21, -1e308, 2 ** 31, 2 ** 53, 1e-300]
const contentTypes = [
  'application/json',
  'text/csv',
  'text/vcard',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  '',
  ';;;',
]

/** `ids` are such as exist, for the places in paths that take one. */
export function describedCase(random: Random, description: OpenApi, token: string, ids: readonly string[] = []): Case {
  const path = random.pick(Object.keys(description.paths))
  const item = description.paths[path]!
  const known = random.pick(Object.keys(item))
  const operation = item[known]!
  const method = random.chance(0.05) ? random.pick(['GET', 'PUT', 'DELETE', 'PATCH', 'POST', 'HEAD', 'OPTIONS']) : known.toUpperCase()
  const value = (schema: Json): string => {
    const made = random.chance(0.5) ? generate(random, schema, description, 0) : random.pick(strings)
    return encodeURIComponent(wellFormed(typeof made === 'string' ? made : JSON.stringify(made)))
  }
  const fields = operation.parameters ?? []
  let target = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    ids.length > 0 && random.chance(0.6) ? random.pick(ids) : value(fields.find((field) => field.name === name)?.schema ?? {}),
  )
  const query = fields.filter((field) => field.in === 'query' && random.chance(0.6)).map((field) => `${field.name}=${value(field.schema)}`)
  if (random.chance(0.1)) query.push(random.pick(['%zz', 'a=1&a=2', '=', '&&&', '%00=%00', '__proto__=1', 'x=%F0%28']))
  if (query.length > 0) target += `?${query.join('&')}`
  const headers: Record<string, string> = {}
  const basic = operation.security?.some((one) => 'basic' in one) === true
  if (random.chance(0.95)) headers.authorization = basic ? `Basic ${Buffer.from(`x:${token}`).toString('base64')}` : `Bearer ${token}`
  else if (random.chance(0.5)) headers.authorization = random.pick(['Bearer', 'Bearer wrong', 'Basic !!!', 'Digest x', 'bearer  '])
  if (random.chance(0.2)) headers['idempotency-key'] = random.pick(['a', 'b', 'c d', 'k'.repeat(300), `r${random.integer(1e6)}`])
  if (random.chance(0.1)) headers.accept = random.pick(['application/problem+json', 'text/html', '*/*', ',,,'])
  if (random.chance(0.1))
    headers.range = random.pick(['bytes=0-', 'bytes=-0', 'bytes=5-2', 'bytes=0-1,3-4', `bytes=${'9'.repeat(40)}-`, 'lines=1-2'])
  if (random.chance(0.1)) headers['if-none-match'] = random.pick(['*', '"x"', 'W/"', '""'])
  const content = operation.requestBody?.content
  let body: Buffer | undefined
  if (content !== undefined || (random.chance(0.05) && method !== 'GET' && method !== 'HEAD')) {
    const [described, { schema = {}, example }] = Object.entries(content ?? { 'application/json': { schema: {}, example: undefined } })[0]!
    // A webhook takes whatever its provider sends.
    const type = described === '*/*' ? random.pick(contentTypes) : described
    headers['content-type'] = random.chance(0.95) ? type : random.pick(contentTypes)
    let made =
      path === importPath
        ? parties(random, description)
        : example !== undefined && random.chance(0.5)
          ? structuredClone(example)
          : generate(random, schema, description, 0)
    for (let n = random.integer(4); n > 0; n--) made = mutate(random, made)
    body = type.includes('form')
      ? form(made)
      : typeof made === 'string' && described === '*/*'
        ? Buffer.from(made)
        : Buffer.from(JSON.stringify(made) ?? '')
    if (random.chance(0.1)) body = damage(random, body)
  }
  return { method, path: target, headers, body }
}

const importPath = '/api/pbx/import/pbx-export'
const vcard = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana M\u00fcller\r\nTEL;TYPE=cell:+49 30 123456\r\nEND:VCARD\r\n'
const csv = 'id,kind,name,status,phone,label\nc1,person,Ana Ruiz,active,(555) 123-4567,mobile\nc1,,,,555-123-0002,work\n'

/** What an import is given: as JSON, or as text with a fault. */
function parties(random: Random, description: OpenApi): unknown {
  if (random.chance(0.3)) return damage(random, Buffer.from(random.pick([vcard, csv, vcard.repeat(3)]))).toString('utf8')
  const party = description.components?.schemas?.['Party'] ?? {}
  return {
    customers: Array.from({ length: random.integer(5) }, () => generate(random, party, description, 0)),
    mode: random.pick(['merge', 'replace', 'x']),
  }
}

/** A value that fits the schema, more or less. */
function generate(random: Random, schema: Json, description: OpenApi, depth: number): unknown {
  if (typeof schema.$ref === 'string') {
    const named = description.components?.schemas?.[schema.$ref.split('/').at(-1)!]
    return named === undefined || depth > 6 ? null : generate(random, named, description, depth + 1)
  }
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (choices !== undefined) return generate(random, random.pick(choices), description, depth + 1)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return random.pick(schema.enum as unknown[])
  if (Array.isArray(schema.examples) && random.chance(0.5)) return structuredClone(random.pick(schema.examples as unknown[]))
  switch (Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type) {
    case 'string':
      return random.pick(strings)
    case 'integer':
    case 'number':
      return random.chance(0.5) ? random.pick(numbers) : random.integer(100)
    case 'boolean':
      return random.chance(0.5)
    case 'array':
      return Array.from({ length: depth > 6 ? 0 : random.integer(4) }, () =>
        generate(random, (schema.items ?? {}) as Json, description, depth + 1),
      )
    case 'object': {
      const required = new Set((schema.required ?? []) as string[])
      const made: Json = {}
      for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
        if (required.has(name) || random.chance(0.4)) made[name] = generate(random, property, description, depth + 1)
      }
      return made
    }
    default:
      return anything(random)
  }
}

function anything(random: Random): unknown {
  const values: unknown[] = [
    null,
    true,
    [],
    {},
    [[]],
    random.pick(strings),
    random.pick(numbers),
    { a: { b: [1] } },
    nested(random.integer(80)),
  ]
  return random.pick(values)
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? [value] : { a: value }
  return value
}

/** Changes one place of a value. */
function mutate(random: Random, value: unknown): unknown {
  if (typeof value === 'object' && value !== null && random.chance(0.8)) {
    const copy = value as Json
    const keys = Object.keys(copy)
    if (keys.length > 0) {
      const key = random.pick(keys)
      if (random.chance(0.2)) delete copy[key]
      else copy[key] = mutate(random, copy[key])
      return copy
    }
    if (!Array.isArray(copy)) copy[random.pick(['extra', '__proto__x', 'constructor', 'toJSON', ''])] = anything(random)
    return copy
  }
  return anything(random)
}

function damage(random: Random, body: Buffer): Buffer {
  if (body.length === 0) return random.bytes(20)
  const at = random.integer(body.length)
  switch (random.integer(4)) {
    case 0:
      return body.subarray(0, at)
    case 1:
      return Buffer.concat([body, body])
    case 2:
      return Buffer.concat([body.subarray(0, at), random.bytes(1 + random.integer(8)), body.subarray(at)])
    default: {
      const copy = Buffer.from(body)
      copy[at] = random.integer(256)
      return copy
    }
  }
}

function form(value: unknown): Buffer {
  const pairs = typeof value === 'object' && value !== null ? Object.entries(value) : [['value', value] as const]
  const text = pairs.map(([name, one]) => `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(String(one)))}`)
  return Buffer.from(text.join('&'))
}

/** A half of a surrogate pair cannot be percent-encoded. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString('utf8')
}

/** What a hostile or broken program writes to the socket. */
export function rawBytes(random: Random, token: string): Buffer {
  const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  const post = `POST /api/voice/originate HTTP/1.1\r\n${head}`
  const whole = random.pick([
    `GET /healthz HTTP/1.1\r\n${head}\r\n`,
    `GET /${'a'.repeat(random.integer(9_000))} HTTP/1.1\r\n${head}\r\n`,
    `GET /healthz HTTP/1.1\r\n${'X: y\r\n'.repeat(random.integer(300))}\r\n`,
    `${post}Content-Length: 20\r\n\r\n{"to":"101"}`,
    `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}`,
    `${post}Content-Length: 99999999999999999999\r\n\r\n{}`,
    `${post}Content-Length: -5\r\n\r\n{}`,
    `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `${post}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
    `GET /healthz HTTP/1.1\r\n${head}\r\n`.repeat(1 + random.integer(30)),
    `GET /readyz HTTP/1.1\r\n${head}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `OPTIONS * HTTP/1.1\r\n${head}\r\n`,
  ])
  const bytes = Buffer.from(whole)
  if (random.chance(0.15)) return random.bytes(1 + random.integer(2_000))
  return random.chance(0.5) ? damage(random, bytes) : bytes
}
