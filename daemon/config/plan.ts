/** What becomes of the changes of a configuration, taken together. */
import type { ConfigChange } from '../schema/config/change.ts'

export interface Plan {
  readonly changes: ConfigChange[]
  readonly effect: 'none' | 'live' | 'restart'
  /** Whether it is taken back unless it is confirmed. */
  readonly confirm: boolean
}

/** By these the box is reached: who changes one may have shut the door behind himself. */
const doors = /^(http|control|sip\.(udp|tcp|tls))\b/

export function planOf(changes: ConfigChange[]): Plan {
  const effect = changes.length === 0 ? 'none' : changes.every((change) => change.effect === 'live') ? 'live' : 'restart'
  return { changes, effect, confirm: changes.some(({ path }) => doors.test(path)) }
}

/** `trunks[main].channels: 30 -> 20`. */
export function inWords({ path, change, before = '', after = '' }: ConfigChange): string {
  switch (change) {
    case 'added':
      return `+ ${path}: ${after}`
    case 'removed':
      return `- ${path}: ${before}`
    case 'changed':
      return `~ ${path}: ${before} -> ${after}`
    case 'moved':
      return `~ ${path}: in another order`
  }
}
