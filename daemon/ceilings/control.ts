/** What the technician's socket does with the daily ceilings. */
import { ApiError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { Ceilings, CeilingView } from './ceilings.ts'

export interface LimitsControl {
  /** The box first, then the tokens that used something today. */
  list(): readonly CeilingView[]
  /** Today begins anew, for one token or for everybody. `alongside` runs in the transaction. Throws ApiError `not_found`. */
  reset(token: string | undefined, alongside: () => void): Promise<readonly CeilingView[]>
}

export function limitsControl(ceilings: Ceilings, store: Store): LimitsControl {
  return {
    list: () => ceilings.view(),
    async reset(token, alongside) {
      const known = await store.transaction(() => {
        if (!ceilings.reset(token)) return false
        alongside()
        return true
      })
      if (!known) throw new ApiError('not_found', `The token ${token} used nothing: see "pbx limits".`)
      return ceilings.view()
    },
  }
}
