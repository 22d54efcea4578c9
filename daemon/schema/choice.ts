/** A text that is one of a few words. */
import { Type, type TUnsafe } from '@sinclair/typebox'

export interface ChoiceOptions<T extends string> {
  readonly default?: T
  readonly description?: string
  readonly examples?: readonly T[]
}

export function Choice<const T extends string>(values: readonly T[], options: ChoiceOptions<T> = {}): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options })
}
