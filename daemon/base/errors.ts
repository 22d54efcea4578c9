/**
 * Every error the HTTP interface can answer with, in one table: code, status and short title. Codes are stable and are
 * what programs compare; texts are for people.
 */
export const errorTable = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_url: { status: 400, title: 'The address of the request cannot be read' },
  missing_token: { status: 401, title: 'An access token is required' },
  invalid_token: { status: 401, title: 'An access token is required' },
  sign_in_failed: { status: 401, title: 'The sign-in failed' },
  code_needed: { status: 401, title: 'A code of the authenticator app is needed' },
  session_ended: { status: 401, title: 'The session has ended' },
  signature_invalid: { status: 403, title: 'The signature does not match' },
  timestamp_stale: { status: 403, title: 'The timestamp is too old or too far ahead' },
  destination_denied: { status: 403, title: 'Calls to this destination are not permitted' },
  scope_denied: { status: 403, title: 'The token does not permit this' },
  role_denied: { status: 403, title: 'The role of this person does not include this' },
  second_step_needed: { status: 403, title: 'A second step has to be set up first' },
  invitation_void: { status: 403, title: 'The invitation is not valid' },
  cross_site: { status: 403, title: 'The request came from a page of another site' },
  https_needed: { status: 403, title: 'This needs an encrypted connection' },
  address_not_allowed: { status: 403, title: 'Requests from this address are not allowed' },
  not_found: { status: 404, title: 'This address does not exist' },
  call_unknown: { status: 404, title: 'No such call' },
  recording_unknown: { status: 404, title: 'No such recording' },
  callback_unknown: { status: 404, title: 'No such callback' },
  fax_unknown: { status: 404, title: 'No such fax' },
  preview_unknown: { status: 404, title: 'No such preview' },
  extension_unknown: { status: 404, title: 'No such extension' },
  person_unknown: { status: 404, title: 'No such person' },
  session_unknown: { status: 404, title: 'No such session' },
  user_unknown: { status: 404, title: 'No such user' },
  customer_unknown: { status: 404, title: 'No such customer' },
  message_unknown: { status: 404, title: 'No such text message' },
  mail_unknown: { status: 404, title: 'No such mail' },
  reminder_unknown: { status: 404, title: 'No such reminder' },
  work_unknown: { status: 404, title: 'No such item of work' },
  mailbox_unknown: { status: 404, title: 'No such mailbox' },
  media_failed: { status: 404, title: 'The file could not be fetched' },
  method_not_allowed: { status: 405, title: 'This method is not allowed here' },
  idempotency_in_progress: { status: 409, title: 'A request with this key is still running' },
  call_ended: { status: 409, title: 'The call has ended' },
  already_finished: { status: 409, title: 'This has already ended' },
  being_sent: { status: 409, title: 'This is being sent right now' },
  being_drawn: { status: 409, title: 'The pages are being drawn' },
  fax_repeated: { status: 409, title: 'The same document went to this number a short while ago' },
  preview_stale: { status: 409, title: 'The preview shows something else' },
  media_fetching: { status: 409, title: 'The file is still being fetched' },
  not_now: { status: 409, title: 'The call is not in a state for this' },
  changed_meanwhile: { status: 409, title: 'Somebody else has changed this meanwhile' },
  stale_rev: { status: 409, title: 'A newer revision is known' },
  call_live: { status: 409, title: 'The call is still running' },
  backup_running: { status: 409, title: 'A backup is running' },
  backup_failed: { status: 500, title: 'The backup failed' },
  config_change_running: { status: 409, title: 'A configuration change is in progress' },
  config_unapplied: { status: 409, title: 'The configuration file has changes that are not in use' },
  config_taken_back: { status: 409, title: 'The change of the configuration was taken back' },
  already_set_up: { status: 409, title: 'The box is set up already' },
  revision_changed: { status: 409, title: 'Somebody else has changed the configuration' },
  sync_running: { status: 409, title: 'A synchronisation is running' },
  inbox_elsewhere: { status: 409, title: 'This inbox is at another box' },
  integration_disabled: { status: 409, title: 'The integration is switched off' },
  extension_unavailable: { status: 409, title: 'The extension cannot be reached' },
  media_expired: { status: 410, title: 'The file has been deleted' },
  body_too_large: { status: 413, title: 'The body is too large' },
  attachment_too_large: { status: 413, title: 'The attachment is too large' },
  pdf_too_many_pages: { status: 413, title: 'The PDF has too many pages' },
  unsupported_media_type: { status: 415, title: 'This content type is not supported' },
  host_unknown: { status: 421, title: 'The box does not use this host name' },
  validation_failed: { status: 422, title: 'The request is not valid' },
  number_invalid: { status: 422, title: 'This is not a telephone number' },
  number_unconfirmed: { status: 422, title: 'The number has to be typed a second time' },
  customer_has_no_number: { status: 422, title: 'The customer has no number' },
  not_supported: { status: 422, title: 'This is not supported' },
  appointment_in_past: { status: 422, title: 'The appointment is in the past' },
  pdf_encrypted: { status: 422, title: 'The PDF is protected by a password' },
  cursor_from_the_future: { status: 422, title: 'This cursor is not valid' },
  pdf_unreadable: { status: 422, title: 'The PDF cannot be read' },
  message_too_long: { status: 422, title: 'The message is too long' },
  idempotency_mismatch: { status: 422, title: 'This key was used with another request' },
  locked: { status: 423, title: 'The session is locked' },
  rate_limited: { status: 429, title: 'Too many requests' },
  daily_limit: { status: 429, title: 'The daily limit is reached' },
  internal: { status: 500, title: 'An internal error occurred' },
  sign_in_busy: { status: 503, title: 'Too many sign-ins at once' },
  no_sms_trunk: { status: 503, title: 'No SMS trunk is configured' },
  no_mail_account: { status: 503, title: 'No mail account is configured' },
  no_trunk: { status: 503, title: 'No trunk is configured' },
  no_line: { status: 503, title: 'No line is free' },
  no_fax_line: { status: 503, title: 'No fax line is configured' },
  storage_full: { status: 503, title: 'The storage is full' },
  starting: { status: 503, title: 'The service is starting' },
  box_unreachable: { status: 503, title: 'The box that has this cannot be reached' },
  overloaded: { status: 503, title: 'The service is overloaded' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof errorTable

/** `path` is a JSON pointer into the request. */
export interface ErrorDetail {
  path: string
  message: string
}

export interface ApiErrorOptions {
  details?: ErrorDetail[]
  retryAfterSeconds?: number
  /** Further members of the answer, such as `limitBytes` or `serverTime`. */
  extra?: Record<string, unknown>
  cause?: unknown
}

/** An error that is answered to the caller as it is; anything else that is thrown becomes `internal`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details?: ErrorDetail[]
  readonly retryAfterSeconds?: number
  readonly extra?: Record<string, unknown>

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = errorTable[code].status
    if (options.details !== undefined) this.details = options.details
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
    if (options.extra !== undefined) this.extra = options.extra
  }
}

/** What a disk does to a program: it is full, closed to us, broken, or somebody has taken the folder away. */
const codes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'ENOENT', 'ENOTDIR', 'ESTALE', 'EFBIG']

/** Of an error of the file system or of the store; a port that cannot be opened is none. */
export function isDiskFault(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'storage_full' || (error.code === 'internal' && error.cause !== undefined)
  const { code, port } = error as { readonly code?: unknown; readonly port?: unknown }
  return typeof code === 'string' && codes.includes(code) && (port === undefined || port === -1)
}

/** What the system says of a file, in words for the person who named it. */

const words: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it does not exist',
  EISDIR: 'it is a folder',
  ELOOP: 'its links form a loop',
  ENAMETOOLONG: 'its name is too long',
}

/** The system's own words where there are no better ones. */
export function systemWords(error: unknown): string {
  const { code, message } = error as Error & { readonly code?: string }
  return (code === undefined ? undefined : words[code]) ?? message
}

const ofNetwork: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken off',
  EPIPE: 'the connection was broken off',
  UND_ERR_SOCKET: 'the connection was broken off',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  EHOSTUNREACH: 'no way leads to its address',
  ENETUNREACH: 'no way leads to its address',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'its name cannot be looked up: no DNS server answers',
}

/** What the network says of an address, in words for the person who named it; the system's own where there are no better ones. */
export function networkWords(error: unknown): string {
  const { code, name, message } = error as Error & { readonly code?: string }
  return (code === undefined ? undefined : ofNetwork[code]) ?? (message === '' ? (code ?? name) : message)
}

/**
 * Why the signals of calls and requests are aborted, for `abort()`. One for all: for an abort without a reason the platform makes one of
 * its own, with a stack, and in a call there are ten.
 */
export const abortReason = new DOMException('Aborted', 'AbortError')
