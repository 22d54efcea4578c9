/** What the technician's socket needs of texts: the part of `services.ts` about them. */

/** A text as in `GET /api/sms/:messageId`; `body` and `parts` are left out in a list. */
export interface SmsView {
  readonly messageId: string
  readonly status: string
  readonly to: string
  readonly from: string
  readonly segments: number
  readonly encoding: string
  readonly trunkId: string
  readonly attempts: number
  readonly createdAt: string
  readonly expiresAt: string
  readonly nextAttemptAt: string | null
  readonly sentAt: string | null
  readonly completedAt: string | null
  /** For a person; '' where there is none. */
  readonly error: string
  readonly code: string
  readonly subject: string
  readonly body?: string
  readonly parts?: readonly { readonly accepted: boolean; readonly report: string | null }[]
}

/** As the answer of `POST /api/sms`. */
export interface SmsSentView {
  readonly sent: number
  readonly recipients: number
  readonly queued: number
  readonly failed: number
  readonly unknown?: number
  readonly messages: readonly {
    readonly messageId?: string
    readonly to: string
    readonly status: string
    readonly segments?: number
    readonly encoding?: string
    readonly error?: string
    readonly code?: string
  }[]
}

export interface SmsTrunkView {
  readonly id: string
  readonly kind: string
  readonly number: string
  /** Whether new texts take it unless it is down. */
  readonly default: boolean
  readonly ok: boolean
  readonly state: string
  /** '' when ready. */
  readonly reason: string
  readonly since: string
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

export interface SmsSuppressedView {
  readonly number: string
  readonly since: string
  /** What the person wrote, or `command`. */
  readonly by: string
}

export interface SmsServicesView {
  /** Throws ApiError as `POST /api/sms` answers. */
  send(request: { to: readonly string[]; text: string }, alongside: (messageIds: readonly string[]) => void): Promise<SmsSentView>
  /** Newest first. */
  list(options: { state?: string; limit: number }): readonly SmsView[]
  /** `id`: of a text, a part of it that no other has, or `last`. Throws ApiError `message_unknown`. */
  show(id: string): SmsView
  trunks(): readonly SmsTrunkView[]
  readonly stopList: {
    list(): readonly SmsSuppressedView[]
    /** Throws ApiError `number_invalid`. */
    add(number: string, alongside: () => void): Promise<SmsSuppressedView>
    /** False where it was not on the list. */
    remove(number: string, alongside: () => void): Promise<boolean>
  }
}
