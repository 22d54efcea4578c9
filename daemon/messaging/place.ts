/** How far the texts of a provider were read, kept in the store: a box that was off over the holidays reads on where it stopped. */
import type { SmsPlace } from '../../drivers/sms.ts'
import type { Store } from '../store/store.ts'

export function placeOf(store: Store, trunkId: string): SmsPlace {
  const { meta } = store.tables
  const key = `smsPolled:${trunkId}`
  return {
    get: () => {
      const kept = meta.get(key)
      return typeof kept === 'number' ? kept : null
    },
    keep: (at) => store.transaction(() => void meta.put(key, at)),
  }
}
