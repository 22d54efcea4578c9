/** What is checked of every request before its handler: content type, and path, query and body against their schemas. */
import { ApiError, type ErrorDetail } from '../base/errors.ts'
import type { Context } from './context.ts'
import type { Exchange } from './exchange.ts'
import { parsePairs } from './parse.ts'
import { meantBy } from './unknown.ts'
import type { Route } from './route.ts'
import type { Check } from './validate.ts'

interface Checked {
  readonly route: Route
  readonly params: Check | undefined
  readonly query: Check | undefined
  readonly body: Check | undefined
}

const longestName = 100

/** Whether the body is the route's file, and no JSON around it. */
export function isFileItself({ headers }: Pick<Exchange, 'headers'>, { file }: Pick<Route, 'file'>): boolean {
  return file?.type !== undefined && (headers.get('content-type') ?? '').toLowerCase().split(';')[0]!.trim() === file.type
}

/** RFC 8259 knows one encoding, UTF-8; a charset that says so is harmless. */
export function checkContentType(exchange: Exchange, route: Route): void {
  const wanted = route.bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const given = exchange.headers.get('content-type') ?? ''
  const encoding = exchange.headers.get('content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', 'Bodies with a Content-Encoding are not accepted.')
  }
  if (isFileItself(exchange, route) || given === wanted || (given === '' && route.bodyType === 'json-or-nothing')) return
  const [type = '', ...parameters] = given.toLowerCase().split(';')
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='))
  if (type.trim() === wanted && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))) return
  throw new ApiError('unsupported_media_type', `The body must be sent as Content-Type: ${wanted}.`)
}

export function checkSchemas(exchange: Exchange, endpoint: Checked, context: Context): void {
  if (endpoint.params !== undefined && endpoint.params(context.params) !== undefined) {
    throw new ApiError('not_found', 'This address does not exist.')
  }
  const inQuery = exchange.rawQuery === '' && endpoint.query === undefined ? undefined : checkQuery(exchange, endpoint, context)
  const inBody = endpoint.body?.(context.body)
  if (inQuery === undefined && inBody === undefined) return
  const details = [...(inQuery?.details ?? []), ...(inBody ?? [])]
  const first = details[0]!
  if (inQuery?.sentence !== undefined) throw new ApiError('validation_failed', inQuery.sentence, { details: details.slice(0, 20) })
  const where = first.path === '' ? 'The body' : `"${first.path.slice(1).replaceAll('/', '.')}"`
  throw new ApiError('validation_failed', `${where} ${first.message}.`, { details: details.slice(0, 20) })
}

/** What is wrong with it, and the sentence for a name that the route does not have. */
function checkQuery(exchange: Exchange, endpoint: Checked, context: Context): { details: ErrorDetail[]; sentence?: string } | undefined {
  const query = parsePairs(exchange.rawQuery)
  if (query === undefined) throw new ApiError('invalid_url', 'The query of the address is not correctly percent-encoded.')
  const strange = unknownNames(endpoint.route, query)
  const details = strange.map(({ detail }) => detail)
  if (endpoint.query !== undefined) {
    context.query = query
    details.push(...(endpoint.query(query) ?? []))
  }
  if (details.length === 0) return undefined
  return strange.length === 0 ? { details } : { details, sentence: strange[0]!.sentence }
}

interface StrangeName {
  readonly sentence: string
  readonly detail: ErrorDetail
}

/** Names of the query that the route does not have: what was meant as a filter would be answered with everything. */
function unknownNames({ method, path, query: schema }: Route, query: Readonly<Record<string, unknown>>): StrangeName[] {
  const names = Object.keys(query)
  if (names.length === 0) return []
  // It is for others to say what they send: providers and phones.
  if (schema?.['patternProperties'] !== undefined) return []
  const known = Object.keys((schema?.['properties'] ?? {}) as object)
  const strange = names.filter((name) => !known.includes(name))
  return strange.map((name) => {
    const short = JSON.stringify(name.slice(0, longestName))
    const has = known.length === 0 ? 'it has none' : `it has: ${known.join(', ')}`
    const meant = meantBy(name, known)
    return {
      sentence: `${method} ${path} has no filter ${short}; ${has}.`,
      detail: {
        path: `/${name.slice(0, longestName).replaceAll('~', '~0').replaceAll('/', '~1')}`,
        message: `is not known here: ${meant === undefined ? has : `was "${meant}" meant?`}`,
      },
    }
  })
}

export function parseForm(raw: Buffer): Record<string, string | string[]> {
  const pairs = parsePairs(raw.toString('latin1'))
  if (pairs === undefined) throw new ApiError('invalid_json', 'The form is not correctly percent-encoded.')
  return pairs
}

/** `allow`: the methods that the path knows. */
export class MethodNotAllowed extends ApiError {
  readonly allow: readonly string[]

  constructor(allow: readonly string[]) {
    super('method_not_allowed', `Only ${allow.join(', ')} can be used here.`)
    this.allow = allow
  }
}

/** A person who follows a link or types an address; programs say what they read, or nothing. */
export const asksForPage = ({ method, path, headers }: Exchange): boolean =>
  method === 'GET' && !path.startsWith('/api/') && /\btext\/html\b/.test(headers.get('accept') ?? '')
