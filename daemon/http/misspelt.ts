/**
 * Members of a request that were most likely meant to be others. The CRM's routes leave alone what they do not know, so that either side may
 * be the newer one; a word that is nearly one they know is told as a warning.
 */
import { Kind, type TSchema } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'
import { nearest } from '../spelling.ts'

const mostWarnings = 20
const longestName = 100
/** Of one request: each is compared with every name that is known. */
const mostCompared = 500

/** One text for each, such as `/phons is not used: "phones" was meant?`. */
export function misspelt(schema: TSchema, body: unknown): string[] {
  const search = { found: [], left: mostCompared }
  look(schema, body, '', search)
  return search.found
}

/** What was refused as it does not fit, with the members of the body that the route does not know: one of them is often the one that is missing. */
export function withUnknown(thrown: unknown, schema: TSchema | undefined, body: unknown): unknown {
  const properties = schema?.['properties'] as object | undefined
  if (!(thrown instanceof ApiError) || thrown.code !== 'validation_failed' || properties === undefined) return thrown
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return thrown
  const details = thrown.details ?? []
  const strange = Object.keys(body).filter((name) => !Object.hasOwn(properties, name) && name.length <= longestName)
  const told = strange
    .filter((name) => !details.some(({ message }) => message.includes(JSON.stringify(name))))
    .slice(0, mostWarnings - details.length)
  if (told.length === 0) return thrown
  const free = Object.keys(properties).filter((name) => !Object.hasOwn(body, name))
  const more = told.map((name) => {
    const meant = nearest(name, free) ?? abbreviated(name, free)
    return {
      path: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      message: meant === undefined ? 'is not known here' : `is not known here: was "${meant}" meant?`,
    }
  })
  const { message, cause, extra, retryAfterSeconds } = thrown
  // Who reads the sentence alone is told too.
  const sentence = `${message} ${told.map((name) => JSON.stringify(name)).join(', ')} ${told.length === 1 ? 'is' : 'are'} not known here.`
  return new ApiError(thrown.code, sentence, {
    details: [...details, ...more],
    cause,
    ...(extra === undefined ? {} : { extra }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

/** The one name that has all letters of the short one, in order, from its first on: "message" for "msg". */
function abbreviated(short: string, names: readonly string[]): string | undefined {
  const fits = names.filter((name) => {
    let at = 0
    for (const letter of name.toLowerCase()) if (letter === short[at]?.toLowerCase()) at += 1
    return short.length > 1 && at === short.length && name[0] === short[0]
  })
  return fits.length === 1 ? fits[0] : undefined
}

interface Search {
  readonly found: string[]
  /** How many names may still be compared. */
  left: number
}

function look(schema: TSchema, value: unknown, path: string, search: Search): void {
  const isOver = (): boolean => search.found.length >= mostWarnings || search.left <= 0
  if (Array.isArray(value) && schema['items'] !== undefined) {
    for (const [at, item] of value.entries()) {
      if (isOver()) return
      look(schema['items'] as TSchema, item, `${path}/${at}`, search)
    }
    return
  }
  const properties = schema['properties'] as Record<string, TSchema> | undefined
  if (properties === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return
  for (const [name, member] of Object.entries(value)) {
    if (isOver()) return
    const known = properties[name]
    if (known !== undefined && Object.hasOwn(properties, name)) {
      if (known[Kind] !== 'Union') look(known, member, `${path}/${name}`, search)
      continue
    }
    search.left--
    // What is there already was not misspelt here.
    const meant = nearest(
      name,
      Object.keys(properties).filter((one) => !Object.hasOwn(value, one)),
    )
    if (meant !== undefined) search.found.push(`${path}/${name} is not used: was "${meant}" meant?`)
  }
}
