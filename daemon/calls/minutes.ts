/**
 * Counts the minutes of calls to the outside, whatever placed them: each minute when it begins, as providers bill, so that a crash takes
 * back nothing. A call is refused before it begins; one that runs is never cut for a ceiling.
 */
import type { Ceilings } from '../ceilings/ceilings.ts'
import type { Clock, Timer } from '../base/clock.ts'
import type { ApiError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Reach } from '../numbers/reach.ts'
import type { Store } from '../store/store.ts'
import type { CallLegRow, CallRow, UsageCounts } from '../store/tables.ts'
import type { Call } from './call.ts'
import { isTerminal } from './state.ts'
import { isSiteTrunk } from '../schema/config/sites.ts'

export interface MinutesOptions {
  readonly ceilings: Ceilings
  readonly reach: Reach
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

type Minutes = Pick<UsageCounts, 'callMinutes' | 'internationalMinutes'>

const minuteMs = 60_000

export class CallMinutes {
  readonly #options: MinutesOptions
  readonly #counted = new WeakSet<CallRow | CallLegRow>()
  /** Calls that are to be answered yet, those that wait to be dialled too, and whether each goes abroad. */
  readonly #coming = new Map<CallRow, boolean>()
  /** Their sums by token, '' for all of them: requests come while thousands of calls wait. */
  readonly #sums = new Map<string, Minutes>()
  #asked = { to: '', abroad: false }

  constructor(options: MinutesOptions) {
    this.#options = options
  }

  /** Why a call may not begin today, or null. Calls that are not answered yet count as a minute each. `call`: the one itself, if it lives. */
  refusal({ to, token = '' }: Pick<CallRow, 'to' | 'token'>, call?: Call): ApiError | null {
    const { ceilings } = this.#options
    const own = call === undefined ? undefined : this.#coming.get(call.row)
    const abroad = this.#isAbroad(to)
    const minutes = (of: string): Minutes => {
      const { callMinutes, internationalMinutes } = this.#sums.get(of) ?? { callMinutes: 0, internationalMinutes: 0 }
      return {
        callMinutes: callMinutes + (own === undefined ? 1 : 0),
        internationalMinutes: internationalMinutes - (own === true ? 1 : 0) + (abroad ? 1 : 0),
      }
    }
    return ceilings.refusal(token, minutes(''), minutes(token))
  }

  /** Counts a call that is accepted as one that comes, until it is answered, over, or taken back. */
  expect(row: CallRow): void {
    if (!billed(row) || row.answeredAt !== null || isTerminal(row.state) || this.#coming.has(row)) return
    const abroad = this.#isAbroad(row.to)
    this.#coming.set(row, abroad)
    this.#sum(row, 1, abroad)
  }

  takeBack(row: CallRow): void {
    const abroad = this.#coming.get(row)
    if (abroad === undefined) return
    this.#coming.delete(row)
    this.#sum(row, -1, abroad)
  }

  /** The call, or a leg of it, has changed: from its answer on it is counted. */
  watch(call: Call): void {
    const { row } = call
    if (row.answeredAt !== null || isTerminal(row.state)) this.takeBack(row)
    if (row.answeredAt !== null && billed(row)) this.#count(call, row)
    for (const leg of row.legs ?? []) if (costs(leg) && leg.answeredAt !== null) this.#count(call, leg)
  }

  #count({ id, row: { token = '' }, over }: Call, of: CallRow | CallLegRow): void {
    if (this.#counted.has(of)) return
    this.#counted.add(of)
    const { ceilings, store, clock, log } = this.#options
    let timer: Timer | null = null
    /** Minutes that the disk did not take. */
    let owed = 0
    const begin = (): void => {
      if (of.endedAt !== null) return
      const minutes = owed + 1
      owed = 0
      const more = { callMinutes: minutes, internationalMinutes: this.#isAbroad(of.to) ? minutes : 0 }
      store
        .transaction(() => ceilings.add(token, more))
        .catch((error: unknown) => {
          owed += minutes
          log.error({ err: error, callId: id }, 'a minute of this call could not be counted')
        })
      if (!over.aborted) timer = clock.after(minuteMs, begin)
    }
    over.addEventListener('abort', () => timer?.cancel(), { once: true })
    begin()
  }

  /** A number is asked for three times in a row: before its call is accepted, then, and when it is dialled. */
  #isAbroad(to: string): boolean {
    if (to !== this.#asked.to) this.#asked = { to, abroad: this.#options.reach.mayDial(to, 'call').international }
    return this.#asked.abroad
  }

  #sum({ token = '' }: CallRow, by: 1 | -1, abroad: boolean): void {
    this.#sumOf('', by, abroad)
    if (token !== '') this.#sumOf(token, by, abroad)
  }

  #sumOf(of: string, by: 1 | -1, abroad: boolean): void {
    let sum = this.#sums.get(of)
    if (sum === undefined) this.#sums.set(of, (sum = { callMinutes: 0, internationalMinutes: 0 }))
    sum.callMinutes += by
    if (abroad) sum.internationalMinutes += by
    if (sum.callMinutes <= 0) this.#sums.delete(of)
  }
}

/** Calls through a trunk or a modem line; those between desk phones, and to other sites, cost nothing. */
function billed(row: CallRow): boolean {
  return row.direction === 'outbound' && costs(row)
}

function costs({ trunkId }: Pick<CallLegRow, 'trunkId'>): boolean {
  return trunkId !== '' && !isSiteTrunk(trunkId)
}
