/**
 * Reads what somebody else answered by its schema: what fits is taken, what does not is named and left out, and nothing more is lost with it
 * than the objects that are of no use without it (`needed`). The same faults are those that `pbx crm check` shows.
 */
import type { TSchema } from '@sinclair/typebox'
import type { ErrorDetail } from '../base/errors.ts'

/** Keyword: an object without this member is left out whole. */
export const neededMark = 'x-needed'
export const needed = <T extends TSchema>(schema: T): T => ({ ...schema, [neededMark]: true })

export interface ReadAnswer<T> {
  /** null: it is of no use. */
  readonly body: T | null
  /** What is not as agreed: the first twenty, and how many there are. */
  readonly faults: readonly ErrorDetail[]
  readonly faultCount: number
}

interface Shape {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly default?: unknown
  readonly [neededMark]?: boolean
}

const mostFaults = 20
const lost = Symbol('left out')

export function readAnswer<T>(schema: TSchema, value: unknown): ReadAnswer<T> {
  const reader = new Reader()
  const body = reader.read(schema as Shape, value, '')
  return { body: body === lost ? null : (body as T), faults: reader.faults, faultCount: reader.faultCount }
}

class Reader {
  readonly faults: ErrorDetail[] = []
  faultCount = 0

  read(shape: Shape, value: unknown, path: string): unknown {
    if (shape.anyOf !== undefined) return this.#oneOf(shape.anyOf, value, path)
    if (shape.properties !== undefined) return this.#object(shape, value, path)
    const types = typesOf(shape)
    if (types.length === 0) return value
    if (types.includes('array')) return this.#list(shape, value, path)
    if (types.includes('null') && value === null) return null
    if (types.includes('string')) return this.#text(shape, value, path, types.includes('integer'))
    if (types.includes('boolean')) return typeof value === 'boolean' ? value : this.#wrong(path, 'must be a boolean')
    return this.#number(shape, value, path, types.includes('integer'))
  }

  #oneOf(branches: readonly Shape[], value: unknown, path: string): unknown {
    if (value === null && branches.some((branch) => typesOf(branch).includes('null'))) return null
    const others = branches.filter((branch) => !typesOf(branch).includes('null'))
    return this.read(others[0] ?? {}, value, path)
  }

  #object({ properties = {}, required = [] }: Shape, value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.#wrong(path, 'must be an object')
    const given = value as Readonly<Record<string, unknown>>
    const read: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(properties)) {
      const one = Object.hasOwn(given, name) ? given[name] : undefined
      const isAbsent = one === undefined || (one === null && !takesNull(member))
      let kept = isAbsent ? lost : this.read(member, one, `${path}/${name}`)
      if (kept === lost && member.default !== undefined) kept = structuredClone(member.default)
      else if (isAbsent && required.includes(name)) this.#wrong(`${path}/${name}`, 'is required')
      if (kept !== lost) read[name] = kept
      else if (member[neededMark] === true) return lost
    }
    return read
  }

  #list({ items = {}, maxItems = Infinity, [neededMark]: isNeeded }: Shape, value: unknown, path: string): unknown {
    if (!Array.isArray(value)) return this.#wrong(path, 'must be an array')
    if (value.length > maxItems) {
      this.#wrong(path, `must have at most ${maxItems} items`)
      // Of a list that must be whole a part is of no use.
      if (isNeeded === true) return lost
    }
    return value
      .slice(0, maxItems)
      .map((one: unknown, at) => this.read(items, one, `${path}/${at}`))
      .filter((one) => one !== lost)
  }

  #text(
    { minLength = 0, maxLength = Infinity, pattern, format, enum: words }: Shape,
    value: unknown,
    path: string,
    takesNumbers: boolean,
  ): unknown {
    if (typeof value !== 'string' && typeof value !== 'number') return this.#wrong(path, 'must be a string')
    if (typeof value === 'number' && !(takesNumbers && Number.isSafeInteger(value))) this.#wrong(path, 'must be a string')
    const text = String(value)
    if (words !== undefined && !words.includes(text))
      return this.#wrong(path, `must be one of ${words.map((one) => JSON.stringify(one)).join(', ')}`)
    if (text.length < minLength) return this.#wrong(path, 'must not be empty')
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return this.#wrong(path, `must match the pattern ${pattern}`)
    if (format === 'date-time' && !isTime(text)) return this.#wrong(path, 'must be a valid date-time')
    if (text.length <= maxLength) return text
    this.#wrong(path, `must have at most ${maxLength} characters`)
    return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
  }

  #number({ minimum = -Infinity }: Shape, value: unknown, path: string, whole: boolean): unknown {
    const number = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value
    const kind = whole ? 'an integer' : 'a number'
    if (typeof value !== 'number') this.#wrong(path, `must be ${kind}`)
    if (typeof number !== 'number') return lost
    if (whole && !Number.isInteger(number)) return this.#wrong(path, `must be ${kind}`)
    return number < minimum ? this.#wrong(path, `must be at least ${minimum}`) : number
  }

  #wrong(path: string, message: string): typeof lost {
    if (this.faultCount++ < mostFaults) this.faults.push({ path, message })
    return lost
  }
}

const typesOf = ({ type = [] }: Shape): readonly string[] => [type].flat()

function takesNull({ anyOf, ...shape }: Shape): boolean {
  return anyOf === undefined ? typesOf(shape).includes('null') : anyOf.some(takesNull)
}

/** RFC 3339, as the checks of requests have it. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(text) && !Number.isNaN(Date.parse(text))
