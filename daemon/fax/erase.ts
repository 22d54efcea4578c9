/** Deletes a fax that was sent, with its calls' traces and everything that repeats it. */
import { forgetCalls, forgetRepeats, repeatsOf, type Eraser } from '../erasure/erasure.ts'
import type { Store } from '../store/store.ts'
import type { Fax } from './fax.ts'

/** Of a fax in a final state. Throws ApiError: fax_unknown, being_sent. */
export function eraseFax(store: Store, fax: Pick<Fax, 'remove'>): Eraser {
  return async (faxId, record) => {
    const repeats = await repeatsOf(store, faxId, ({ subject }) => subject === faxId)
    await fax.remove(faxId, ({ history }) => {
      const callIds = history.map(({ callId }) => callId)
      forgetCalls(
        store.tables,
        callIds.filter((callId) => callId !== ''),
      )
      forgetRepeats(store.tables, faxId, repeats)
      record(faxId)
    })
  }
}
