/** Starts that failed since the last one that did not, for the history of the box: the service manager tries again and again, and says no reason. */
import type { Core } from './core.ts'

export interface FailedStarts {
  readonly count: number
  /** Milliseconds since the epoch, of the first of them. */
  readonly since: number
  readonly reason: string
}

export type StartedCore = Pick<Core, 'store' | 'startedAt' | 'log'>

const key = 'failedStarts'

export function failedStarts({ store }: Pick<Core, 'store'>): FailedStarts | null {
  const text = store.tables.meta.get(key)
  return typeof text === 'string' ? (JSON.parse(text) as FailedStarts) : null
}

/** Inside a transaction. */
export function forgetFailedStarts({ store }: Pick<Core, 'store'>): void {
  store.tables.meta.remove(key)
}

/** Rejects nothing. */
export async function keepFailedStart({ store, startedAt, log }: StartedCore, error: unknown): Promise<void> {
  const before = failedStarts({ store })
  const reason = error instanceof Error ? error.message : String(error)
  const now: FailedStarts = { count: (before?.count ?? 0) + 1, since: before?.since ?? startedAt, reason }
  try {
    await store.transaction(() => store.tables.meta.put(key, JSON.stringify(now)))
  } catch (second) {
    log.warn({ err: second }, 'that the daemon could not start is not stored')
  }
}
