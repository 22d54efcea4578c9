/**
 * Calls that were alive when the daemon died. Their legs ended with it, so each gets the end it never got, once; calls
 * that were accepted but not dialled yet are dialled now, unless so much time has passed that nobody expects them, or the
 * part of this program that wanted them decides for itself whether to call again.
 */
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import type { CallRow } from '../store/tables.ts'
import type { Call } from './call.ts'
import type { Calls } from './calls.ts'
import { internalPrefix } from './new-call.ts'
import type { Originator } from './originate.ts'
import { isTerminal } from './state.ts'

/** No call lives longer: 28,800 s is the longest a call may be set to. */
const longestCallMs = 28_800_000 + 3_600_000
const staleQueueMs = 10 * 60_000

/** First key of the calls made at or after `time`: a call id begins with its time (UUIDv7). */
export function callKeyAt(time: number): string {
  return `CA${Math.max(0, Math.floor(time)).toString(16).padStart(12, '0')}`
}

export function recoverCalls(options: { store: Store; calls: Calls; originator: Originator; clock: Clock; log: Log }): number {
  const { store, calls, originator, clock, log } = options
  const now = clock.now()
  const left = [...store.tables.calls.range({ start: callKeyAt(now - longestCallMs) })]
    .map(({ value }) => value)
    .filter((row) => !isTerminal(row.state))
  for (const row of left) {
    const call = calls.add({ ...row })
    const wanted = now - row.createdAt < staleQueueMs && !row.endpointId.startsWith(internalPrefix)
    if (row.state === 'queued' && wanted) {
      originator.enqueue(call)
    } else {
      log.warn({ callId: row.callId, state: row.state }, 'this call was cut off by the end of the daemon')
      endLost(call, row)
    }
  }
  return left.length
}

function endLost(call: Call, row: CallRow): void {
  call.note('state', `cut off in state ${row.state} by the end of the daemon`)
  call.end({ reason: 'failed', by: 'system' }, { cause: 41 })
}
