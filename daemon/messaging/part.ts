/** Texts: the trunks of the configuration, each built by its driver, and what those who look at the box see. */
import type { SmsTrunk } from '../../drivers/sms.ts'
import { smsTrunks } from '../../drivers/index.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import type { Core } from '../core.ts'
import { smsRoutes } from './routes.ts'
import { trunkWarnings } from './condition.ts'
import { eraseText } from './erase.ts'
import { createMessaging, type Messaging, type MessagingOptions } from './messaging.ts'
import { noticesByText } from './notices.ts'
import { placeOf } from './place.ts'
import { smsFigures } from './sms-figures.ts'
import type { NoticeWays } from '../base/notice-ways.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import type { Part } from '../part.ts'
import type { SmsTrunkConfig } from '../schema/config.ts'

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
    routes: smsRoutes(messaging, erase),
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
