/** A control document as a trace shows it: words that its schema lists are names of ours, such as callerId: trunk; everything else is a value. */
import type { TSchema } from '@sinclair/typebox'
import { ours } from '../base/for-log.ts'
import { verbs } from './verbs/index.ts'

export interface ShownVerb {
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
}

export function shownDocument(document: readonly ShownVerb[]): Record<string, unknown>[] {
  return document.map(({ name, params }) => {
    const properties = verbs.get(name)?.parameters.properties ?? {}
    const shown = Object.entries(params).map(([key, value]) => [
      key,
      properties[key] === undefined ? value : shownValue(value, properties[key]),
    ])
    return { [name]: Object.fromEntries(shown) as Record<string, unknown> }
  })
}

function shownValue(value: unknown, schema: TSchema): unknown {
  if (typeof value === 'string') return listed(schema, value) ? ours(value) : value
  return Array.isArray(value) ? value.map((item) => shownValue(item, schema)) : value
}

function listed(schema: TSchema, value: string): boolean {
  const {
    const: only,
    enum: several,
    anyOf,
    items,
  } = schema as TSchema & { const?: unknown; enum?: readonly unknown[]; anyOf?: readonly TSchema[]; items?: TSchema }
  if (only === value || several?.includes(value) === true) return true
  return [...(anyOf ?? []), ...(items === undefined ? [] : [items])].some((one) => listed(one, value))
}
