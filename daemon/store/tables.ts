/**
 * What the store holds: one row type a table, and the version of each row's shape. Times are milliseconds since the
 * epoch, durations whole seconds unless named otherwise; null means "not yet".
 */
import type { AuditRow, TokenUseRow } from './audit-rows.ts'
import { boxEventIndex, type AlarmRow, type BoxEventRow, type UsageRow } from './box-rows.ts'
import type {
  CallLegRow,
  CallRow,
  CallTraceRow,
  InputRow,
  RecordingBegunRow,
  RecordingRow,
  RegistrationRow,
  TranscriptJobRow,
  VoicemailRow,
} from './call-rows.ts'
import type {
  CardRow,
  CrmHourRow,
  CrmOutageRow,
  CrmPendingRow,
  CrmSwitchRow,
  PartyGoneRow,
  PartyProposalRow,
  PartyRow,
  PartySyncRow,
} from './crm-rows.ts'
import type { HistoryRow } from './history-rows.ts'
import type {
  ExtensionSettingsRow,
  HoursOverrideRow,
  MailboxLockRow,
  MailboxPinRow,
  PhoneRow,
  VoicemailHeardRow,
  NoticeRow,
} from './house-rows.ts'
import { asBefore, callbackCanceled, noticeSteps, reminderCanceled, traceInLists } from './migrations.ts'
import { mailIndex, type MailRow } from './mail-rows.ts'
import {
  smsIndex,
  textMediaIndex,
  type SmsPartRow,
  type SmsReferenceRow,
  type SmsRow,
  type SmsSeenRow,
  type SmsSuppressedRow,
  type TextMediaRow,
} from './message-rows.ts'
import { reminderIndex, type ReminderContactRow, type ReminderKeyRow, type ReminderOptOutRow, type ReminderRow } from './reminder-rows.ts'
import type { RowIndex } from './row-index.ts'
import {
  faxIndex,
  type CollectedIdRow,
  type CollectedRow,
  type FaxMissedRow,
  type FaxNumberRow,
  type FaxReceivingRow,
  type FaxRow,
  type InboxFaxRow,
  type InboxMediaRow,
  type InboxSmsRow,
  type InboxVoicemailRow,
} from './fax-rows.ts'
import type { InvitationRow, KnownBrowserRow, PersonRow, SessionRow, WallSessionRow } from './people-rows.ts'
import type { QueueCallbackRow, QueueDayRow, QueueMemberRow } from './queue-rows.ts'
import { helpCallIndex, workIndex, type HelpCallRow, type WorkRow } from './work-rows.ts'

/** What happened in one hour: numbers alone, of nobody. Key: series, `/`, the beginning of the hour by the clock on the wall (16 digits). */
interface FigureRow {
  /** By name, such as an extension or a queue; '' for all. Then by what is counted. */
  counts: Record<string, Record<string, number>>
}

export type * from './audit-rows.ts'
export type * from './box-rows.ts'
export type * from './call-rows.ts'
export type * from './fax-rows.ts'
export type * from './crm-rows.ts'
export type * from './history-rows.ts'
export type * from './mail-rows.ts'
export type * from './message-rows.ts'
export type * from './house-rows.ts'
export type * from './queue-rows.ts'
export type * from './reminder-rows.ts'
export type * from './work-rows.ts'
export type {
  CallActivity,
  CallState,
  EndReason,
  FaxReason,
  FaxState,
  ReminderOutcome,
  SmsState,
  TranscriptStatus,
} from '../schema/states.ts'

/** A callback that waits for delivery. Key: eventId. */
export interface OutboxRow {
  eventId: string
  /** Such as `call.ended`. */
  kind: string
  /** What it is about: the callId. */
  subject: string
  url: string
  /** Name of the secret it is signed with: `callbacks` or `endpoint:<id>`. */
  secret: string
  /** The exact bytes that are sent, on every attempt. */
  body: string
  schedule: 'standard' | 'call'
  /** Rows of one fifo are delivered in order, one at a time; '' for none. */
  fifo: string
  /** Of two the earlier has the smaller. */
  order?: number
  createdAt: number
  attempts: number
  nextAt: number
  /** Status of the last answer, 0 where there was none. */
  lastStatus: number
  lastError: string
  lastAttemptAt: number | null
}

/** A callback that was delivered or given up. Key: eventId. Delivered rows do not keep the body. */
export interface OutboxDoneRow extends Omit<OutboxRow, 'nextAt'> {
  outcome: 'delivered' | 'dead'
  endedAt: number
}

/** A stored answer to a request with an Idempotency-Key. Key: made by the HTTP side, unique a token and key. */
export interface IdempotencyRow {
  /** SHA-256 of method, path and body. */
  fingerprint: string
  state: 'running' | 'done'
  status: number
  headers: Record<string, string>
  body: string
  createdAt: number
}

/** Key: name. */
export interface TokenRow {
  name: string
  sha256: string
  scopes: string[]
  createdAt: number
  expiresAt?: number
  /** Where either is there, the token reaches the calls of these voice endpoints and the voicemail of these mailboxes alone. */
  endpoints?: string[]
  mailboxes?: string[]
}

/** Facts about the store and the box, such as `schema:<table>`. */
export type MetaRow = string | number | boolean

export interface Rows {
  /** Key: callId. */
  calls: CallRow
  history: HistoryRow
  /** Key: callId of a call that has not ended; so those that were cut off are found whatever the clock says. */
  liveCalls: true
  /** Key: callId. */
  callTraces: CallTraceRow
  /** Key: recordingId. */
  recordings: RecordingRow
  /** Key: recordingId. */
  recordingsBegun: RecordingBegunRow
  inputs: InputRow
  /** Key: recordingId. */
  transcriptJobs: TranscriptJobRow
  voicemails: VoicemailRow
  outbox: OutboxRow
  outboxDone: OutboxDoneRow
  deadLetters: OutboxDoneRow
  idempotency: IdempotencyRow
  /** Signatures of the last ten minutes, as http/seen-signatures.ts names them, and when each came. */
  signatures: number
  tokens: TokenRow
  tokenUse: TokenUseRow
  audit: AuditRow
  boxEvents: BoxEventRow
  alarms: AlarmRow
  /** Key: extension. */
  registrations: RegistrationRow
  extensionSettings: ExtensionSettingsRow
  voicemailHeard: VoicemailHeardRow
  /** Of everything that people are notified of; voicemail was the first. */
  voicemailNotices: NoticeRow
  mailboxLocks: MailboxLockRow
  mailboxPins: MailboxPinRow
  hoursOverrides: HoursOverrideRow
  /** Key: id of the phone. */
  phones: PhoneRow
  people: PersonRow
  sessions: SessionRow
  invitations: InvitationRow
  knownBrowsers: KnownBrowserRow
  wallSessions: WallSessionRow
  /** Key: faxId. */
  faxes: FaxRow
  /** Key: the number. */
  faxNumbers: FaxNumberRow
  faxReceiving: FaxReceivingRow
  faxMissed: FaxMissedRow
  /** Keys of the feeds: the item's sequence number, 16 digits. */
  inboxFaxes: InboxFaxRow
  inboxSms: InboxSmsRow
  inboxVoicemails: InboxVoicemailRow
  /** Key: the item's id. */
  inboxMedia: InboxMediaRow
  collected: CollectedRow
  collectedIds: CollectedIdRow
  sms: SmsRow
  smsReferences: SmsReferenceRow
  smsParts: SmsPartRow
  smsSeen: SmsSeenRow
  smsSuppressed: SmsSuppressedRow
  textMedia: TextMediaRow
  mails: MailRow
  reminders: ReminderRow
  reminderKeys: ReminderKeyRow
  reminderContacts: ReminderContactRow
  reminderOptOuts: ReminderOptOutRow
  queueMembers: QueueMemberRow
  queueDays: QueueDayRow
  queueCallbacks: QueueCallbackRow
  usage: UsageRow
  work: WorkRow
  /** Callers whose missed calls are open. Key: the number, or `withheld`; the id of the work. */
  workNumbers: string
  helpCalls: HelpCallRow
  figures: FigureRow
  /** Key: id; of an imported party since a list has replaced all of them: `/`, the generation (8 digits), `/`, and the id. */
  parties: PartyRow
  /** Key: the generation as in `parties`; a number, or `~` and the end of one whose country is not known; a space, and the id of the party. */
  partyNumbers: true
  crmCards: CardRow
  crmPending: CrmPendingRow
  crmSwitch: CrmSwitchRow
  crmHours: CrmHourRow
  crmOutages: CrmOutageRow
  /** Key: id of a party. */
  partiesGone: PartyGoneRow
  partySyncs: PartySyncRow
  /** The list of all customers in which a party was last seen. Key: id of a party. */
  partyMarks: string
  /** Parties that the CRM reported in two ways, and when. Key: id. */
  partyConflicts: number
  partyProposals: PartyProposalRow
  /** Key: a number of somebody outside, the callId, or `@` and the id of the party; a space, and the key of the row of the history. */
  historyNumbers: true
  /** Key: table, `pending` or `ended` and its time, the row's key; see indexes.ts. */
  indexes: true
  meta: MetaRow
}

export type TableName = keyof Rows

/** One step of a table's history: turns a row of version `to - 1` into one of version `to`; undefined drops the row. */
export interface Migration {
  to: number
  row(old: never, key: string): unknown
}

export interface TableSpec {
  version: number
  /** In order, without gaps, ending at `version`. */
  migrations: readonly Migration[]
}

export const tableSpecs: Readonly<Record<TableName, TableSpec>> = {
  calls: { version: 1, migrations: [] },
  history: { version: 1, migrations: [] },
  liveCalls: { version: 1, migrations: [] },
  callTraces: { version: 2, migrations: [{ to: 2, row: traceInLists }] },
  recordings: { version: 1, migrations: [] },
  recordingsBegun: { version: 1, migrations: [] },
  inputs: { version: 1, migrations: [] },
  transcriptJobs: { version: 1, migrations: [] },
  voicemails: { version: 1, migrations: [] },
  outbox: { version: 2, migrations: [{ to: 2, row: callbackCanceled }] },
  outboxDone: { version: 2, migrations: [{ to: 2, row: callbackCanceled }] },
  deadLetters: {
    version: 3,
    migrations: [
      { to: 2, row: callbackCanceled },
      { to: 3, row: asBefore },
    ],
  },
  idempotency: { version: 1, migrations: [] },
  signatures: { version: 1, migrations: [] },
  tokens: { version: 1, migrations: [] },
  tokenUse: { version: 1, migrations: [] },
  audit: { version: 1, migrations: [] },
  boxEvents: { version: 1, migrations: [] },
  alarms: { version: 1, migrations: [] },
  registrations: { version: 1, migrations: [] },
  extensionSettings: { version: 1, migrations: [] },
  voicemailHeard: { version: 1, migrations: [] },
  voicemailNotices: { version: 3, migrations: noticeSteps },
  mailboxLocks: { version: 1, migrations: [] },
  mailboxPins: { version: 1, migrations: [] },
  hoursOverrides: { version: 1, migrations: [] },
  phones: { version: 1, migrations: [] },
  people: { version: 1, migrations: [] },
  sessions: { version: 1, migrations: [] },
  invitations: { version: 1, migrations: [] },
  knownBrowsers: { version: 1, migrations: [] },
  wallSessions: { version: 1, migrations: [] },
  faxes: { version: 2, migrations: [{ to: 2, row: asBefore }] },
  faxNumbers: { version: 1, migrations: [] },
  faxReceiving: { version: 1, migrations: [] },
  faxMissed: { version: 1, migrations: [] },
  inboxFaxes: { version: 1, migrations: [] },
  inboxSms: { version: 1, migrations: [] },
  inboxVoicemails: { version: 1, migrations: [] },
  inboxMedia: { version: 1, migrations: [] },
  collected: { version: 1, migrations: [] },
  collectedIds: { version: 1, migrations: [] },
  sms: { version: 2, migrations: [{ to: 2, row: asBefore }] },
  smsReferences: { version: 1, migrations: [] },
  smsParts: { version: 1, migrations: [] },
  smsSeen: { version: 1, migrations: [] },
  smsSuppressed: { version: 1, migrations: [] },
  textMedia: { version: 1, migrations: [] },
  mails: { version: 2, migrations: [{ to: 2, row: asBefore }] },
  reminders: {
    version: 3,
    migrations: [
      { to: 2, row: reminderCanceled },
      { to: 3, row: asBefore },
    ],
  },
  reminderKeys: { version: 1, migrations: [] },
  reminderContacts: { version: 1, migrations: [] },
  reminderOptOuts: { version: 1, migrations: [] },
  queueMembers: { version: 1, migrations: [] },
  queueCallbacks: { version: 1, migrations: [] },
  queueDays: { version: 1, migrations: [] },
  usage: { version: 1, migrations: [] },
  work: { version: 1, migrations: [] },
  workNumbers: { version: 1, migrations: [] },
  helpCalls: { version: 1, migrations: [] },
  figures: { version: 1, migrations: [] },
  parties: { version: 2, migrations: [{ to: 2, row: asBefore }] },
  partyNumbers: { version: 1, migrations: [] },
  crmCards: { version: 1, migrations: [] },
  crmPending: { version: 1, migrations: [] },
  crmSwitch: { version: 1, migrations: [] },
  crmHours: { version: 1, migrations: [] },
  crmOutages: { version: 1, migrations: [] },
  partiesGone: { version: 1, migrations: [] },
  partySyncs: { version: 1, migrations: [] },
  partyMarks: { version: 1, migrations: [] },
  partyConflicts: { version: 1, migrations: [] },
  partyProposals: { version: 1, migrations: [] },
  historyNumbers: { version: 1, migrations: [] },
  indexes: { version: 1, migrations: [] },
  meta: { version: 1, migrations: [] },
}

/** Of the tables whose rows have an end. */
export interface IndexedRows {
  faxes: FaxRow
  sms: SmsRow
  textMedia: TextMediaRow
  mails: MailRow
  reminders: ReminderRow
  deadLetters: OutboxDoneRow
  boxEvents: BoxEventRow
  work: WorkRow
  helpCalls: HelpCallRow
}

export const rowIndexes: { readonly [K in keyof IndexedRows]: RowIndex<IndexedRows[K]> } = {
  faxes: faxIndex,
  sms: smsIndex,
  textMedia: textMediaIndex,
  mails: mailIndex,
  reminders: reminderIndex,
  deadLetters: { pending: () => false, endedAt: ({ endedAt }) => endedAt },
  boxEvents: boxEventIndex,
  work: workIndex,
  helpCalls: helpCallIndex,
}
