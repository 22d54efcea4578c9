/**
 * The words of the interface that come from a closed list: states, outcomes and reasons, each list once. Row types, schemas,
 * events and the choices of the `pbx` program all come from here.
 */

/** Of a picture or another file of a text. */
export const textMediaStates = ['fetching', 'stored', 'failed'] as const
export type TextMediaState = (typeof textMediaStates)[number]

/** Of events of the box. */
export const boxEventKinds = ['line', 'part', 'warning', 'disk', 'clock', 'update', 'login', 'daemon'] as const
export type BoxEventKind = (typeof boxEventKinds)[number]

/** Of warnings and events of the box, the least first. */
export const severities = ['notice', 'warning', 'error'] as const

export const scopes = ['send', 'inbox', 'voice', 'crm', 'admin'] as const
export type Scope = (typeof scopes)[number]

export const directions = ['inbound', 'outbound'] as const
export type Direction = (typeof directions)[number]

/** Of a call that has ended, as the house sees it; `internal`: between its own phones and what is on the box. */
export const historyDirections = ['inbound', 'outbound', 'internal'] as const
export type HistoryDirection = (typeof historyDirections)[number]

/** What became of a call. */
export const callOutcomes = [
  'answered',
  'missed',
  'abandoned',
  'voicemail',
  'busy',
  'no-answer',
  'rejected',
  'canceled',
  'failed',
  'blocked',
  'fax',
  'app',
] as const
export type CallOutcome = (typeof callOutcomes)[number]

/** Of the record of a call. */
export const recordStates = ['dialing', 'ringing', 'answered', 'held', 'ended'] as const
export type RecordState = (typeof recordStates)[number]

export const callStates = ['queued', 'dialing', 'ringing', 'in-progress', 'completed', 'busy', 'no-answer', 'failed', 'canceled'] as const
export type CallState = (typeof callStates)[number]

/** What a call does at the moment, for live views; '' before anything happened and after the end. */
export const callActivities = ['', 'app', 'ringing-dest', 'routed', 'forwarded', 'streaming', 'recording'] as const
export type CallActivity = (typeof callActivities)[number]

export const endReasons = [
  'caller-hangup',
  'callee-hangup',
  'app-hangup',
  'document-end',
  'routed-ended',
  'forwarded-ended',
  'api',
  'app-error',
  'max-duration',
  'media-timeout',
  'no-answer',
  'busy',
  'rejected',
  'unreachable',
  'no-route',
  'canceled',
  'failed',
  'shutdown',
] as const
export type EndReason = (typeof endReasons)[number]

export const enders = ['caller', 'callee', 'app', 'system'] as const
export type EndedBy = (typeof enders)[number]

export const answerers = ['unknown', 'human', 'machine'] as const
export type AnsweredBy = (typeof answerers)[number]

export const dialStatuses = ['answered', 'busy', 'no-answer', 'failed'] as const
export type DialStatus = (typeof dialStatuses)[number]

export const gatherReasons = ['digits', 'speech', 'timeout', 'no-match', 'hangup', 'error'] as const
export type GatherReason = (typeof gatherReasons)[number]

export const recordReasons = ['finish-key', 'silence', 'max-length', 'timeout', 'hangup', 'error'] as const
export type RecordReason = (typeof recordReasons)[number]

export const streamReasons = ['client-closed', 'hangup', 'max-length', 'replaced', 'connect-failed', 'error'] as const
export type StreamReason = (typeof streamReasons)[number]

export const transcriptStatuses = ['done', 'empty', 'off', 'failed', 'pending'] as const
export type TranscriptStatus = (typeof transcriptStatuses)[number]

export const faxStates = ['queued', 'processing', 'dialing', 'sending', 'retrying', 'sent', 'failed', 'canceled'] as const
export type FaxState = (typeof faxStates)[number]

export const faxReasons = [
  'busy',
  'no_answer',
  'no_fax_detected',
  'destination_denied',
  'invalid_number',
  'rejected',
  'line_unavailable',
  'training_failed',
  'protocol_error',
  'call_dropped',
  'remote_incompatible',
  'document_error',
  'canceled',
  'expired',
  'internal',
] as const
export type FaxReason = (typeof faxReasons)[number]

export const faxTransports = ['modem', 'sip-audio', 't38'] as const
export type FaxTransport = (typeof faxTransports)[number]

export const faxResolutions = ['standard', 'fine'] as const
export type FaxResolution = (typeof faxResolutions)[number]

export const smsStates = ['queued', 'sending', 'retrying', 'sent', 'delivered', 'failed', 'unknown'] as const
export type SmsState = (typeof smsStates)[number]

/** Of a reminder that has not ended; once it has, the outcome is its state. */
export const reminderStates = ['scheduled', 'dialing', 'in-call', 'waiting-retry'] as const

export const reminderOutcomes = [
  'confirmed',
  'canceled',
  'reschedule',
  'no-answer',
  'busy',
  'failed',
  'voicemail',
  'opted-out',
  'expired',
] as const
export type ReminderOutcome = (typeof reminderOutcomes)[number]

export const callbackStates = ['pending', 'dead', 'delivered'] as const
export type CallbackState = (typeof callbackStates)[number]
