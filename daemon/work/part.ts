/** What people of the house have to do. */
import { spared } from '../base/log.ts'
import type { Ground } from '../core.ts'
import type { CallRecords } from '../history/records.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Part } from '../part.ts'
import type { Callbacks } from '../pbx/queues/callbacks.ts'
import { workRoutes, type WorkServices } from './routes.ts'
import { WorkViews } from './view.ts'
import { Work } from './work.ts'

export interface WorkPart extends Part, WorkServices {}

export interface WorkPartOptions {
  readonly records: Pick<CallRecords, 'watch'>
  readonly inbox: Inbox
  readonly callbacks: Pick<Callbacks, 'onChange'>
  readonly nameOf: (number: string) => string
}

const dayMs = 86_400_000

export function workPart(
  { config, store, clock, log }: Pick<Ground, 'config' | 'store' | 'clock' | 'log'>,
  options: WorkPartOptions,
): WorkPart {
  const { records, inbox, callbacks, nameOf } = options
  const work = new Work({ store, clock })
  const views = new WorkViews({ store, inbox, nameOf })
  const sentence = 'the list of what is left to do was not changed'
  records.watch({ changed: spared(log, sentence, (record) => work.changed(record)) })
  inbox.onArrival(spared(log, sentence, (feed, item, seq) => work.arrived(feed, item, seq)))
  inbox.onLeave(spared(log, sentence, (feed, id) => work.left(feed, id)))
  callbacks.onChange(spared(log, sentence, (row, change) => work.wished(row, change)))
  return {
    name: 'work',
    work,
    views,
    routes: workRoutes({ work, views }),
    sweeps: [
      { what: 'work that is done', sweep: async () => (await work.sweep()) + (await work.sweepOpen(config.voice.historyDays * dayMs)) },
    ],
  }
}
