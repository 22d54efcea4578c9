/**
 * What breaks between two JSON schemas of the same thing. A program sends what goes `in` to the box and reads what comes `out` of it, so the same
 * change is harmless on one way and a break on the other: a member that may be missing now may be left out by a sender, and surprises a reader.
 */

export type Way = 'in' | 'out'

/** Where it breaks, as the CHANGELOG must name it, and what. */
export interface Break {
  readonly where: string
  readonly what: string
}

export interface Shape {
  readonly [key: string]: unknown
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
}

/** A schema, and the document in which its references lead. */
export interface Side {
  readonly shape: Shape
  readonly document: Shape
}

const atMost = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const atLeast = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']

/** What a reference names. */
export function resolved({ shape, document }: Side): Shape {
  if (shape.$ref === undefined) return shape
  const found = shape.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Shape | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)
  return resolved({ shape: (found ?? {}) as Shape, document })
}

/** The members of all parts together, as an object that has them must fit each part. */
function whole(side: Side): Shape {
  const shape = resolved(side)
  if (shape.allOf === undefined) return shape
  const parts = shape.allOf.map((part) => whole({ shape: part, document: side.document }))
  return {
    ...Object.assign({}, ...parts),
    ...shape,
    properties: Object.assign({}, ...parts.map((part) => part.properties ?? {}), shape.properties ?? {}) as Record<string, Shape>,
    required: [...parts.flatMap((part) => part.required ?? []), ...(shape.required ?? [])],
  }
}

/** The schemas of which a value fits one; constants next to each other are one list of values. */
function variants(side: Side): Shape[] {
  const shape = whole(side)
  if (shape.anyOf === undefined) return [shape]
  const all = shape.anyOf.flatMap((variant) => variants({ shape: variant, document: side.document }))
  const values = all.filter((variant) => valuesOf(variant) !== undefined)
  const others = all.filter((variant) => valuesOf(variant) === undefined)
  return values.length === 0 ? others : [{ enum: values.flatMap((variant) => valuesOf(variant)!) }, ...others]
}

const valuesOf = (shape: Shape): readonly unknown[] | undefined => (shape.const === undefined ? shape.enum : [shape.const])

function typesOf(shape: Shape): readonly string[] {
  const ofValues = valuesOf(shape)?.map((value) => (value === null ? 'null' : typeof value))
  const types = typeof shape.type === 'string' ? [shape.type] : (shape.type ?? ofValues ?? [])
  return types.includes('number') ? [...types, 'integer'] : types
}

export class Comparison {
  /** Pairs that are compared already, or are being compared further out: schemas may hold themselves. */
  #seen = new Set<string>()

  breaks(before: Side, after: Side, way: Way, where: string): Break[] {
    const pair = `${way} ${before.shape.$ref} ${after.shape.$ref}`
    if (before.shape.$ref !== undefined && after.shape.$ref !== undefined) {
      if (this.#seen.has(pair)) return []
      this.#seen.add(pair)
    }
    const old = variants(before)
    const now = variants(after)
    return old.flatMap((variant) => {
      const found = now.map((candidate) => this.#one({ ...before, shape: variant }, { ...after, shape: candidate }, way, where))
      return found.toSorted((a, b) => a.length - b.length)[0] ?? [{ where, what: 'is gone' }]
    })
  }

  #one(before: Side, after: Side, way: Way, where: string): Break[] {
    const { shape: old } = before
    const { shape: now } = after
    return [
      ...values(old, now, where),
      ...types(old, now, way, where),
      ...(way === 'in' ? limits(old, now, where) : []),
      ...this.#members(before, after, way, where),
      ...(old.items && now.items ? this.breaks({ ...before, shape: old.items }, { ...after, shape: now.items }, way, `${where}[]`) : []),
      ...this.#named(before, after, way, where),
      ...this.#conditions(before, after, way, where),
    ]
  }

  /** What holds only for some: `if` and `then`, paired by their `if`. */
  #conditions(before: Side, after: Side, way: Way, where: string): Break[] {
    const of = ({ shape }: Side) =>
      new Map(
        [shape, ...(shape.allOf ?? [])].filter((one) => one.then !== undefined).map((one) => [JSON.stringify(one.if), one.then as Shape]),
      )
    const [old, now] = [of(before), of(after)]
    return [
      ...Array.from(now.keys())
        .filter((condition) => !old.has(condition))
        .map((condition) => ({ where, what: `has a rule more for ${condition}` })),
      ...Array.from(old).flatMap(([condition, shape]) => {
        const same = now.get(condition)
        return same === undefined ? [] : this.breaks({ ...before, shape }, { ...after, shape: same }, way, where)
      }),
    ]
  }

  #members(before: Side, after: Side, way: Way, where: string): Break[] {
    const { properties: old = {}, required: must = [] } = before.shape
    const { properties: now = {}, required: mustNow = [] } = after.shape
    const [had, has] = way === 'in' ? [must, mustNow] : [mustNow, must]
    const strict = has.filter((name) => !had.includes(name) && (way === 'in' || Object.hasOwn(now, name)))
    return [
      ...strict.map((name) => ({ where: `${where}.${name}`, what: way === 'in' ? 'is required now' : 'may be missing now' })),
      ...Object.entries(old).flatMap(([name, shape]) => {
        const same = now[name]
        if (same === undefined) return [{ where: `${where}.${name}`, what: 'is gone' }]
        return this.breaks({ ...before, shape }, { ...after, shape: same }, way, `${where}.${name}`)
      }),
      ...(way === 'in' &&
      after.shape.additionalProperties === false &&
      before.shape.additionalProperties !== false &&
      before.shape.properties
        ? [{ where, what: 'takes no other members now' }]
        : []),
    ]
  }

  /** Objects whose members have names that somebody chose. */
  #named(before: Side, after: Side, way: Way, where: string): Break[] {
    const of = ({ shape }: Side): Shape | undefined =>
      Object.values(shape.patternProperties ?? {})[0] ??
      (typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined)
    const [old, now] = [of(before), of(after)]
    return old && now ? this.breaks({ ...before, shape: old }, { ...after, shape: now }, way, `${where}.*`) : []
  }
}

function values(old: Shape, now: Shape, where: string): Break[] {
  const [before, after] = [valuesOf(old), valuesOf(now)]
  if (after === undefined) return []
  if (before === undefined) return [{ where, what: `takes only ${after.map(String).join(', ')} now` }]
  return before.filter((value) => !after.includes(value)).map((value) => ({ where, what: `has no ${String(value)} any more` }))
}

function types(old: Shape, now: Shape, way: Way, where: string): Break[] {
  const [before, after] = [typesOf(old), typesOf(now)]
  if (before.length === 0 || after.length === 0) return []
  const [wider, narrower] = way === 'in' ? [after, before] : [before, after]
  return narrower.every((type) => wider.includes(type)) ? [] : [{ where, what: `was ${before[0]} and is ${after[0]}` }]
}

function limits(old: Shape, now: Shape, where: string): Break[] {
  const tightening = (key: string, change: string) => ({ where, what: `${key} ${change} ${String(now[key])}` })
  const tightened = (key: string, sign: 1 | -1): boolean =>
    now[key] !== undefined && (old[key] === undefined || sign * Number(now[key]) < sign * Number(old[key]))
  return [
    ...atMost.filter((key) => tightened(key, 1)).map((key) => tightening(key, 'went down to')),
    ...atLeast.filter((key) => tightened(key, -1)).map((key) => tightening(key, 'went up to')),
    ...['pattern', 'format'].filter((key) => now[key] !== undefined && now[key] !== old[key]).map((key) => tightening(key, 'is now')),
  ]
}
