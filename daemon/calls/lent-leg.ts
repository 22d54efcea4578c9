/**
 * The own leg of another call that this call is connected with: so two calls become one conversation, as when somebody transfers one caller
 * to another. Either call keeps its channel, its row and its end.
 */
import type { Leg, LegEvent } from '../../drivers/line.ts'
import { abortReason } from '../base/errors.ts'
import type { CallLegRow } from '../store/tables.ts'
import type { Call } from './call.ts'
import type { FarLeg } from './far-leg.ts'

export class LentLeg implements FarLeg {
  readonly row: CallLegRow
  readonly ended: Promise<null>
  readonly #call: Call
  readonly #lender: Call
  readonly #over = new AbortController()

  /** `left`: resolves when the lender has ended, or goes elsewhere. */
  constructor(call: Call, lender: Call, left: Promise<null>) {
    this.#call = call
    this.#lender = lender
    const rowOf = (of: Call, by: Call): CallLegRow => {
      const { number, trunkId } = of.party
      const now = by.time.now()
      return { to: number, trunkId, state: 'in-progress', startedAt: now, answeredAt: now, endedAt: null, sipCode: 200 }
    }
    this.row = rowOf(lender, call)
    const back = rowOf(call, lender)
    call.addLeg(this.row)
    lender.addLeg(back)
    const finish = (row: CallLegRow, by: Call): void => {
      if (row.endedAt === null) Object.assign(row, { state: 'completed', endedAt: by.time.now() })
    }
    call.over.addEventListener('abort', () => finish(back, lender), { once: true })
    lender.over.addEventListener('abort', () => (finish(this.row, call), finish(back, lender)), { once: true })
    this.ended = left.then(() => {
      finish(this.row, call)
      this.#over.abort(abortReason)
      return null
    })
  }

  /** The other call. */
  get lender(): Call {
    return this.#lender
  }

  get leg(): Leg | null {
    return this.#lender.leg
  }

  get holds(): boolean {
    return this.#lender.holds
  }

  set onHold(told: (held: boolean) => void) {
    this.#stop()
    this.#stop = this.#lender.listen(({ type }) => {
      if (type === 'held' || type === 'resumed') told(type === 'held')
    })
  }

  #stop: () => void = () => undefined

  get over(): AbortSignal {
    return this.#over.signal
  }

  bridge(): boolean {
    const { leg } = this.#lender
    return leg !== null && this.#call.leg?.audio?.bridge(leg) === true
  }

  release(): void {
    this.#lender.end({ reason: 'routed-ended', by: 'callee' })
  }

  handOver(owner: (event: LegEvent) => void): Leg {
    this.#stop()
    return this.#lender.lend(owner)
  }
}
