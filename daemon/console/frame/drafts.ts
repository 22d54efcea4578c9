/** What somebody has begun to write. It stays in the memory of the tab: through the lock, never on the disk, and not for the next person. */
import { signal, type Signal } from '@preact/signals'
import { onLeave } from './session.ts'

const drafts = new Map<string, Signal<any>>()

/** The same signal for the same key, such as `note:CALLID`, until it is dropped. */
export function draft<T>(key: string, initial: T): Signal<T> {
  let kept = drafts.get(key) as Signal<T> | undefined
  if (kept === undefined) drafts.set(key, (kept = signal(initial)))
  return kept
}

/** It was sent, or given up. */
export function drop(key: string): void {
  drafts.delete(key)
}

onLeave((standing) => {
  if (standing === 'out') drafts.clear()
})
