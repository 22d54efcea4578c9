/**
 * Who of a queue is rung for whom, and when: a pure machine. It takes events with their moment (ms of any clock), and says whom to ring, to
 * release and to connect; `nextAt` is the moment at which it wants to be called next. Callers are served in the order of their places;
 * nobody is rung for somebody while an earlier one has no phone that rings.
 */
import type { Outcome } from '../../routing/taken.ts'
import { MemberTable, type QueueStrategy, type Staff } from './member-table.ts'

/** The callers of a queue in the order in which they are served: by priority, then by who came first. */

interface QueueCaller {
  readonly id: string
  /** The larger goes first. */
  readonly priority: number
  /** Since when the place is held. */
  readonly placeAt: number
  /** Since when the caller listens. */
  readonly waitsSince: number
  /** `absent`: to be called back. `summoned`: that is being done. */
  readonly state: 'here' | 'absent' | 'summoned'
  /** Of who is absent: the earliest moment to call back. */
  readonly notBefore: number
}

class CallerLine {
  #callers: QueueCaller[] = []

  all(): readonly QueueCaller[] {
    return this.#callers
  }

  /** How many listen. */
  here(): number {
    return this.#callers.filter(({ state }) => state === 'here').length
  }

  add(caller: QueueCaller): void {
    const behind = (other: QueueCaller): boolean =>
      other.priority < caller.priority || (other.priority === caller.priority && other.placeAt > caller.placeAt)
    const at = this.#callers.findIndex(behind)
    this.#callers = this.#callers.toSpliced(at < 0 ? this.#callers.length : at, 0, caller)
  }

  /** False where there is no such caller; so below. */
  remove(id: string): boolean {
    const before = this.#callers.length
    this.#callers = this.#callers.filter((caller) => caller.id !== id)
    return this.#callers.length < before
  }

  change(id: string, changes: Partial<Pick<QueueCaller, 'state' | 'waitsSince' | 'notBefore'>>): boolean {
    const at = this.#callers.findIndex((caller) => caller.id === id)
    if (at < 0) return false
    this.#callers = this.#callers.with(at, { ...this.#callers[at]!, ...changes })
    return true
  }
}

export interface QueuePlan {
  readonly strategy: QueueStrategy
  readonly members: readonly string[]
  /** How long a member rings for one caller. */
  readonly ringMs: number
  /** After a talk a member is left alone for so long. */
  readonly wrapUpMs: number
  readonly maxWaitMs: number
  readonly maxCallers: number
}

/** Why a caller has to go elsewhere. */
export type SentAway = 'full' | 'empty' | 'timeout'

export type QueueInput =
  /** `placeAt`: since when the place is held, by default now. `absent`: to be called back when the turn comes. */
  | { readonly type: 'join'; readonly caller: string; readonly priority: number; readonly placeAt?: number; readonly absent?: boolean }
  /** The caller is gone, or is wanted no more. */
  | { readonly type: 'left'; readonly caller: string }
  /** The caller is to be called back, and keeps the place. */
  | { readonly type: 'absent'; readonly caller: string; readonly notBefore?: number }
  /** Who was called back is here. */
  | { readonly type: 'came'; readonly caller: string }
  /** The moment of `nextAt` has come, or something may have changed among the members. */
  | { readonly type: 'look' }
  /** The phone was lifted: the member hears why, and is not given up meanwhile. */
  | { readonly type: 'lifted'; readonly member: string }
  | { readonly type: 'accepted'; readonly member: string }
  /** Not rung any more, or never was. */
  | { readonly type: 'ended'; readonly member: string; readonly outcome: Outcome }
  /** The conversation of this member has ended. */
  | { readonly type: 'done'; readonly member: string }

export type QueueOrder =
  | { readonly order: 'ring'; readonly caller: string; readonly member: string; readonly ms: number }
  /** `elsewhere`: another member has the caller. `unanswered`: it rang long enough. `left`: nobody is there any more for whom. */
  | { readonly order: 'release'; readonly member: string; readonly why: 'elsewhere' | 'unanswered' | 'left' }
  | { readonly order: 'connect'; readonly caller: string; readonly member: string }
  | { readonly order: 'send'; readonly caller: string; readonly why: SentAway }
  /** It is the turn of a caller who is to be called back. */
  | { readonly order: 'summon'; readonly caller: string }
  /** The member did not answer time and again. */
  | { readonly order: 'pause'; readonly member: string }

/** Calls in a row that a member leaves unanswered until nobody counts on it any more. */
const mostMissed = 2

export class QueueMachine {
  #plan: QueuePlan
  readonly #line = new CallerLine()
  readonly #members: MemberTable
  readonly #staff: Staff
  #now: number

  constructor(plan: QueuePlan, staff: Staff, now: number) {
    this.#plan = plan
    this.#staff = staff
    this.#now = now
    this.#members = new MemberTable(plan.members, plan.strategy, staff, now)
  }

  /** The configuration is another. Callers keep their places, and members finish what they do. */
  replan(plan: QueuePlan, now: number): void {
    this.#plan = plan
    this.#members.replace(plan.members, plan.strategy, now)
  }

  /** In the order in which they are served. */
  callers(): readonly QueueCaller[] {
    return this.#line.all()
  }

  /** 1 for who is next; 0 for nobody in this queue. */
  positionOf(caller: string): number {
    return this.#line.all().findIndex(({ id }) => id === caller) + 1
  }

  /** What a member does for this queue. */
  doing(member: string, now: number): 'idle' | 'resting' | 'ringing' | 'talking' {
    return this.#members.doing(member, now)
  }

  /** The caller for whom a member rings, or who is announced to the member; null for none. */
  rungFor(member: string): string | null {
    return this.#members.rungFor(member)
  }

  /** null where nothing is waited for but people. */
  get nextAt(): number | null {
    const callers = this.#line.all()
    if (callers.length === 0) return null
    const times = [
      ...callers.flatMap(({ id, state, waitsSince, notBefore }) =>
        state === 'absent' && notBefore > this.#now
          ? notBefore
          : state === 'here' && !this.#members.isLiftedFor(id)
            ? waitsSince + this.#plan.maxWaitMs
            : [],
      ),
      ...this.#members.times(this.#now),
    ]
    return times.length === 0 ? null : Math.min(...times)
  }

  step(input: QueueInput, now: number): QueueOrder[] {
    this.#now = now
    return [...this.#take(input, now), ...this.#overdue(now), ...this.#nobodyThere(now), ...this.#assign(now)]
  }

  #take(input: QueueInput, now: number): QueueOrder[] {
    switch (input.type) {
      case 'join': {
        const { caller, priority, placeAt = now, absent = false } = input
        if (!absent && this.#line.here() >= this.#plan.maxCallers) return [{ order: 'send', caller, why: 'full' }]
        this.#line.add({ id: caller, priority, placeAt, waitsSince: now, state: absent ? 'absent' : 'here', notBefore: 0 })
        return []
      }
      case 'left':
        return this.#line.remove(input.caller) ? this.#stopRinging(input.caller, now) : []
      case 'absent': {
        const known = this.#line.change(input.caller, { state: 'absent', notBefore: input.notBefore ?? 0 })
        return known ? this.#stopRinging(input.caller, now) : []
      }
      case 'came':
        this.#line.change(input.caller, { state: 'here', waitsSince: now })
        return []
      case 'look':
        return []
      case 'lifted':
        this.#members.lift(input.member)
        return []
      case 'accepted': {
        const caller = this.#members.rungFor(input.member)
        if (caller === null) return []
        this.#line.remove(caller)
        this.#members.talks(input.member)
        return [...this.#stopRinging(caller, now, 'elsewhere'), { order: 'connect', caller, member: input.member }]
      }
      case 'ended': {
        if (this.#members.rungFor(input.member) === null) return []
        this.#members.rest(input.member, now)
        return input.outcome === 'no-answer' ? this.#missed(input.member) : []
      }
      case 'done':
        this.#members.done(input.member, now, this.#plan.wrapUpMs)
        return []
    }
  }

  #stopRinging(caller: string, now: number, why: 'elsewhere' | 'left' = 'left'): QueueOrder[] {
    return this.#members.ringingFor(caller).map((member): QueueOrder => {
      this.#members.free(member, now)
      return { order: 'release', member, why }
    })
  }

  #missed(member: string): QueueOrder[] {
    if (this.#members.miss(member) < mostMissed) return []
    this.#members.forgive(member)
    return [{ order: 'pause', member }]
  }

  /**
   * Members who have rung long enough, and callers who have waited long enough; a member who is listening to the announcement of the call
   * may finish.
   */
  #overdue(now: number): QueueOrder[] {
    const orders: QueueOrder[] = []
    for (const member of this.#members.rungOut(now)) {
      this.#members.rest(member, now)
      orders.push({ order: 'release', member, why: 'unanswered' }, ...this.#missed(member))
    }
    for (const { id, state, waitsSince } of this.#line.all()) {
      if (state !== 'here' || now < waitsSince + this.#plan.maxWaitMs || this.#members.isLiftedFor(id)) continue
      orders.push(...this.#send(id, 'timeout', now))
    }
    return orders
  }

  /** Nobody waits for people who are not there; who is to be called back does. */
  #nobodyThere(now: number): QueueOrder[] {
    const callers = this.#line.all().filter(({ state }) => state === 'here')
    if (callers.length === 0 || this.#plan.members.some((member) => this.#staff.isThere(member))) return []
    return callers.filter(({ id }) => !this.#members.isLiftedFor(id)).flatMap(({ id }) => this.#send(id, 'empty', now))
  }

  #send(caller: string, why: SentAway, now: number): QueueOrder[] {
    this.#line.remove(caller)
    return [...this.#stopRinging(caller, now), { order: 'send', caller, why }]
  }

  #assign(now: number): QueueOrder[] {
    const orders: QueueOrder[] = []
    const free = this.#members.inTurn(now)
    /** Members who are left for callers that are being called back. */
    let kept = 0
    for (const { id, state, notBefore } of this.#line.all()) {
      if (free.length - kept <= 0) break
      if (this.#members.ringingFor(id).length > 0) continue
      if (state === 'absent' && now < notBefore) continue
      if (state !== 'here') {
        kept += 1
        if (state === 'absent') orders.push({ order: 'summon', caller: id })
        this.#line.change(id, { state: 'summoned' })
        continue
      }
      for (const member of free.splice(0, this.#plan.strategy === 'all' ? free.length - kept : 1)) {
        this.#members.ring(member, id, now + this.#plan.ringMs)
        orders.push({ order: 'ring', caller: id, member, ms: this.#plan.ringMs })
      }
    }
    return orders
  }
}
