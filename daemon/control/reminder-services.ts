/** What the technician's socket needs of reminders: the part of `services.ts` about them. */

/** A reminder as in `GET /api/reminders/:reminderId`. */
export interface ReminderView {
  readonly reminderId: string
  readonly externalRef: string | null
  readonly status: string
  readonly outcome: string | null
  readonly reason: string | null
  readonly customerName: string
  readonly phoneNumber: string
  readonly appointmentAt: string
  readonly serviceName: string
  readonly staffName: string
  readonly language: string | null
  readonly timeZone: string | null
  readonly sms: boolean
  readonly smsSent: boolean
  readonly attempts: number
  readonly nextAttemptAt: string | null
  readonly lastCallId: string | null
  readonly createdAt: string
  readonly answeredAt: string | null
  readonly completedAt: string | null
}

/** Of the appointments on one day of the site, in their order. */
export interface ReminderDayView {
  readonly day: string
  readonly timeZone: string
  readonly reminders: readonly ReminderView[]
}

export interface ReminderServicesView {
  /** Today where no day is given. Throws ApiError `validation_failed`. */
  list(options: { day?: string; status?: string; limit: number }): ReminderDayView
  /** `id`: of a reminder, a part of it that no other has, or `last`. Throws ApiError `reminder_unknown`. */
  show(id: string): ReminderView
  /** `alongside`, here and below, runs in the transaction of what is written. */
  callNow(id: string, alongside: (reminderId: string) => void): Promise<ReminderView>
  cancel(id: string, alongside: (reminderId: string) => void): Promise<ReminderView>
  /** Numbers that asked not to be called with reminders. */
  optOuts(): readonly { readonly number: string; readonly since: number }[]
  /** The number may be called again; false where it never asked. */
  allow(number: string, alongside: () => void): Promise<boolean>
}
