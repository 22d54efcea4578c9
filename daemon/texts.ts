/** Texts in the daemon: the trunks of the configuration, each built by its driver, and what those who look at the box see. */
import type { SmsTrunk } from '../drivers/sms.ts'
import { smsTrunks } from '../drivers/index.ts'
import type { SipDriver } from '../drivers/sip/driver.ts'
import type { Clock } from './clock.ts'
import type { Health } from './health.ts'
import type { SmsServices } from './http/routes/sms.ts'
import type { Inbox } from './inbox/inbox.ts'
import type { Log } from './log.ts'
import { isDown } from './messaging/condition.ts'
import { smsControl, type SmsControl } from './messaging/control.ts'
import { createMessaging, type Messaging } from './messaging/messaging.ts'
import { placeOf } from './messaging/place.ts'
import type { Metrics, Sample } from './metrics.ts'
import { normaliseNumber } from './numbers.ts'
import type { Config, SmsTrunkConfig } from './schema/config.ts'
import type { Store } from './store/store.ts'

export interface TextsOptions {
  readonly config: Config
  readonly store: Store
  readonly inbox: Inbox
  /** For trunks of the kind `sip`. */
  readonly driver: SipDriver
  readonly clock: Clock
  readonly log: Log
  /** The built pbx-pty, for trunks of the kind `sim`. */
  readonly ptyProgram: string
  /** In place of those of the configuration. */
  readonly trunks?: readonly SmsTrunk[]
}

export interface Texts {
  readonly messaging: Messaging
  /** Texts that wait. */
  readonly queue: Messaging['queue']
  readonly routes: SmsServices
  readonly control: SmsControl
  /** Registers the part `sms` of the box's health. */
  report(health: Health): void
  /** Brings the warnings about trunks up to date. */
  declare(health: Health): void
  measure(metrics: Metrics): void
  /** After the SIP driver has started. */
  start(): void
  drain(): void
  /** Before the SIP driver is stopped and the store is closed. */
  stop(): Promise<void>
}

export async function createTexts(options: TextsOptions): Promise<Texts> {
  const { config, store, inbox, clock, log } = options
  const trunks = options.trunks ?? (await Promise.all(config.sms.trunks.map((trunk) => build(trunk, options))))
  const messaging = createMessaging({ config, store, inbox, clock, log, trunks })
  const { desk, queue, hasTrunk, webhookTrunk } = messaging
  return {
    messaging,
    queue,
    routes: { desk, queue, hasTrunk, webhookTrunk },
    control: smsControl(messaging),
    report(health) {
      if (hasTrunk()) health.part('sms', () => ({ ...messaging.condition(), required: false }))
    },
    declare(health) {
      for (const trunk of messaging.trunks()) {
        const code = `sms-${trunk.id}`
        const text = `Text trunk ${trunk.id}: ${trunk.reason === '' ? trunk.state : trunk.reason}`
        if (isDown(trunk)) health.warn(code, { severity: 'error', text, fix: 'pbx sms trunks' })
        else health.clear(code)
      }
    },
    measure: (metrics) => measureTexts(metrics, messaging),
    start: () => messaging.start(),
    drain: () => messaging.drain(),
    stop: () => messaging.stop(),
  }
}

async function build(config: SmsTrunkConfig, { config: { site }, driver, ptyProgram, store, log }: TextsOptions): Promise<SmsTrunk> {
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
      return (await smsTrunks.sim())({ ...config, ...common, ptyProgram })
  }
}

function measureTexts(metrics: Metrics, { queue, trunks }: Messaging): void {
  const { figures } = queue
  metrics.observed('pbx_sms_waiting', 'Texts that are not over yet.', 'gauge', () =>
    (['queued', 'sending', 'retrying'] as const).map((state): Sample => [{ state }, queue.states().get(state) ?? 0]),
  )
  metrics.observed('pbx_sms_oldest_seconds', 'Age of the oldest text that is not over.', 'gauge', () => {
    const oldest = queue.oldestAt()
    return [[{}, oldest === null ? 0 : Math.max(0, (Date.now() - oldest) / 1000)]]
  })
  metrics.observed(
    'pbx_sms_ended_total',
    'Texts that came into a state that ends them; one that was sent may be delivered later.',
    'counter',
    () => figures.ended(),
  )
  metrics.observed('pbx_sms_attempts_total', 'Texts handed to trunks, by what became of them.', 'counter', () => figures.attempts())
  metrics.observed('pbx_sms_segments_total', 'Parts of texts that trunks took.', 'counter', () => figures.segments())
  metrics.observed('pbx_sms_received_total', 'Texts received.', 'counter', () => figures.received())
  metrics.observed('pbx_sms_trunk_up', 'Whether a trunk can carry texts.', 'gauge', () =>
    trunks().map(({ id, ok }): Sample => [{ trunk: id }, ok ? 1 : 0]),
  )
}
