/** What a key shows of a member of queues: lit while it is logged in, as ringing while it is paused, off while it is logged out. */
import type { WatchedDialog } from '../../../drivers/pbx.ts'
import type { Queues } from '../queues/queues.ts'

/** One for each queue of which it is a member, and into which it is logged in. */
export function queueMemberDialogs(queues: Pick<Queues, 'all' | 'members'>, extension: string): WatchedDialog[] {
  const { members } = queues
  return queues.all().flatMap(({ settings: { id, members: own } }): WatchedDialog[] => {
    if (!own.includes(extension) || !members.isLoggedIn(id, extension)) return []
    return [{ id: `queue-${id}`, state: members.isReady(id, extension) ? 'confirmed' : 'early', direction: 'recipient' }]
  })
}
