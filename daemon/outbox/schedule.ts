/** When a callback is tried again: pure. */

export type ScheduleName = 'standard' | 'call'

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Pauses after the first, second, ... failed attempt. Standard: 10 attempts in 75 h 35 min, so weekends survive. */
export const pauses: Readonly<Record<ScheduleName, readonly number[]>> = {
  standard: [5 * seconds, 5 * minutes, 30 * minutes, 2 * hours, 5 * hours, 10 * hours, 14 * hours, 20 * hours, 24 * hours],
  call: [5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 1 * hours],
}

export const longestRetryAfterMs = 1 * hours
const jitter = 0.1
export const longestPauseMs = 24 * hours * (1 + jitter)

export interface AttemptResult {
  /** HTTP status; 0 where no answer came. */
  status: number
  /** From Retry-After of a 429 or 503, otherwise undefined. */
  retryAfterMs?: number
}

export type Verdict = { outcome: 'delivered' } | { outcome: 'dead' } | { outcome: 'again'; afterMs: number }

/**
 * @param attempts attempts made, this one included
 * @param random 0 to 1
 */
export function judge(schedule: ScheduleName, attempts: number, result: AttemptResult, random: number): Verdict {
  if (result.status >= 200 && result.status < 300) return { outcome: 'delivered' }
  if (result.status === 410) return { outcome: 'dead' }
  const pause = pauses[schedule][attempts - 1]
  if (pause === undefined) return { outcome: 'dead' }
  const afterMs = Math.round(pause * (1 - jitter + 2 * jitter * random))
  const asked = result.status === 429 || result.status === 503 ? Math.min(result.retryAfterMs ?? 0, longestRetryAfterMs) : 0
  return { outcome: 'again', afterMs: Math.max(afterMs, asked) }
}
