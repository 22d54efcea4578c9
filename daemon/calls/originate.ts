/**
 * Places calls. A request is accepted when its row is durable; from then on the call is dialled as lines allow, some a
 * second, oldest first, also after a restart of the daemon.
 */
import type { DialRequest, LineDriver } from '../../drivers/line.ts'
import type { Clock, Timer } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { Config, TrunkConfig } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import type { CallRow } from '../store/tables.ts'
import type { Call } from './call.ts'
import type { Calls } from './calls.ts'

export interface OriginateOptions {
  readonly config: Config
  readonly calls: Calls
  readonly driver: LineDriver
  readonly store: Store
  readonly clock: Clock
}

export class Originator {
  readonly #options: OriginateOptions
  readonly #queue: Call[] = []
  #tokens: number
  #refilledAt: number
  #timer: Timer | null = null
  #stopped = false

  constructor(options: OriginateOptions) {
    this.#options = options
    this.#tokens = options.config.limits.originateStartsPerSecond
    this.#refilledAt = options.clock.now()
  }

  get queued(): number {
    return this.#queue.length
  }

  /**
   * Accepts a call. `alongside` runs in the same transaction, so what it writes stands or falls with the call.
   * Throws ApiError `rate_limited` when too many calls wait.
   */
  async accept(row: CallRow, alongside: () => void = () => undefined): Promise<Call> {
    const { store, calls, config } = this.#options
    if (this.#queue.length >= config.limits.originateQueue) {
      throw new ApiError('rate_limited', `${this.#queue.length} calls are waiting to be dialled`, { retryAfterSeconds: 5 })
    }
    await store.transaction(() => {
      store.tables.calls.put(row.callId, row)
      alongside()
    })
    const call = calls.add(row)
    this.enqueue(call)
    return call
  }

  /** Puts a call whose row is stored in line. */
  enqueue(call: Call): void {
    this.#queue.push(call)
    call.note('state', `queued: to ${call.row.to}`)
    if (call.row.statusEvents.includes('queued')) this.#options.calls.changed(call)
    // The reply to the request leaves before the first packet to the far end.
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
    const perSecond = config.limits.originateStartsPerSecond
    const now = clock.now()
    this.#tokens = Math.min(perSecond, this.#tokens + (Math.max(0, now - this.#refilledAt) / 1000) * perSecond)
    this.#refilledAt = now
    for (let index = 0; index < this.#queue.length && this.#tokens >= 1;) {
      const call = this.#queue[index]!
      if (!call.over.aborted && !this.#lineFree(call)) {
        index += 1
        continue
      }
      this.#queue.splice(index, 1)
      if (call.over.aborted) continue
      this.#tokens -= 1
      this.#dial(call)
    }
    if (this.#queue.length > 0) this.#later(Math.max(50, ((1 - this.#tokens) / perSecond) * 1000))
  }

  #lineFree(call: Call): boolean {
    const trunk = this.#options.config.trunks.find((candidate) => candidate.id === call.row.trunkId)
    return trunk === undefined || this.#options.calls.onTrunk(trunk.id) < trunk.channels
  }

  #dial(call: Call): void {
    const { driver, calls } = this.#options
    const { row } = call
    const request: DialRequest = {
      via: row.extension === '' ? { kind: 'trunk', trunkId: row.trunkId } : { kind: 'extension' },
      to: row.to,
      from: row.from,
      callerName: row.callerName,
      timeoutSeconds: row.timeoutSeconds,
    }
    row.startedAt = this.#options.clock.now()
    const leg = driver.dial(request)
    calls.dial(call, leg)
    calls.drive(call, (runner) => runner.answered(call))
  }
}

/** The trunk an outbound call takes: the named one, the one that owns `from`, the default, else the first. */
export function chooseTrunk(config: Config, trunkId: string | undefined, from: string | undefined): TrunkConfig | undefined {
  if (trunkId !== undefined) return config.trunks.find((trunk) => trunk.id === trunkId)
  if (from !== undefined) return config.trunks.find((trunk) => trunk.numbers.includes(from))
  return config.trunks.find((trunk) => trunk.default) ?? config.trunks[0]
}
