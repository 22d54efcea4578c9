/** Deletion for a test that has only some of the parts: what it was not given it must not reach. */
import { Erasure, type ErasureOptions } from '../../daemon/erasure/erasure.ts'
import type { Store } from '../../daemon/store/store.ts'

export function erasureOf(store: Store, parts: Partial<ErasureOptions> = {}): Erasure {
  return new Erasure({ store, calls: { get: () => undefined }, ...parts } as ErasureOptions)
}
