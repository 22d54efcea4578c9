/** What the members of a queue do for it, and whose turn it is. */

/**
 * Members who are left alone after a talk for a queue, in all queues of which they are members. In memory, on the clock that nobody sets: a
 * pause of some seconds is not worth a row.
 */
export class Rests {
  readonly #until = new Map<string, number>()

  /** -Infinity for one who has no rest. */
  until(member: string): number {
    return this.#until.get(member) ?? -Infinity
  }

  /** The longest of several counts. */
  begin(member: string, until: number): void {
    this.#until.set(member, Math.max(until, this.until(member)))
  }
}

export type QueueStrategy = 'longest-idle' | 'all' | 'rotating' | 'fewest-calls'

/** What is known of members besides what they do for this queue. */
export interface Staff {
  /** Somebody can be expected to answer, now or later: logged in, with a phone, and not given up. */
  isThere(member: string): boolean
  /** Can be rung at this moment, but for a rest. */
  isFree(member: string): boolean
  /** After talks, for whichever queue they were. */
  readonly rests: Rests
}

interface Member {
  readonly name: string
  state: 'idle' | 'ringing' | 'lifted' | 'talking'
  /** Whom it rings for; '' for nobody. */
  caller: string
  ringsUntil: number
  /** A call of this queue did not reach it: left alone until then. */
  restsUntil: number
  /** Since when it has had no call of this queue. */
  idleSince: number
  answered: number
  missed: number
  /** No member any more when it has finished. */
  leaves: boolean
}

function newMember(name: string, now: number): Member {
  const quiet = { caller: '', ringsUntil: 0, restsUntil: now, idleSince: now }
  return { name, state: 'idle', ...quiet, answered: 0, missed: 0, leaves: false }
}

/** Whom a call did not reach is left alone for so long. */
const restMs = 5000

export class MemberTable {
  #strategy: QueueStrategy
  readonly #staff: Staff
  #members: readonly Member[]
  /** Index of who was rung last. */
  #last = -1

  constructor(names: readonly string[], strategy: QueueStrategy, staff: Staff, now: number) {
    this.#strategy = strategy
    this.#staff = staff
    this.#members = names.map((name) => newMember(name, now))
  }

  /** Other members from now on. A member who rings or talks finishes, and is rung no more after that. */
  replace(names: readonly string[], strategy: QueueStrategy, now: number): void {
    const rungLast = this.#members[this.#last]
    const stay = names.map((name) => this.#members.find((member) => member.name === name) ?? newMember(name, now))
    const leave = this.#members.filter((member) => member.state !== 'idle' && !names.includes(member.name))
    for (const member of stay) member.leaves = false
    for (const member of leave) member.leaves = true
    this.#members = [...stay, ...leave]
    this.#strategy = strategy
    this.#last = rungLast === undefined ? -1 : this.#members.indexOf(rungLast)
  }

  doing(name: string, now: number): 'idle' | 'resting' | 'ringing' | 'talking' {
    const { state, restsUntil, idleSince } = this.#of(name)
    if (state === 'idle') return restsUntil > idleSince || this.#staff.rests.until(name) > now ? 'resting' : 'idle'
    return state === 'lifted' ? 'ringing' : state
  }

  /** The caller it rings for, or who is announced to it; null for none. */
  rungFor(name: string): string | null {
    const { state, caller } = this.#of(name)
    return state === 'ringing' || state === 'lifted' ? caller : null
  }

  ringingFor(caller: string): string[] {
    return this.#members.filter((member) => this.#rings(member) && member.caller === caller).map(({ name }) => name)
  }

  isLiftedFor(caller: string): boolean {
    return this.#members.some((member) => member.state === 'lifted' && member.caller === caller)
  }

  rungOut(now: number): string[] {
    return this.#members.filter(({ state, ringsUntil }) => state === 'ringing' && now >= ringsUntil).map(({ name }) => name)
  }

  /** The moments at which something is due. */
  times(now: number): number[] {
    return this.#members.flatMap(({ name, state, ringsUntil, restsUntil, idleSince }) => {
      if (state === 'ringing') return ringsUntil
      if (state !== 'idle') return []
      const rest = this.#staff.rests.until(name)
      return [...(restsUntil > idleSince ? [restsUntil] : []), ...(rest > now ? [rest] : [])]
    })
  }

  /** Who can be rung now, in their turn. */
  inTurn(now: number): string[] {
    for (const member of this.#members) if (member.state === 'idle' && now >= member.restsUntil) member.restsUntil = member.idleSince
    const free = this.#members.filter(
      ({ state, restsUntil, idleSince, leaves, name }) =>
        state === 'idle' && restsUntil <= idleSince && this.#staff.rests.until(name) <= now && !leaves && this.#staff.isFree(name),
    )
    return free.toSorted((one, other) => this.#compare(one, other)).map(({ name }) => name)
  }

  ring(name: string, caller: string, until: number): void {
    Object.assign(this.#of(name), { state: 'ringing', caller, ringsUntil: until } satisfies Partial<Member>)
    this.#last = this.#members.findIndex((member) => member.name === name)
  }

  lift(name: string): void {
    const member = this.#of(name)
    if (member.state === 'ringing') member.state = 'lifted'
  }

  talks(name: string): void {
    const member = this.#of(name)
    Object.assign(member, { state: 'talking', caller: '', missed: 0, answered: member.answered + 1 } satisfies Partial<Member>)
  }

  /** Rings no more, by no fault of its own. */
  free(name: string, now: number): void {
    const member = this.#of(name)
    Object.assign(member, { state: 'idle', caller: '', restsUntil: Math.min(member.idleSince, now) } satisfies Partial<Member>)
  }

  /** Could not be reached, and is left alone for a moment. */
  rest(name: string, now: number): void {
    Object.assign(this.#of(name), { state: 'idle', caller: '', restsUntil: now + restMs } satisfies Partial<Member>)
  }

  done(name: string, now: number, wrapUpMs: number): void {
    const member = this.#of(name)
    if (member.state !== 'talking') return
    Object.assign(member, { state: 'idle', idleSince: now, restsUntil: now } satisfies Partial<Member>)
    this.#staff.rests.begin(name, now + wrapUpMs)
  }

  /** Another call was not answered; how many in a row. */
  miss(name: string): number {
    return (this.#of(name).missed += 1)
  }

  forgive(name: string): void {
    this.#of(name).missed = 0
  }

  #rings({ state }: Member): boolean {
    return state === 'ringing' || state === 'lifted'
  }

  #of(name: string): Member {
    const member = this.#members.find((candidate) => candidate.name === name)
    if (member === undefined) throw new Error(`${name} is not a member of this queue`)
    return member
  }

  /** Equal ones stay in the order of the configuration. */
  #compare(one: Member, other: Member): number {
    switch (this.#strategy) {
      case 'all':
        return 0
      case 'longest-idle':
        return one.idleSince - other.idleSince
      case 'fewest-calls':
        return one.answered - other.answered || one.idleSince - other.idleSince
      case 'rotating':
        return this.#turn(one) - this.#turn(other)
    }
  }

  #turn(member: Member): number {
    const count = this.#members.length
    return (this.#members.indexOf(member) - this.#last - 1 + count * 2) % count
  }
}
