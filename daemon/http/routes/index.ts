/** Every route of the daemon, as a function of the services behind them. Nothing of a service is touched before a request. */
import type { Erasure } from '../../erasure/erasure.ts'
import type { Health } from '../../health.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import type { Mail } from '../../mail/mail.ts'
import type { Metrics } from '../../metrics.ts'
import type { LiveCalls } from '../../voice/live.ts'
import type { Recordings } from '../../voice/recordings.ts'
import { openApiDocument } from '../openapi.ts'
import type { Route } from '../route.ts'
import { docsRoutes } from './docs.ts'
import { emailRoutes } from './email.ts'
import { faxRoutes, type FaxServices } from './fax.ts'
import { healthRoutes } from './health.ts'
import { inboxRoutes } from './inbox.ts'
import { callsShimRoutes } from './calls-shim.ts'
import { metricsRoutes } from './metrics.ts'
import { recordingRoutes } from './recordings.ts'
import { reminderRoutes, type ReminderServices } from './reminders.ts'
import { smsRoutes, type SmsServices } from './sms.ts'
import { voiceRoutes, type VoiceServices } from './voice.ts'

export interface RouteServices {
  readonly erasure: Erasure
  readonly health: Health
  readonly metrics: Metrics
  readonly voice: VoiceServices
  readonly recordings: Recordings
  readonly live: LiveCalls
  readonly fax?: FaxServices
  readonly inbox?: Inbox
  readonly mail?: Pick<Mail, 'desk' | 'queue'>
  readonly sms?: SmsServices
  readonly reminders?: ReminderServices
}

export function routes(services: RouteServices): Route[] {
  const all: Route[] = []
  const { erasure } = services
  all.push(...voiceRoutes(services.voice, erasure), ...recordingRoutes(services))
  all.push(...callsShimRoutes(services.live, services.voice.config))
  if (services.fax) all.push(...faxRoutes(services.fax, erasure))
  if (services.mail) all.push(...emailRoutes(services.mail, erasure))
  if (services.sms) all.push(...smsRoutes(services.sms, erasure))
  if (services.reminders) all.push(...reminderRoutes(services.reminders, erasure))
  if (services.inbox) all.push(...inboxRoutes(services.inbox, erasure))
  all.push(...healthRoutes(services), ...metricsRoutes(services), ...docsRoutes((now) => openApiDocument(all, now)))
  return all
}
