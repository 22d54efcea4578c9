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

/** A message that somebody has heard; the feed of the inbox knows nothing of it. Key: id of the item. */
export interface VoicemailHeardRow {
  ext: string
  heardAt: number
}
