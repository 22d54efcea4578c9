/**
 * Members of a request that were most likely meant to be others. The CRM's routes leave alone what they do not know, so that either side may
 * be the newer one; a word that is nearly one they know is told as a warning.
 */
import { Kind, type TSchema } from '@sinclair/typebox'
import { nearest } from '../spelling.ts'

const mostWarnings = 20

/** One text for each, such as `/phons is not used: "phones" was meant?`. */
export function misspelt(schema: TSchema, body: unknown): string[] {
  const found: string[] = []
  look(schema, body, '', found)
  return found
}

function look(schema: TSchema, value: unknown, path: string, found: string[]): void {
  if (Array.isArray(value) && schema['items'] !== undefined) {
    for (const [at, item] of value.entries()) {
      if (found.length >= mostWarnings) return
      look(schema['items'] as TSchema, item, `${path}/${at}`, found)
    }
    return
  }
  const properties = schema['properties'] as Record<string, TSchema> | undefined
  if (properties === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return
  for (const [name, member] of Object.entries(value)) {
    if (found.length >= mostWarnings) return
    const known = properties[name]
    if (known !== undefined && Object.hasOwn(properties, name)) {
      if (known[Kind] !== 'Union') look(known, member, `${path}/${name}`, found)
      continue
    }
    // What is there already was not misspelt here.
    const meant = nearest(
      name,
      Object.keys(properties).filter((one) => !Object.hasOwn(value, one)),
    )
    if (meant !== undefined) found.push(`${path}/${name} is not used: was "${meant}" meant?`)
  }
}
