/** Queues as a person sees them. */
import { isoTime, type Clock } from '../../base/clock.ts'
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
  const { waits: lateWaits, ...lately } = queue.figures.lastHour
  return {
    id,
    name,
    strategy,
    callers: callersOf(options, queue),
    members: members.map((extension) => memberOf(options, queue, extension, row)),
    empty: queue.empty,
    whenEmpty: queue.settings.onEmpty ?? '',
    lastHour: { ...lately, waitP50Seconds: quantile(lateWaits, 0.5) },
    day: row.day,
    offered,
    answered,
    abandoned,
    sentOn,
    waitP50Seconds: quantile(waits, 0.5),
    waitP95Seconds: quantile(waits, 0.95),
  }
}

function callersOf({ clock, queues }: QueueViewOptions, queue: Queue): QueueView['callers'] {
  const elapsed = clock.elapsed()
  const absent = new Map(queues.callbacks.of(queue.settings.id).map((row) => [row.id, row]))
  return queue.machine.callers().map(({ id, waitsSince, placeAt, priority, state }) => {
    const row = absent.get(id)
    const { from = row?.number ?? '', callerName = row?.name ?? '' } = queue.visitOf(id)?.call.row ?? {}
    const waitedMs = elapsed - (state === 'here' ? waitsSince : placeAt)
    const ringing = queue.settings.members.filter((member) => queue.machine.rungFor(member) === id)
    const since = isoTime(clock.now() - waitedMs)
    const how = row === undefined ? 'waits' : state === 'absent' ? 'to be called back' : 'called back'
    return {
      callId: id,
      state: how,
      from: row?.number ?? from,
      callerName: row?.name ?? callerName,
      since,
      waitedSeconds: Math.floor(waitedMs / 1000),
      priority,
      ringing,
    }
  })
}

function memberOf({ config, queues, clock }: QueueViewOptions, queue: Queue, extension: string, { members }: QueueDayRow): QueueMemberView {
  const { loggedOutAt, pausedAt, pauseReason } = queues.members.of(queue.settings.id, extension)
  const name = config.extensions.find(({ number }) => number === extension)?.name ?? ''
  const figures = members[extension] ?? { offered: 0, answered: 0, missed: 0, talkSeconds: 0 }
  return {
    extension,
    name,
    state: stateOf(queues, queue, extension, clock.elapsed()),
    since: isoTime(loggedOutAt ?? pausedAt),
    reason: loggedOutAt === null && pausedAt !== null ? pauseReason : '',
    ...figures,
  }
}

function stateOf(queues: Queues, queue: Queue, extension: string, now: number): QueueMemberView['state'] {
  const { loggedOutAt, pausedAt } = queues.members.of(queue.settings.id, extension)
  const doing = queue.machine.doing(extension, now)
  if (doing === 'talking' || doing === 'ringing') return doing
  if (loggedOutAt !== null) return 'logged out'
  if (pausedAt !== null) return 'paused'
  const presence = queues.presenceOf(extension)
  return presence === 'free' && doing === 'resting' ? 'wrapping up' : presence
}
