/**
 * Circuit breaker of the CRM: opens at five failures in a row, or when half of the last twenty requests of a minute failed; stays open for
 * 30 s, and twice as long each time it is not there yet, up to 5 minutes; then probes are sent, one at a time, and two good ones in a row
 * close it. Pure: time and chance are handed in.
 */
export interface BreakerState {
  /** Of the last requests, the oldest first; `at` in ms. */
  readonly recent: readonly { readonly at: number; readonly ok: boolean }[]
  /** Failures since the last success. */
  readonly inRow: number
  /** ms; null while requests pass. */
  readonly openUntil: number | null
  /** How long it was opened for last, before chance; 0: it was closed since. */
  readonly openMs: number
  /** Good probes in a row. */
  readonly good: number
}

export type Circuit = 'closed' | 'open' | 'half-open'

export const breakerClosed: BreakerState = { recent: [], inRow: 0, openUntil: null, openMs: 0, good: 0 }

const mostInRow = 5
const counted = 20
const countedMs = 60_000
const firstOpenMs = 30_000
const longestOpenMs = 5 * 60_000
const goodProbes = 2
const spread = 0.2

export function circuitOf({ openUntil }: BreakerState, now: number): Circuit {
  return openUntil === null ? 'closed' : now < openUntil ? 'open' : 'half-open'
}

/** What came of a request that was let through. `chance`: 0 to 1. */
export function afterRequest(state: BreakerState, ok: boolean, now: number, chance: number): BreakerState {
  // A request that was sent before the circuit opened says nothing new.
  if (state.openUntil !== null) return state
  const recent = [...state.recent, { at: now, ok }].filter(({ at }) => now - at < countedMs).slice(-counted)
  const inRow = ok ? 0 : state.inRow + 1
  const failed = recent.filter((one) => !one.ok).length
  if (inRow >= mostInRow || (recent.length === counted && failed * 2 >= counted)) return opened(firstOpenMs, now, chance)
  return { ...state, recent, inRow }
}

/** What came of a probe, which is sent while the circuit is half-open. */
export function afterProbe(state: BreakerState, ok: boolean, now: number, chance: number): BreakerState {
  if (!ok) return opened(Math.min(longestOpenMs, state.openMs * 2), now, chance)
  return state.good + 1 >= goodProbes ? breakerClosed : { ...state, good: state.good + 1 }
}

function opened(openMs: number, now: number, chance: number): BreakerState {
  const forMs = openMs * (1 + spread * (2 * chance - 1))
  return { recent: [], inRow: 0, openUntil: now + Math.round(forMs), openMs, good: 0 }
}
