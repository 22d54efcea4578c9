/** Removes what is past its time: rows of texts, references that no report will name any more, marks of what was received. */
import type { Clock } from '../base/clock.ts'
import { removeEnded, removeOld } from '../store/remove-old.ts'
import type { Store } from '../store/store.ts'

export interface SweepOptions {
  readonly store: Store
  readonly clock: Clock
  readonly keepMs: number
}

const dayMs = 86_400_000
/** Networks report for some days at most. */
const referencesMs = 14 * dayMs
/** A modem that was away gives texts again that it kept; a provider lists old ones. */
const seenMs = { network: 14 * dayMs, provider: 60 * dayMs } as const

/** How many texts. */
export async function sweepTexts({ store, clock, keepMs }: SweepOptions): Promise<number> {
  const { sms, smsReferences, smsSeen } = store.tables
  const now = clock.now()
  const texts = await removeEnded(store, sms, now - keepMs)
  await removeOld(store, smsReferences, { isOld: (row) => now - row.at > referencesMs })
  await removeOld(store, smsSeen, {
    isOld: (row, key) => now - row.at > (key.startsWith('network/') ? seenMs.network : seenMs.provider),
  })
  return texts
}
