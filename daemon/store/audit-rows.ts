/** Rows of the audit trail and of what is known of the use of tokens. */

/**
 * One deed. Key: `seq`, 16 digits. The members stand in this order, on which `hash` relies: it is the SHA-256, in hexadecimal, of the
 * row's JSON without the member `hash`.
 */
export interface AuditRow {
  /** From 1, without gaps. */
  seq: number
  /** ISO 8601 UTC with milliseconds. */
  time: string
  /** `token:<name>`, `user:<name>` (of this machine), `local user (unknown)`, `nobody` (no valid token) or `system`. */
  actor: string
  /** IP address, `local` for the control socket, '' for the box itself. */
  address: string
  /** Such as `fax.send`. */
  deed: string
  /** Ids, separated by spaces; never a name, a number or a text of a patient. */
  object: string
  /** `done`, or the code of the error it was refused with. */
  outcome: string
  /** Items read or written, or failures that this row stands for. */
  count: number
  requestId: string
  /** `hash` of the row before; 64 zeros in the first. */
  previous: string
  hash: string
}

/** Key: name of the token. */
export interface TokenUseRow {
  /** Milliseconds since the epoch, exact to about a minute. */
  at: number
  address: string
}
