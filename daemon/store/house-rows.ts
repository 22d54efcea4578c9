/** Rows about the telephone system of the house: what people set at their phones, and which messages they have heard. */

/** Key: number of the extension. It stays where the configuration changes. */
export interface ExtensionSettingsRow {
  doNotDisturb: boolean
  /** Where calls go, as it was dialled; null for nowhere. */
  forwardAll: string | null
  forwardBusy: string | null
  forwardNoAnswer: string | null
  updatedAt: number
}

/** Hours that were opened or closed by hand. Key: id of the hours. */
export interface HoursOverrideRow {
  state: 'open' | 'closed'
  /** Milliseconds since the epoch; null until it is taken back. */
  until: number | null
}

/** Wrong PINs that were tried at a phone. Key: number of the mailbox, a blank, that of the phone's extension. */
export interface MailboxLockRow {
  /** Of the last hour. */
  wrongAt: number[]
  /** 0 where the phone was not kept out. */
  lockedUntil: number
}

/** A PIN that was set at a phone. Key: number of the mailbox. */
export interface MailboxPinRow {
  /** Hexadecimal, as the two hashes. */
  salt: string
  hash: string
  /** Of what the configuration said then: once it says something else, that counts. */
  configured: string
  /** Of scrypt; those of older rows are formerHashCost of secret-hash.ts. */
  cost?: { N: number; r: number; p: number }
  changedAt: number
}

/** What people are notified of. */
export type NoticeKind = 'voicemail' | 'fax' | 'text' | 'missed'

/** People who are still to be notified of something. Key: id of the item, or of the call and its place. */
export interface NoticeRow {
  kind: NoticeKind
  /** What the configuration notifies people for: a mailbox, a number, a trunk, an extension, a group. */
  place: string
  /** As the configuration calls them under `notify`. */
  ways: string[]
  createdAt: number
  /** Of a missed call: its caller. */
  call?: { from: string; callerName: string; at: number }
}

/** A message that somebody has heard; the feed of the inbox knows nothing of it. Key: id of the item. */
export interface VoicemailHeardRow {
  ext: string
  heardAt: number
}

/** A phone that fetches its settings. Key: its id. */
export interface PhoneRow {
  extension: string
  /** Null until it has shown itself. */
  kind: string | null
  /** 12 digits in lower case; null until it has shown itself, and of phones that have none. */
  mac: string | null
  /** Numbers of its keys with lamps; null for all colleagues. */
  keys: string[] | null
  createdAt: number
  /** While it is awaited; `takenBy`: the address that came first; `given`: which files of its kind it has. */
  open: { codeSha256: string; until: number; takenBy: string | null; given?: number[] } | null
  fetchedAt: number | null
  address: string | null
  userAgent: string | null
}
