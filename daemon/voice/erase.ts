/** Deletes what was recorded and traced of a call, with everything that repeats it. */
import type { Calls } from '../calls/calls.ts'
import { ApiError } from '../base/errors.ts'
import { forgetCalls, forgetRepeats, repeatsOf, type Eraser } from '../erasure/erasure.ts'
import { callIdPattern } from '../base/ids.ts'
import type { Store } from '../store/store.ts'
import type { Recordings } from './recordings.ts'

/** Throws ApiError `recording_unknown`. */
export function eraseRecording(store: Store, recordings: Recordings, calls: Pick<Calls, 'get'>): Eraser {
  return async (id, record) => {
    const found = recordings.find(id)
    const repeats = await repeatsOf(store, id, ({ kind, body }) => kind.startsWith('record.') && body.includes(id))
    const removed = await recordings.remove(id, () => {
      if (found !== undefined) store.tables.callTraces.remove(found.row.callId)
      forgetRepeats(store.tables, id, repeats)
      record(id)
    })
    if (!removed || found === undefined) throw new ApiError('recording_unknown', 'There is no recording with that id')
    calls.get(found.row.callId)?.trace.forget()
  }
}

/** The trace of a call that has ended, with its words elsewhere. Throws ApiError: call_unknown, call_live. */
export function eraseTrace(store: Store, calls: Pick<Calls, 'get'>): Eraser {
  return async (callId, record) => {
    if (!callIdPattern.test(callId) || store.tables.calls.get(callId) === undefined) {
      throw new ApiError('call_unknown', 'There is no call with that id')
    }
    if (calls.get(callId) !== undefined)
      throw new ApiError('call_live', 'The call is still running: its trace can be deleted when it has ended.')
    await store.transaction(() => {
      forgetCalls(store.tables, [callId])
      record(callId)
    })
  }
}
