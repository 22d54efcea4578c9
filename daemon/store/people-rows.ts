/** People who use the console, their sessions, invitations and browsers. */

export type Role = 'desk' | 'manager' | 'technician'

/** What is kept of a password or PIN (scrypt, RFC 7914): salt and hash are hexadecimal. */
export interface KeptSecret {
  salt: string
  hash: string
  cost: { N: number; r: number; p: number }
}

/** Key: id of the person. */
export interface PersonRow {
  login: string
  name: string
  roles: Role[]
  extension: string | null
  mailboxes: string[]
  queues: string[]
  /** '' for the site's. */
  language: string
  /** Keys of the pages that are switched off; absent from a row of an earlier version. */
  keysOff?: string[]
  /** How a browser says that the own phone rings; as `keysOff`. */
  alerts?: ('notification' | 'names' | 'sound')[]
  disabled: boolean
  /** null until the invitation was used. */
  password: KeptSecret | null
  /** `lastStep`: the time step of the last code that was taken (RFC 6238): each is taken once. */
  totp: { secret: string; lastStep: number } | null
  /** Recovery codes that are not used yet: SHA-256, hexadecimal. */
  recovery: string[]
  createdAt: number
}

/** Key: SHA-256 of the cookie's value, hexadecimal. */
export interface SessionRow {
  /** Names the session in lists and in the audit trail; it opens nothing. */
  sessionId: string
  personId: string
  createdAt: number
  endsAt: number
  /** The last key or pointer in the browser, as far as the server was notified. */
  activeAt: number
  lockedAt: number | null
  /** Opens this session alone, in this browser alone. */
  pin: KeptSecret | null
  /** Wrong PINs and passwords since it was locked. */
  wrongUnlocks: number
  address: string
  userAgent: string
  /** A technician who reads as a manager. */
  glass: { until: number; reason: string } | null
}

/** Key: SHA-256 of the code, hexadecimal. */
export interface InvitationRow {
  personId: string
  createdAt: number
  until: number
}

/** A browser in which somebody has signed in. Key: SHA-256 of its cookie's value, hexadecimal. */
export interface KnownBrowserRow {
  personIds: string[]
  until: number
}

/** A screen on the wall. Key: SHA-256 of its cookie. */
export interface WallSessionRow {
  /** Names it to people; it opens nothing. */
  wallId: string
  beganAt: number
  endsAt: number
  /** Of the screen. */
  address: string
  /** Who made its code. */
  invitedBy: string
}
