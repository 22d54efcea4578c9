/** The rows of calls, with an index of those that have not ended: what a crash cut off is found there, however old it is. */
import { settledWithin, type Clock } from '../base/clock.ts'
import type { Store, Tables } from '../store/store.ts'
import type { CallRow } from '../store/tables.ts'
import type { Call } from './call.ts'
import { isTerminal } from './state.ts'

type CallTables = Pick<Tables, 'calls' | 'liveCalls' | 'meta'>

/** Inside a transaction. */
export function putCall({ calls, liveCalls }: CallTables, row: CallRow): void {
  calls.put(row.callId, row)
  if (isTerminal(row.state)) liveCalls.remove(row.callId)
  else if (liveCalls.get(row.callId) === undefined) liveCalls.put(row.callId, true)
}

/** Inside a transaction: the row of a call that has just begun, so that nothing of it can be there. */
export function putNewCall({ calls, liveCalls }: CallTables, row: CallRow): void {
  calls.put(row.callId, row)
  liveCalls.put(row.callId, true)
}

/** A disk that hangs, as a worn card does now and then, keeps a caller waiting so long; one that takes nothing says so at once. */
const mostStoreMs = 1000

/**
 * Before the next event of a call leaves: that the call lives, the number that the event gets, and what was written before, are on the
 * disk. Were the daemon to die after the event left, the call gets its end nevertheless, and no other event the same number.
 */
export async function storeLive(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { kept }: Call,
  put: (row: CallRow) => void,
): Promise<void> {
  const written = store.transaction(() => {
    // Its last state is written together with its end.
    const row = isTerminal(kept.state) ? store.tables.calls.get(kept.callId) : kept
    if (row !== undefined && !isTerminal(row.state)) put({ ...row, sequence: kept.sequence })
  }, 'calls')
  await settledWithin(clock, mostStoreMs, [written])
}

const indexed = 'liveCallsIndexed'

/** Calls that have not ended. A store written before the index existed is read through once. */
export function liveRows({ calls, liveCalls, meta }: CallTables): CallRow[] {
  const rows =
    meta.get(indexed) === true ? [...liveCalls.range()].map(({ key }) => calls.get(key)) : [...calls.range()].map(({ value }) => value)
  return rows.filter((row): row is CallRow => row !== undefined && !isTerminal(row.state))
}

/** Inside a transaction: `rows` are all calls that have not ended, and so it stays. */
export function beginIndex({ liveCalls, meta }: CallTables, rows: readonly CallRow[]): void {
  for (const row of rows) liveCalls.put(row.callId, true)
  meta.put(indexed, true)
}
