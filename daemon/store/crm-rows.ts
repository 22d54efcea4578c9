/** Rows of the directory: people and organizations whose numbers the house knows. */
export type PartyKind = 'person' | 'organization'
export type PartyStatus = 'active' | 'inactive' | 'prospect' | 'blocked'
export type PhoneLabel = 'mobile' | 'home' | 'work' | 'fax' | 'other'

export interface PartyPhone {
  /** E.164, or digits where the country is not known. */
  number: string
  label: PhoneLabel
  primary?: boolean
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
  /** Of whoever owns the record, opaque; '' where it has none. */
  version: string
  /** By the clock of whoever owns it. */
  updatedAt: number
  source: 'crm' | 'local' | 'import'
  /** By our clock: when it was last as it is here. */
  seenAt: number
}
