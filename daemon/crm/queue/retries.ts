/** When the CRM is told again: pure. */
const second = 1000
const minute = 60 * second
const pauses = [5 * second, 15 * second, minute, 5 * minute, 15 * minute]
/** Between two attempts, whatever the CRM asks for. */
export const longestPauseMs = 60 * minute
const longestMs = 14 * 24 * 60 * minute
/** The CRM says that it does not want this very request. */
const refusing = new Set([400, 404, 409, 422])
const mostRefusals = 3

export interface Told {
  readonly attempts: number
  readonly refusals: number
  readonly createdAt: number
}

export type Verdict =
  | { readonly outcome: 'again'; readonly afterMs: number; readonly refusals: number }
  | { readonly outcome: 'dead'; readonly refusals: number }

/** After an attempt that failed: `told` counts it. `status`: 0 where there was no answer. */
export function afterFailure(told: Told, status: number, retryAfterMs: number, now: number): Verdict {
  const refusals = told.refusals + (refusing.has(status) ? 1 : 0)
  if (refusals >= mostRefusals || now - told.createdAt >= longestMs) return { outcome: 'dead', refusals }
  const pause = refusing.has(status) ? minute : (pauses[told.attempts - 1] ?? pauses.at(-1)!)
  return { outcome: 'again', afterMs: Math.max(pause, Math.min(retryAfterMs, longestPauseMs)), refusals }
}
