/** The directory and the CRM, put together. */
import type { History } from '../history/history.ts'
import type { CallRecords } from '../history/records.ts'
import { CrmAnalytics } from './analytics.ts'
import { Asked } from './asked.ts'
import { CallEvents } from './call-events.ts'
import { Cards } from './cards.ts'
import { Directory } from './directory.ts'
import { ForeignReader } from './foreign.ts'
import { Importer } from './import.ts'
import { Lookup } from './lookup.ts'
import { NumberSurvey } from './number-survey.ts'
import { SiteDirectory, type SiteDirectoryOptions } from './site-directory.ts'
import { createOutgoing, type OutgoingOptions } from './outgoing.ts'
import { CrmStatus } from './status.ts'
import { syncing } from './sync/syncing.ts'
import { Tally } from './tally.ts'

export interface CrmOptions extends Omit<OutgoingOptions, 'tally' | 'foreign'>, Pick<SiteDirectoryOptions, 'siteWeb'> {
  readonly history: History
  readonly records: CallRecords
}

export type Crm = ReturnType<typeof createCrm>

export function createCrm({ config, store, clock, log, version, policy, history, records, siteWeb }: CrmOptions) {
  const directory = new Directory(store)
  const survey = new NumberSurvey(directory, log)
  const foreign = new ForeignReader()
  const importer = new Importer({ store, clock, directory })
  const lookup = new Lookup({ config, clock, directory, history })
  const tally = new Tally({ store, clock, log })
  const outgoing = createOutgoing({ config, store, clock, log, version, policy, history, tally, foreign })
  const { client, integration, pending, sender } = outgoing
  const cards = new Cards(store, clock)
  const elsewhere = new SiteDirectory({ config, clock, log, siteWeb })
  const asked = new Asked({
    ...{ clock, client, directory, lookup, cards },
    elsewhere: (number, signal) => elsewhere.lookup(number, signal),
    looked: (result) => tally.lookedUp(result),
  })
  const events = new CallEvents({
    ...{ store, clock },
    card: (number, about) => asked.card(number, about, true),
    cardAtOnce: (number) => asked.cardAtOnce(number),
    asks: () => client.configured && integration.enabled && client.circuit === 'closed',
  })
  const synced = syncing({
    ...{ config, store, clock, log, directory, survey, foreign, client, integration },
    moved: (from, to) => records.moveToParty(from, to),
  })
  const status = new CrmStatus({ clock, client, integration, pending, sender, ...synced.status })
  const queue = () => ({ pending: sender.order.size, dead: pending.dead })
  const analytics = new CrmAnalytics({ clock, tally, history, queue })
  return { ...outgoing, directory, elsewhere, survey, foreign, importer, lookup, tally, cards, asked, events, synced, status, analytics }
}
