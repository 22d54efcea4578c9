/** Lists of the house that the desk shows at first, and that the live stream keeps up. */
import type { TSchema } from '@sinclair/typebox'
import type { View } from './named.ts'
import type { listsShown } from './shown-lists.ts'

export interface ShownList {
  readonly thing: TSchema
  /** The member that names a thing of the list. */
  readonly id: string
  /** For the description. */
  readonly example?: object
  /** Says nothing of patients: everybody sees all of it. */
  readonly plain?: boolean
}

/** By their topics. A file of schemas that has some exports them as `shownLists`. */
export type ShownLists = Readonly<Record<string, ShownList>>

export type ShownName = keyof typeof listsShown

/** A list as a part of the house keeps it. */
export interface KeptList<T> {
  list(): readonly T[]
  /** Of one that says itself which of its things has changed; others are compared now and then. */
  onChange?(tell: (id: string) => void): void
}

export type KeptLists = { readonly [N in ShownName]: KeptList<View<(typeof listsShown)[N]['thing']>> }
