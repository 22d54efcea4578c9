/** The queues of the house, for those who look at them. */
import type { QueueServices } from './routes.ts'
import type { Figure, Sample } from '../../base/metrics.ts'
import type { Queues } from './queues.ts'
import { queueView, type QueueViewOptions } from './view.ts'
import type { Clock } from '../../base/clock.ts'
import { dayAt } from '../../base/day.ts'
import { removeOld } from '../../store/remove-old.ts'
import type { Store } from '../../store/store.ts'

/** Removes the figures of queues that are past their time. */
interface QueueSweepOptions {
  readonly store: Store
  readonly clock: Clock
  /** IANA. */
  readonly timeZone: string
  readonly keepDays: number
}

const dayMs = 86_400_000

/** Also those of queues that are not in the configuration any more; how many. */
export function sweepQueueDays({ store, clock, timeZone, keepDays }: QueueSweepOptions): Promise<number> {
  const oldest = dayAt(clock.now() - keepDays * dayMs, timeZone)
  return removeOld(store, store.tables.queueDays, { isOld: ({ day }) => day < oldest })
}

export function queueServices({ config, clock }: Pick<QueueViewOptions, 'config' | 'clock'>, queues: Queues): QueueServices {
  const options = { config, clock, queues }
  return {
    list: () => queues.all().map((queue) => queueView(options, queue)),
    get(id, day) {
      const queue = queues.get(id)
      return queue === undefined ? undefined : queueView(options, queue, day)
    },
    change: (id, extension, change, alongside) => queues.change(id, extension, change, alongside),
  }
}

export function queueFigures({ config, clock }: Pick<QueueViewOptions, 'config' | 'clock'>, queues: Queues): readonly Figure[] {
  const views = () => queues.all().map((queue) => queueView({ config, clock, queues }, queue))
  return [
    {
      name: 'pbx_call_queue_callers',
      help: 'Callers who wait in a queue.',
      type: 'gauge',
      read: () => queues.all().map(({ settings, machine }): Sample => [{ queue: settings.id }, machine.callers().length]),
    },
    {
      name: 'pbx_call_queue_members',
      help: 'Members of a queue, by what they do.',
      type: 'gauge',
      read: () =>
        views().flatMap(({ id, members }) =>
          [...new Set(members.map(({ state }) => state))].map((state): Sample => {
            return [{ queue: id, state }, members.filter((member) => member.state === state).length]
          }),
        ),
    },
  ]
}
