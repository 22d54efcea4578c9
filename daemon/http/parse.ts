/** Text of requests turned into values: JSON bodies, query strings and forms. */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '../errors.ts'

/** Deeper nesting serves nobody and exhausts the stack of whoever walks the value. */
const deepestJson = 64
const smallBytes = 4096

export function parseJson(raw: Buffer): unknown {
  if (raw.length === 0) throw new ApiError('invalid_json', 'The body is empty; it must be JSON.')
  if (!isUtf8(raw)) throw new ApiError('invalid_json', 'The body is not UTF-8 text.')
  if (tooDeep(raw)) throw new ApiError('invalid_json', `The body is nested more than ${deepestJson} levels deep.`)
  try {
    return JSON.parse(raw.toString('utf8')) as unknown
  } catch (cause) {
    throw new ApiError('invalid_json', 'The body is not valid JSON.', { cause })
  }
}

/** Jumps over strings, so a large one costs next to nothing; in what is small, to look for their ends would cost more than all the rest. */
function tooDeep(raw: Buffer): boolean {
  if (raw.length <= smallBytes && openings(raw) <= deepestJson) return false
  let depth = 0
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at]
    if (byte === 0x22) {
      at = stringEnd(raw, at + 1)
      if (at === -1) return false
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepestJson) return true
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return false
}

/** Those in strings too. */
function openings(raw: Buffer): number {
  let count = 0
  for (let at = 0; at < raw.length; at++) if (raw[at] === 0x7b || raw[at] === 0x5b) count++
  return count
}

function stringEnd(raw: Buffer, from: number): number {
  for (let at = raw.indexOf(0x22, from); at !== -1; at = raw.indexOf(0x22, at + 1)) {
    let before = at - 1
    while (before >= from && raw[before] === 0x5c) before--
    if ((at - 1 - before) % 2 === 0) return at
  }
  return -1
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
