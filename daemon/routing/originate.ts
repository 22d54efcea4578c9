/**
 * Places calls. A request is accepted when its row is durable; from then on the call is dialled as lines allow, some a
 * second, oldest first, also after a restart of the daemon.
 */
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import { putNewCall } from '../calls/live-index.ts'
import { internalPrefix } from '../calls/new-call.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Config } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import type { CallRow } from '../store/tables.ts'
import type { Obstacle, Trunks } from './trunks.ts'

export interface OriginateOptions {
  readonly config: Config
  readonly calls: Calls
  readonly trunks: Trunks
  readonly store: Store
  readonly clock: Clock
  /** Drives a call that is dialled, from its answer on. */
  readonly answered: (call: Call) => Promise<void>
}

interface Waiting {
  readonly call: Call
  readonly since: number
}

const longestWaitMs = 10 * 60_000
/** The engine is back within seconds of a crash; after this long a request fails because it is not. */
const longDownMs = 30_000
const holdMs = 250

export class Originator {
  readonly #options: OriginateOptions
  readonly #queue: Waiting[] = []
  /** Since when no line driver runs; null while it does. */
  #downSince: number | null = null
  #tokens: number
  #refilledAt: number
  #timer: Timer | null = null
  #stopped = false
  #held = false

  constructor(options: OriginateOptions) {
    this.#options = options
    this.#tokens = options.config.limits.originateStartsPerSecond
    this.#refilledAt = options.clock.elapsed()
  }

  get queued(): number {
    return this.#queue.length
  }

  /**
   * Accepts a call. `alongside` runs in the same transaction, so what it writes stands or falls with the call.
   * Throws ApiError: `rate_limited` when too many calls wait, `daily_limit`,
   * `no_line` when there has been no engine for a while.
   */
  async accept(row: CallRow, alongside?: () => void): Promise<Call> {
    const { store, calls, config } = this.#options
    if (this.#queue.length >= config.limits.originateQueue) {
      throw new ApiError('rate_limited', `${this.#queue.length} calls are waiting to be dialled`, { retryAfterSeconds: 5 })
    }
    const downMs = this.#downMs()
    if (downMs > longDownMs) throw new ApiError('no_line', 'The SIP engine is not running.', { retryAfterSeconds: 10 })
    const tooMuch = row.extension === '' ? calls.minutes.refusal(row) : null
    if (tooMuch !== null) throw tooMuch
    // Before the disk has it: requests that arrive together see each other.
    calls.minutes.expect(row)
    try {
      await store.transaction(() => {
        putNewCall(store.tables, row)
        alongside?.()
      }, 'calls')
    } catch (error) {
      // What the box says by itself, such as that somebody calls for help, waits for no disk: nothing is written besides, and nobody repeats it.
      if (alongside === undefined && row.endpointId.startsWith(internalPrefix) && isStoreFull(error)) return this.#begun(row)
      calls.minutes.takeBack(row)
      throw error
    }
    return this.#begun(row)
  }

  #begun(row: CallRow): Call {
    const call = this.#options.calls.add(row)
    this.enqueue(call)
    return call
  }

  /** Puts a call whose row is stored in line. */
  enqueue(call: Call): void {
    this.#queue.push({ call, since: this.#options.clock.elapsed() })
    call.note('state', `queued: to ${call.row.to}`)
    if (call.row.statusEvents.includes('queued')) this.#options.calls.changed(call)
    // The reply to the request leaves before the first packet to the far end.
    this.#later(0)
  }

  /** While on, only what the box itself has to say to people is dialled, such as that somebody calls for help. */
  hold(on: boolean): void {
    this.#held = on
    this.#later(0)
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  #later(ms: number): void {
    if (this.#timer !== null || this.#stopped) return
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null
      this.#turn()
    })
  }

  #turn(): void {
    const { clock, config } = this.#options
    if (this.#downMs() > 0) return this.#hold()
    const perSecond = config.limits.originateStartsPerSecond
    const now = clock.elapsed()
    this.#tokens = Math.min(perSecond, this.#tokens + (Math.max(0, now - this.#refilledAt) / 1000) * perSecond)
    this.#refilledAt = now
    /** Trunks that calls must wait for, and why. */
    const waiting = new Map<string, Obstacle>()
    for (let index = 0; index < this.#queue.length && this.#tokens >= 1;) {
      const { call, since } = this.#queue[index]!
      const { trunkId } = call.row
      const over = call.isTerminal
      if (this.#held && !over && !call.row.endpointId.startsWith(internalPrefix)) {
        index += 1
        continue
      }
      const obstacle = over ? null : (waiting.get(trunkId) ?? this.#dial(call))
      if (obstacle !== null) waiting.set(trunkId, obstacle)
      else if (!over) this.#tokens -= 1
      const late = obstacle === 'stopped' && now - since > longestWaitMs
      if (late) notRunning(call)
      if (obstacle === null || late) this.#queue.splice(index, 1)
      else index += 1
    }
    if (this.#queue.length > 0) this.#later(this.#held ? holdMs : Math.max(50, ((1 - this.#tokens) / perSecond) * 1000))
  }

  /** Nothing can be dialled: what was accepted waits until it can, but not for longer than anybody expects it. */
  #hold(): void {
    const now = this.#options.clock.elapsed()
    for (const { call } of this.#queue.filter(({ since }) => now - since > longestWaitMs)) notRunning(call)
    this.#queue.splice(0, Infinity, ...this.#queue.filter(({ call }) => !call.isTerminal))
    if (this.#queue.length > 0) this.#later(holdMs)
  }

  /** How long there has been no engine; 0 while there is one. */
  #downMs(): number {
    const { clock, trunks } = this.#options
    this.#downSince = trunks.isUp ? null : (this.#downSince ?? clock.elapsed())
    return this.#downSince === null ? 0 : Math.max(1, clock.elapsed() - this.#downSince)
  }

  /** Why the call must wait for its line; null where it need not. */
  #dial(call: Call): Obstacle | null {
    const { trunks, calls, clock, answered } = this.#options
    const { row } = call
    let claim = row.extension === '' ? null : trunks.phone()
    if (claim === null) {
      const { trunkId, to } = row
      const answer = trunks.claim({ purpose: 'call', trunkId, to })
      if (answer.claim === null && (answer.obstacle === 'full' || answer.obstacle === 'stopped')) return answer.obstacle
      // What was allowed when the call was accepted may not be any more.
      const obstacle = answer.claim === null ? answer.reason : calls.minutes.refusal(row, call)?.message
      if (answer.claim === null || obstacle !== undefined) {
        answer.claim?.release()
        call.note('warning', `not placed: ${obstacle}`)
        call.end({ reason: 'failed', by: 'system' })
        return null
      }
      if (answer.warning !== '') call.note('warning', answer.warning)
      claim = answer.claim
    }
    row.startedAt = call.time.now()
    const { to, from, callerName, timeoutSeconds } = row
    calls.dial(call, claim.dial({ to, from, callerName, timeoutSeconds }, call.over))
    calls.drive(call, () => answered(call))
    return null
  }
}

function isStoreFull(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'storage_full' || error.code === 'internal')
}

function notRunning(call: Call): void {
  call.note('warning', 'not placed: the SIP engine was not running for ten minutes')
  call.end({ reason: 'failed', by: 'system' })
}
