/**
 * Texts, put together: the desk that accepts them, the queue that sends them through the trunks, what comes in, and who
 * asked not to be texted. The daemon makes one of these, gives its parts to the routes, and starts
 * and stops it with the calls.
 */
import { derived } from '../base/derived.ts'
import type { MediaAccess, SmsTrunk, SmsTrunkHandlers, WebhookTrunk } from '../../drivers/sms.ts'
import { type Clock, repeated, type Repeated, isoTime } from '../base/clock.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { Ceilings } from '../ceilings/ceilings.ts'
import type { Log } from '../base/log.ts'
import { createReach, type Reach } from '../numbers/reach.ts'
import type { RecipientRules } from './recipients.ts'
import type { Config } from '../schema/config.ts'
import type { SmsTrunkView } from '../schema/sms.ts'
import type { KeptClass, Store } from '../store/store.ts'
import { Conversations } from './conversations.ts'
import { SmsDesk, type PreparedText, type TextRefusal, type TextRequest } from './desk.ts'
import { SmsInbound } from './inbound.ts'
import { Keywords } from './keywords.ts'
import { MediaFetcher, type MediaPolicies } from './media/fetcher.ts'
import { SmsQueue } from './queue.ts'
import { Suppression } from './suppression.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'
import { removeEnded, removeOld } from '../store/remove-old.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

interface SweepOptions {
  readonly store: Store
  readonly clock: Clock
  readonly keepMs: number
}

/** Networks report for some days at most. */
const referencesMs = 14 * dayMs
/** A modem that was away gives texts again that it kept; a provider lists old ones. */
const seenMs = { network: 14 * dayMs, provider: 60 * dayMs } as const

/** Removes what is past its time: texts, references that no report will name any more, marks of what was received. How many texts. */
export async function sweepTexts({ store, clock, keepMs }: SweepOptions): Promise<number> {
  const { sms, smsReferences, smsSeen } = store.tables
  const now = clock.now()
  const texts = await removeEnded(store, sms, now - keepMs)
  await removeOld(store, smsReferences, { isOld: (row) => now - row.at > referencesMs })
  await removeOld(store, smsSeen, {
    isOld: (row, key) => now - row.at > (key.startsWith('network/') ? seenMs.network : seenMs.provider),
  })
  return texts
}

/** Whether texts can be sent now, and through which trunks, for those who look at the box. */
interface SmsCondition {
  readonly ok: boolean
  /** Without names and numbers; '' when all is well. */
  readonly reason: string
  readonly detail: string
}

/** A trunk that is only starting is no fault. */
function isDown({ ok, state }: { ok: boolean; state: string }): boolean {
  return !ok && state !== 'starting'
}

function smsCondition(trunks: readonly SmsTrunkView[]): SmsCondition {
  if (trunks.length === 0) return { ok: true, reason: '', detail: 'no trunk for texts is configured' }
  const down = trunks.filter(isDown)
  const works = trunks.filter(({ ok }) => ok)
  const reason = down.length === 0 ? '' : down.length === trunks.length ? 'no trunk can send texts' : 'a trunk for texts is down'
  const sends = works.length === 0 ? 'cannot send' : `sends through ${works.map(({ id }) => id).join(', ')}`
  const faults = trunks.filter(({ ok }) => !ok).map(({ id, state, reason: why }) => `${id}: ${why === '' ? state : why}`)
  return { ok: down.length === 0, reason, detail: [sends, ...faults].join('; ') }
}

export function* trunkWarnings(trunks: readonly SmsTrunkView[]): Iterable<CodedWarning> {
  for (const trunk of trunks.filter(isDown)) {
    const text = said`Text trunk ${ours(trunk.id)}: ${trunk.reason === '' ? trunk.state : trunk.reason}`
    yield { code: `sms-${trunk.id}`, kind: 'line', severity: 'error', text, fix: 'pbx sms trunks' }
  }
}

function trunkView(trunk: SmsTrunk, isDefault: boolean): SmsTrunkView {
  const { id, kind, number } = trunk
  const { ok, state, text, since, facts } = trunk.status()
  return { id, kind, number, default: isDefault, ok, state, reason: text, since: isoTime(since), facts }
}

/** Texts of which parts are missing are given to the inbox as they are, when no further part is to be expected: looked at each minute. */
const times = { firstMs: 20_000, everyMs: 60_000 }

function watchIncomplete({ inbound, clock, log }: { inbound: SmsInbound; clock: Clock; log: Log }): Repeated {
  return repeated(clock, times, () =>
    inbound.flush().catch((error: unknown) => log.error({ err: error }, 'texts without all of their parts could not be stored')),
  )
}

export type { PreparedText, TextRefusal, TextRequest } from './desk.ts'

export interface MessagingOptions {
  readonly config: Pick<Config, 'sms' | 'site' | 'extensions' | 'numbers' | 'limits' | 'speech'>
  readonly store: Store
  readonly inbox: Inbox
  readonly clock: Clock
  readonly log: Log
  /** In the order of the configuration. */
  readonly trunks: readonly SmsTrunk[]
  /** Where pictures may be fetched. */
  readonly policies: MediaPolicies
}

export interface Messaging {
  readonly desk: SmsDesk
  readonly queue: SmsQueue
  readonly inbound: SmsInbound
  readonly suppression: Suppression
  readonly conversations: Conversations
  /** Removes what is past its time; how many texts. */
  sweep(): Promise<number>
  hasTrunk(): boolean
  trunks(): readonly SmsTrunkView[]
  condition(): SmsCondition
  /** A trunk whose provider calls the box. */
  webhookTrunk(id: string): WebhookTrunk | undefined
  /** One text, written in the caller's own transaction; see `PreparedText`. */
  prepare(request: TextRequest): PreparedText | TextRefusal
  /** One text; resolves when it is durable in the queue. `alongside` runs in its transaction, whose rows are kept as those of `as`. */
  sendText(request: TextRequest, alongside?: () => void, as?: KeptClass): Promise<{ readonly messageId: string } | TextRefusal>
  /** Takes up what the last run of the daemon left, and starts the trunks. */
  start(): void
  /** No further text is handed to a trunk. */
  drain(): void
  /** Before the store is closed. */
  stop(): Promise<void>
}

export function createMessaging(options: MessagingOptions): Messaging {
  const { config, store, inbox, clock, log, trunks } = options
  const { sms, site } = config
  const preferred = sms.trunks.find((trunk) => trunk.default)?.id ?? sms.trunks[0]?.id
  const first = trunks.find(({ id }) => id === preferred) ?? trunks[0]
  const choose = (): SmsTrunk | undefined =>
    first === undefined || !isDown(first.status()) ? first : (trunks.find((trunk) => trunk.status().ok) ?? first)
  const suppression = new Suppression({ store, clock, country: site.country })
  const suppressed = (number: string): boolean => suppression.has(number)
  const reach = createReach(config)
  const queue = new SmsQueue({
    store,
    clock,
    log,
    trunks,
    most: sms.queue,
    repeatUnknown: sms.repeatUnknown,
    suppressed,
    reach,
    choose,
  })
  const desk = new SmsDesk({
    store,
    queue,
    clock,
    rules: rulesOf(config, reach),
    ceilings: new Ceilings({ config, store, clock }),
    suppressed,
    choose,
    smartEncoding: sms.smartEncoding,
    validityMs: sms.validityHours * hourMs,
  })
  const arrived = (trunkId: string): void => queue.figures.arrived(trunkId)
  const keywords = new Keywords(sms.optOutWords, languagesOf(config))
  const media = fetcherOf(options)
  const fetch: MediaFetcher['take'] = (rows) => media.take(rows)
  const inbound = new SmsInbound({ store, inbox, suppression, clock, log, country: site.country, keywords, arrived, fetch })
  const incomplete = watchIncomplete({ inbound, clock, log })
  const views = (): SmsTrunkView[] => trunks.map((trunk) => trunkView(trunk, trunk === first))
  return {
    desk,
    queue,
    inbound,
    suppression,
    conversations: new Conversations({ store, inbox, queue, country: site.country }),
    sweep: () => sweepTexts({ store, clock, keepMs: sms.keepDays * dayMs }),
    hasTrunk: () => trunks.length > 0,
    trunks: views,
    condition: () => smsCondition(views()),
    webhookTrunk: (id) => trunks.find((trunk): trunk is WebhookTrunk => trunk.id === id && 'webhook' in trunk),
    prepare: (request) => desk.prepare(request),
    async sendText(request, alongside = () => undefined, as) {
      const prepared = desk.prepare(request)
      if (!('put' in prepared)) return prepared
      await store.transaction(() => {
        prepared.put()
        alongside()
      }, as)
      prepared.admit()
      return { messageId: prepared.messageId }
    },
    start() {
      queue.start()
      media.start()
      for (const trunk of trunks) trunk.start(handlersOf(trunk, { inbound, queue, log }))
      incomplete.start()
    },
    drain: () => queue.drain(),
    async stop() {
      queue.drain()
      await Promise.all([queue.stop(), media.stop(), ...trunks.map((trunk) => trunk.stop())])
      await incomplete.stop()
    },
  }
}

function handlersOf(
  trunk: SmsTrunk,
  { inbound, queue, log }: { readonly inbound: SmsInbound; readonly queue: SmsQueue; readonly log: Log },
): SmsTrunkHandlers {
  return {
    received: (text) => inbound.received(trunk.id, text),
    report: (report) => queue.report(trunk.id, report),
    knows: (reference) => queue.knows(trunk.id, reference),
    statusChanged() {
      const { ok, state, text } = trunk.status()
      log.info({ trunkId: trunk.id, ok, state, text }, 'state of a trunk for texts')
      queue.wake(trunk.id)
    },
  }
}

/** Of the files that texts bring. */
function fetcherOf({ store, inbox, clock, log, trunks, policies }: MessagingOptions): MediaFetcher {
  const accessOf = (id: string): ((url: URL) => MediaAccess) | undefined => {
    const trunk = trunks.find((one) => one.id === id)
    return trunk && ((url) => trunk.mediaAccess?.(url) ?? { own: false, headers: {} })
  }
  return new MediaFetcher({ store, media: inbox.textMedia, clock, log, policies, accessOf })
}

/** In which people here are spoken to. */
function languagesOf({ site, speech }: Pick<Config, 'site' | 'speech'>): string[] {
  return [site.language, ...(typeof speech.voice === 'string' ? [] : Object.keys(speech.voice))]
}

/** As the configuration is now: extensions may change. */
function rulesOf(config: MessagingOptions['config'], reach: Reach): RecipientRules {
  const own = derived(config, () => new Set(config.extensions.map(({ number }) => number)))
  return {
    country: config.site.country,
    get extensions() {
      return own()
    },
    reach,
  }
}
