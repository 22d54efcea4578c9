/** The history of calls, and their records. */
import type { Calls } from '../calls/calls.ts'
import type { Ground } from '../core.ts'
import type { Part } from '../part.ts'
import { History } from './history.ts'
import { callRecordRoutes } from './record-routes.ts'
import { CallRecords } from './records.ts'
import { historyRoutes } from './routes.ts'

export interface HistoryPart extends Part {
  readonly history: History
  readonly records: CallRecords
}

export function historyPart({ config, store, clock, log }: Ground, { calls }: { readonly calls: Calls }): HistoryPart {
  const history = new History({ store, clock, keepDays: config.voice.historyDays })
  const records = new CallRecords({ store, clock, history, live: (callId) => calls.get(callId) })
  calls.onWrite((row) => records.write(row))
  return {
    name: 'history',
    history,
    records,
    routes: [...historyRoutes(history, config), ...callRecordRoutes({ records, config, clock })],
    looked: () => void records.catchUp().catch((error: unknown) => log.debug({ err: error }, 'the history of calls waits for the disk')),
    sweeps: [{ what: 'history', sweep: () => history.sweep() }],
    start: () => void history.start().catch((error: unknown) => log.error({ err: error }, 'the index of the history could not be read')),
  }
}
