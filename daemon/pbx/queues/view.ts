/** Queues as a person sees them. */
import { isoTime, type Clock } from '../../clock.ts'
import type { Config } from '../../schema/config.ts'
import type { QueueMemberView, QueueView } from '../../schema/queues.ts'
import type { QueueDayRow } from '../../store/tables.ts'
import { quantile } from './figures.ts'
import type { Queue } from './queue.ts'
import type { Queues } from './queues.ts'

export interface QueueViewOptions {
  readonly config: Pick<Config, 'extensions'>
  readonly queues: Queues
  readonly clock: Clock
}

/** `day`: of its figures, by default today. */
export function queueView(options: QueueViewOptions, queue: Queue, day?: string): QueueView {
  const { id, name, strategy, members } = queue.settings
  const row = day === undefined || day === queue.figures.today.day ? queue.figures.today : queue.figures.on(day)
  const { offered, answered, abandoned, sentOn, waits } = row
  return {
    id,
    name,
    strategy,
    callers: callersOf(options, queue),
    members: members.map((extension) => memberOf(options, queue, extension, row)),
    day: row.day,
    offered,
    answered,
    abandoned,
    sentOn,
    waitP50Seconds: quantile(waits, 0.5),
    waitP95Seconds: quantile(waits, 0.95),
  }
}

function callersOf({ clock }: QueueViewOptions, queue: Queue): QueueView['callers'] {
  const elapsed = clock.elapsed()
  return queue.machine.callers().flatMap(({ id, waitsSince, priority }) => {
    const visit = queue.visitOf(id)
    if (visit === undefined) return []
    const { from, callerName } = visit.call.row
    const waitedMs = elapsed - waitsSince
    const ringing = queue.settings.members.filter((member) => queue.machine.rungFor(member) === id)
    const since = isoTime(clock.now() - waitedMs)
    return { callId: id, from, callerName, since, waitedSeconds: Math.floor(waitedMs / 1000), priority, ringing }
  })
}

function memberOf({ config, queues }: QueueViewOptions, queue: Queue, extension: string, { members }: QueueDayRow): QueueMemberView {
  const { loggedOutAt, pausedAt, pauseReason } = queues.members.of(queue.settings.id, extension)
  const name = config.extensions.find(({ number }) => number === extension)?.name ?? ''
  const figures = members[extension] ?? { offered: 0, answered: 0, missed: 0, talkSeconds: 0 }
  return {
    extension,
    name,
    state: stateOf(queues, queue, extension),
    since: isoTime(loggedOutAt ?? pausedAt),
    reason: loggedOutAt === null && pausedAt !== null ? pauseReason : '',
    ...figures,
  }
}

function stateOf(queues: Queues, queue: Queue, extension: string): QueueMemberView['state'] {
  const { loggedOutAt, pausedAt } = queues.members.of(queue.settings.id, extension)
  const doing = queue.machine.doing(extension)
  if (doing === 'talking' || doing === 'ringing') return doing
  if (loggedOutAt !== null) return 'logged out'
  if (pausedAt !== null) return 'paused'
  const presence = queues.presenceOf(extension)
  return presence === 'free' && doing === 'resting' ? 'wrapping up' : presence
}
