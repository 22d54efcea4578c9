/** The directory of the house, what other software reads of it and writes into it, and the box as a client of the CRM. */
import type { Core } from '../core.ts'
import { CrmAnalytics } from '../crm/analytics.ts'
import { Asked } from '../crm/asked.ts'
import { CallEvents } from '../crm/call-events.ts'
import { Cards } from '../crm/cards.ts'
import { CrmClient } from '../crm/client/client.ts'
import { misfitWords, type Misfits } from '../crm/client/misfits.ts'
import { Directory, mostOfNumber } from '../crm/directory.ts'
import { ForeignReader } from '../crm/foreign.ts'
import { Importer } from '../crm/import.ts'
import { Integration } from '../crm/integration.ts'
import { LiveNews } from '../crm/live.ts'
import { Lookup } from '../crm/lookup.ts'
import { NumberSurvey } from '../crm/number-survey.ts'
import { Pending } from '../crm/queue/pending.ts'
import { scrub } from '../crm/queue/scrub.ts'
import { Sender } from '../crm/queue/sender.ts'
import { CrmStatus } from '../crm/status.ts'
import { Tally } from '../crm/tally.ts'
import { TypedNames } from '../crm/typed.ts'
import { Users } from '../crm/users.ts'
import type { Customers } from '../crm/sync/customers.ts'
import type { History } from '../history/history.ts'
import type { CallRecords, RecordWatch } from '../history/records.ts'
import { clickToDialRoutes, type ClickToDialServices } from '../crm/click-to-dial-routes.ts'
import { crmIntegrationRoutes, callEventRoutes } from '../crm/integration-routes.ts'
import { crmRoutes, type CrmServices, typedNameRoutes } from '../crm/routes.ts'
import { customerSyncRoutes } from '../crm/sync/routes.ts'
import { syncing } from './crm-sync.ts'
import type { Figure } from '../base/metrics.ts'
import type { CodedWarning, Part, Queue } from '../part.ts'
import type { Callers } from '../routing/inbound.ts'

export interface CrmPart extends Part {
  /** Who calls. */
  readonly callers: Callers
  /** To be told of what becomes of calls. */
  readonly watches: readonly RecordWatch[]
}

export interface CrmHouse {
  readonly history: Pick<History, 'withNumber' | 'find' | 'view' | 'replace' | 'pageBack'>
  readonly records: CallRecords
  readonly house: {
    readonly clickToDial: { readonly place: ClickToDialServices['place'] }
    readonly presence: ClickToDialServices['presence']
  }
}

/** `house`: not before the first request. */
export function crmPart(core: Core, house: () => CrmHouse): CrmPart {
  const { store, clock } = core
  const directory = new Directory(store)
  const survey = new NumberSurvey(directory, core.log)
  const foreign = new ForeignReader()
  const importer = new Importer({ store, clock, directory })
  const calls = { withNumber: (number: string, limit: number) => house().history.withNumber(number, limit) }
  const lookup = new Lookup({ ...core, directory, history: calls })
  const tally = new Tally(core)
  const { client, integration, pending, sender, watches } = outgoing(core, house, { tally, foreign })
  const cards = new Cards(store, clock)
  const asked = new Asked({ ...core, client, directory, lookup, cards, looked: (result) => tally.lookedUp(result) })
  const events = new CallEvents({
    ...core,
    card: (number, about) => asked.card(number, about, true),
    cardAtOnce: (number) => asked.cardAtOnce(number),
    asks: () => client.configured && integration.enabled && client.circuit === 'closed',
  })
  const synced = syncing(core, {
    directory,
    survey,
    foreign,
    client,
    integration,
    moved: (from, to) => house().records.moveToParty(from, to),
  })
  const status = new CrmStatus({ ...core, client, integration, pending, sender, ...synced.status })
  const queue = () => ({ pending: sender.order.size, dead: pending.dead })
  const analytics = new CrmAnalytics({ ...core, tally, history: () => house().history, queue })
  return {
    name: 'crm',
    callers: asked,
    watches: [events, ...watches],
    routes: [
      ...crmRoutes({ asked, importer, ...importing(core, foreign, survey) }),
      ...customerSyncRoutes(synced.services),
      ...typedNameRoutes(new TypedNames({ ...core, directory, lookup, proposals: synced.proposals })),
      ...callEventRoutes(events),
      ...crmIntegrationRoutes({ status, analytics, integration, pending, clock }),
      ...clickToDialRoutes({
        ...core,
        directory,
        users: new Users({ ...core, client }),
        records: { get: (callId) => house().records.get(callId) },
        place: (order, alongside) => house().house.clickToDial.place(order, alongside),
        presence: (extension) => house().house.presence(extension),
      }),
    ],
    figures: figuresOf(directory, synced.services.customers, events, client.misfits),
    sweeps: [...sweepsOf({ cards, importer, pending, tally }), synced.sweep],
    queues: () => (client.configured ? [queueOf(status, clock.now())] : []),
    warnings: () => [
      ...warningsOf(core, status, client.figures.lockedOut),
      ...misfitsOf(client.misfits, clock.now()),
      ...synced.warnings(),
      ...crowdedOf(survey),
    ],
    start: () => {
      tally.start()
      void survey.look()
      synced.start()
      sender.start()
    },
    stepped: (stepMs) => {
      tally.stepped(stepMs)
      sender.stepped(stepMs)
    },
    // Before the doors, which would wait for these requests.
    stop: async () => {
      events.close()
      await sender.stop()
      await Promise.all([synced.stop(), client.stop()])
      foreign.stop()
      await survey.idle()
      await tally.stop()
    },
  }
}

function importing({ config }: Core, foreign: ForeignReader, survey: NumberSurvey): Pick<CrmServices, 'read' | 'imported'> {
  return {
    read: (bytes, file) => foreign.read(bytes, { kind: 'import', file, country: config.site.country }),
    imported: () => void survey.look(),
  }
}

interface Swept {
  readonly cards: Cards
  readonly importer: Importer
  readonly pending: Pending
  readonly tally: Tally
}

function sweepsOf({ cards, importer, pending, tally }: Swept): NonNullable<Part['sweeps']> {
  return [
    { what: 'cards of the CRM', sweep: () => cards.sweep() },
    { what: 'imported parties whose list was replaced', sweep: () => importer.sweep() },
    { what: 'calls the CRM did not take', sweep: () => pending.sweep() },
    { what: 'figures of the CRM', sweep: () => tally.sweep() },
  ]
}

function figuresOf(directory: Directory, customers: Customers, events: CallEvents, misfits: Misfits): Figure[] {
  return [
    { name: 'pbx_directory_parties', help: 'Customers in the directory.', type: 'gauge', read: () => [[{}, directory.count()]] },
    {
      name: 'pbx_directory_conflicts',
      help: 'Customers of which the CRM has sent two contradicting versions.',
      type: 'gauge',
      read: () => [[{}, customers.conflicts()]],
    },
    {
      name: 'pbx_crm_answer_faults_total',
      help: 'Members of answers of the CRM that do not match the specification.',
      type: 'counter',
      read: () => misfits.counts().map(([request, count]) => [{ request }, count] as const),
    },
    { name: 'pbx_event_readers', help: 'Programs that read the events of calls.', type: 'gauge', read: () => [[{}, events.readers]] },
  ]
}

/** What goes to the CRM. */
function outgoing(core: Core, house: () => CrmHouse, { tally, foreign }: { readonly tally: Tally; readonly foreign: ForeignReader }) {
  const { store, clock, config, log } = core
  const integration = new Integration(store, clock)
  const enabled = (): boolean => integration.enabled
  const client = new CrmClient({
    ...core,
    foreign,
    policy: core.policies.crm,
    enabled,
    went: (reason) => tally.went(reason),
    backlog: () => sender.order.size > 0,
  })
  client.onClosed(() => tally.cameBack())
  const pending = new Pending({
    ...core,
    history: () => house().history,
    configured: client.configured,
    size: () => sender.order.size,
    changed: (key, row) => sender.expect(key, row),
    overflowed: () => log.error({}, 'the queue for the CRM is full: the newest calls will not be sent to it'),
  })
  const { maxRequestsPerSecond: perSecond } = config.crm
  const sender = new Sender({
    ...core,
    client,
    pending,
    history: () => house().history,
    perSecond,
    enabled,
    scrub,
    delivered: (delayMs) => tally.delivered(delayMs),
  })
  integration.onEnabled(() => sender.hurry())
  return { client, integration, pending, sender, watches: [pending, new LiveNews({ store, clock, client })] }
}

function queueOf(status: CrmStatus, now: number): Queue {
  const { state, queue } = status.view()
  const { pendingLogs, pendingNotes, oldestPendingAt, dead } = queue
  // What was switched off waits because somebody wants it to.
  const oldestAt = oldestPendingAt === null || state === 'disabled' ? null : Math.min(now, Date.parse(oldestPendingAt))
  return { name: 'crm', title: 'calls for the CRM', waiting: pendingLogs + pendingNotes, oldestAt, dead }
}

function* crowdedOf({ seen: { crowded } }: NumberSurvey): Iterable<CodedWarning> {
  if (crowded.length === 0) return
  const numbers = crowded.map((number) => number.replace('~', '...')).join(', ')
  yield {
    code: 'crowded-number',
    severity: 'warning',
    text: `More than ${mostOfNumber} customers have the number ${numbers}, so it identifies no caller and no name is shown for it`,
    fix: 'it is probably a placeholder: remove it from the customers in the CRM, or from the imported list',
  }
}

/** What is not as agreed is shown for a day. */
const misfitShownMs = 24 * 3_600_000

function* misfitsOf({ last, total }: Misfits, now: number): Iterable<CodedWarning> {
  if (last === null || now - Date.parse(last.at) > misfitShownMs) return
  yield {
    code: 'crm-misfit',
    severity: 'warning',
    text: `${total} values in answers of the CRM were ignored; the last one: ${misfitWords(last)}`,
    fix: 'see docs/crm-requests.md; pbx crm check tests every answer',
  }
}

/** From then on a CRM takes no signature of ours. */
const mostSkewMs = 300_000

function* warningsOf({ config }: Core, status: CrmStatus, lockedOut: string | null): Iterable<CodedWarning> {
  const { state, crm, queue } = status.view()
  if (config.crm.tls.insecure)
    yield {
      code: 'crm-insecure',
      severity: 'warning',
      text: 'The certificate of the CRM is not checked',
      fix: 'use crm.tls.ca instead of crm.tls.insecure',
    }
  if (state === 'degraded' && crm.circuit !== 'closed')
    yield {
      code: 'crm-away',
      severity: 'warning',
      text: `The CRM does not answer: ${crm.lastError ?? 'no answer'}`,
      fix: 'names come from the directory of the box meanwhile; see pbx crm status',
    }
  if (lockedOut !== null && crm.circuit === 'closed') {
    const skewed = Math.abs(crm.clockSkewMs ?? 0) > mostSkewMs
    yield {
      code: 'crm-refuses',
      severity: 'warning',
      text: `The CRM refuses the box: ${lockedOut}${skewed ? `, and its clock is ${Math.round((crm.clockSkewMs ?? 0) / 1000)} s from ours` : ''}`,
      fix: skewed
        ? 'set the clock of the CRM, or of this box'
        : 'compare crm.secret and crm.token with those of the CRM; pbx crm check tests them',
    }
  }
  if (queue.dead > 0)
    yield {
      code: 'crm-dead',
      severity: 'warning',
      text: `${queue.dead} calls were given up because the CRM did not accept them`,
      fix: 'see pbx crm queue --dead; pbx crm retry --dead sends them again',
    }
}
