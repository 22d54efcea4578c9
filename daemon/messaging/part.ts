/** Texts: the trunks of the configuration, each built by its driver, and what those who look at the box see. */
import type { SmsTrunk, SmsPlace } from '../../drivers/sms.ts'
import { smsTrunks } from '../../drivers/index.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import type { Core } from '../core.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { smsRoutes } from './routes.ts'
import { createMessaging, type Messaging, type MessagingOptions, trunkWarnings } from './messaging.ts'
import { type NoticeWays, refusalOf, type NoticeWay } from '../base/notice-ways.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import type { Part } from '../part.ts'
import type { SmsTrunkConfig } from '../schema/config.ts'
import { forgetRepeats, keysOf, repeatsOf, type Eraser } from '../erasure/erasure.ts'
import type { Store } from '../store/store.ts'
import type { SmsQueue } from './queue.ts'
import type { Figure, Sample } from '../base/metrics.ts'

/** Figures about texts. */
function smsFigures({ queue, trunks }: Messaging): readonly Figure[] {
  const { figures } = queue
  const states = ['queued', 'sending', 'retrying'] as const
  const age = (oldest: number | null): number => (oldest === null ? 0 : Math.max(0, (Date.now() - oldest) / 1000))
  return [
    {
      name: 'pbx_sms_waiting',
      help: 'Texts that have not ended.',
      type: 'gauge',
      read: () => states.map((state): Sample => [{ state }, queue.states().get(state) ?? 0]),
    },
    {
      name: 'pbx_sms_oldest_seconds',
      help: 'Age of the oldest text that has not ended.',
      type: 'gauge',
      read: () => [[{}, age(queue.oldestAt())]],
    },
    {
      name: 'pbx_sms_ended_total',
      help: 'Texts that reached a final state; one that was sent may be delivered later.',
      type: 'counter',
      read: () => figures.ended(),
    },
    {
      name: 'pbx_sms_attempts_total',
      help: 'Texts given to trunks, by result.',
      type: 'counter',
      read: () => figures.attempts(),
    },
    { name: 'pbx_sms_segments_total', help: 'Parts of texts that trunks accepted.', type: 'counter', read: () => figures.segments() },
    { name: 'pbx_sms_received_total', help: 'Texts received.', type: 'counter', read: () => figures.received() },
    {
      name: 'pbx_sms_trunk_up',
      help: 'Whether a trunk can carry texts.',
      type: 'gauge',
      read: () => trunks().map(({ id, ok }): Sample => [{ trunk: id }, ok ? 1 : 0]),
    },
  ]
}

/** How far the texts of a provider were read, kept in the store: a box that was off over the holidays reads on where it stopped. */
export function placeOf(store: Store, trunkId: string): SmsPlace {
  const { meta } = store.tables
  const key = `smsPolled:${trunkId}`
  return {
    get: () => {
      const kept = meta.get(key)
      return typeof kept === 'number' ? kept : null
    },
    keep: (at) => store.transaction(() => void meta.put(key, at)),
  }
}

/** Notices to people, by text. */
export function noticesByText(messaging: Pick<Messaging, 'sendText'>): NoticeWay {
  return {
    mostAttachmentBytes: 0,
    async tell({ to, brief, about }, alongside) {
      const answer = await messaging.sendText({ to, body: brief, subject: about }, alongside, 'calls')
      if ('code' in answer) throw refusalOf(answer.code, answer.error)
    },
  }
}

// Deletes a text with everything that repeats it.

/** One that waits is not sent any more. Throws ApiError: message_unknown, being_sent. */
export function eraseText(store: Store, queue: Pick<SmsQueue, 'remove'>): Eraser {
  const { smsReferences } = store.tables
  return async (messageId, record) => {
    const references = await keysOf(smsReferences, (row) => row.messageId === messageId)
    const repeats = await repeatsOf(store, messageId, ({ subject }) => subject === messageId)
    await queue.remove(messageId, () => {
      for (const key of references) smsReferences.remove(key)
      forgetRepeats(store.tables, messageId, repeats)
      record(messageId)
    })
  }
}

export interface SmsPartOptions {
  readonly inbox: MessagingOptions['inbox']
  /** For trunks of the kind `sip`. */
  readonly driver: SipDriver
  readonly notices: Pick<NoticeWays, 'add'>
  /** In place of those of the configuration. */
  readonly trunks?: readonly SmsTrunk[]
}

export interface SmsPart extends Part {
  readonly messaging: Messaging
  readonly erase: ReturnType<typeof eraseText>
}

/** What of the house the trunks and their queue work with. */
export type SmsCore = Pick<Core, 'config' | 'store' | 'clock' | 'log' | 'policies'> & { readonly programs: Pick<Core['programs'], 'pty'> }

export async function smsPart(core: SmsCore, options: SmsPartOptions): Promise<SmsPart> {
  const { config, store, clock, log, policies } = core
  const trunks = options.trunks ?? (await Promise.all(config.sms.trunks.map((trunk) => build(trunk, core, options.driver))))
  const messaging = createMessaging({ config, store, clock, log, policies, inbox: options.inbox, trunks })
  options.notices.add('sms', noticesByText(messaging))
  const { queue, hasTrunk } = messaging
  const erase = eraseText(store, queue)
  return {
    name: 'sms',
    messaging,
    erase,
    routes: [...smsRoutes(messaging, erase), ...conversationRoutes({ conversations: messaging.conversations, inbox: options.inbox })],
    erasers: { sms: erase },
    ...(hasTrunk() ? { health: { sms: () => ({ ...messaging.condition(), required: false }) } } : {}),
    warnings: () => trunkWarnings(messaging.trunks()),
    figures: smsFigures(messaging),
    queues: () => [{ name: 'texts', title: 'texts to send', waiting: queue.waiting, oldestAt: queue.oldestAt() }],
    sweeps: [{ what: 'texts', sweep: () => messaging.sweep() }],
    stepped: (stepMs) => queue.stepped(stepMs),
    start: () => messaging.start(),
    drain: () => messaging.drain(),
    stop: () => messaging.stop(),
  }
}

async function build(config: SmsTrunkConfig, { config: { site }, programs, store, log }: SmsCore, driver: SipDriver): Promise<SmsTrunk> {
  const number = config.number === undefined ? '' : normaliseNumber(config.number, site.country).dial
  const common = { number, log: log.child({ trunkId: config.id }) }
  switch (config.kind) {
    case 'modem':
      return (await smsTrunks.modem())({ ...config, ...common })
    case 'smpp':
      return (await smsTrunks.smpp())({ ...config, ...common })
    case 'http':
      return (await smsTrunks.http())({ ...config, ...common, place: placeOf(store, config.id) })
    case 'sip':
      return (await smsTrunks.sip())({ ...config, ...common, driver })
    case 'sim':
      return (await smsTrunks.sim())({ ...config, ...common, ptyProgram: programs.pty })
  }
}
