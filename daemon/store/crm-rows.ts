/** Rows of the directory, people and organizations whose numbers the house knows, and of what goes between the house and the CRM. */
import type { CardAnswer } from '../schema/crm-answers.ts'

export type PartyKind = 'person' | 'organization'
export type PartyStatus = 'active' | 'inactive' | 'prospect' | 'blocked'
export type PhoneLabel = 'mobile' | 'home' | 'work' | 'fax' | 'other'

export interface PartyPhone {
  /** E.164, or digits where the country is not known. */
  number: string
  label: PhoneLabel
  primary?: boolean
  /** Digits to dial when somebody answers at the number. */
  extension?: string
}

/** Customers that are gone from the CRM, so that a late report does not bring one back. Key: id. */
export interface PartyGoneRow {
  version: string
  /** By the clock of the CRM. */
  updatedAt: number
  /** By our clock. */
  deletedAt: number
  /** With whom the CRM put them together. */
  mergedInto?: string
  /** The CRM said so; else they were missing in the whole list. */
  told: boolean
}

/** A list of all customers, page by page. Key: `full`. */
export interface PartySyncRow {
  syncId: string
  /** Which side turns its pages. */
  from: 'crm' | 'box'
  /** Where the next page begins, as the CRM says; null: at the beginning. */
  cursor: string | null
  startedAt: number
  lastPageAt: number
  /** null: pages are still to come. */
  endedAt: number | null
  /** Customers of the pages, each once. */
  seen: number
  /** As the CRM says. */
  total: number | null
  /** Of the CRM, when it began. */
  before: number
  /** Why nobody was removed at the end; '' where it is as it should be. */
  fault: string
  /** When a list was taken whole for the last time; 0 for never. */
  wholeAt: number
}

/** Key: id. */
export interface PartyRow {
  id: string
  kind: PartyKind
  name: string
  status: PartyStatus
  phones: PartyPhone[]
  email?: string
  company?: string
  /** Number of the person in other software, such as the medical record. */
  externalRef?: string
  ownerUserId?: string
  ownerExtension?: string
  /** BCP 47. */
  language?: string
  /** IANA. */
  timeZone?: string
  url?: string
  tags?: string[]
  doNotCall?: boolean
  doNotText?: boolean
  /** Set by the owner of the record, opaque; '' where it has none. */
  version: string
  /** By the clock of the record's owner. */
  updatedAt: number
  source: 'crm' | 'local' | 'import'
  /** By our clock: when it was last as it is here. */
  seenAt: number
}

/** A name that somebody of the house gave a customer of the CRM, which is still to be asked. Key: id of the party. */
export interface PartyProposalRow {
  name: string
  at: number
  /** Stable over attempts. */
  eventId: string
}

/** The card of the CRM for a number, as it was when somebody called. Key: the number. */
export interface CardRow {
  card: CardAnswer
  /** Of a card without the customer: a look-up said who it is. */
  customerId?: string
  /** By our clock. */
  at: number
}

/**
 * What is still to be sent to the CRM about a call that has ended. Key: when it ended (16 digits, ms), a space, the callId, a space, and
 * its number among those of the call: 000000 is the record, the others are notes.
 */
export interface CrmPendingRow {
  callId: string
  endedAt: number
  /** null: the record of the call, as it is when it is sent. */
  noteId: string | null
  /** Of the record; a note has that of the record it came with. */
  rev: number
  /** Stable over attempts. */
  eventId: string
  /** Not before that. */
  nextAt: number
  attempts: number
  /** Refusals of a kind that a retry rarely cures. */
  refusals: number
  createdAt: number
  /** Of the last answer; 0: there was none. */
  lastStatus: number
  lastError: string
  /** It was given up then; null while it is tried. */
  deadAt: number | null
}

/** Whether the integration is switched on. Key: `switch`. */
export interface CrmSwitchRow {
  enabled: boolean
  changedAt: number
  changedBy: string
  reason: string
}

/** What went between the box and the CRM in one hour. Key: its begin, 16 digits, ms. */
export interface CrmHourRow {
  lookups: number
  crm: number
  local: number
  notFound: number
  ambiguous: number
  timeouts: number
  /** Look-ups that the CRM did not answer. */
  failures: number
  /** How many took so long; the bounds are in crm/tally.ts. */
  lookupMs: number[]
  /** Records that the CRM took. */
  delivered: number
  /** How long after the end of the call. */
  delaySeconds: number[]
}

/** The CRM was away. Key: since when, 16 digits, ms. */
export interface CrmOutageRow {
  startedAt: number
  /** null: it still is. */
  endedAt: number | null
  reason: string
}
