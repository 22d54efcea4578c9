/** What the API can see of calls and do with them while they live. */
import type { Call } from '../calls/call.ts'
import { type Calls, wholeTrace } from '../calls/calls.ts'
import { isTerminal } from '../calls/state.ts'
import { isoTime } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { callIdPattern } from '../base/ids.ts'
import type { CallLeg, CallView } from '../schema/voice-api.ts'
import type { Store } from '../store/store.ts'
import type { CallRow, WholeTrace } from '../store/tables.ts'
import { isInternal } from './internal.ts'
import type { DocumentVerb } from './verb.ts'
import type { Voice } from './voice.ts'

/** A call as the API shows it. */
export function callView(row: CallRow): CallView {
  return {
    callId: row.callId,
    direction: row.direction,
    state: row.state,
    activity: row.activity,
    from: row.from,
    to: row.to,
    callerName: row.callerName,
    trunkId: row.trunkId,
    ...(row.endpointId === '' ? {} : { endpoint: row.endpointId }),
    ...(row.extension === '' ? {} : { extension: row.extension }),
    ...(row.externalRef === undefined ? {} : { externalRef: row.externalRef }),
    ...(row.params === undefined ? {} : { params: row.params }),
    createdAt: isoTime(row.createdAt),
    startedAt: isoTime(row.startedAt),
    answeredAt: isoTime(row.answeredAt),
    endedAt: isoTime(row.endedAt),
    ringSeconds: row.ringSeconds,
    talkSeconds: row.talkSeconds,
    ...(isTerminal(row.state) ? { endReason: row.endReason, endedBy: row.endedBy, sipCode: row.sipCode } : {}),
    answeredBy: row.answeredBy,
    documents: row.documents,
    recordings: row.recordings,
    ...legsOf(row),
  }
}

/** Those with whom the call was to be connected; nothing where there was nobody. */
function legsOf({ legs }: CallRow): { legs?: CallLeg[] } {
  if (legs === undefined) return {}
  return {
    legs: legs.map((leg) => ({
      ...leg,
      startedAt: isoTime(leg.startedAt),
      answeredAt: isoTime(leg.answeredAt),
      endedAt: isoTime(leg.endedAt),
    })),
  }
}

export class LiveCalls {
  readonly #calls: Calls
  readonly #voice: Voice
  readonly #store: Store

  constructor(calls: Calls, voice: Voice, store: Store) {
    this.#calls = calls
    this.#voice = voice
    this.#store = store
  }

  /** Newest first; those before the call `before`, where it is given. */
  list(which: 'live' | 'ended' | 'all', limit: number, fits: (row: CallRow) => boolean = () => true, before?: string): readonly CallRow[] {
    const older = (callId: string): boolean => before === undefined || callId < before
    const live = which === 'ended' ? [] : this.#calls.live().flatMap(({ row }) => (older(row.callId) && fits(row) ? row : []))
    const ended: CallRow[] = []
    if (which !== 'live') {
      for (const { key, value } of this.#store.tables.calls.range({ reverse: true, ...(before === undefined ? {} : { end: before }) })) {
        if (ended.length >= limit) break
        if (this.#calls.get(key) === undefined && isTerminal(value.state) && fits(value)) ended.push(value)
      }
    }
    return [...live, ...ended].sort((a, b) => (a.callId < b.callId ? 1 : -1)).slice(0, limit)
  }

  find(callId: string): CallRow | undefined {
    return callIdPattern.test(callId) ? (this.#calls.get(callId)?.row ?? this.#store.tables.calls.get(callId)) : undefined
  }

  /** Throws ApiError `call_unknown`. */
  row(callId: string): CallRow {
    const row = this.find(callId)
    if (row === undefined) throw new ApiError('call_unknown', 'There is no call with that id')
    return row
  }

  trace(callId: string): WholeTrace {
    const live = this.#calls.get(callId)
    this.row(callId)
    if (live) return { entries: live.trace.entries(), dropped: live.trace.dropped }
    return wholeTrace(this.#store.tables.callTraces.get(callId) ?? { entries: [], dropped: 0 })
  }

  /** Ends a call: `canceled` only before it is answered. Throws `call_unknown`, `call_ended`, `validation_failed`. */
  async end(callId: string, how: 'completed' | 'canceled'): Promise<CallRow> {
    const call = this.#living(callId)
    if (how === 'canceled' && call.answered) {
      throw new ApiError('validation_failed', 'The call was already answered: end it with "completed"', {
        details: [{ path: '/state', message: 'only a call that is not yet answered can be canceled' }],
      })
    }
    const end = { kind: 'end', own: { reason: 'api', by: 'app' }, sipCode: 480 } as const
    // The verb that runs is cut, so that its event is not sent; a call that no application drives is simply ended.
    const cut = this.#voice.replace(callId, end)
    if (cut === null) call.end(end.own, end)
    await cut
    return call.row
  }

  run(callId: string, verbs: readonly DocumentVerb[], url: string): Promise<CallRow> {
    return this.#replace(callId, { kind: 'run', url, verbs })
  }

  async redirect(callId: string, url: string): Promise<CallRow> {
    if (isInternal(url)) {
      throw new ApiError('validation_failed', 'This is not the URL of an application', {
        details: [{ path: '', message: 'must be an absolute http or https URL' }],
      })
    }
    return this.#replace(callId, { kind: 'redirect', url })
  }

  async #replace(callId: string, step: Parameters<Voice['replace']>[1]): Promise<CallRow> {
    const call = this.#living(callId)
    if (call.ending) throw new ApiError('call_ended', 'The call is being ended')
    const cut = this.#voice.replace(callId, step)
    if (cut === null) {
      throw new ApiError('validation_failed', 'No application drives this call now', {
        details: [{ path: '', message: `the call is ${call.row.state}${call.row.activity === '' ? '' : ` (${call.row.activity})`}` }],
      })
    }
    await cut
    return call.row
  }

  #living(callId: string): Call {
    const row = this.row(callId)
    const call = this.#calls.get(callId)
    if (call === undefined || isTerminal(row.state)) throw new ApiError('call_ended', 'The call has ended')
    return call
  }
}
