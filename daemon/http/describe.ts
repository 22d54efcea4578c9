/** What routes there are, and of what kinds: without anything behind them, to describe them and never to serve them. */
import { crmWebhookTag } from './crm-webhooks.ts'
import type { Route } from './route.ts'
import { alarmRoutes } from './routes/alarms.ts'
import { backupRoutes } from './routes/backup.ts'
import { boxEventRoutes } from './routes/box-events.ts'
import { callEventRoutes } from './routes/call-events.ts'
import { callRecordRoutes } from './routes/call-records.ts'
import { callsShimRoutes } from './routes/calls-shim.ts'
import { configurationRoutes } from './routes/configuration.ts'
import { crmIntegrationRoutes } from './routes/crm-integration.ts'
import { typedNameRoutes } from './routes/crm-names.ts'
import { crmRoutes } from './routes/crm.ts'
import { clickToDialRoutes } from './routes/click-to-dial.ts'
import { customerSyncRoutes } from './routes/customer-sync.ts'
import { docsRoutes } from './routes/docs.ts'
import { emailRoutes } from './routes/email.ts'
import { emergencyRoutes } from './routes/emergency.ts'
import { faxRoutes } from './routes/fax.ts'
import { frontPageRoutes } from './routes/front-page.ts'
import { healthRoutes } from './routes/health.ts'
import { historyRoutes } from './routes/history.ts'
import { inboxRoutes } from './routes/inbox.ts'
import { receivedTextRoutes } from './routes/inbox-texts.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { recordingRoutes } from './routes/recordings.ts'
import { reminderRoutes } from './routes/reminders.ts'
import { smsRoutes } from './routes/sms.ts'
import { auditRoutes } from './routes/audit.ts'
import { callbackRoutes } from './routes/callbacks.ts'
import { limitRoutes } from './routes/limits.ts'
import { whereRoutes } from './routes/where.ts'
import { hoursRoutes } from './routes/hours.ts'
import { mailboxRoutes } from './routes/mailboxes.ts'
import { modemRoutes } from './routes/modems.ts'
import { operationRoutes } from './routes/operation.ts'
import { phoneRoutes } from './routes/phones.ts'
import { queueRoutes } from './routes/queues.ts'
import { simulateRoutes } from './routes/simulate.ts'
import { extensionRoutes } from './routes/extensions.ts'
import { speechRoutes } from './routes/speech.ts'
import { storedRoutes } from './routes/stored.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { voiceRoutes } from './routes/voice.ts'

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
  'Events that are told': 'What becomes of a call; the answer is not read.',
  [crmWebhookTag]: 'What the box asks and tells the CRM at `crm.baseUrl`, as its client: the routes of the CRM’s side.',
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
