/** The members of a ring group, rung for one call as the machine of groups says. */
import type { Clock, Timer } from '../../base/clock.ts'
import type { Answerer, Search } from '../../routing/connect.ts'
import type { Taken } from '../../routing/taken.ts'
import { GroupMachine, type GroupInput, type GroupOrder, type GroupPlan } from './machine.ts'

/** One member that rings; `elsewhere`: somebody else has the call. */
export interface RingingMember {
  onRinging: () => void
  readonly found: Promise<Answerer | Taken>
  release(elsewhere: boolean): void
}

/** Rings a member for so many ms; or says why it is not rung. */
export type RingMember = (member: number, ms: number) => RingingMember | Taken

export class GroupSearch implements Search {
  onRinging: () => void = () => undefined
  readonly #clock: Clock
  readonly #machine: GroupMachine
  readonly #ring: RingMember
  readonly #ringing = new Map<number, RingingMember>()
  readonly #answerers = new Map<number, Answerer>()
  readonly #found = Promise.withResolvers<Answerer | Taken>()
  readonly #orders: GroupOrder[] = []
  #last: Taken | null = null
  #busy = false
  #timer: Timer | null = null

  constructor(clock: Clock, plan: GroupPlan, ring: RingMember) {
    this.#clock = clock
    this.#machine = new GroupMachine(plan)
    this.#ring = ring
    this.#tell({ type: 'begin' })
  }

  get found(): Promise<Answerer | Taken> {
    return this.#found.promise
  }

  release(): void {
    this.#tell({ type: 'left' })
  }

  #tell(input: GroupInput): void {
    this.#orders.push(...this.#machine.step(input, this.#clock.elapsed()))
    // A member reported that it cannot be rung while earlier orders are still carried out.
    if (this.#busy) return
    this.#busy = true
    for (let order = this.#orders.shift(); order !== undefined; order = this.#orders.shift()) this.#carryOut(order)
    this.#busy = false
    this.#timer?.cancel()
    const { nextAt } = this.#machine
    this.#timer =
      nextAt === null ? null : this.#clock.after(Math.max(0, nextAt - this.#clock.elapsed()), () => this.#tell({ type: 'time' }))
  }

  #carryOut(order: GroupOrder): void {
    switch (order.order) {
      case 'ring':
        return this.#begin(order.member, order.ms)
      case 'release':
        this.#ringing.get(order.member)?.release(this.#answerers.size > 0)
        this.#ringing.delete(order.member)
        return
      case 'connect':
        return this.#found.resolve(this.#answerers.get(order.member)!)
      case 'over': {
        const { outcome } = order
        this.#found.resolve(
          this.#last?.outcome === outcome ? this.#last : { outcome, sipCode: codes[outcome] ?? 480, text: `group: ${outcome}` },
        )
      }
    }
  }

  #begin(member: number, ms: number): void {
    const begun = this.#ring(member, ms)
    if (!('found' in begun)) return this.#ended(member, begun)
    this.#ringing.set(member, begun)
    begun.onRinging = () => this.onRinging()
    void begun.found.then((found) => {
      if (!('leg' in found)) return this.#ended(member, found)
      if (this.#machine.isTerminal) return found.leg.release()
      this.#answerers.set(member, found)
      this.#tell({ type: 'accepted', member })
    })
  }

  #ended(member: number, taken: Taken): void {
    this.#ringing.delete(member)
    this.#last = taken
    this.#tell({ type: 'ended', member, outcome: taken.outcome })
  }
}

const codes: Readonly<Partial<Record<Taken['outcome'], number>>> = { busy: 486, refused: 603, canceled: 487 }
