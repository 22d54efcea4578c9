/**
 * What is given up as the disk fills, and in which order: the directory of the CRM first, calls last. Each table belongs to one class. A
 * class whose mark is reached gets no new row (ApiError `storage_full`), while those after it go on; what was accepted before goes on to its
 * end, since rows that are there may change and go. The rows of calls stop only where the file of the store cannot take them.
 */
import type { TableName } from './tables.ts'

/** In the order in which they are given up. */
export const keptClasses = ['crm', 'mail', 'faxes', 'texts', 'recordings', 'history', 'calls'] as const
export type KeptClass = (typeof keptClasses)[number]

const mebibyte = 1024 * 1024

interface Mark {
  /** Bytes free on a disk of `wholeDisk` and more below which nothing new is taken; on a smaller one the same share of it. */
  readonly free: number
  /** In the sentence that refuses it. */
  readonly noun: string
}

const wholeDisk = 4096 * mebibyte

const marks: Readonly<Record<KeptClass, Mark>> = {
  crm: { free: 512 * mebibyte, noun: 'data of the CRM' },
  mail: { free: 256 * mebibyte, noun: 'mail' },
  faxes: { free: 192 * mebibyte, noun: 'faxes' },
  texts: { free: 128 * mebibyte, noun: 'texts and reminders' },
  recordings: { free: 64 * mebibyte, noun: 'recordings and voicemail' },
  history: { free: 32 * mebibyte, noun: 'history' },
  calls: { free: 0, noun: 'calls' },
}

/** Bytes free on a disk of that size (bytes) below which the class takes nothing new. */
export function markOf(kept: KeptClass, diskBytes: number): number {
  return Math.floor(marks[kept].free * Math.min(1, diskBytes / wholeDisk))
}

export function nounOf(kept: KeptClass): string {
  return marks[kept].noun
}

/** A directory is no work under way: once its mark is reached, what is there does not change either, lest it grow. */
export const changesCount: ReadonlySet<KeptClass> = new Set(['crm'])

/**
 * Rows that a table takes: no customer list of a clinic is longer, and none may fill the disk of the others. Of parties there are 200,000, and
 * besides them the 50,000 of an imported list that is to take the place of another.
 */
export const mostRows: Partial<Readonly<Record<TableName, number>>> = { parties: 250_000, partyProposals: 10_000, crmCards: 50_000 }

/**
 * Whatever ends or follows work that was accepted (a recording that is there, the delivery of a fax, the word STOP) is small, and is kept
 * as long as calls are. So are signatures that were accepted: an attacker who fills the disk must not be able to send one again.
 */
export const classOf: Readonly<Record<TableName, KeptClass>> = {
  parties: 'crm',
  partyNumbers: 'crm',
  partiesGone: 'crm',
  partySyncs: 'crm',
  partyMarks: 'crm',
  partyConflicts: 'crm',
  partyProposals: 'crm',
  crmCards: 'crm',
  mails: 'mail',
  faxes: 'faxes',
  faxReceiving: 'faxes',
  sms: 'texts',
  smsParts: 'texts',
  smsSeen: 'texts',
  inboxSms: 'texts',
  textMedia: 'texts',
  collected: 'texts',
  collectedIds: 'texts',
  reminders: 'texts',
  reminderKeys: 'texts',
  recordingsBegun: 'recordings',
  voicemails: 'recordings',
  history: 'history',
  historyNumbers: 'history',
  idempotency: 'history',
  crmHours: 'history',
  crmOutages: 'history',
  crmPending: 'history',
  calls: 'calls',
  liveCalls: 'calls',
  callTraces: 'calls',
  recordings: 'calls',
  inputs: 'calls',
  transcriptJobs: 'calls',
  outbox: 'calls',
  outboxDone: 'calls',
  deadLetters: 'calls',
  tokens: 'calls',
  tokenUse: 'calls',
  signatures: 'calls',
  audit: 'calls',
  boxEvents: 'calls',
  alarms: 'calls',
  registrations: 'calls',
  extensionSettings: 'calls',
  voicemailHeard: 'calls',
  voicemailNotices: 'calls',
  mailboxLocks: 'calls',
  mailboxPins: 'calls',
  hoursOverrides: 'calls',
  phones: 'calls',
  people: 'calls',
  sessions: 'calls',
  invitations: 'calls',
  knownBrowsers: 'calls',
  wallSessions: 'calls',
  faxNumbers: 'calls',
  faxMissed: 'calls',
  inboxFaxes: 'calls',
  inboxVoicemails: 'calls',
  inboxMedia: 'calls',
  smsReferences: 'calls',
  smsSuppressed: 'calls',
  reminderContacts: 'calls',
  reminderOptOuts: 'calls',
  queueMembers: 'calls',
  queueDays: 'calls',
  queueCallbacks: 'calls',
  usage: 'calls',
  work: 'calls',
  workNumbers: 'calls',
  helpCalls: 'calls',
  figures: 'calls',
  crmSwitch: 'calls',
  indexes: 'calls',
  meta: 'calls',
}
