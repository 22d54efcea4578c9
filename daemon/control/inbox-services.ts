/** What the technician's socket needs of the inbox: the part of `services.ts` about it. */

export type InboxFeedName = 'faxes' | 'sms' | 'voicemails'

export interface InboxSummaryView {
  readonly feed: InboxFeedName
  readonly items: number
  /** What a poller that has everything would pass as `since`. */
  readonly head: number
  /** Of faxes: calls that brought no page. */
  readonly missed?: number
}

/** A fax call that brought no page. */
export interface MissedFaxView {
  readonly callId: string
  readonly from: string
  readonly to: string
  readonly at: string | null
  readonly durationSeconds: number
  /** How its session ended. */
  readonly text: string
}

/** Items as in `GET /api/inbox/<feed>`, oldest first. */
export interface InboxPageView {
  readonly items: readonly object[]
  readonly nextSince: number
  /** Of faxes, where no cursor was given. */
  readonly missed?: readonly MissedFaxView[]
}

export interface InboxServicesView {
  summary(): readonly InboxSummaryView[]
  /** Without `since`, the newest. */
  page(feed: InboxFeedName, options: { since?: number; limit: number }): Promise<InboxPageView>
  /** Where the document or the recording of an item is. Throws ApiError `not_found`, `media_expired`. */
  media(id: string): { readonly file: string; readonly name: string }
}
