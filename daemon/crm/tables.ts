/** All routes of the CRM and the directory. */
import type { Clock } from '../base/clock.ts'
import type { CallRecords } from '../history/records.ts'
import type { Route } from '../http/route.ts'
import type { Config } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import { clickToDialRoutes, type ClickToDialServices } from './click-to-dial-routes.ts'
import type { Crm } from './crm.ts'
import { callEventRoutes, crmIntegrationRoutes } from './integration-routes.ts'
import { directoryRoutes } from './directory-routes.ts'
import { crmRoutes, typedNameRoutes } from './routes.ts'
import { customerSyncRoutes } from './sync/routes.ts'
import { TypedNames } from './typed.ts'
import { Users } from './users.ts'

export interface CrmTablesOptions extends Pick<ClickToDialServices, 'place' | 'presence'> {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly crm: Crm
  readonly records: CallRecords
}

export function crmTables({ config, store, clock, crm, records, place, presence }: CrmTablesOptions): Route[] {
  const { analytics, asked, client, directory, events, foreign, importer, integration, lookup, pending, status, survey, synced } = crm
  return [
    ...crmRoutes({
      ...{ asked, importer },
      read: (bytes, file) => foreign.read(bytes, { kind: 'import', file, country: config.site.country }),
      imported: () => void survey.look(),
    }),
    ...customerSyncRoutes(synced.services),
    ...typedNameRoutes(new TypedNames({ config, store, clock, directory, lookup, proposals: synced.proposals })),
    ...directoryRoutes(store, directory),
    ...callEventRoutes(events),
    ...crmIntegrationRoutes({ status, analytics, integration, pending, clock }),
    ...clickToDialRoutes({ config, directory, users: new Users({ config, clock, client }), records, place, presence }),
  ]
}
