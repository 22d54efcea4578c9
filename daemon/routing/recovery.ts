/**
 * Calls that were alive when the daemon died. Their legs ended with it, so each gets the end it never got, once; calls
 * that were accepted but not dialled yet are dialled now, unless so much time has passed that nobody expects them, or the
 * part of this program that wanted them decides for itself whether to call again.
 */
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import { beginIndex, liveRows } from '../calls/live-index.ts'
import { internalPrefix } from '../calls/new-call.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { CallRow } from '../store/tables.ts'
import type { Originator } from './originate.ts'

const staleQueueMs = 10 * 60_000

export interface RecoveryOptions {
  readonly store: Store
  readonly calls: Calls
  readonly originator: Originator
  readonly clock: Clock
  readonly log: Log
  /** Reports what the caller had entered when the call was cut off; its end waits for that. */
  readonly tellInputs: (call: Call) => Promise<void>
}

export function recoverCalls(options: RecoveryOptions): number {
  const { store, calls, originator, clock, log } = options
  const now = clock.now()
  // A call may have come in already.
  const left = liveRows(store.tables).filter(({ callId }) => calls.get(callId) === undefined)
  store
    .transaction(() => beginIndex(store.tables, left))
    .catch((error: unknown) => log.error({ err: error }, 'the calls in progress could not be indexed'))
  for (const row of left) {
    const wanted = now - row.createdAt < staleQueueMs && !row.endpointId.startsWith(internalPrefix)
    if (row.state === 'queued' && wanted) {
      originator.enqueue(calls.add({ ...row }))
    } else {
      row.talkSeconds = talkedAtLeast(row, store.tables.meta.get('heartbeat'))
      log.warn({ callId: row.callId, state: row.state }, 'this call was cut off when the daemon stopped')
      const call = calls.add({ ...row })
      call.note('state', `cut off in state ${row.state} when the daemon stopped`)
      call.holdEnd(options.tellInputs(call))
      call.end({ reason: 'failed', by: 'system' }, { cause: 41 })
    }
  }
  return left.length
}

/** Seconds from the answer to the last sign of life of the daemon. */
function talkedAtLeast({ answeredAt }: CallRow, heartbeat: unknown): number {
  if (answeredAt === null || typeof heartbeat !== 'number') return 0
  return Math.max(0, Math.round((heartbeat - answeredAt) / 1000))
}
