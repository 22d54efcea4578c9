/** Members that are null where the schema knows no null: many programs write an absent member so. Those that may be left out are. */
import type { TSchema } from '@sinclair/typebox'
import type { Shape } from './shape.ts'

const none: readonly Shape[] = []

/** Changes `value`. Members that are required keep their null, and its fault. */
export function leaveOutNulls(schema: TSchema, value: unknown): void {
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
