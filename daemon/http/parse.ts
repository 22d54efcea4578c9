/** Text of requests turned into values: JSON bodies, query strings and forms. */
import { isUtf8 } from 'node:buffer'
import { deepestJson, isTooDeep } from '../../drivers/foreign-json.ts'
import { ApiError } from '../base/errors.ts'

/** A byte order mark in front is passed over, as RFC 8259 section 8.1 allows. */
export function parseJson(body: Buffer): unknown {
  const raw = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
  if (raw.length === 0) throw new ApiError('invalid_json', 'The body is empty; it must be JSON.')
  if (!isUtf8(raw)) throw new ApiError('invalid_json', 'The body is not UTF-8 text.')
  if (isTooDeep(raw)) throw new ApiError('invalid_json', `The body is nested more than ${deepestJson} levels deep.`)
  try {
    return JSON.parse(raw.toString('utf8')) as unknown
  } catch (cause) {
    throw new ApiError('invalid_json', 'The body is not valid JSON.', { cause })
  }
}

/** Pairs of a query or form (application/x-www-form-urlencoded); a repeated name becomes an array. Undefined where it cannot be decoded. */
export function parsePairs(text: string): Record<string, string | string[]> | undefined {
  const pairs = Object.create(null) as Record<string, string | string[]>
  if (text === '') return pairs
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
    if (name === undefined || value === undefined) return undefined
    const before = pairs[name]
    if (before === undefined) pairs[name] = value
    else if (typeof before === 'string') pairs[name] = [before, value]
    else before.push(value)
  }
  return pairs
}

function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}
