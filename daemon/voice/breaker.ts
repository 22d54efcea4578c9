/**
 * Circuit breaker of one endpoint: after five failures in a row callers are not kept waiting for it any more; after 30 s
 * one request is let through as a probe, and its outcome decides. Pure: the time is handed in.
 */

export interface BreakerState {
  /** Failures since the last success. */
  readonly failures: number
  /** Milliseconds; null while requests pass. */
  readonly openUntil: number | null
  readonly probing: boolean
}

export const breakerFailures = 5
export const breakerOpenMs = 30_000

export const breakerClosed: BreakerState = { failures: 0, openUntil: null, probing: false }

/** `probe`: the request is the one that finds out whether the endpoint is back. Report its outcome with that word. */
export type BreakerPass = 'normal' | 'probe' | 'refused'

export function breakerPass(state: BreakerState, now: number): { readonly state: BreakerState; readonly pass: BreakerPass } {
  if (state.openUntil === null) return { state, pass: 'normal' }
  if (state.probing || now < state.openUntil) return { state, pass: 'refused' }
  return { state: { ...state, probing: true }, pass: 'probe' }
}

export function breakerSucceeded(): BreakerState {
  return breakerClosed
}

export function breakerFailed(state: BreakerState, pass: BreakerPass, now: number): BreakerState {
  const failures = state.failures + 1
  if (pass === 'probe') return { failures, openUntil: now + breakerOpenMs, probing: false }
  // A request that was sent before the circuit opened says nothing new.
  if (state.openUntil !== null) return state
  return { failures, openUntil: failures >= breakerFailures ? now + breakerOpenMs : null, probing: false }
}

/** The caller hung up before there was an outcome: the next request may probe in its place. */
export function breakerAbandoned(state: BreakerState, pass: BreakerPass): BreakerState {
  return pass === 'probe' ? { ...state, probing: false } : state
}
