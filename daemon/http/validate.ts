/** Checks values against the schemas of a route and says in plain words what does not fit. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import * as formats from 'ajv-formats'
import type { TSchema } from '@sinclair/typebox'
import type { ErrorDetail } from '../base/errors.ts'
import { nearest } from '../base/spelling.ts'
import type { Shape } from './shape.ts'

/** Members that are null where the schema knows no null: many programs write an absent member so. Those that may be left out are. */
const none: readonly Shape[] = []

/** Changes `value`. Members that are required keep their null, and its fault. */
function leaveOutNulls(schema: TSchema, value: unknown): void {
  visit(schema as Shape, value)
}

function visit(shape: Shape, value: unknown): void {
  if (value === null || typeof value !== 'object') return
  for (const branch of shape.anyOf ?? none) visit(branch, value)
  for (const branch of shape.oneOf ?? none) visit(branch, value)
  if (Array.isArray(value)) {
    if (shape.items !== undefined) for (const item of value) if (typeof item === 'object') visit(shape.items, item)
    return
  }
  const { properties } = shape
  if (properties === undefined) return
  const members = value as Record<string, unknown>
  for (const name of Object.keys(members)) {
    if (!Object.hasOwn(properties, name)) continue
    const member = properties[name]!
    if (members[name] !== null) visit(member, members[name])
    else if (shape.required?.includes(name) !== true && !takesNull(member)) delete members[name]
  }
}

function takesNull(shape: Shape): boolean {
  const branches = [...(shape.anyOf ?? []), ...(shape.oneOf ?? [])]
  if (branches.length > 0) return branches.some(takesNull)
  if (shape.type === undefined) return shape.const === undefined ? (shape.enum?.includes(null) ?? true) : shape.const === null
  return shape.type === 'null' || (Array.isArray(shape.type) && shape.type.includes('null'))
}

/** Fills in defaults; undefined where the value fits, otherwise at most 20 details. */
export type Check = (value: unknown) => ErrorDetail[] | undefined

const mostDetails = 20

/** With more values only the first fault is reported: to find them all in a megabyte of zeros stops the daemon for seconds. */
const mostValues = 10_000

/** The schemas are the program's own: the check of schemas themselves would take longer than theirs. */
function instance(coerceTypes: boolean, allErrors = true): Ajv {
  const ajv = new Ajv({ allErrors, verbose: true, strict: false, useDefaults: true, coerceTypes, meta: false, validateSchema: false })
  ;(formats.default as unknown as (target: Ajv) => void)(ajv)
  return ajv
}

const instances: { plain?: Ajv; coercing?: Ajv; brief?: Ajv } = {}

/** `coerce`: for values that arrive as text, such as those of a query. The schema is compiled at the first use. */
export function checker(schema: TSchema, coerce: boolean): Check {
  let compiled: ValidateFunction | undefined
  let brief: ValidateFunction | undefined
  return (value) => {
    const { isLarge, hasNull } = coerce ? asText : sizeOf(value)
    if (hasNull) leaveOutNulls(schema, value)
    if (isLarge) {
      brief ??= (instances.brief ??= instance(false, false)).compile(schema)
      return brief(value) ? undefined : plainDetails(brief.errors ?? [])
    }
    compiled ??= (coerce ? (instances.coercing ??= instance(true)) : (instances.plain ??= instance(false))).compile(schema)
    return compiled(value) ? undefined : plainDetails(compiled.errors ?? [])
  }
}

interface Size {
  readonly isLarge: boolean
  /** One that large may have some that nobody has come to. */
  readonly hasNull: boolean
}

const asText: Size = { isLarge: false, hasNull: false }
const withoutNull: Size = { isLarge: false, hasNull: false }
const withNull: Size = { isLarge: false, hasNull: true }
const large: Size = { isLarge: true, hasNull: true }

/** Of the value that is counted. */
let nulls = 0

function sizeOf(value: unknown): Size {
  nulls = 0
  return leftAfter(value, mostValues) < 0 ? large : nulls > 0 ? withNull : withoutNull
}

/** How many more values there may be after `value` and those within; below 0 where it has too many. */
function leftAfter(value: unknown, most: number): number {
  let left = most - 1
  if (value === null) nulls += 1
  if (left < 0 || value === null || typeof value !== 'object') return left
  if (Array.isArray(value) && value.length > left) return -1
  for (const name in value) {
    left = leftAfter((value as Record<string, unknown>)[name], left)
    if (left < 0) return left
  }
  return left
}

function plainDetails(errors: readonly ErrorObject[]): ErrorDetail[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf')
  const details: ErrorDetail[] = []
  const seen = new Set<string>()
  for (const error of errors) {
    // What each branch of a union says about the same value is summed up in the union's own error.
    if (unions.some((union) => union !== error && insideUnion(error, union))) continue
    const detail = { path: pathOf(error), message: messageOf(error, errors) }
    const key = `${detail.path}\n${detail.message}`
    if (seen.has(key)) continue
    seen.add(key)
    details.push(detail)
    if (details.length === mostDetails) break
  }
  return details
}

function insideUnion(error: ErrorObject, union: ErrorObject): boolean {
  return error.instancePath === union.instancePath && error.schemaPath.startsWith(`${union.schemaPath}/`) && error.keyword !== 'required'
}

function pathOf(error: ErrorObject): string {
  const extra: unknown = error.keyword === 'required' ? error.params.missingProperty : undefined
  if (typeof extra === 'string') return `${error.instancePath}/${extra.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return error.instancePath
}

function messageOf(error: ErrorObject, all: readonly ErrorObject[]): string {
  const { params } = error
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${kinds(params.type)}`
    case 'enum':
      return `must be one of ${list(params.allowedValues as unknown[])}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'anyOf':
    case 'oneOf': {
      const constants = all.filter((one) => one.keyword === 'const' && insideUnion(one, error))
      return constants.length > 0
        ? `must be one of ${list(constants.map((one) => one.params.allowedValue as unknown))}`
        : 'has none of the allowed forms'
    }
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} items`
    case 'maxItems':
      return `must have at most ${params.limit} items`
    case 'minProperties':
      return `must have at least ${params.limit} members`
    case 'maxProperties':
      return `must have at most ${params.limit} members`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'exclusiveMinimum':
      return `must be more than ${params.limit}`
    case 'exclusiveMaximum':
      return `must be less than ${params.limit}`
    case 'format':
      return params.format === 'uri' ? 'must be an absolute URL' : `must be a valid ${params.format}`
    case 'pattern':
      return `must match the pattern ${params.pattern}`
    case 'uniqueItems':
      return 'must not contain the same item twice'
    case 'additionalProperties':
      return unknownMember(String(params.additionalProperty), error.parentSchema)
    default:
      return error.message ?? 'is not valid'
  }
}

function unknownMember(name: string, schema: ErrorObject['parentSchema']): string {
  const meant = nearest(name, Object.keys((schema?.['properties'] ?? {}) as object))
  return `must not have the member ${JSON.stringify(name)}${meant === undefined ? '' : `: was "${meant}" meant?`}`
}

function kinds(type: unknown): string {
  const names = (Array.isArray(type) ? type : String(type).split(',')) as string[]
  return names.map((name) => (name === 'null' ? 'null' : /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`)).join(' or ')
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ')
}
