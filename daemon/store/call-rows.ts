/** Rows about calls, their recordings and the phones that make them. */
import type { CallEventContent, InputEventName } from '../schema/events.ts'
import type { CallStepRow, NoteRow, TransferRow } from './history-rows.ts'
import type { AnsweredBy, CallActivity, CallState, Direction, EndedBy, EndReason, RecordState, TranscriptStatus } from '../schema/states.ts'

/** Where the first control document of a call comes from. */
export type CallSource = { kind: 'endpoint'; id: string } | { kind: 'url'; url: string } | { kind: 'document'; document: unknown[] }

/** A further leg of a call: somebody whom the call was to be connected with. */
export interface CallLegRow {
  /** Number of an extension, or E.164. */
  to: string
  /** '' for a desk phone. */
  trunkId: string
  state: CallState
  startedAt: number
  answeredAt: number | null
  endedAt: number | null
  /** Final SIP status, 0 where none was seen or we hung up. */
  sipCode: number
}

export interface CallRow {
  callId: string
  direction: Direction
  state: CallState
  activity: CallActivity
  from: string
  to: string
  callerName: string
  /** The party of the directory whose number called. */
  customerId?: string
  matchType?: 'exact' | 'suffix'
  trunkId: string
  /** Desk phone that calls or is called; '' for none. */
  extension: string
  endpointId: string
  source: CallSource | null
  externalRef?: string
  /** Name of the access token by which it was asked for. */
  token?: string
  params?: Record<string, string>
  statusCallbackUrl: string
  statusEvents: string[]
  /** Number of the last event sent; events of a call count from 1 without gaps. */
  sequence: number
  /** Outbound: how long it may ring, and the longest time of the whole call. */
  timeoutSeconds: number
  maxSeconds: number
  createdAt: number
  startedAt: number | null
  answeredAt: number | null
  endedAt: number | null
  ringSeconds: number
  talkSeconds: number
  endReason: EndReason | null
  endedBy: EndedBy | null
  sipCode: number
  answeredBy: AnsweredBy
  /** Control documents run. */
  documents: number
  /** Ids of the recordings. */
  recordings: string[]
  /** In their order, the last 50; absent where there was none. */
  legs?: CallLegRow[]
  /** Where it was taken, in order, the last 50; absent where it was taken nowhere. */
  steps?: CallStepRow[]
  /** Number of its row of the history. */
  historySeq?: number
  /** Rises by one with every change that its record shows; of the row as it is stored. */
  rev?: number
  /** Click-to-dial: the box rings `extension` first, and the person who answers there calls `to`, as if they had dialled. */
  agentFirst?: true
  /** The call by which a phone takes that one: it has no record, and is no call of its own to anybody. */
  takes?: string
  /** Somebody asked for it to be recorded. */
  record?: true
  /** What its record says, as it is stored; absent of one that waits to be dialled. */
  recordState?: RecordState
  /** One party holds the other. */
  held?: boolean
  /** Since when; and how long others of the call were held before (ms). */
  heldSince?: number
  heldMs?: number
  /** The last 50, in their order. */
  transfers?: TransferRow[]
  /** Message that the caller left. */
  voicemailId?: string
  /** Q.850. */
  hangupCause?: number
  /** User of the CRM who took the call, as the CRM says. */
  userId?: string
  notes?: NoteRow[]
}

export interface TraceEntry {
  /** ISO 8601 UTC with milliseconds. */
  at: string
  /** Milliseconds since the call began. */
  ms: number
  /** `event`, `document`, `verb`, `key`, `speech`, `prompt`, `state`, `leg`, `warning` or `error`. */
  kind: string
  text: string
  data?: unknown
}

/** The trace of one ended call. */
export interface WholeTrace {
  entries: TraceEntry[]
  /** Entries left out because the trace was full. */
  dropped: number
}

/** As it is kept. A number before an entry is the time of day (ms) from which its `ms`, and those of the entries behind it, count. */
export interface CallTraceRow {
  entries: (number | [ms: number, kind: string, text: string, data?: unknown])[]
  dropped: number
}

export interface RecordingRow {
  recordingId: string
  callId: string
  /** Below the storage directory. */
  file: string
  bytes: number
  durationMs: number
  createdAt: number
  expiresAt: number
  transcript: string
  transcriptStatus: TranscriptStatus
  /** Why there is no transcript although one was asked for, such as `model-missing`. */
  transcriptReason?: string
}

/**
 * A recording that has begun, from before its first sample until the application has been notified of it (`inputs`). If the daemon dies in
 * between, this row is how its audio is found and reported.
 */
export interface RecordingBegunRow {
  recordingId: string
  callId: string
  startedAt: number
  /** Receives `record.completed`: a URL, `internal:<name>` for a part of this program, '' for nobody. */
  url: string
  /** Name of the secret that signs it. */
  secret: string
  /** Of the transcript that was asked for; null for none. */
  transcript: { language: string; hints: string[] } | null
  /** The transcript stays out of trace and logs. */
  sensitive: boolean
}

/** What a caller has finished and the application has not received yet. Key: eventId. */
export type InputRow = CallEventContent<InputEventName> & {
  readonly eventId: string
  readonly callId: string
  readonly url: string
  /** Name of the secret that signs it. */
  readonly secret: string
  /** null until it first left. */
  readonly sequence: number | null
}

/** A transcript that is still to be made, and who gets it. */
export interface TranscriptJobRow {
  recordingId: string
  callId: string
  language: string
  hints: string[]
  /** Receives `record.transcribed`; '' for nobody. */
  url: string
  /** Name of the secret that signs it. */
  secret: string
  /** The transcript stays out of trace and logs. */
  sensitive: boolean
}

export interface StoredContact {
  uri: string
  transport: string
  address: string
  /** As the engine gave it. */
  expiresAt: number
  /** The proxies on the way to it (RFC 3327). */
  path?: string
}

export interface RegistrationRow {
  extension: string
  contacts: StoredContact[]
  userAgent: string
  updatedAt: number
}

/** A message for a mailbox that is not in the inbox yet. Key: its id, which is that of the item. */
export interface VoicemailRow {
  id: string
  ext: string
  callId: string
  /** E.164 or an extension; '' where it is withheld. */
  from: string
  to: string
  callerName: string
  receivedAt: number
  /** '' while it is spoken. */
  recordingId: string
  durationMs: number
  /** Number of the mailbox from which somebody forwarded it. */
  forwardedFrom?: string
}
