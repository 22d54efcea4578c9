/**
 * What people of the house have to do: callers whom nobody talked to, callers who asked to be called back, and what was received. Each row
 * is written in the transaction of the deed that makes it or settles it; nothing looks for them afterwards.
 */
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { WishChange } from '../pbx/queues/callbacks.ts'
import type { FeedName } from '../inbox/inbox.ts'
import type { CallRecordView } from '../schema/history.ts'
import type { WorkChange, WorkKind } from '../schema/work.ts'
import { removeEnded } from '../store/remove-old.ts'
import type { Store } from '../store/store.ts'
import type { InboxItem, InboxSmsRow, InboxVoicemailRow, QueueCallbackRow, WorkClosing, WorkRow, WorkCall } from '../store/tables.ts'

// What the record of a call means for the work of the house: pure.

/** Nobody talked to the caller, who left no message and sent no fax. */
function isMissed({ direction, legs, voicemailId, outcome }: CallRecordView): boolean {
  if (direction !== 'inbound' || voicemailId !== undefined) return false
  if (outcome === 'fax' || outcome === 'answered' || outcome === 'app' || outcome === 'rejected') return false
  return legs.every(({ answeredAt }) => answeredAt === null)
}

/** Of the record of a call that nobody took. */
function missedCall({ callId, from, callerName = '', customerId, queue = '', legs, ringSeconds = 0, startedAt }: CallRecordView): WorkCall {
  const rang = [...new Set(legs.filter(({ trunkId }) => trunkId === '').map(({ to }) => to))]
  return {
    ...{ callId, number: from, callerName, queue, rang, ringSeconds, at: Date.parse(startedAt) },
    ...(customerId === undefined ? {} : { customerId }),
  }
}

/** Whom the house talks with in this call, and at which extension; null where nobody of the house talks with anybody outside. */
function talkedWith(record: CallRecordView): { readonly numbers: readonly string[]; readonly extension: string } | null {
  const { direction, from, to, legs, extension = '', state, outcome } = record
  const taken = legs.filter(({ answeredAt }) => answeredAt !== null)
  if (direction === 'inbound') {
    // A machine, an application or a menu is not the house.
    const house = taken.findLast(({ trunkId }) => trunkId === '')
    return house === undefined && taken.length === 0 ? null : { numbers: known([from]), extension: house?.to ?? '' }
  }
  if (direction !== 'outbound' || extension === '') return null
  if (state === 'ended' && outcome !== 'answered') return null
  const outside = taken.filter(({ trunkId }) => trunkId !== '')
  return outside.length === 0 ? null : { numbers: known([to, ...outside.map((leg) => leg.to)]), extension }
}

const known = (numbers: readonly string[]): readonly string[] => [...new Set(numbers)].filter((number) => number !== '')

export interface WorkOptions {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
}

/** Who changes an item. */
export interface Worker {
  readonly name: string
  readonly personId?: string
}

const kindOfFeed: Readonly<Record<FeedName, WorkKind>> = { faxes: 'fax', sms: 'text', voicemails: 'voicemail' }
/** What the box has answered by itself leaves nothing to do. */
const settledWords: readonly (string | undefined)[] = ['STOP', 'START', 'HELP']
const withheld = 'withheld'
const keepDoneMs = 30 * 86_400_000

export const workKey = (kind: WorkKind, id: string): string => `${kind}/${id}`

export class Work {
  readonly #options: WorkOptions

  constructor(options: WorkOptions) {
    this.#options = options
  }

  /** Inside the transaction that writes the record of a call. */
  changed(record: CallRecordView): void {
    if (record.state !== 'ended') return this.#talked(record)
    const { liveCalls } = this.#options.store.tables
    // A change to the record of a call that has ended is no second end.
    if (record.rev !== 1 && liveCalls.get(record.callId) === undefined) return
    this.#talked(record)
    // Who has asked to be called back has an item already.
    if (isMissed(record) && this.#get('callback', record.callId) === undefined) this.#missed(record)
  }

  /** Inside the transaction in which something is received. */
  arrived(feed: FeedName, item: InboxItem, seq: number): void {
    if (feed === 'sms' && settledWords.includes((item as InboxSmsRow).keyword)) return
    const mailbox = feed === 'voicemails' ? { mailbox: (item as InboxVoicemailRow).ext } : {}
    this.#put({ ...fresh(kindOfFeed[feed], item.id, item.receivedAt), ...mailbox, seq })
  }

  /** Inside the transaction in which it is deleted. */
  left(feed: FeedName, id: string): void {
    this.#options.store.tables.work.remove(workKey(kindOfFeed[feed], id))
  }

  /** Inside the transaction of a caller's wish to be called back. */
  wished({ id, queue, number, name, placeAt }: QueueCallbackRow, change: WishChange): void {
    const call = { callId: id, number, callerName: name, queue, rang: [], ringSeconds: 0, at: placeAt }
    const before = this.#get('callback', id) ?? { ...fresh('callback', id, placeAt), call }
    if (change === 'kept') return this.#put(before)
    if (before.state === 'done') return
    if (change === 'given-up') return this.#put(next({ ...before, call: { ...call, givenUp: true } }))
    this.#close(before, { by: 'call', name: '', callId: id })
  }

  /**
   * What a person says of an item; resolves with it when that is on the disk. `alongside` runs in the transaction. Throws ApiError
   * `work_unknown`, and `changed_meanwhile` where it is another one by now: `current` is then part of the answer.
   */
  change(
    kind: WorkKind,
    id: string,
    { rev, state, owner, note }: WorkChange,
    by: Worker,
    { alongside, current }: { readonly alongside: () => void; readonly current: (row: WorkRow) => object },
  ): Promise<WorkRow> {
    const { store, clock } = this.#options
    return store.transaction(() => {
      const before = this.#get(kind, id)
      if (before === undefined) throw new ApiError('work_unknown', 'There is no such item: it was deleted, or never was.')
      if (before.rev !== rev) {
        const { closed } = before
        const text = closed?.by === 'person' ? `${closed.name} has done this meanwhile.` : 'Somebody else has changed this meanwhile.'
        throw new ApiError('changed_meanwhile', text, { extra: { current: current(before) } })
      }
      if (owner != null && store.tables.people.get(owner) === undefined)
        throw new ApiError('person_unknown', 'There is no person with that id.')
      const closed =
        state === undefined || state === before.state
          ? before.closed
          : state === 'open'
            ? null
            : { by: 'person' as const, ...by, at: clock.now() }
      const after = next({
        ...before,
        ...(state === undefined ? {} : { state }),
        ...(owner === undefined ? {} : { owner }),
        ...(note === undefined ? {} : { note }),
        closed,
      })
      this.#put(after)
      if (kind === 'missed' && state !== undefined && state !== before.state) this.#place(after)
      alongside()
      return after
    })
  }

  get(kind: WorkKind, id: string): WorkRow | undefined {
    return this.#get(kind, id)
  }

  /** The oldest first. */
  open(): WorkRow[] {
    const rows = Array.from(this.#options.store.tables.work.pending(), ({ value }) => value)
    return rows.toSorted((a, b) => a.at - b.at || byName(a, b))
  }

  /** The one that was done last first. */
  done(): WorkRow[] {
    const rows = Array.from(this.#options.store.tables.work.range(), ({ value }) => value).filter(({ state }) => state === 'done')
    return rows.toSorted((a, b) => (b.closed?.at ?? 0) - (a.closed?.at ?? 0) || byName(a, b))
  }

  /** What was done a month ago is forgotten; how many. */
  sweep(): Promise<number> {
    const { store, clock } = this.#options
    return removeEnded(store, store.tables.work, clock.now() - keepDoneMs)
  }

  /** Open calls and wishes are kept as long as the history of calls; how many were removed. */
  async sweepOpen(keepMs: number): Promise<number> {
    const { store, clock } = this.#options
    const oldest = clock.now() - keepMs
    const old = this.open().filter(({ call, at }) => (call?.at ?? Infinity) < oldest && at < oldest)
    if (old.length > 0)
      await store.transaction(() => {
        for (const row of old) {
          store.tables.work.remove(workKey(row.kind, row.id))
          this.#unplace(row)
        }
      })
    return old.length
  }

  #missed(record: CallRecordView): void {
    const { tables } = this.#options.store
    const call = missedCall(record)
    const before = this.#openOf(call.number)
    // A further call of the same person, who waits since the first one.
    if (before !== undefined) return this.#put(next({ ...before, times: before.times + 1, call }))
    this.#put({ ...fresh('missed', call.callId, call.at), call })
    tables.workNumbers.put(call.number === '' ? withheld : call.number, call.callId)
  }

  /** The house talks, or has talked, with this caller. */
  #talked(record: CallRecordView): void {
    const talk = talkedWith(record)
    if (talk === null) return
    for (const number of talk.numbers) {
      const row = this.#openOf(number)
      if (row !== undefined) this.#close(row, { by: 'call', name: talk.extension, callId: record.callId })
    }
  }

  #close(row: WorkRow, closing: Omit<WorkClosing, 'at'>): void {
    const after = next({ ...row, state: 'done', closed: { ...closing, at: this.#options.clock.now() } })
    this.#put(after)
    this.#place(after)
  }

  #openOf(number: string): WorkRow | undefined {
    const id = this.#options.store.tables.workNumbers.get(number === '' ? withheld : number)
    return id === undefined ? undefined : this.#get('missed', id)
  }

  /** One open item a number: what is opened again takes its place where none is open. */
  #place(row: WorkRow): void {
    if (row.kind !== 'missed' || row.call === undefined) return
    const { workNumbers } = this.#options.store.tables
    const number = row.call.number === '' ? withheld : row.call.number
    if (row.state === 'done') this.#unplace(row)
    else if (workNumbers.get(number) === undefined) workNumbers.put(number, row.id)
  }

  #unplace({ id, call }: WorkRow): void {
    const { workNumbers } = this.#options.store.tables
    const number = call === undefined || call.number === '' ? withheld : call.number
    if (workNumbers.get(number) === id) workNumbers.remove(number)
  }

  #get(kind: WorkKind, id: string): WorkRow | undefined {
    return /^[A-Za-z0-9-]{1,64}$/.test(id) ? this.#options.store.tables.work.get(workKey(kind, id)) : undefined
  }

  #put(row: WorkRow): void {
    this.#options.store.tables.work.put(workKey(row.kind, row.id), row)
  }
}

/** Of two of one moment always the same one comes first. */
const byName = (a: WorkRow, b: WorkRow): number => (`${a.kind}.${a.id}` < `${b.kind}.${b.id}` ? -1 : 1)

const fresh = (kind: WorkKind, id: string, at: number): WorkRow => ({
  ...{ kind, id, rev: 1, state: 'open', owner: null, note: '', at, times: 1, closed: null },
})

const next = (row: WorkRow): WorkRow => ({ ...row, rev: row.rev + 1 })
