/** A call as another system reports it after its end. */
import type { CallOutcome, HistoryDirection } from '../schema/states.ts'
import type { HistoryRow, NoteRow } from '../store/tables.ts'

/** Times in milliseconds since the epoch. */
export interface LoggedCall {
  readonly callId: string
  readonly rev: number
  readonly direction: HistoryDirection
  readonly outcome: CallOutcome
  /** E.164 where it can be. */
  readonly from: string
  readonly to: string
  readonly callerName: string
  /** null: nobody's; undefined: as it is. */
  readonly customerId: string | null | undefined
  readonly trunkId: string
  readonly extension: string
  readonly userId: string | undefined
  readonly externalRef: string | undefined
  readonly startedAt: number
  readonly answeredAt: number | null
  readonly endedAt: number
  readonly ringSeconds: number
  readonly talkSeconds: number
  readonly endedBy: 'caller' | 'callee' | 'system'
  readonly sipCode: number
  readonly notes: readonly NoteRow[]
}

/** The row of the history with the report; `before`: the one that is there. */
export function withLog(before: HistoryRow | undefined, call: LoggedCall): HistoryRow {
  const { customerId, userId, externalRef, notes, ...facts } = call
  const base: HistoryRow =
    before === undefined || before.outside === true
      ? { ...facts, endpointId: '', steps: [], legs: [], recordings: [], outside: true, ...kept(before) }
      : { ...before, rev: call.rev }
  const { customerId: party, ...rest } = base
  const said = customerId === undefined ? party : (customerId ?? undefined)
  const merged = [...new Map([...notes, ...(before?.notes ?? [])].map((note) => [note.noteId, note])).values()]
  return {
    ...rest,
    ...(said === undefined ? {} : { customerId: said }),
    ...(userId === undefined ? {} : { userId }),
    ...(externalRef === undefined ? {} : { externalRef }),
    ...(merged.length === 0 ? {} : { notes: merged.toSorted((a, b) => a.createdAt - b.createdAt) }),
  }
}

/** What an earlier record has and a later one need not repeat. */
function kept(before: HistoryRow | undefined): Pick<HistoryRow, 'customerId' | 'userId' | 'externalRef'> {
  if (before === undefined) return {}
  const { customerId, userId, externalRef } = before
  return {
    ...(customerId === undefined ? {} : { customerId }),
    ...(userId === undefined ? {} : { userId }),
    ...(externalRef === undefined ? {} : { externalRef }),
  }
}
