/** Rows about faxes that are sent and received, and of the inbox. */
import type { FaxReason, FaxResolution, FaxState, FaxTransport } from '../schema/states.ts'
import { completedAt, type RowIndex } from './row-index.ts'

/** How an attempt failed decides whether and when the next one is made. */
export type RetryClass = 'line' | 'busy' | 'no-answer' | 'not-a-fax' | 'protocol' | 'permanent' | 'reformat' | 'interrupted'

/** One call of a fax, for people who ask why. */
export interface FaxAttempt {
  at: number
  callId: string
  line: string
  durationSeconds: number
  class: RetryClass | 'sent' | 'canceled'
  reason: FaxReason | ''
  t30Code: number | null
  sipCode: number
  /** Confirmed in this call. */
  pages: number
  bitRate: number
  transport: FaxTransport | null
  text: string
}

/** A fax that is or was sent. Key: faxId. */
export interface FaxRow {
  faxId: string
  state: FaxState
  /** As it is dialled: E.164, or the digits of a short number. */
  to: string
  /** Our number, as the far end sees it. */
  from: string
  /** Name of the access token by which it came. */
  token?: string
  /** Higher goes first. */
  priority: number
  cover: { to?: string; from?: string; subject?: string } | null
  statusCallbackUrl: string
  createdAt: number
  expiresAt: number
  /** No call is placed for it before. */
  sendAt?: number
  completedAt: number | null
  nextAttemptAt: number | null
  /** With the cover page. */
  pages: number
  /** Pages are drawn, and how many bytes each has at fine resolution; empty before that. */
  bytesPerPage: number[]
  standardBytesPerPage: number[]
  /** Pages of which the far end said that they arrived. */
  pagesSent: number
  /** Calls made, without those for which no line could be had. */
  attempts: number
  busy: number
  unanswered: number
  /** Answered, but not by a fax. */
  notFax: number
  /** Calls that reached a fax and failed: the step of the ladder. */
  broken: number
  /** Attempts in a row for which the line failed. */
  lineFailures: number
  /** Send at 204 x 98: the far end cannot take more. */
  standard: boolean
  /** Pages (from 1) that may have arrived twice. */
  possibleDuplicatePages: number[]
  reason: FaxReason | null
  message: string
  t30Code: number | null
  /** Of the last call that was answered. */
  durationSeconds: number
  transport: FaxTransport | null
  bitRate: number
  ecm: boolean
  resolution: FaxResolution
  remoteStationId: string
  history: FaxAttempt[]
  /** Of a portfolio, the files inside are faxed; there only where that was asked for. */
  portfolio?: 'files'
  /** What is not sent as it is in the PDF; rows of older versions have none. */
  warnings?: string[]
  /** Of the document, where somebody looked at it before it was sent. */
  sha256?: string
  /** The fax that was sent again by this one, and the one by which this was. */
  replaces?: string
  replacedBy?: string
}

/** What is remembered of a number that faxes were sent to. Key: the number. */
export interface FaxNumberRow {
  number: string
  /** Times a fax machine answered, and the last one. */
  answers: number
  answeredAt: number
  remoteStationId: string
  /** When a fax was given up because no fax machine answered; absent where none was since the last that did. */
  silentAt?: number
}

interface FaxCallRow {
  id: string
  callId: string
  from: string
  to: string
  callerName: string
  trunkId: string
}

/** A fax that is being received: written before the call is answered, removed with the item in the inbox. Key: its id. */
export interface FaxReceivingRow extends FaxCallRow {
  startedAt: number
}

/** A fax call that was answered and brought no page. Key: its id. */
export interface FaxMissedRow extends FaxCallRow {
  /** When it ended. */
  at: number
  durationSeconds: number
  /** How its session ended. */
  text: string
}

/** What every feed's items have. */
export interface InboxItem {
  id: string
  from: string
  to: string
  receivedAt: number
  /** SHA-256 and size of the media; '' and 0 without media. */
  sha256: string
  bytes: number
}

export interface InboxFaxRow extends InboxItem {
  pages: number
  status: 'complete' | 'partial'
  callerName: string
  trunkId: string
  callId: string
  remoteStationId: string
  durationSeconds: number
  bitRate: number
  ecm: boolean
  resolution: FaxResolution
  transport: FaxTransport | null
  badRows: number
  t30Code: number
}

export interface InboxSmsRow extends InboxItem {
  body: string
  segments: number
  encoding: 'GSM-7' | 'UCS-2'
  trunkId: string
  keyword?: 'STOP' | 'START' | 'HELP' | 'CANCEL' | 'END'
  /** It may ask for no more texts, in words that decide nothing. */
  mayOptOut?: true
  /** Ids of the pictures and other files that came with it. */
  media?: string[]
}

export interface InboxVoicemailRow extends InboxItem {
  ext: string
  callerName: string
  callId: string
  durationSeconds: number
  transcript: string
  transcriptStatus: 'done' | 'empty' | 'failed' | 'off'
  language?: string
  /** Number of the mailbox from which somebody forwarded it. */
  forwardedFrom?: string
}

/** Where an item's media is; kept for a while after the item left, to distinguish "gone" from "never was". Key: the item's id. */
export interface InboxMediaRow {
  feed: 'faxes' | 'sms' | 'voicemails'
  /** Below the storage directory. */
  file: string
  sha256: string
  receivedAt: number
  purgedAt: number | null
}

/** An item that another box received, as that box shows it. Key: feed, `/`, its number in this box's feed (16 digits). */
export interface CollectedRow {
  /** Its box.id; of a site `site:` and the id of that. */
  box: string
  collectedAt: number
  item: { readonly id: string; readonly [name: string]: unknown }
}

/** Each item of another box, and each file of a text, that was ever collected. Key: its id. */
export interface CollectedIdRow {
  box: string
  feed: InboxMediaRow['feed']
  /** Of the item. */
  seq: number
  /** When it was deleted here, or was past its time. */
  goneAt: number | null
}

/** Whether it still has something to come. */
export function isFaxPending({ state }: Pick<FaxRow, 'state'>): boolean {
  return state !== 'sent' && state !== 'failed' && state !== 'canceled'
}

export const faxIndex: RowIndex<FaxRow> = { pending: isFaxPending, endedAt: completedAt }
