/** The queues for a screen that everybody in the room sees. */
import type { QueueMemberView, QueueView, WallView } from '../schema/queues.ts'

type Place = keyof WallView['queues'][number]['members']

const placeOf: Readonly<Record<QueueMemberView['state'], Place>> = {
  free: 'free',
  ringing: 'talking',
  talking: 'talking',
  'wrapping up': 'talking',
  'on the telephone': 'talking',
  paused: 'paused',
  'do not disturb': 'away',
  'no phone': 'away',
  'logged out': 'away',
}

/** `waitSeconds`: a caller who waits for longer is amber, after twice as long red. */
export function wallQueue({ id, name, callers, members, empty, ...day }: QueueView, waitSeconds: number): WallView['queues'][number] {
  const waits = callers.filter(({ state }) => state === 'waits').map(({ waitedSeconds }) => waitedSeconds)
  const longestSeconds = Math.max(0, ...waits)
  const counts = { free: 0, talking: 0, paused: 0, away: 0 }
  for (const { state } of members) counts[placeOf[state]] += 1
  const { offered, answered, abandoned, waitP50Seconds, waitP95Seconds } = day
  return {
    // Some queues are named after the number by which they are reached.
    name: (name === '' ? id : name).replaceAll(/\d+/g, '').trim(),
    waiting: waits.length,
    longestSeconds,
    level: longestSeconds > 2 * waitSeconds ? 'red' : longestSeconds > waitSeconds ? 'amber' : 'ok',
    members: counts,
    empty: counts.free + counts.talking === 0,
    sendsOn: empty,
    today: { offered, answered, abandoned, waitP50Seconds, waitP95Seconds },
  }
}
