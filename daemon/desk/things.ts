/** The things of the house as the live stream shows them: the same as in the lists. */
import type { BoxEvents } from '../box-events/box-events.ts'
import { boxEventView } from '../box-events/box-events.ts'
import type { FaxQueue } from '../fax/queue.ts'
import { faxSummary } from '../fax/view.ts'
import { isTerminal } from '../calls/state.ts'
import { ApiError } from '../base/errors.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import type { DeskOptions } from './desk.ts'
import type { CallRecords } from '../history/records.ts'
import { liveRecordOf } from '../history/view.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { faxItem, smsItem, voicemailItem } from '../inbox/view.ts'
import type { InMailbox, LiveThings } from '../live/thing.ts'
import { textView } from '../messaging/view.ts'
import { reminderView } from '../reminders/view.ts'
import type { CallRecordView } from '../schema/history.ts'
import type { Store } from '../store/store.ts'
import { workKinds, type WorkKind } from '../schema/work.ts'
import type { WorkServices } from '../work/routes.ts'

export interface ThingOptions extends Pick<LiveThings, 'queues' | 'lists' | 'emergency' | 'box'> {
  readonly store: Pick<Store, 'tables'>
  readonly deedsOf: DeskOptions['deedsOf']
  readonly clock: Pick<Clock, 'now'>
  readonly records: Pick<CallRecords, 'get'>
  readonly work: WorkServices
  readonly inbox: Inbox
  readonly faxes: Pick<FaxQueue, 'find' | 'watchAll'>
  readonly events: Pick<BoxEvents, 'get'>
}

export function liveThings(options: ThingOptions): LiveThings {
  const { store, clock, records, deedsOf, work, inbox, faxes, events, ...lists } = options
  const { tables } = store
  return {
    ...lists,
    calls: {
      get(callId) {
        const record = known(() => withoutWords(records.get(callId)))
        return record === undefined || record.state === 'ended' ? record : { ...record, deeds: deedsOf(callId) }
      },
      shown(row) {
        if (row.rev === undefined) return 'waits'
        return isTerminal(row.state) ? 'ended' : { ...liveRecordOf(row, clock.now()), deeds: deedsOf(row.callId) }
      },
    },
    work(kind, id) {
      const row = (workKinds as readonly string[]).includes(kind) ? work.work.get(kind as WorkKind, id) : undefined
      if (row === undefined) return undefined
      return { item: work.views.view(row), ...(row.mailbox === undefined ? {} : { mailbox: row.mailbox }) }
    },
    inbox: (kind, id) => received(inbox, kind, id, tables.voicemailHeard.get(id) !== undefined),
    faxes: {
      get(faxId) {
        const found = faxes.find(faxId)
        return found === undefined ? undefined : faxSummary(found.row, found.live)
      },
      watchAll: (tell) => faxes.watchAll(tell),
    },
    texts(kind, id) {
      if (kind === 'in') return received(inbox, 'text', id, false)?.item
      const row = tables.sms.get(id)
      return row === undefined ? undefined : textView(row)
    },
    reminders(reminderId) {
      const row = tables.reminders.get(reminderId)
      return row === undefined ? undefined : reminderView(row)
    },
    session(sessionId) {
      for (const { value } of tables.sessions.range())
        if (value.sessionId === sessionId) return { lockedAt: isoTime(value.lockedAt), glassUntil: isoTime(value.glass?.until ?? null) }
      return undefined
    },
    phone(phoneId) {
      const row = tables.phones.get(phoneId)
      return row === undefined ? undefined : { extension: row.extension, fetchedAt: isoTime(row.fetchedAt) }
    },
    event(eventId) {
      const row = events.get(eventId)
      return row === undefined ? undefined : boxEventView(row)
    },
  }
}

/** The newest are looked at first: what has just come is there. */
function received(inbox: Inbox, kind: string, id: string, heard: boolean): InMailbox<object> | undefined {
  const has = (item: { readonly id: string }): boolean => item.id === id
  if (kind === 'fax') {
    const item = inbox.faxes.find(has)?.item
    return item && { item: faxItem(item) }
  }
  if (kind === 'text') {
    const item = inbox.sms.find(has)?.item
    return item && { item: smsItem(item, inbox.textMedia.of(item)) }
  }
  const item = inbox.voicemails.find(has)?.item
  return item && { item: { ...voicemailItem(item), heard }, mailbox: item.ext }
}

/** Who may hear a recording is asked of the history: everybody reads the same stream. */
function withoutWords({ recording: _, ...record }: CallRecordView): CallRecordView {
  return record
}

function known<T>(get: () => T): T | undefined {
  try {
    return get()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'call_unknown') return undefined
    throw error
  }
}
