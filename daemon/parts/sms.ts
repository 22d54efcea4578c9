/** Texts: the trunks of the configuration, each built by its driver, and what those who look at the box see. */
import type { SmsTrunk } from '../../drivers/sms.ts'
import { smsTrunks } from '../../drivers/index.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import type { Core } from '../core.ts'
import { ours, said } from '../base/for-log.ts'
import type { Eraser } from '../erasure/erasure.ts'
import { smsRoutes } from '../messaging/routes.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { isDown } from '../messaging/condition.ts'
import { eraseText } from '../messaging/erase.ts'
import { createMessaging, type Messaging } from '../messaging/messaging.ts'
import { noticesByText } from '../messaging/notices.ts'
import { placeOf } from '../messaging/place.ts'
import type { Figure, Sample } from '../base/metrics.ts'
import type { NoticeWays } from '../base/notice-ways.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import type { Part } from '../part.ts'
import type { SmsTrunkConfig } from '../schema/config.ts'

export interface SmsPartOptions {
  readonly inbox: Inbox
  /** For trunks of the kind `sip`. */
  readonly driver: SipDriver
  /** In place of those of the configuration. */
  readonly trunks?: readonly SmsTrunk[]
}

export interface SmsPart extends Part {
  readonly messaging: Messaging
  readonly erase: Eraser
  readonly notices: NoticeWays
}

/** What of the house the trunks and their queue work with. */
export type SmsCore = Pick<Core, 'config' | 'store' | 'clock' | 'log' | 'policies'> & { readonly programs: Pick<Core['programs'], 'pty'> }

export async function smsPart(core: SmsCore, options: SmsPartOptions): Promise<SmsPart> {
  const { config, store } = core
  const trunks = options.trunks ?? (await Promise.all(config.sms.trunks.map((trunk) => build(trunk, core, options.driver))))
  const messaging = createMessaging({ ...core, inbox: options.inbox, trunks })
  const { queue, hasTrunk } = messaging
  const erase = eraseText(store, queue)
  return {
    name: 'sms',
    messaging,
    erase,
    notices: { sms: noticesByText(messaging) },
    routes: smsRoutes(messaging, erase),
    erasers: { sms: erase },
    ...(hasTrunk() ? { health: { sms: () => ({ ...messaging.condition(), required: false }) } } : {}),
    *warnings() {
      for (const trunk of messaging.trunks()) {
        if (!isDown(trunk)) continue
        const text = said`Text trunk ${ours(trunk.id)}: ${trunk.reason === '' ? trunk.state : trunk.reason}`
        yield { code: `sms-${trunk.id}`, severity: 'error', text, fix: 'pbx sms trunks' }
      }
    },
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
