/** Schemas with a name: the OpenAPI document has each once, among its components, and generated clients know it by that name. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'

// What the figures of the interface count, for people who read its description.

/** Keyword for what a figure counts, such as `ms`. */
export const unitMark = 'x-unit'

/** Whole milliseconds or seconds, counts and so on; never negative. */
export const Count = (unit: string, description: string) => Type.Integer({ minimum: 0, [unitMark]: unit, description })

/** Of examples that must lie ahead: the document that a box serves has a day to come in its place. */
export const exampleTime = '2026-03-03T15:30:00Z'

export const nameMark = 'x-name'

export function named<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, [nameMark]: name }
}

/** What a schema describes, for those who only read it. */
export type View<S extends TSchema> = Frozen<Static<S>>

type Frozen<T> = T extends readonly (infer I)[] ? readonly Frozen<I>[] : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T
