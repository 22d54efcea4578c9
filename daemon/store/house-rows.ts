/** Rows about the telephone system of the house: what people set at their phones. */

/** Key: number of the extension. It stays where the configuration changes. */
export interface ExtensionSettingsRow {
  doNotDisturb: boolean
  /** Where calls go, as it was dialled; null for nowhere. */
  forwardAll: string | null
  forwardBusy: string | null
  forwardNoAnswer: string | null
  updatedAt: number
}
