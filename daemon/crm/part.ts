/** The directory of the house, what other software reads of it and writes into it, and the box as a client of the CRM. */
import type { Core } from '../core.ts'
import type { History } from '../history/history.ts'
import type { CallRecords } from '../history/records.ts'
import type { Part } from '../part.ts'
import type { Routing } from '../routing/routing.ts'
import type { ClickToDialServices } from './click-to-dial-routes.ts'
import { createCrm, type CrmOptions } from './crm.ts'
import type { Directory } from './directory.ts'
import { figuresOf, queueOf, sweepsOf } from './figures.ts'
import { crmTables } from './tables.ts'
import { crowdedOf, misfitsOf, warningsOf } from './warnings.ts'

export interface CrmPartOptions extends Pick<CrmOptions, 'siteWeb'> {
  readonly routing: Pick<Routing, 'desks'>
  readonly history: History
  readonly records: CallRecords
  readonly place: ClickToDialServices['place']
  readonly presence: ClickToDialServices['presence']
}

export interface CrmPart extends Part {
  readonly directory: Directory
  /** Who has the number, from what is here; '' for nobody, or one of several. */
  readonly nameOf: (number: string) => string
  /** Whether the CRM answers. */
  readonly state: () => 'none' | 'there' | 'away'
}

export function crmPart(core: Core, { routing, history, records, place, presence, siteWeb }: CrmPartOptions): CrmPart {
  const { config, store, clock, log, version, policies } = core
  const crm = createCrm({ config, store, clock, log, version, policy: policies.crm, history, records, siteWeb })
  const { asked, cards, client, directory, events, foreign, importer, integration, pending, sender, status, survey, synced, tally } = crm
  routing.desks.add('callers', asked)
  for (const watch of [events, ...crm.watches]) records.watch(watch)
  return {
    name: 'crm',
    directory,
    nameOf: (number) => asked.known(number)?.name ?? '',
    state: () => (!client.configured ? 'none' : client.circuit === 'closed' && integration.enabled ? 'there' : 'away'),
    routes: crmTables({ config, store, clock, crm, records, place, presence }),
    figures: figuresOf(directory, synced.services.customers, events, client.misfits),
    sweeps: [...sweepsOf({ cards, importer, pending, tally }), synced.sweep],
    queues: () => (client.configured ? [queueOf(status, clock.now())] : []),
    warnings: () => [
      ...warningsOf(config, status, client.figures.lockedOut),
      ...misfitsOf(client.misfits, clock.now()),
      ...synced.warnings(),
      ...crowdedOf(survey),
    ],
    start() {
      tally.start()
      void survey.look()
      synced.start()
      sender.start()
    },
    stepped(stepMs) {
      tally.stepped(stepMs)
      sender.stepped(stepMs)
    },
    // Before the doors, which would wait for these requests.
    async stop() {
      events.close()
      await sender.stop()
      await Promise.all([synced.stop(), client.stop(), crm.elsewhere.stop()])
      foreign.stop()
      await survey.idle()
      await tally.stop()
    },
  }
}
