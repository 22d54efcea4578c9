/** What of a JSON schema says of which kind a value is. */

export interface Shape {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
}

/**
 * Those of the shapes, unions taken apart, that an array or object may be of: where a union says by its constants or required members which
 * one it is, that one alone. None where anything goes.
 */
export function kindsOf(shapes: readonly Shape[], value: object): readonly Shape[] {
  const only = shapes[0]
  // Most are no unions: there is nothing to choose from.
  if (only !== undefined && shapes.length === 1 && !isUnion(only))
    return fits(only, value) && !isOpen(only) && only.additionalProperties !== true ? shapes : none
  const fitting = shapes.flatMap(branches).filter((shape) => fits(shape, value))
  const certain = fitting.filter((shape) => !isOpen(shape) && !isBare(shape))
  if (certain.some(({ additionalProperties }) => additionalProperties === true)) return []
  const told = certain.filter(({ required = [] }) => required.every((name) => Object.hasOwn(value, name)))
  return told.length > 0 ? told : certain
}

const none: readonly Shape[] = []

export function isUnion({ anyOf, oneOf, allOf }: Shape): boolean {
  return anyOf !== undefined || oneOf !== undefined || allOf !== undefined
}

function branches(shape: Shape): Shape[] {
  if (!isUnion(shape)) return [shape]
  const inner = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]
  return inner.length === 0 ? [shape] : inner.flatMap(branches)
}

/** Says nothing of what is in it. */
function isOpen({ properties, patternProperties, additionalProperties, items }: Shape): boolean {
  return properties === undefined && patternProperties === undefined && typeof additionalProperties !== 'object' && items === undefined
}

/** In a union, of an object that may have any members. */
const isBare = ({ properties }: Shape): boolean => properties !== undefined && Object.keys(properties).length === 0

function fits({ type, properties }: Shape, value: object): boolean {
  const own = Array.isArray(value) ? 'array' : 'object'
  if (type !== undefined && type !== own && !(Array.isArray(type) && type.includes(own))) return false
  for (const name in properties) {
    const only = properties[name]!.const
    if (only !== undefined && Object.hasOwn(value, name) && (value as Record<string, unknown>)[name] !== only) return false
  }
  return true
}
