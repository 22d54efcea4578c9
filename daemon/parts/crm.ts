/** The directory of the house, and what other software reads of it and writes into it. */
import type { Core } from '../core.ts'
import { CallEvents } from '../crm/call-events.ts'
import { Directory } from '../crm/directory.ts'
import { Importer } from '../crm/import.ts'
import { Lookup } from '../crm/lookup.ts'
import { Users } from '../crm/users.ts'
import type { History } from '../history/history.ts'
import type { CallRecords } from '../history/records.ts'
import { clickToDialRoutes, type ClickToDialServices } from '../http/routes/click-to-dial.ts'
import { callEventRoutes } from '../http/routes/call-events.ts'
import { crmRoutes } from '../http/routes/crm.ts'
import { checker } from '../http/validate.ts'
import type { Part } from '../part.ts'
import { PartyInputSchema } from '../schema/crm.ts'

export interface CrmPart extends Part {
  readonly directory: Directory
  /** To be told of what becomes of calls. */
  readonly events: CallEvents
}

export interface CrmHouse {
  readonly history: Pick<History, 'withNumber'>
  readonly records: CallRecords
  readonly house: {
    readonly clickToDial: { readonly place: ClickToDialServices['place'] }
    readonly presence: ClickToDialServices['presence']
  }
}

/** `house`: not before the first request. */
export function crmPart(core: Core, house: () => CrmHouse): CrmPart {
  const directory = new Directory(core.store)
  const calls = { withNumber: (number: string, limit: number) => house().history.withNumber(number, limit) }
  const lookup = new Lookup({ ...core, directory, history: calls })
  const events = new CallEvents({ ...core, card: (number) => lookup.card(number) })
  return {
    name: 'crm',
    events,
    directory,
    routes: [
      ...crmRoutes({
        lookup,
        importer: new Importer({ ...core, directory, check: checker(PartyInputSchema, false) }),
      }),
      ...callEventRoutes(events),
      ...clickToDialRoutes({
        ...core,
        directory,
        users: new Users(core.config),
        records: { get: (callId) => house().records.get(callId) },
        place: (order, alongside) => house().house.clickToDial.place(order, alongside),
        presence: (extension) => house().house.presence(extension),
      }),
    ],
    figures: [
      { name: 'pbx_directory_parties', help: 'Parties of the directory.', type: 'gauge', read: () => [[{}, directory.count()]] },
      { name: 'pbx_event_readers', help: 'Programs that read the events of calls.', type: 'gauge', read: () => [[{}, events.readers]] },
    ],
    // Before the doors, which would wait for these requests.
    stop: async () => events.close(),
  }
}
