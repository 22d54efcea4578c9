/** What is counted, as flat numbers that can be added up: pure. */

/** By what is counted; what is not there is 0. */
export type Counts = Readonly<Record<string, number>>

export const added = (a: Counts, b: Counts): Counts => {
  const sum: Record<string, number> = { ...a }
  for (const [name, value] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + value
  return sum
}

/** Upper bounds of the histogram of waits, in seconds; what is above the last counts as more. */
export const waitBounds = [2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 420, 600, 900, 1200, 1800, 3600]
/** Callers who are answered so soon are counted apart. */
const soonSeconds = 20

/** The counters of one wait. */
export function waited(seconds: number): Counts {
  const at = waitBounds.findIndex((bound) => seconds <= bound)
  return { [`wait${at === -1 ? waitBounds.length : at}`]: 1 }
}

export interface Waits {
  readonly count: number
  readonly within20Seconds: number
  readonly p50Seconds: number | null
  readonly p95Seconds: number | null
}

export function waitsOf(counts: Counts): Waits {
  const histogram = Array.from({ length: waitBounds.length + 1 }, (_, at) => counts[`wait${at}`] ?? 0)
  const soon = waitBounds.indexOf(soonSeconds)
  return {
    count: sum(histogram),
    within20Seconds: sum(histogram.slice(0, soon + 1)),
    p50Seconds: shareOf(histogram, 0.5),
    p95Seconds: shareOf(histogram, 0.95),
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The seconds that a share of the waits does not exceed, as exact as the bounds; null of none. */
function shareOf(histogram: readonly number[], share: number): number | null {
  const total = sum(histogram)
  if (total === 0) return null
  const rank = Math.ceil(total * share)
  let before = 0
  for (const [at, count] of histogram.entries()) {
    if (before + count >= rank) {
      const [low, high] = [waitBounds[at - 1] ?? 0, waitBounds[at] ?? waitBounds.at(-1)!]
      return Math.round(low + ((high - low) * (rank - before)) / count)
    }
    before += count
  }
  return null
}
