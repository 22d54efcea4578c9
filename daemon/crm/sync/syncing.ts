/** The directory kept as the CRM has it: what the part `crm` is made of for that. */
import { isoTime, type Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Config } from '../../schema/config.ts'
import type { Store } from '../../store/store.ts'
import type { CrmClient } from '../client/client.ts'
import { mostParties, type Directory } from '../directory.ts'
import type { ForeignReader } from '../foreign.ts'
import type { Integration } from '../integration.ts'
import type { NumberSurvey } from '../number-survey.ts'
import { Customers } from './customers.ts'
import { Proposals } from './proposals.ts'
import { Reading } from './reading.ts'
import { Sync } from './sync.ts'
import { endless, WholeList } from './whole-list.ts'
import type { CodedWarning } from '../../base/health.ts'
import type { SyncStatusView } from '../../schema/crm-status.ts'

export interface SyncingOptions {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly directory: Directory
  readonly survey: NumberSurvey
  readonly foreign: ForeignReader
  readonly client: CrmClient
  readonly integration: Integration
  /** Inside a transaction: the calls of one party are those of another one from now on. */
  readonly moved: (from: string, to: string) => void
}

export function syncing({ config, store, clock, log, directory, survey, foreign, client, integration, moved }: SyncingOptions) {
  const customers = new Customers({ config, store, clock, directory, moved })
  const list = new WholeList({ store, clock, customers })
  const reading = new Reading({ client, foreign, misfits: client.misfits })
  const enabled = (): boolean => integration.enabled
  const proposals = new Proposals({ store, clock, log, configured: client.configured, enabled, directory, reading, customers })
  const sync = new Sync({ config, store, clock, log, survey, client, enabled, reading, customers, list, proposals })
  client.onClosed(() => sync.back())
  return {
    services: { store, customers, list, sync },
    proposals,
    sweep: { what: 'customers that are gone', sweep: () => customers.sweep() },
    /** Of GET sync/status. */
    status: {
      customers: () => figuresOf({ directory, survey }, customers, list, sync),
      settled: () => survey.now(),
      currentSync: () => currentOf(list),
      listFault: () => shrinkOf(list),
    },
    warnings: () => warningsOf(list),
    start: () => sync.start(),
    stop: () => sync.stop(),
  }
}

function figuresOf(
  { directory, survey }: Pick<SyncingOptions, 'directory' | 'survey'>,
  customers: Customers,
  list: WholeList,
  sync: Sync,
): SyncStatusView['customers'] {
  return {
    total: directory.count(),
    lastFullSyncAt: isoTime(list.state?.wholeAt || null),
    lastDeltaAt: isoTime(sync.lastDeltaAt),
    conflicts: customers.conflicts(),
    ambiguousNumbers: survey.seen.ambiguous,
  }
}

function currentOf({ state }: WholeList): SyncStatusView['currentSync'] {
  if (state === undefined || state.endedAt !== null) return null
  const { syncId, startedAt, seen, total } = state
  return { syncId, startedAt: isoTime(startedAt), processed: seen, total }
}

const suspicious = 'suspicious shrink'
const shrinkOf = ({ state }: WholeList): string => (state?.fault === suspicious ? suspicious : '')

function* warningsOf({ state }: WholeList): Iterable<CodedWarning> {
  if (state?.fault === endless)
    yield {
      code: 'crm-endless-list',
      severity: 'warning',
      text: `Reading the customers of the CRM stopped after ${state.seen}: the pages do not end, or there are more than ${mostParties} customers`,
      fix: 'check the list of the CRM: each page must hold new customers, and the last page no nextCursor',
    }
  if (state?.fault !== suspicious) return
  yield {
    code: 'crm-suspicious-shrink',
    severity: 'warning',
    text: `The CRM sent only ${state.seen} customers, but the box knows ${state.before}: none was removed.`,
    fix: 'check the list of the CRM; it can send removed customers with deleted: true',
  }
}
