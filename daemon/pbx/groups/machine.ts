/**
 * Who of a ring group is rung, and when: a pure machine. It takes events with their moment (ms of any clock), and says whom to ring and
 * whom to release; `nextAt` is the moment at which it wants to be called next.
 */
import type { Outcome } from '../../routing/taken.ts'

export type GroupStrategy = 'all' | 'in-order' | 'rotating'

export interface GroupPlan {
  readonly strategy: GroupStrategy
  /** For each member, in order: ms after the beginning at which it is rung, with the strategy `all`. */
  readonly delaysMs: readonly number[]
  /** Of a group that rings all, how long it rings; of the others, how long each member does. */
  readonly ringMs: number
  /** Longest time of the whole; null where only `ringMs` counts. */
  readonly mostMs: number | null
  /** Index of who is rung first by `rotating`. */
  readonly first: number
}

export type GroupInput =
  | { readonly type: 'begin' }
  /** The moment of `nextAt` has come. */
  | { readonly type: 'time' }
  | { readonly type: 'accepted'; readonly member: number }
  /** Not rung any more, or never was: `skipped` for one who is known to be busy. */
  | { readonly type: 'ended'; readonly member: number; readonly outcome: Outcome }
  /** The caller is gone. */
  | { readonly type: 'left' }

export type GroupOrder =
  | { readonly order: 'ring'; readonly member: number; readonly ms: number }
  | { readonly order: 'release'; readonly member: number }
  /** This member has the call: the last order. */
  | { readonly order: 'connect'; readonly member: number }
  /** Nobody has: the last order. */
  | { readonly order: 'over'; readonly outcome: Outcome }

type MemberState = 'waiting' | 'ringing' | 'done'

/** Of what the members said, what the group says: somebody who did not answer counts more than somebody who was busy. */
const ranks: readonly Outcome[] = ['no-answer', 'refused', 'busy', 'unreachable', 'failed']

export class GroupMachine {
  readonly #plan: GroupPlan
  readonly #states: MemberState[]
  readonly #outcomes: Outcome[] = []
  #beganAt = 0
  /** Of `in-order` and `rotating`: when the member that rings was begun with. */
  #memberAt = 0
  #over = false

  constructor(plan: GroupPlan) {
    this.#plan = plan
    this.#states = plan.delaysMs.map(() => 'waiting')
  }

  get isTerminal(): boolean {
    return this.#over
  }

  /** null where nothing is waited for but people. */
  get nextAt(): number | null {
    if (this.#over) return null
    const { strategy, delaysMs, ringMs } = this.#plan
    const ends = this.#endsAt()
    if (strategy !== 'all') return Math.min(ends, this.#memberAt + ringMs)
    const due = delaysMs.filter((_, member) => this.#states[member] === 'waiting').map((ms) => this.#beganAt + ms)
    return Math.min(ends, ...due)
  }

  step(input: GroupInput, now: number): GroupOrder[] {
    if (this.#over) return []
    switch (input.type) {
      case 'begin':
        this.#beganAt = now
        return this.#go(now)
      case 'time':
        return this.#time(now)
      case 'accepted': {
        if (this.#states[input.member] !== 'ringing') return []
        this.#states[input.member] = 'done'
        return [...this.#end(), { order: 'connect', member: input.member }]
      }
      case 'ended':
        if (this.#states[input.member] === 'done') return []
        this.#states[input.member] = 'done'
        this.#outcomes.push(input.outcome)
        return this.#go(now)
      case 'left':
        return [...this.#end(), { order: 'over', outcome: 'canceled' }]
    }
  }

  #endsAt(): number {
    const { strategy, ringMs, mostMs } = this.#plan
    const whole = strategy === 'all' ? ringMs : Infinity
    return this.#beganAt + Math.min(whole, mostMs ?? Infinity)
  }

  #time(now: number): GroupOrder[] {
    if (now >= this.#endsAt()) {
      if (this.#states.includes('ringing')) this.#outcomes.push('no-answer')
      return [...this.#end(), this.#result()]
    }
    if (this.#plan.strategy === 'all' || now < this.#memberAt + this.#plan.ringMs) return this.#go(now)
    const released = this.#release()
    if (released.length > 0) this.#outcomes.push('no-answer')
    return [...released, ...this.#go(now)]
  }

  /** Rings every member that is due by now; where none rings, the next one, however early: a caller must not wait for nothing. */
  #go(now: number): GroupOrder[] {
    const { strategy, delaysMs, ringMs } = this.#plan
    const waiting = this.#inTurn().filter((member) => this.#states[member] === 'waiting')
    const rings = this.#states.includes('ringing')
    if (waiting.length === 0) return rings ? [] : [...this.#end(), this.#result()]
    if (strategy !== 'all') {
      if (rings) return []
      this.#memberAt = now
      return [this.#ring(waiting[0]!, Math.min(ringMs, this.#endsAt() - now))]
    }
    const due = waiting.filter((member) => now >= this.#beganAt + delaysMs[member]!)
    const soonest = Math.min(...waiting.map((member) => delaysMs[member]!))
    const wanted = due.length > 0 || rings ? due : waiting.filter((member) => delaysMs[member] === soonest)
    return wanted.map((member) => this.#ring(member, this.#endsAt() - now))
  }

  #inTurn(): number[] {
    const { strategy, delaysMs, first } = this.#plan
    const turn = strategy === 'rotating' ? first : 0
    return delaysMs.map((_, at) => (at + turn) % delaysMs.length)
  }

  #ring(member: number, ms: number): GroupOrder {
    this.#states[member] = 'ringing'
    return { order: 'ring', member, ms }
  }

  /** Every member that rings stops. */
  #release(): GroupOrder[] {
    return this.#states.flatMap((state, member): GroupOrder[] => {
      if (state !== 'ringing') return []
      this.#states[member] = 'done'
      return [{ order: 'release', member }]
    })
  }

  #end(): GroupOrder[] {
    this.#over = true
    return this.#release()
  }

  #result(): GroupOrder {
    return { order: 'over', outcome: ranks.find((outcome) => this.#outcomes.includes(outcome)) ?? 'unreachable' }
  }
}
