/** Schemas with a name: the OpenAPI document has each once, among its components, and generated clients know it by that name. */
import type { TSchema } from '@sinclair/typebox'

export const nameMark = 'x-name'

export function named<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, [nameMark]: name }
}
