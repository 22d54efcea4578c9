/**
 * Deletion: an item that is over is removed with everything that repeats its content, in one transaction with its row of the audit
 * trail, and then its files. What has not ended is cancelled first, by whoever owns it. Facts without content stay: who called whom
 * and when, and in the audit trail that it was deleted and by whom.
 */
import type { Calls } from '../calls/calls.ts'
import { callKeyAt } from '../calls/recovery.ts'
import { ApiError } from '../errors.ts'
import type { Fax } from '../fax/fax.ts'
import { callIdPattern, idPattern } from '../ids.ts'
import type { FeedName, Inbox } from '../inbox/inbox.ts'
import type { MailQueue } from '../mail/queue.ts'
import type { SmsQueue } from '../messaging/queue.ts'
import { removeReminder } from '../reminders/purge.ts'
import { isOver } from '../reminders/job.ts'
import type { Store } from '../store/store.ts'
import type { Recordings } from '../voice/recordings.ts'
import { forgetCalls, forgetRepeats, keysOf, repeatsOf } from './repeats.ts'

export interface ErasureOptions {
  readonly store: Store
  readonly calls: Pick<Calls, 'get'>
  readonly recordings: Recordings
  readonly inbox: Inbox
  readonly fax: Pick<Fax, 'remove'>
  readonly texts: SmsQueue
  /** Null where no account is configured. */
  readonly mails: MailQueue | null
}

/** Called inside the transaction, with the id of what is removed. */
export type Record = (id: string) => void

const reminderApplication = 'internal:reminders'
const daySlackMs = 86_400_000

export class Erasure {
  readonly #options: ErasureOptions

  constructor(options: ErasureOptions) {
    this.#options = options
  }

  /** Throws ApiError `recording_unknown`. */
  async recording(id: string, record: Record): Promise<void> {
    const { store, recordings, calls } = this.#options
    const found = recordings.find(id)
    const repeats = await repeatsOf(store, id, ({ kind, body }) => kind.startsWith('record.') && body.includes(id))
    const removed = await recordings.remove(id, () => {
      if (found !== undefined) store.tables.callTraces.remove(found.row.callId)
      forgetRepeats(store.tables, id, repeats)
      record(id)
    })
    if (!removed || found === undefined) throw new ApiError('recording_unknown', 'There is no recording with that id')
    calls.get(found.row.callId)?.trace.forget()
  }

  /** An item of the inbox; without `feed`, of any. Throws ApiError: not_found, media_expired. */
  async item(feed: FeedName | null, id: string, record: Record): Promise<void> {
    const { inbox, store, calls } = this.#options
    const callId = await inbox.remove(feed, id, (item) => {
      if (item.callId !== undefined) forgetCalls(store.tables, [item.callId])
      record(id)
    })
    if (callId !== undefined) calls.get(callId)?.trace.forget()
  }

  /** A fax that is over. Throws ApiError: fax_unknown, being_sent. */
  async fax(faxId: string, record: Record): Promise<void> {
    const { store, fax } = this.#options
    const repeats = await repeatsOf(store, faxId, ({ subject }) => subject === faxId)
    await fax.remove(faxId, ({ history }) => {
      forgetCalls(
        store.tables,
        history.map(({ callId }) => callId).filter((callId) => callId !== ''),
      )
      forgetRepeats(store.tables, faxId, repeats)
      record(faxId)
    })
  }

  /** A text; one that waits is not sent any more. Throws ApiError: message_unknown, being_sent. */
  async text(messageId: string, record: Record): Promise<void> {
    const { store, texts } = this.#options
    const { smsReferences } = store.tables
    const references = await keysOf(smsReferences, (row) => row.messageId === messageId)
    const repeats = await repeatsOf(store, messageId, ({ subject }) => subject === messageId)
    await texts.remove(messageId, () => {
      for (const key of references) smsReferences.remove(key)
      forgetRepeats(store.tables, messageId, repeats)
      record(messageId)
    })
  }

  /** A mail; one that waits is not sent any more. Throws ApiError: mail_unknown, being_sent. */
  async mail(mailId: string, record: Record): Promise<void> {
    const { store, mails } = this.#options
    if (mails === null) throw new ApiError('mail_unknown', 'There is no mail with that id.')
    const repeats = await repeatsOf(store, mailId, () => false)
    await mails.remove(mailId, () => {
      forgetRepeats(store.tables, mailId, repeats)
      record(mailId)
    })
  }

  /** A reminder that is over, with its calls and its text. Throws ApiError: reminder_unknown, being_sent. */
  async reminder(reminderId: string, record: Record): Promise<void> {
    const { store } = this.#options
    const { tables } = store
    const row = idPattern.test(reminderId) ? tables.reminders.get(reminderId) : undefined
    if (row === undefined) throw new ApiError('reminder_unknown', 'There is no reminder with that id.')
    if (!isOver(row)) throw new ApiError('being_sent', 'This reminder is not over: take it back first.')
    const texts = await keysOf(tables.sms, ({ subject }) => subject === `reminder:${reminderId}`)
    for (const messageId of texts) await this.text(messageId, () => undefined)
    const mine = (call: { endpointId: string; params?: { readonly [name: string]: string } }): boolean =>
      call.endpointId === reminderApplication && call.params?.['reminderId'] === reminderId
    const calls = await keysOf(tables.calls, mine, callKeyAt(row.createdAt - daySlackMs))
    const repeats = await repeatsOf(store, reminderId, ({ subject }) => subject === reminderId)
    await store.transaction(() => {
      removeReminder(tables, row)
      forgetCalls(tables, calls)
      forgetRepeats(tables, reminderId, repeats)
      record(reminderId)
    })
  }

  /** The trace of a call that has ended, with its words elsewhere. Throws ApiError: call_unknown, call_live. */
  async trace(callId: string, record: Record): Promise<void> {
    const { store, calls } = this.#options
    if (!callIdPattern.test(callId) || store.tables.calls.get(callId) === undefined) {
      throw new ApiError('call_unknown', 'There is no call with that id')
    }
    if (calls.get(callId) !== undefined)
      throw new ApiError('call_live', 'The call is still running: its trace can be deleted when it has ended.')
    await store.transaction(() => {
      forgetCalls(store.tables, [callId])
      record(callId)
    })
  }
}
