/** Figures of the house by the hour. */
import type { Ground } from '../core.ts'
import type { FaxQueue } from '../fax/queue.ts'
import type { History } from '../history/history.ts'
import type { CallRecords } from '../history/records.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { SmsQueue } from '../messaging/queue.ts'
import type { Part } from '../part.ts'
import type { Reminders } from '../reminders/reminders.ts'
import { Figures } from './figures.ts'
import { startOfDay } from './periods.ts'
import { read } from './read.ts'
import { figureRoutes, callCounts } from './routes.ts'
import { FigureWatch } from './watch.ts'

export interface FiguresPartOptions {
  readonly records: Pick<CallRecords, 'watch'>
  readonly history: Pick<History, 'withNumber'>
  readonly inbox: Pick<Inbox, 'onArrival' | 'missed'>
  readonly faxes: Pick<FaxQueue, 'onEnd'>
  readonly texts: Pick<SmsQueue, 'onState'>
  readonly reminders: Pick<Reminders, 'onEnd'>
}

export interface FiguresPart extends Part {
  /** Calls of the current day, as far as they have ended. */
  readonly callsToday: () => Promise<ReturnType<typeof callCounts>>
}

export function figuresPart({ config, store, clock, log }: Ground, options: FiguresPartOptions): FiguresPart {
  const { records, history, inbox, faxes, texts, reminders } = options
  const { timeZone } = config.site
  const figures = new Figures({ store, clock, log, timeZone })
  const watch = new FigureWatch({ figures, callsWith: (number, limit) => history.withNumber(number, limit) })
  records.watch({ ended: (record) => watch.ended(record) })
  inbox.onArrival((feed, item) => watch.arrived(feed, item))
  inbox.missed.onAdd((row) => watch.faxMissed(row))
  faxes.onEnd((row) => watch.faxEnded(row))
  texts.onState((before, row) => watch.textChanged(before, row))
  reminders.onEnd((row) => watch.reminderEnded(row))
  return {
    name: 'figures',
    async callsToday() {
      const now = clock.now()
      const [all] = await read(figures, timeZone, {
        series: 'calls',
        from: startOfDay(now, timeZone),
        to: now,
        bucket: 'all',
        by: undefined,
      })
      return callCounts(all?.counts ?? {})
    },
    routes: figureRoutes({ figures, clock, timeZone }),
    sweeps: [{ what: 'figures of the house', sweep: () => figures.sweep() }],
    start: () => figures.start(),
  }
}
