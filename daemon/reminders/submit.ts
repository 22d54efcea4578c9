/** What is checked of reminders before they are accepted, and how they become rows: all of one request in one transaction. */
import { isoTime, type Clock } from '../base/clock.ts'
import { ApiError, type ErrorCode, type ErrorDetail } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import { checkUrl, type AddressPolicy } from '../outbox/address.ts'
import type { Reach } from '../numbers/reach.ts'
import type { Store } from '../store/store.ts'
import type { ReminderRow } from '../store/tables.ts'
import { planCall } from './due.ts'
import { isTerminal, isWithdrawn } from './job.ts'
import { referenceKey, sameKey, timeKey } from './look.ts'
import type { ReminderLedger } from './ledger.ts'
import type { ReminderQueue } from './queue.ts'
import type { ReminderSettings } from './settings.ts'
import { statusOf } from './view.ts'
import { isZone, parseInstant } from './zone.ts'

export interface ReminderRequest {
  readonly phoneNumber: string
  readonly appointmentAt: string
  readonly customerName?: string
  readonly serviceName?: string
  readonly staffName?: string
  readonly externalRef?: string
  readonly statusCallbackUrl?: string
  readonly language?: string
  readonly timeZone?: string
  readonly sms?: boolean
}

/** An item as it came: a reminder, or what is wrong with its form. */
export type ReminderItem =
  { readonly request: ReminderRequest } | { readonly faults: readonly ErrorDetail[]; readonly externalRef?: string }

export interface AcceptedItem {
  readonly index: number
  readonly reminderId: string
  readonly externalRef: string | null
  readonly status: string
  readonly firstAttemptAt: string | null
  readonly duplicate: boolean
  /** Of a number that the numbering plan's data does not have. */
  readonly warning?: string
  /** Of a reminder that is finished already. */
  readonly reason?: string
}

export interface RejectedItem {
  readonly index: number
  readonly externalRef: string | null
  readonly error: string
  readonly code: ErrorCode
}

export interface SubmitAnswer {
  readonly accepted: number
  readonly rejected: number
  readonly reminders: readonly (AcceptedItem | RejectedItem)[]
}

export interface ReminderDeskOptions {
  readonly settings: ReminderSettings
  readonly store: Store
  readonly clock: Clock
  readonly ledger: ReminderLedger
  readonly queue: ReminderQueue
  /** Where callbacks may go. */
  readonly policy: AddressPolicy
  readonly country: string
  readonly reach: Reach
}

export const mostItems = 500
const mostWaiting = 20_000
const furthestMs = 2 * 366 * 86_400_000

class Refusal extends Error {
  readonly code: ErrorCode
  readonly path: string

  constructor(code: ErrorCode, path: string, message: string) {
    super(message)
    this.code = code
    this.path = path
  }
}

type Checked = { readonly row: ReminderRow } | { readonly refusal: Refusal; readonly externalRef: string }

export class ReminderDesk {
  readonly #options: ReminderDeskOptions
  /** Being written, so that the queue does not count them yet. */
  #coming = 0

  constructor(options: ReminderDeskOptions) {
    this.#options = options
  }

  /**
   * Resolves when all that is accepted is durable; `alongside` runs in the transaction. Throws ApiError: where no item can be
   * accepted, with the code they share or validation_failed; validation_failed for too many; overloaded. `token`: name of the
   * access token, '' for none.
   */
  async submit(
    items: readonly ReminderItem[],
    alongside: (answer: SubmitAnswer) => void = () => undefined,
    token = '',
  ): Promise<SubmitAnswer> {
    const { queue, ledger } = this.#options
    if (items.length === 0 || items.length > mostItems) {
      const message = items.length === 0 ? 'must not be empty' : `must have at most ${mostItems} items`
      throw new ApiError('validation_failed', `The list of reminders ${message}.`, { details: [{ path: '/reminders', message }] })
    }
    if (queue.waiting + this.#coming + items.length > mostWaiting) {
      throw new ApiError('overloaded', `${queue.waiting} reminders are waiting; try again later.`, { retryAfterSeconds: 600 })
    }
    const checked = items.map((item) => this.#check(item, token))
    const rejected = checked.flatMap((item, index) => ('refusal' in item ? [rejection(item, index)] : []))
    if (rejected.length === items.length) throw allRejected(rejected, checked)
    const added: ReminderRow[] = []
    const replaced: string[] = []
    this.#coming += items.length
    try {
      const answer = await ledger.transaction(() => {
        const reminders = checked.map((item, index) =>
          'refusal' in item ? rejection(item, index) : this.#accept(item.row, index, added, replaced),
        )
        const whole = { accepted: items.length - rejected.length, rejected: rejected.length, reminders }
        alongside(whole)
        return whole
      })
      for (const row of added) queue.add(row)
      for (const reminderId of replaced) queue.refresh(reminderId)
      return answer
    } catch (error) {
      for (const row of added) if (row.nextAttemptAt !== null) queue.bookings.release(row.nextAttemptAt)
      throw error
    } finally {
      this.#coming -= items.length
    }
  }

  #check(item: ReminderItem, token: string): Checked {
    if ('faults' in item) {
      const [first] = item.faults
      const path = first?.path ?? ''
      const name = path.slice(1)
      const text = `${name === '' ? 'The reminder' : `"${name}"`} ${first?.message ?? 'is not valid'}`
      return { refusal: new Refusal('validation_failed', path, text), externalRef: item.externalRef ?? '' }
    }
    try {
      const row = this.#rowOf(item.request)
      return { row: token === '' ? row : { ...row, token } }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { refusal: error, externalRef: item.request.externalRef ?? '' }
    }
  }

  #rowOf(request: ReminderRequest): ReminderRow {
    const { country, reach, clock, policy, settings } = this.#options
    const { phoneNumber, statusCallbackUrl = '', language = '', timeZone = '' } = request
    const number = normaliseNumber(phoneNumber, country)
    const { allowed, reason } = reach.mayReach(number, 'reminder')
    if (!allowed && number.kind !== 'invalid') throw new Refusal('destination_denied', '/phoneNumber', reason)
    if (number.e164 === null) {
      throw new Refusal('number_invalid', '/phoneNumber', number.warning ?? '"phoneNumber" is not a number that can get reminder calls.')
    }
    const appointmentAt = parseInstant(request.appointmentAt)
    if (appointmentAt === null) {
      throw new Refusal('validation_failed', '/appointmentAt', '"appointmentAt" must be a time such as 2026-03-02T14:05:00Z.')
    }
    const now = clock.now()
    if (appointmentAt <= now) throw new Refusal('appointment_in_past', '/appointmentAt', 'The appointment is in the past.')
    if (appointmentAt - now > furthestMs) {
      throw new Refusal('validation_failed', '/appointmentAt', 'The appointment is more than two years away.')
    }
    if (language !== '' && !isLanguage(language)) {
      throw new Refusal('validation_failed', '/language', '"language" must be a language tag such as en-US.')
    }
    if (timeZone !== '' && !isZone(timeZone)) {
      throw new Refusal('validation_failed', '/timeZone', '"timeZone" must be the name of a time zone such as America/New_York.')
    }
    if (statusCallbackUrl !== '') {
      const url = checkUrl(statusCallbackUrl, policy)
      if (!url.ok) throw new Refusal('validation_failed', '/statusCallbackUrl', `"statusCallbackUrl" cannot be used: ${url.reason}.`)
    }
    return {
      reminderId: newId(),
      externalRef: request.externalRef ?? '',
      customerName: request.customerName ?? '',
      rawNumber: phoneNumber,
      number: number.e164,
      appointmentAt,
      serviceName: request.serviceName ?? '',
      staffName: request.staffName ?? '',
      statusCallbackUrl,
      language,
      timeZone,
      sms: request.sms ?? settings.sms,
      state: 'scheduled',
      outcome: null,
      reason: '',
      nextAttemptAt: null,
      attempts: 0,
      busy: 0,
      lastCallId: '',
      recorded: '',
      createdAt: now,
      dialedAt: null,
      answeredAt: null,
      completedAt: null,
      smsSent: false,
    }
  }

  /** Inside a transaction. */
  #accept(row: ReminderRow, index: number, added: ReminderRow[], replaced: string[]): AcceptedItem {
    const { reminders, reminderKeys } = this.#options.store.tables
    const { ledger } = this.#options
    const known = this.#rowAt(sameKey(row))
    // One that was taken back is no answer to the same request made later.
    if (known !== undefined && !isWithdrawn(known)) return this.#acceptance(known, index, true)
    const reference = referenceKey(row)
    const earlier = reference === null ? undefined : this.#rowAt(reference)
    if (earlier !== undefined && !isTerminal(earlier) && ledger.step(earlier, { type: 'withdraw', reason: 'replaced' }) !== earlier) {
      replaced.push(earlier.reminderId)
    }
    reminders.put(row.reminderId, row)
    for (const key of [sameKey(row), reference, timeKey(row)]) {
      if (key !== null) reminderKeys.put(key, { reminderId: row.reminderId })
    }
    const accepted = this.#plan(row)
    added.push(accepted)
    return this.#acceptance(accepted, index, false)
  }

  #acceptance(row: ReminderRow, index: number, duplicate: boolean): AcceptedItem {
    const { warning } = this.#options.reach.mayDial(row.number, 'reminder')
    return {
      index,
      reminderId: row.reminderId,
      externalRef: row.externalRef === '' ? null : row.externalRef,
      status: statusOf(row),
      firstAttemptAt: isoTime(row.nextAttemptAt),
      duplicate,
      ...(warning === '' ? {} : { warning }),
      ...(isTerminal(row) ? { reason: row.reason } : {}),
    }
  }

  #plan(row: ReminderRow): ReminderRow {
    const { ledger, queue, settings, clock } = this.#options
    if (ledger.optedOut(row.number)) return ledger.step(row, { type: 'opted-out' })
    const at = planCall({ settings, ledger, bookings: queue.bookings }, row, clock.now())
    if (at === null) return ledger.step(row, { type: 'give-up', outcome: 'failed', reason: 'too-late' })
    queue.bookings.take(at)
    return ledger.step(row, { type: 'plan', at })
  }

  #rowAt(key: string): ReminderRow | undefined {
    const { reminders, reminderKeys } = this.#options.store.tables
    const found = reminderKeys.get(key)
    return found && reminders.get(found.reminderId)
  }
}

function rejection({ refusal, externalRef }: { refusal: Refusal; externalRef: string }, index: number): RejectedItem {
  return { index, externalRef: externalRef === '' ? null : externalRef, error: refusal.message, code: refusal.code }
}

function allRejected(rejected: readonly RejectedItem[], checked: readonly Checked[]): ApiError {
  const [first] = rejected
  const shared = rejected.every(({ code }) => code === first!.code) ? first!.code : 'validation_failed'
  // A destination that may not be called is one item's matter: of several, the request as a whole cannot be carried out.
  const code = shared === 'destination_denied' && rejected.length > 1 ? 'validation_failed' : shared
  const details = rejected.map((item) => {
    const { refusal } = checked[item.index] as { refusal: Refusal }
    return { path: `/${item.index}${refusal.path}`, message: item.error, ...item }
  })
  const text = rejected.length === 1 ? first!.error : `None of the ${rejected.length} reminders can be accepted.`
  return new ApiError(code, text, { details })
}

function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}
