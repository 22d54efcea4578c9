/** Removes ended calls and their traces when they are past their time. */
import type { Clock } from '../base/clock.ts'
import { removeOld } from '../store/remove-old.ts'
import type { Store, Table } from '../store/store.ts'
import { callKeyAt } from './new-call.ts'

const dayMs = 86_400_000

/** Rows of a table whose keys are callIds, of calls that began more than `days` ago; how many. */
export function sweepCalls<V>(store: Store, table: Table<V>, clock: Clock, days: number): Promise<number> {
  return removeOld(store, table, { end: callKeyAt(clock.now() - days * dayMs), isOld: () => true })
}
