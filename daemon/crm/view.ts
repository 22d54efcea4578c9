/** Rows of the directory as the interface shows them. */
import { isoTime } from '../base/clock.ts'
import type { CallSummary, PartyView } from '../schema/crm.ts'
import type { HistoryRow, PartyRow } from '../store/tables.ts'

export function partyView({ seenAt: _, updatedAt, ...party }: PartyRow): PartyView {
  return { ...party, updatedAt: isoTime(updatedAt) }
}

export function callSummary({ callId, direction, outcome, startedAt, talkSeconds, extension }: HistoryRow): CallSummary {
  return { callId, direction, outcome, startedAt: isoTime(startedAt), talkSeconds, ...(extension === '' ? {} : { extension }) }
}
