/** What routes there are, and of what kinds: without anything behind them, to describe them and never to serve them. */
import { crmWebhookTag } from './crm-webhooks.ts'
import type { Route } from '../http/route.ts'
import { alarmRoutes } from '../alarms/routes.ts'
import { backupRoutes } from '../backup/routes.ts'
import { boxEventRoutes } from '../box-events/routes.ts'
import { callRecordRoutes } from '../history/record-routes.ts'
import { callsShimRoutes } from '../voice/calls-shim-routes.ts'
import { configurationRoutes } from '../config/routes.ts'
import { crmIntegrationRoutes, callEventRoutes } from '../crm/integration-routes.ts'
import { crmRoutes, typedNameRoutes } from '../crm/routes.ts'
import { clickToDialRoutes } from '../crm/click-to-dial-routes.ts'
import { customerSyncRoutes } from '../crm/sync/routes.ts'
import { docsRoutes } from '../http/docs-routes.ts'
import { emailRoutes } from '../mail/routes.ts'
import { emergencyRoutes } from '../pbx/emergency/routes.ts'
import { faxRoutes } from '../fax/routes.ts'
import { frontPageRoutes } from '../http/front-page-routes.ts'
import { healthRoutes } from '../http/health-routes.ts'
import { historyRoutes } from '../history/routes.ts'
import { inboxRoutes } from '../inbox/routes.ts'
import { receivedTextRoutes } from '../inbox/text-routes.ts'
import { metricsRoutes } from '../http/metrics-routes.ts'
import { recordingRoutes } from '../voice/recording-routes.ts'
import { reminderRoutes } from '../reminders/routes.ts'
import { smsRoutes } from '../messaging/routes.ts'
import { auditRoutes } from '../http/audit-routes.ts'
import { callbackRoutes } from '../outbox/routes.ts'
import { limitRoutes } from '../ceilings/routes.ts'
import { whereRoutes } from '../pbx/where-routes.ts'
import { hoursRoutes } from '../pbx/hours/routes.ts'
import { mailboxRoutes } from '../voicemail/routes.ts'
import { modemRoutes } from '../modems/routes.ts'
import { operationRoutes } from '../box/routes.ts'
import { phoneRoutes } from '../provisioning/routes.ts'
import { queueRoutes } from '../pbx/queues/routes.ts'
import { simulateRoutes } from '../simulate/routes.ts'
import { extensionRoutes } from '../pbx/extension-routes.ts'
import { speechRoutes } from '../speech/routes.ts'
import { storedRoutes } from '../erasure/routes.ts'
import { tokenRoutes } from '../tokens/routes.ts'
import { voiceRoutes } from '../voice/routes.ts'

export const tags: Readonly<Record<string, string>> = {
  'Programmable voice': 'Calls that an application drives: place them, see them, reach into them.',
  Fax: 'A PDF becomes a fax.',
  Email: 'Mail through the configured account.',
  SMS: 'Texts through the trunks that carry them.',
  Reminders: 'Calls that remind of appointments.',
  Inbox: 'What was received, to be polled with a cursor.',
  CRM: 'Between the box and the customer records of the clinic: who calls, who is called, what is the same on both sides.',
  Calls: 'All calls of the house, as a CRM sees them and reaches into them.',
  Phones: 'What desk phones fetch.',
  Operation: 'Whether the box is well, and this description.',
  'Events that are answered': 'What happens in a call, sent to its application, which answers with a control document.',
  'Events without an answer': 'What becomes of a call; the answer is not read.',
  [crmWebhookTag]: 'Requests of the box to the CRM at `crm.baseUrl`: the routes that the CRM serves.',
  Callbacks:
    'How a fax or a reminder ended, sent to its statusCallbackUrl; and what is the matter with the box, sent to webhooks of alarms.',
}

/** In the order in which the description shows them. */
const tables = [
  voiceRoutes,
  recordingRoutes,
  callsShimRoutes,
  faxRoutes,
  emailRoutes,
  smsRoutes,
  reminderRoutes,
  inboxRoutes,
  receivedTextRoutes,
  crmRoutes,
  typedNameRoutes,
  customerSyncRoutes,
  crmIntegrationRoutes,
  clickToDialRoutes,
  callRecordRoutes,
  callEventRoutes,
  historyRoutes,
  frontPageRoutes,
  healthRoutes,
  metricsRoutes,
  boxEventRoutes,
  alarmRoutes,
  docsRoutes,
  operationRoutes,
  callbackRoutes,
  tokenRoutes,
  limitRoutes,
  configurationRoutes,
  backupRoutes,
  auditRoutes,
  hoursRoutes,
  queueRoutes,
  emergencyRoutes,
  whereRoutes,
  mailboxRoutes,
  modemRoutes,
  extensionRoutes,
  phoneRoutes,
  speechRoutes,
  simulateRoutes,
  storedRoutes,
] as readonly ((...services: unknown[]) => Route[])[]

/** Routes touch their services when they are served, never when they are defined: none is needed to describe them. */
export function describedRoutes(): Route[] {
  const none = {}
  return tables.flatMap((table) => table(none, none))
}
