/**
 * Reminders on the disk. Each input is applied to the row as it is there, in one transaction with what belongs to it: the counts of its
 * number, the text that accompanies the first call, the row of the call, and at the end the callback.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Store } from '../store/store.ts'
import type { ReminderRow } from '../store/tables.ts'
import type { ReminderTexts } from './caller.ts'
import { isTerminal, step, type ReminderInput, type ReminderMoment } from './job.ts'
import { zoneOf, type ReminderSettings, countContact, countTries, mayCall } from './settings.ts'
import { leastNoticeMs } from './slots.ts'
import { reminderCallback } from './view.ts'
import { openSpans } from './window.ts'
import { dayAt } from './zone.ts'
import { firstName } from '../base/person-name.ts'
import { words } from '../words/words.ts'

/**
 * The text message next to a reminder call. It goes to a screen that others may see: the practice, the time and a first name, nothing of what
 * the appointment is about.
 */
interface TextFacts {
  /** BCP 47, the best first. */
  readonly languages: readonly string[]
  /** IANA name. */
  readonly timeZone: string
  readonly practice: string
  /** Of the practice, as people dial it; '' for none. */
  readonly practiceNumber: string
  readonly customerName: string
  /** Milliseconds since the epoch. */
  readonly appointmentAt: number
}

export function reminderText({ languages, timeZone, practice, practiceNumber, customerName, appointmentAt }: TextFacts): string {
  const wording = words(...languages)
  const format = (options: Intl.DateTimeFormatOptions): string =>
    // Narrow spaces between the digits and "AM" would make the text one of 70 characters a part.
    new Intl.DateTimeFormat(wording.language, { ...options, timeZone }).format(appointmentAt).replaceAll(/[\u00a0\u202f]/g, ' ')
  return wording.reminderText({
    name: firstName(customerName),
    clinic: practice,
    number: practiceNumber,
    date: format({ weekday: 'long', day: 'numeric', month: 'long' }),
    time: format({ hour: 'numeric', minute: '2-digit' }),
  })
}

export interface ReminderLedgerOptions {
  readonly settings: ReminderSettings
  readonly store: Store
  readonly outbox: Outbox
  readonly texts: ReminderTexts
  readonly clock: Clock
  readonly log: Log
}

/** Results of a call that somebody, or a machine, answered. */
const answers: ReadonlySet<string> = new Set(['answer', 'reception', 'no-input', 'voicemail'])

export class ReminderLedger {
  readonly #options: ReminderLedgerOptions
  /** Of the running transaction. */
  #admits: (() => void)[] = []
  readonly #ends = new Set<(row: ReminderRow) => void>()

  constructor(options: ReminderLedgerOptions) {
    this.#options = options
  }

  /** `work` runs in the transaction that writes the outcome of a reminder. */
  onEnd(work: (row: ReminderRow) => void): void {
    this.#ends.add(work)
  }

  /** Runs `work` as a transaction of the store, and when it is durable sets on their way the texts and callbacks it wrote. */
  async transaction<T>(work: () => T): Promise<T> {
    const { store, outbox } = this.#options
    let admits: readonly (() => void)[] = []
    const result = await store.transaction(() => {
      this.#admits = []
      const worked = work()
      admits = this.#admits
      return worked
    })
    for (const admit of admits) admit()
    outbox.wake()
    return result
  }

  /** Resolves, with the row as it is then, when it is durable. `alongside` runs in the transaction where the row changed. */
  apply(reminderId: string, input: ReminderInput, alongside?: (row: ReminderRow) => void): Promise<ReminderRow | undefined> {
    return this.transaction(() => {
      const before = this.#options.store.tables.reminders.get(reminderId)
      const after = before && this.step(before, input)
      if (after !== undefined && after !== before) alongside?.(after)
      return after
    })
  }

  /** Inside `transaction`. The same row where the input changes nothing. */
  step(before: ReminderRow, input: ReminderInput): ReminderRow {
    const { store } = this.#options
    const { reminders, reminderOptOuts } = store.tables
    if (isTerminal(before)) return before
    this.#countBefore(before, input)
    let row = step(before, input, this.#moment(before))
    if (row === before) return before
    if (input.type === 'dial') {
      countTries(store.tables.reminderContacts, row.number, this.#day(row, row.dialedAt!), row.dialedAt!, 1)
      if (row.attempts === 1) row = this.#text(row)
    }
    if (input.type === 'give-up' && row.attempts === 0) {
      const texted = this.#text(row)
      if (texted !== row) row = { ...texted, outcome: 'expired', reason: 'sms-only' }
    }
    reminders.put(row.reminderId, row)
    if (isTerminal(row)) {
      if (row.outcome === 'opted-out' && !this.optedOut(row.number))
        reminderOptOuts.put(row.number, { number: row.number, since: row.completedAt! })
      for (const work of this.#ends) work(row)
      if (row.statusCallbackUrl !== '' && row.reason !== 'replaced') this.#options.outbox.enqueue(reminderCallback(row))
    }
    return row
  }

  optedOut(number: string): boolean {
    return this.#options.store.tables.reminderOptOuts.get(number) !== undefined
  }

  mayCall(row: ReminderRow, day: string): boolean {
    return mayCall(this.#options.store.tables.reminderContacts, row.number, day, this.#options.settings.limits)
  }

  /** What is counted of a number before the row is looked at, for the look depends on it. */
  #countBefore(row: ReminderRow, input: ReminderInput): void {
    if (row.state !== 'dialing' || row.recorded !== '') return
    const contacts = this.#options.store.tables.reminderContacts
    const ended = input.type === 'ended' ? input.result.kind : ''
    const fate = input.type === 'restart' ? input.fate : ''
    const at = row.dialedAt!
    if (ended === 'not-placed' || fate === 'never-dialed') countTries(contacts, row.number, this.#day(row, at), at, -1)
    else if (input.type === 'answered' || input.type === 'decided' || fate === 'answered' || answers.has(ended)) {
      countContact(contacts, row.number, this.#day(row, at), at)
    }
  }

  #moment(row: ReminderRow): ReminderMoment {
    const { clock, settings } = this.#options
    const zone = zoneOf(row, settings)
    return {
      now: clock.now(),
      mostAttempts: settings.attempts,
      open: (earliest) => {
        for (const { day, start } of openSpans(earliest, row.appointmentAt - leastNoticeMs, zone, settings.window)) {
          if (this.mayCall(row, day)) return start
        }
        return null
      },
    }
  }

  #day(row: ReminderRow, at: number): string {
    return dayAt(at, zoneOf(row, this.#options.settings))
  }

  /** The same row where no text is to be sent, or none can be. */
  #text(row: ReminderRow): ReminderRow {
    const { texts, settings, clock, log } = this.#options
    if (!row.sms || row.smsSent || row.appointmentAt <= clock.now() || !texts.hasTrunk() || this.optedOut(row.number)) return row
    const { practice, practiceNumber } = settings
    const text = texts.prepare({
      to: row.number,
      subject: `reminder:${row.reminderId}`,
      token: row.token ?? '',
      body: reminderText({
        languages: [row.language, settings.language],
        timeZone: zoneOf(row, settings),
        practice,
        practiceNumber,
        customerName: row.customerName,
        appointmentAt: row.appointmentAt,
      }),
    })
    if ('error' in text) {
      log.warn({ reminderId: row.reminderId, reason: text.error }, 'the text of a reminder could not be sent')
      return row
    }
    text.put()
    this.#admits.push(() => text.admit())
    return { ...row, smsSent: true }
  }
}
