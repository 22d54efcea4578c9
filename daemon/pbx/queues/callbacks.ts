/**
 * Callers who are called back in place of waiting: each has a row from the moment of the key until somebody of the house has talked to
 * them, or they could not be reached time and again, also over restarts. The place in the queue is that of the first call.
 */
import { putCall } from '../../calls/live-index.ts'
import { internalPrefix, newCallRow } from '../../calls/new-call.ts'
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Claim, Trunks } from '../../routing/trunks.ts'
import type { Config } from '../../schema/config.ts'
import { isSiteTrunk } from '../../schema/config/sites.ts'
import type { Store } from '../../store/store.ts'
import type { QueueCallbackRow } from '../../store/tables.ts'
import { isOutside } from '../outside/outside.ts'
import { planOutside } from '../outside/plan.ts'
import { callLines } from '../../schema/call-lines.ts'

export interface CallbacksOptions {
  readonly config: Config
  readonly store: Store
  readonly calls: Pick<Calls, 'add' | 'dial' | 'drive' | 'draining' | 'minutes'>
  readonly trunks: Pick<Trunks, 'claim'>
  readonly clock: Clock
  readonly log: Log
}

/** What became of a wish to be called back. */
export type WishChange = 'kept' | 'reached' | 'given-up'

/** What became of one try. `here`: the caller talked to somebody, or hung up after waiting again. */
export type Tried = 'here' | 'again' | 'given-up'

const ringSeconds = 30
const longestSeconds = 4 * 3600
const mostTries = 3
/** Of a house with one number several people may ask. */
const mostOfOneNumber = 3
/** Who asked in the morning does not expect a call at night. */
const longestMs = 12 * 3_600_000
export const againMs = 300_000

/** What the administrator wrote down may lead anywhere that `numbers` opens. */
const dialler = { classOfService: 'international', phone: false, shows: 'trunk' } as const

export class Callbacks {
  readonly #options: CallbacksOptions
  readonly #alongside = new Set<(row: QueueCallbackRow, change: WishChange) => void>()

  constructor(options: CallbacksOptions) {
    this.#options = options
  }

  /** `work` runs in the transaction in which a caller asks to be called back, has been reached, or could not be. */
  onChange(work: (row: QueueCallbackRow, change: WishChange) => void): void {
    this.#alongside.add(work)
  }

  /** Whether this caller may be called back by the number that was shown; nobody of another site, who dials no number outside from here. */
  canCall({ from: number, trunkId }: Pick<Call['row'], 'from' | 'trunkId'>): boolean {
    const { config } = this.#options
    return !isSiteTrunk(trunkId) && isOutside(config, number) && !('refused' in planOutside(config, number, dialler))
  }

  /** Who waits to be called back, the earliest first. */
  of(queue: string): QueueCallbackRow[] {
    const rows = [...this.#options.store.tables.queueCallbacks.range()].map(({ value }) => value)
    return rows.filter((row) => row.queue === queue).toSorted((one, other) => one.placeAt - other.placeAt)
  }

  /**
   * Resolves when it is on the disk. `placeAt`: milliseconds since the epoch. A number that waits for so many calls already gets no further
   * one: a caller who forges another person's number cannot have that person rung time and again.
   */
  async keep(queue: string, { id, row }: Call, placeAt: number, priority: number): Promise<void> {
    const { store } = this.#options
    if (this.of(queue).filter(({ number }) => number === row.from).length >= mostOfOneNumber) return
    const callback = { id, queue, number: row.from, name: row.callerName, placeAt, priority, tries: 0 }
    await store.transaction(() => {
      store.tables.queueCallbacks.put(id, callback)
      for (const work of this.#alongside) work(callback, 'kept')
    })
  }

  /** The clock was set: who waits has waited for as long as before. */
  async stepped(stepMs: number): Promise<void> {
    const { store } = this.#options
    await store.transaction(() => {
      const { queueCallbacks } = store.tables
      for (const { key, value } of [...queueCallbacks.range()]) queueCallbacks.put(key, { ...value, placeAt: value.placeAt + stepMs })
    })
  }

  async #forget(row: QueueCallbackRow, change: WishChange): Promise<void> {
    const { store, log } = this.#options
    const { id } = row
    await store
      .transaction(() => {
        store.tables.queueCallbacks.remove(id)
        for (const work of this.#alongside) work(row, change)
      })
      .catch((error: unknown) => log.error({ err: error, callId: id }, 'a call-back that is done could not be removed'))
  }

  /** Calls; `answered` drives the call from then on, and resolves whether the caller was there. Resolves when the try has ended. */
  async call(id: string, answered: (call: Call) => Promise<boolean>): Promise<Tried> {
    const { store, calls, clock, log } = this.#options
    const row = store.tables.queueCallbacks.get(id)
    if (row === undefined) return 'given-up'
    if (calls.draining) return 'again'
    const tries = row.tries + 1
    await store.transaction(() => store.tables.queueCallbacks.put(id, { ...row, tries }))
    const there = clock.now() - row.placeAt <= longestMs && (await this.#place(row, answered))
    if (!there && tries < mostTries && clock.now() - row.placeAt <= longestMs) return 'again'
    await this.#forget(row, there ? 'reached' : 'given-up')
    if (!there) log.info({ callId: id, queue: row.queue, tries }, 'a caller who asked for a call-back could not be reached')
    return there ? 'here' : 'given-up'
  }

  /** Whether the caller was there. */
  async #place(callback: QueueCallbackRow, answered: (call: Call) => Promise<boolean>): Promise<boolean> {
    const { store, calls, clock, config } = this.#options
    const found = this.#claim(callback.number)
    if (found === null) return false
    const { claim, to } = found
    const row = newCallRow(clock.now(), 'outbound')
    Object.assign(row, {
      to,
      from: callLines(config).find(({ id }) => id === claim.trunkId)?.numbers[0] ?? '',
      callerName: config.site.name,
      trunkId: claim.trunkId,
      endpointId: `${internalPrefix}queue`,
      timeoutSeconds: ringSeconds,
      maxSeconds: longestSeconds,
    } satisfies Partial<typeof row>)
    try {
      await store.transaction(() => putCall(store.tables, row))
      const call = calls.add(row)
      call.note('state', `call-back of the queue ${callback.queue}, for the call ${callback.id}`)
      const { from, callerName, timeoutSeconds } = row
      calls.dial(call, claim.dial({ to, from, callerName, timeoutSeconds }, call.over))
      const driven = Promise.withResolvers<boolean>()
      calls.drive(call, async () => {
        let there = false
        try {
          there = (await call.taken) && (await answered(call))
        } finally {
          driven.resolve(there)
        }
      })
      return await driven.promise
    } finally {
      claim.release()
    }
  }

  /** The first trunk that has a channel. */
  #claim(number: string): { readonly claim: Claim; readonly to: string } | null {
    const { config, trunks, calls } = this.#options
    const plan = planOutside(config, number, dialler)
    // Whatever was promised: the house may have this number by now.
    if (!isOutside(config, number) || 'refused' in plan || calls.minutes.refusal({ to: plan.to }) !== null) return null
    for (const trunkId of plan.trunks) {
      const { claim } = trunks.claim({ purpose: 'call', trunkId, to: plan.to })
      if (claim !== null) return { claim, to: plan.to }
    }
    return null
  }
}
