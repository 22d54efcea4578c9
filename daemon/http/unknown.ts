/**
 * Members of a request that its route does not know. An accepted request is answered with a warning for each of them, a refused one with a
 * detail for each: one of them is often the one that is missing. Later versions, and the other side of a CRM, may send more than this one
 * knows: that is no fault.
 */
import type { TSchema } from '@sinclair/typebox'
import { ApiError, type ErrorDetail } from '../base/errors.ts'
import { nearest } from '../base/spelling.ts'
import { isUnion, kindsOf, type Shape } from './shape.ts'

const mostFound = 20
const longestName = 100
/** Of one request: each is compared with every name that is known. */
const mostCompared = 500

export interface UnknownMember {
  /** JSON pointer. */
  readonly path: string
  readonly name: string
  /** The member that was most likely meant. */
  readonly meant: string | undefined
}

interface Search {
  readonly found: UnknownMember[]
  /** How many names may still be compared. */
  left: number
}

const none: readonly UnknownMember[] = []

/** At most 20, in the order of the body. */
export function unknownMembers(schema: TSchema, body: unknown): readonly UnknownMember[] {
  if (isKnownThroughout(schema as Shape, body)) return none
  const search: Search = { found: [], left: mostCompared }
  look([schema as Shape], body, '', search)
  return search.found
}

const asked = ({ meant }: UnknownMember): string => (meant === undefined ? '' : `: was "${meant}" meant?`)

/** Such as `is not used: was "phones" meant?`, to be read after the path. */
export function unusedText(member: UnknownMember): string {
  return `is not used${asked(member)}`
}

/** What was refused as it does not fit, with the members of the body that the route does not know. */
export function withUnknown(thrown: unknown, schema: TSchema | undefined, body: unknown): unknown {
  if (!(thrown instanceof ApiError) || thrown.code !== 'validation_failed' || schema === undefined) return thrown
  const details = thrown.details ?? []
  const told = unknownMembers(schema, body)
    .filter(({ name }) => !details.some(({ message }) => message.includes(JSON.stringify(name))))
    .slice(0, Math.max(0, mostFound - details.length))
  if (told.length === 0) return thrown
  const more: ErrorDetail[] = told.map((member) => ({ path: member.path, message: `is not known here${asked(member)}` }))
  const { message, cause, extra, retryAfterSeconds } = thrown
  // For readers of the sentence alone.
  const names = told.map(({ path }) => JSON.stringify(path.slice(1).replaceAll('/', '.')))
  const first = /[.!?]$/.test(message) ? message : `${message}.`
  const sentence = `${first} ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not known here.`
  return new ApiError(thrown.code, sentence, {
    details: [...details, ...more],
    cause,
    ...(extra === undefined ? {} : { extra }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

/** The one of these names that a word most likely stands for. */
export function meantBy(word: string, names: readonly string[]): string | undefined {
  return nearest(word, names) ?? theOne(names, (name) => abbreviates(word, name)) ?? theOne(names, (name) => isPartOf(word, name))
}

function theOne(names: readonly string[], fits: (name: string) => boolean): string | undefined {
  const fitting = names.filter(fits)
  return fitting.length === 1 ? fitting[0] : undefined
}

/** Whether the name has all letters of the short one, in order, from its first on: "message" for "msg". */
function abbreviates(short: string, name: string): boolean {
  let at = 0
  for (const letter of name.toLowerCase()) if (letter === short[at]?.toLowerCase()) at += 1
  return short.length > 1 && at === short.length && name[0] === short[0]
}

/** Whether one begins or ends with the other: "callback" and "callbackUrl". */
function isPartOf(word: string, name: string): boolean {
  const [short, long] = [word.toLowerCase(), name.toLowerCase()].toSorted((a, b) => a.length - b.length) as [string, string]
  return short.length > 2 && (long.startsWith(short) || long.endsWith(short))
}

/** `shapes`: what the value may be, each of them. */
function look(shapes: readonly Shape[], value: unknown, path: string, search: Search): void {
  if (value === null || typeof value !== 'object') return
  const kinds = kindsOf(shapes, value)
  if (kinds.length === 0) return
  if (Array.isArray(value)) {
    const items = kinds.map(({ items: shape }) => shape)
    if (items.includes(undefined)) return
    for (const [at, item] of value.entries()) {
      if (isOver(search)) return
      look(items as Shape[], item, `${path}/${at}`, search)
    }
    return
  }
  const given = value as Record<string, unknown>
  for (const name of Object.keys(given)) {
    if (isOver(search)) return
    const member = given[name]
    if (isKnown(kinds, name)) {
      if (member !== null && typeof member === 'object') look(memberShapes(kinds, name), member, placeOf(path, name), search)
    } else if (name.length <= longestName) {
      search.left--
      // What is there already was not misspelt here.
      const free = new Set(kinds.flatMap(({ properties = {} }) => Object.keys(properties)).filter((one) => !Object.hasOwn(given, one)))
      search.found.push({ path: placeOf(path, name), name, meant: meantBy(name, [...free]) })
    }
  }
}

const placeOf = (path: string, name: string): string => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

interface Members {
  readonly byName: ReadonlyMap<string, Shape>
  /** Any other name is known too. */
  readonly anyName: boolean
}

const knownMembers = new WeakMap<Shape, Members>()

/** None of a union: which of its members count depends on the value. */
function membersOf(shape: Shape): Members {
  let members = knownMembers.get(shape)
  if (members === undefined) {
    const { properties = {}, patternProperties } = isUnion(shape) ? {} : shape
    members = { byName: new Map(Object.entries(properties)), anyName: patternProperties !== undefined }
    knownMembers.set(shape, members)
  }
  return members
}

/** Whether a look would find nothing, for sure: so it is of nearly all bodies, and costs a tenth. */
function isKnownThroughout(shape: Shape, value: unknown): boolean {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  const { byName, anyName } = membersOf(shape)
  for (const name in value) {
    const of = byName.get(name)
    const member = (value as Record<string, unknown>)[name]
    if (of === undefined && !anyName) return false
    if (member !== null && typeof member === 'object' && (of === undefined || !isKnownThroughout(of, member))) return false
  }
  return true
}

/** The same as whether there are shapes of that member, which nearly always is all that is asked. */
function isKnown(kinds: readonly Shape[], name: string): boolean {
  for (const { properties, patternProperties, additionalProperties } of kinds) {
    if (properties !== undefined && Object.hasOwn(properties, name)) return true
    if (patternProperties !== undefined || typeof additionalProperties === 'object') return true
  }
  return false
}

function memberShapes(kinds: readonly Shape[], name: string): Shape[] {
  const only = kinds.length === 1 ? kinds[0]!.properties : undefined
  if (only !== undefined && Object.hasOwn(only, name)) return [only[name]!]
  return kinds.flatMap(({ properties = {}, patternProperties = {}, additionalProperties }) => {
    if (Object.hasOwn(properties, name)) return [properties[name]!]
    const any = Object.values(patternProperties)
    return typeof additionalProperties === 'object' ? [...any, additionalProperties] : any
  })
}

function isOver({ found, left }: Search): boolean {
  return found.length >= mostFound || left <= 0
}
