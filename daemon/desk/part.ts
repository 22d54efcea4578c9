/** The page of the desk, the search, and what the live stream shows: put together of what each part of the house knows. */
import type { LineStatus } from '../../drivers/line.ts'
import type { Core } from '../core.ts'
import type { Directory } from '../crm/directory.ts'
import type { History } from '../history/history.ts'
import type { CallRecords } from '../history/records.ts'
import type { LiveThings } from '../live/thing.ts'
import type { Part } from '../part.ts'
import type { OpenHelpCalls } from '../pbx/help-calls/open-calls.ts'
import { nextDay } from '../reminders/day.ts'
import { consoleDefaults } from '../schema/config/console.ts'
import type { BoxState } from '../schema/desk.ts'
import { boxState, Desk, type DeskOptions } from './desk.ts'
import { deskRoutes } from './routes.ts'
import { Search } from './search.ts'
import { liveThings, type ThingOptions } from './things.ts'

export interface DeskPart extends Part {
  readonly things: LiveThings
}

type Lists = Pick<DeskOptions, 'queues' | 'lists' | 'crm' | 'deedsOf'> & Pick<ThingOptions, 'work' | 'inbox' | 'faxes' | 'events'>

export interface DeskPartOptions extends Lists {
  readonly records: Pick<CallRecords, 'active' | 'get'>
  readonly history: Pick<History, 'pageBack' | 'view'>
  readonly directory: Pick<Directory, 'find'>
  readonly emergency: Pick<OpenHelpCalls, 'list' | 'get'>
  readonly lines: () => readonly LineStatus[]
  /** Whether there is a line for each. */
  readonly writes: { readonly texts: () => boolean; readonly faxes: () => boolean }
}

type Ground = Pick<Core, 'config' | 'store' | 'clock' | 'health'>

export function deskPart({ config, store, clock, health }: Ground, options: DeskPartOptions): DeskPart {
  const { work, records, history, directory, emergency, lines, inbox, faxes, events, crm, writes, ...lists } = options
  const box = (): BoxState => boxState(health.warnings(), lines(), { texts: writes.texts(), faxes: writes.faxes() })
  const desk = new Desk({
    ...{ ...work, ...lists, clock, box, crm },
    emergency: () => emergency.list(),
    calls: () => records.active(),
    waitSeconds: () => (config.console === 'off' ? consoleDefaults : { ...consoleDefaults, ...config.console }).waitSeconds,
    reminders: () => nextDay(store, config.site.timeZone, clock.now()),
  })
  const search = new Search({
    ...{ ...work, config },
    parties: (fits, options) => directory.find(fits, options),
    calls: async (q, limit) => (await history.pageBack(null, limit, { q })).items.map((row) => history.view(row)),
  })
  const things = liveThings({ ...lists, store, clock, records, work, inbox, faxes, events, box, emergency: (id) => emergency.get(id) })
  return { name: 'desk', things, routes: deskRoutes({ desk, search }) }
}
