/** The generated files of the TypeScript package: verbs, events, and the routes of the box with their types. */
import { addressesOf, capital, refName, type Operation, type Schema, type Sdk, type Verb } from './sdk-shape.ts'

const head = '/** Written by `npm run generate` from the schemas of the box. */'
const folder = 'scripts/sdk/typescript/generated'

const quoted = (value: unknown): string => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value))
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name))
const comment = (text: string | undefined): string =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */ `

/** A type on one line. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return refName(schema.$ref)
  if (schema.const !== undefined) return quoted(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(quoted).join(' | ')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `readonly (${typeOf(schema.items ?? {})})[]`
    case 'object':
      return objectType(schema)
    default:
      return 'unknown'
  }
}

function objectType({ properties, patternProperties, additionalProperties, required = [] }: Schema): string {
  if (properties === undefined) {
    const [values] = Object.values(patternProperties ?? {})
    return `Readonly<Record<string, ${values === undefined ? 'unknown' : typeOf(values)}>>`
  }
  const members = Object.entries(properties).map(
    ([name, member]) => `${comment(member.description)}readonly ${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(member)}`,
  )
  if (additionalProperties === true) members.push('readonly [member: string]: unknown')
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`
}

function verbFunction({ name, about, options, first }: Verb): string[] {
  const { properties = {}, required = [] } = options
  const type = capital(name)
  const members = Object.entries(properties).map(
    ([member, shape]) => `  ${comment(shape.description)}readonly ${key(member)}${required.includes(member) ? '' : '?'}: ${typeOf(shape)}`,
  )
  const call =
    first === undefined
      ? `(options: ${type}Options = {}): ${type}Verb => ({ ${name}: options })`
      : `(${first}: ${typeOf(properties[first]!)}, options: Omit<${type}Options, '${first}'> = {}): ${type}Verb => ({ ${name}: { ...options, ${first} } })`
  return [
    `export interface ${type}Options {`,
    ...members,
    '}',
    `export interface ${type}Verb { readonly ${name}: ${type}Options }`,
    `${comment(about).trim()}`,
    `export const ${name} = ${call}`,
    '',
  ]
}

function verbs({ verbs: all }: Sdk): string {
  return [
    head,
    '',
    ...all.flatMap(verbFunction),
    `export type Verb = ${all.map(({ name }) => `${capital(name)}Verb`).join(' | ')}`,
    '/** What an event is answered with. */',
    'export type ControlDocument = readonly Verb[]',
    '',
    '/** Parameters that are addresses, and the scheme of a relative one. */',
    'export const addresses: Readonly<Record<string, Readonly<Record<string, string>>>> = {',
    ...all.flatMap((verb) => {
      const found = addressesOf(verb)
      return found.length === 0 ? [] : [`  ${verb.name}: { ${found.map(([name, scheme]) => `${name}: '${scheme}'`).join(', ')} },`]
    }),
    '}',
    '',
  ].join('\n')
}

function events({ events: all }: Sdk): string {
  const names = [...new Set(all.map(({ schema }) => schema))].toSorted()
  const map = (answered: boolean): string[] =>
    all
      .filter((event) => event.answered === answered)
      .map(
        ({ name, schema }) =>
          `  readonly '${name}': ${schema}${all.filter((one) => one.schema === schema).length > 1 ? ` & { readonly event: '${name}' }` : ''}`,
      )
  return [
    head,
    `import type { ${names.join(', ')} } from './schemas.ts'`,
    '',
    '/** Events that the application answers with a control document. */',
    'export interface Questions {',
    ...map(true),
    '}',
    '',
    '/** Events that only report. */',
    'export interface Notices {',
    ...map(false),
    '}',
    '',
    'export type Question = Questions[keyof Questions]',
    'export type Notice = Notices[keyof Notices]',
    '',
    `export const questionNames: ReadonlySet<string> = new Set([${all.flatMap(({ name, answered }) => (answered ? [quoted(name)] : [])).join(', ')}])`,
    '',
  ].join('\n')
}

function schemas({ schemas: all, verbs: known }: Sdk): string {
  const used = Array.from(all, ([name, schema]) =>
    `${comment(schema.description)}\nexport type ${name} = ${typeOf(schema)}`.trimStart(),
  ).join('\n')
  const names = ['ControlDocument', ...known.map(({ name }) => `${capital(name)}Verb`)].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(used),
  )
  return [head, ...(names.length === 0 ? [] : [`import type { ${names.join(', ')} } from './verbs.ts'`]), '', used, ''].join('\n')
}

const answerTypes: Readonly<Record<Operation['reading'], (type: string) => string>> = {
  json: (type) => `Promise<${type}>`,
  bytes: () => 'Promise<Uint8Array<ArrayBuffer>>',
  text: () => 'Promise<string>',
  lines: (type) => `AsyncGenerator<${type}, void, void>`,
  events: () => 'AsyncGenerator<ServerSent, void, void>',
  none: () => 'Promise<void>',
}

function method({ name, about, pathNames, query, body, reading, answers }: Operation): string {
  const asked = query.map((one) => `readonly ${key(one.name)}${one.required ? '' : '?'}: ${typeOf(one.schema)}`).join('; ')
  const parameters = [
    ...pathNames.map((path) => `${path}: string | number`),
    ...(body === undefined
      ? []
      : [`body${body.required ? '' : '?'}: ${body.raw ? 'object | string | Uint8Array<ArrayBuffer>' : typeOf(body.schema)}`]),
    ...(query.length === 0 ? [] : [`query${query.some(({ required }) => required) ? '' : '?'}: { ${asked} }`]),
    'options?: RequestOptions',
  ]
  const type = answers.length === 0 ? 'unknown' : [...new Set(answers.map(typeOf))].join(' | ')
  return `  ${comment(`${about}.`)}${name}(${parameters.join(', ')}): ${answerTypes[reading](type)}`
}

function operations({ operations: all, schemas: known }: Sdk): string {
  const methods = all.map(method).join('\n')
  const names = [...known.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(methods.replaceAll(/\/\*\*.*?\*\//g, '')))
  return [
    head,
    `import type { ${names.join(', ')} } from './schemas.ts'`,
    '',
    'export interface RequestOptions {',
    '  /** Repeats of a request with the same key have no second effect within 24 hours. Each POST has one of its own. */',
    '  readonly idempotencyKey?: string',
    '  readonly signal?: AbortSignal',
    '  /** Of a body that is neither JSON nor an object, such as text/csv. */',
    '  readonly contentType?: string',
    '}',
    '',
    'export interface ServerSent {',
    '  readonly id: string',
    '  readonly event: string',
    '  readonly data: unknown',
    '}',
    '',
    '/** The routes of the box that an access token opens. */',
    'export interface Operations {',
    methods,
    '}',
    '',
  ].join('\n')
}

function routes({ operations: all }: Sdk): string {
  return [
    head,
    "import type { Operations } from './operations.ts'",
    '',
    '/** Method, path, whether there is a body (raw: bytes) and a query, and how the answer is read. */',
    "export type Route = readonly [method: string, path: string, body: '' | 'json' | 'raw', query: boolean, reading: string]",
    '',
    'export const routes: Readonly<Record<keyof Operations, Route>> = {',
    ...all.map(
      ({ name, method: verb, path, body, query, reading }) =>
        `  ${name}: ['${verb}', '${path}', '${body === undefined ? '' : body.raw ? 'raw' : 'json'}', ${query.length > 0}, '${reading}'],`,
    ),
    '}',
    '',
  ].join('\n')
}

/** Text by file, from the root. */
export const typescriptFiles = (all: Sdk): readonly (readonly [file: string, text: string])[] => [
  [`${folder}/verbs.ts`, verbs(all)],
  [`${folder}/events.ts`, events(all)],
  [`${folder}/schemas.ts`, schemas(all)],
  [`${folder}/operations.ts`, operations(all)],
  [`${folder}/routes.ts`, routes(all)],
]
