/** Removes the figures of queues that are past their time. */
import type { Clock } from '../../base/clock.ts'
import { dayAt } from '../../base/day.ts'
import { removeOld } from '../../store/remove-old.ts'
import type { Store } from '../../store/store.ts'

export interface QueueSweepOptions {
  readonly store: Store
  readonly clock: Clock
  /** IANA. */
  readonly timeZone: string
  readonly keepDays: number
}

const dayMs = 86_400_000

/** Also those of queues that are not in the configuration any more; how many. */
export function sweepQueueDays({ store, clock, timeZone, keepDays }: QueueSweepOptions): Promise<number> {
  const oldest = dayAt(clock.now() - keepDays * dayMs, timeZone)
  return removeOld(store, store.tables.queueDays, { isOld: ({ day }) => day < oldest })
}
