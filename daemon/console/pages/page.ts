/** What the frame knows of a page. */
import type { ComponentType } from 'preact'
import type { Role } from '../../schema/people.ts'
import type { IconName } from '../pieces/icons.ts'

export interface Page {
  /** Its folder. */
  readonly name: string
  readonly path: string
  /** Who has it, in the list at the left. */
  readonly roles: readonly Role[]
  readonly icon: IconName
  readonly title: { readonly en: string; readonly es: string }
  /** After `g`. */
  readonly key?: string
  /** At the foot of a telephone's screen. */
  readonly first?: boolean
  /** `/` is this page, where the person has no other one that comes before. */
  readonly start?: boolean
  /** Not in the list: another way leads there. */
  readonly hidden?: boolean
  readonly load: () => Promise<{ readonly default: ComponentType }>
}
