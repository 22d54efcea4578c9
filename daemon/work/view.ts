/** Items of work as pages and programs see them. */
import { isoTime } from '../base/clock.ts'
import { faxItem, smsItem, voicemailItem } from '../inbox/view.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { WorkCounts, WorkItemView, WorkTakerView } from '../schema/work.ts'
import type { Store } from '../store/store.ts'
import type { WorkRow } from '../store/tables.ts'

export interface WorkViewOptions {
  readonly store: Pick<Store, 'tables'>
  readonly inbox: Pick<Inbox, 'faxes' | 'sms' | 'voicemails' | 'textMedia'>
  /** As the directory knows the number; '' for nobody, or one of several. */
  readonly nameOf: (number: string) => string
}

export class WorkViews {
  readonly #options: WorkViewOptions

  constructor(options: WorkViewOptions) {
    this.#options = options
  }

  view(row: WorkRow): WorkItemView {
    const { store, nameOf } = this.#options
    const { kind, id, rev, state, owner, note, at, times, closed } = row
    const { number, callerName, item } = this.#about(row)
    return {
      ...{ kind, id, rev, state, owner, note, times },
      ownerName: owner === null ? null : (store.tables.people.get(owner)?.name ?? null),
      at: isoTime(at),
      closedAt: isoTime(closed?.at ?? null),
      closedBy:
        closed === null ? null : { by: closed.by, name: closed.name, ...(closed.callId === undefined ? {} : { callId: closed.callId }) },
      number,
      callerName: nameOf(number) || callerName,
      item,
    }
  }

  /** Who may look after something, by name: those who see what it is about. */
  takers(): WorkTakerView[] {
    return [...this.#options.store.tables.people.range()]
      .filter(({ value: { disabled, roles } }) => !disabled && roles.some((role) => role !== 'technician'))
      .map(({ key, value: { name } }) => ({ personId: key, name }))
      .toSorted((a, b) => a.name.localeCompare(b.name))
  }

  counts(rows: readonly WorkRow[]): WorkCounts {
    const of = (kind: WorkRow['kind']): number => rows.filter((row) => row.kind === kind).length
    return { missed: of('missed'), callback: of('callback'), voicemail: of('voicemail'), fax: of('fax'), text: of('text') }
  }

  /** Of an item that has just been deleted nothing is known. */
  #about({ kind, seq = 0, call }: WorkRow): { number: string; callerName: string; item: object } {
    const { inbox, store } = this.#options
    if (call !== undefined) {
      const { callId, queue, rang, ringSeconds, at, givenUp, customerId } = call
      const more = { ...(customerId === undefined ? {} : { customerId }), ...(givenUp === true ? { givenUp } : {}) }
      return {
        ...{ number: call.number, callerName: call.callerName },
        item: { callId, startedAt: isoTime(at), queue, rang, ringSeconds, ...more },
      }
    }
    const none = { number: '', callerName: '', item: {} }
    if (kind === 'voicemail') {
      const row = inbox.voicemails.get(seq)
      if (row === undefined) return none
      const heard = store.tables.voicemailHeard.get(row.id) !== undefined
      return { number: row.from, callerName: row.callerName, item: { ...voicemailItem(row), heard } }
    }
    if (kind === 'fax') {
      const row = inbox.faxes.get(seq)
      return row === undefined ? none : { number: row.from, callerName: row.callerName, item: faxItem(row) }
    }
    const row = inbox.sms.get(seq)
    return row === undefined ? none : { number: row.from, callerName: '', item: smsItem(row, inbox.textMedia.of(row)) }
  }
}
