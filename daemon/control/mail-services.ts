/** What the technician's socket needs of mail: the part of `services.ts` about it. */

export interface MailView {
  readonly mailId: string
  readonly status: string
  readonly to: string
  readonly subject: string
  readonly bytes: number
  readonly attempts: number
  readonly createdAt: string
  readonly nextAttemptAt: string | null
  readonly completedAt: string | null
  readonly reply: string
  readonly error: string
}

export interface MailTestView {
  readonly server: string
  readonly ok: boolean
  /** For a person; '' when ok. */
  readonly reason: string
  /** The mail that was sent for the test; null where none was asked for. */
  readonly mail: MailView | null
}

export interface MailServicesView {
  /** Connects and logs in; with an address, sends a mail there too. Throws ApiError `no_mail_account`, validation_failed. */
  test(to: string | null, alongside: (mailId: string) => void): Promise<MailTestView>
  /** Newest first. */
  list(limit: number): readonly MailView[]
  /** Makes a mail that waits due now, `all` each of them. Throws ApiError `mail_unknown`, `already_finished`. */
  retry(mailId: string): readonly MailView[]
}
