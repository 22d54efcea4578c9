/** The row of the history that a call leaves. */
import type { CallRow, HistoryRow } from '../store/tables.ts'
import { directionOf, outcomeOf, takerOf } from './outcome.ts'

/** Of a call that has just ended, at `now` where its row does not say when. */
export function historyOf(row: CallRow, now: number): HistoryRow {
  const taker = takerOf(row)
  const startedAt = row.startedAt ?? row.createdAt
  const endedAt = row.endedAt ?? now
  const agentFirst = row.agentFirst === true
  const answeredAt = taker?.answeredAt ?? (agentFirst ? null : row.answeredAt)
  const seconds = (from: number, to: number): number => Math.max(0, Math.round((to - from) / 1000))
  return {
    callId: row.callId,
    direction: directionOf(row),
    outcome: outcomeOf(row),
    from: row.from,
    to: row.to,
    callerName: row.callerName,
    ...(row.customerId === undefined ? {} : { customerId: row.customerId }),
    ...(row.matchType === undefined ? {} : { matchType: row.matchType }),
    trunkId: row.trunkId !== '' ? row.trunkId : ((row.legs ?? []).findLast(({ trunkId }) => trunkId !== '')?.trunkId ?? ''),
    // The calling extension; else the one that took an outside call.
    extension: row.extension !== '' ? row.extension : taker?.trunkId === '' ? taker.to : '',
    endpointId: row.endpointId,
    ...(row.externalRef === undefined ? {} : { externalRef: row.externalRef }),
    startedAt,
    answeredAt,
    endedAt,
    ringSeconds: answeredAt === null ? seconds(startedAt, endedAt) : seconds(startedAt, answeredAt),
    ...partsOf(row, endedAt),
    talkSeconds: answeredAt === null ? 0 : taker === undefined ? row.talkSeconds : seconds(answeredAt, taker.endedAt ?? endedAt),
    // In click-to-dial the party that is rung first is the caller.
    endedBy: agentFirst && row.endReason === 'callee-hangup' ? 'caller' : (row.endedBy ?? 'system'),
    sipCode: row.sipCode,
    steps: row.steps ?? [],
    legs: (row.legs ?? []).map(({ state: _, ...leg }) => leg),
    recordings: row.recordings,
    rev: row.rev ?? 1,
    ...(row.userId === undefined ? {} : { userId: row.userId }),
    ...(row.notes === undefined ? {} : { notes: row.notes }),
  }
}

/** What most calls do not have. */
function partsOf({ heldMs = 0, heldSince, transfers, voicemailId, hangupCause }: CallRow, endedAt: number) {
  const held = heldMs + (heldSince === undefined ? 0 : Math.max(0, endedAt - heldSince))
  return {
    ...(held === 0 ? {} : { holdSeconds: Math.round(held / 1000) }),
    ...(transfers === undefined ? {} : { transfers }),
    ...(voicemailId === undefined ? {} : { voicemailId }),
    ...(hangupCause === undefined ? {} : { hangupCause }),
  }
}
