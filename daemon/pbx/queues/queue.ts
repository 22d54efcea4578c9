/** One queue: its machine, the members that are rung as it says, and the callers who wait. */
import { Alarm, type Clock } from '../../base/clock.ts'
import type { Call } from '../../calls/call.ts'
import type { Answerer, Partner, Search } from '../../routing/connect.ts'
import { elsewhereCause, type Rung } from '../../routing/rung.ts'
import { canceled, type Taken } from '../../routing/taken.ts'
import type { QueueConfig } from '../../schema/config/pbx-queues.ts'
import type { Log } from '../../base/log.ts'
import type { QueueFigures } from './figures.ts'
import type { Staff } from './member-table.ts'
import { unanswered, type QueueMembers } from './members.ts'
import { QueueMachine, type QueueInput, type QueuePlan, type QueueOrder, type SentAway } from './queue-machine.ts'

export interface QueueOptions {
  readonly settings: QueueConfig
  readonly clock: Clock
  readonly log: Log
  readonly staff: Staff
  readonly members: QueueMembers
  readonly figures: QueueFigures
  /** Members that ring for any queue. */
  readonly ringing: Set<string>
  readonly ring: (call: Call, member: string, ms: number) => Rung
  /** It is the turn of a caller who is to be called back. */
  readonly summon: (caller: string) => void
}

/** Whether a member is on the telephone, or a phone came or went, is looked at so often while somebody waits. */
const lookMs = 500
/** Who is to be called back hears first that it will be so. */
const hangUpMs = 15_000

function planOf({ strategy, members, ringSeconds, wrapUpSeconds, maxWaitSeconds, maxCallers }: QueueConfig): QueuePlan {
  const times = { ringMs: ringSeconds * 1000, wrapUpMs: wrapUpSeconds * 1000, maxWaitMs: maxWaitSeconds * 1000 }
  return { strategy, members, maxCallers, ...times }
}

export class Queue {
  #settings: QueueConfig
  readonly #options: QueueOptions
  readonly #machine: QueueMachine
  readonly #alarm: Alarm
  readonly #visits = new Map<string, QueueVisit>()
  readonly #ringing = new Map<string, Rung>()
  readonly #answerers = new Map<string, Answerer>()
  readonly #orders: QueueOrder[] = []
  #busy = false

  constructor(options: QueueOptions) {
    const { settings, staff, clock } = options
    this.#settings = settings
    this.#options = options
    this.#machine = new QueueMachine(planOf(settings), staff, clock.elapsed())
    this.#alarm = new Alarm(clock, () => this.look())
  }

  get settings(): QueueConfig {
    return this.#settings
  }

  /** The configuration is another. Waiting callers go on waiting. */
  reconfigure(settings: QueueConfig): void {
    this.#settings = settings
    this.#machine.replan(planOf(settings), this.#options.clock.elapsed())
    this.look()
  }

  get machine(): Pick<QueueMachine, 'callers' | 'positionOf' | 'doing' | 'rungFor'> {
    return this.#machine
  }

  get figures(): QueueFigures {
    return this.#options.figures
  }

  /** No member is there, nor expected back from a pause. */
  get empty(): boolean {
    const { staff } = this.#options
    return !this.settings.members.some((member) => staff.isThere(member))
  }

  /** Why a caller who comes now could not even wait; null where none is in the way. */
  get closed(): SentAway | null {
    if (this.empty) return 'empty'
    return this.#machine.callers().filter(({ state }) => state === 'here').length >= this.settings.maxCallers ? 'full' : null
  }

  /** The caller waits from now on. `placeAt`: in the place that was held since then, of the clock that nobody sets. */
  enter(call: Call, priority: number, placeAt = this.#options.clock.elapsed()): QueueVisit {
    const visit = this.#visit(call.id, call)
    this.tell({ type: 'join', caller: call.id, priority, placeAt })
    return visit
  }

  /** A caller holds a place since `placeAt` (of the clock that nobody sets), and is to be called back. */
  expect(caller: string, priority: number, placeAt: number): void {
    this.tell({ type: 'join', caller, priority, placeAt, absent: true })
  }

  /** Who was called back is here, and waits in the old place. */
  comeBack(caller: string, call: Call): QueueVisit {
    const visit = this.#visit(caller, call)
    this.tell({ type: 'came', caller })
    return visit
  }

  visitOf(caller: string): QueueVisit | undefined {
    return this.#visits.get(caller)
  }

  /** Something may have changed among the members. */
  look(): void {
    this.tell({ type: 'look' })
  }

  tell(input: QueueInput): void {
    const { clock } = this.#options
    this.#orders.push(...this.#machine.step(input, clock.elapsed()))
    // A member reported that it cannot be rung while earlier orders are still carried out.
    if (this.#busy) return
    this.#busy = true
    for (let order = this.#orders.shift(); order !== undefined; order = this.#orders.shift()) this.#carryOut(order)
    this.#busy = false
    const { nextAt } = this.#machine
    if (this.#machine.callers().length === 0) this.#alarm.cancel()
    else this.#alarm.within(Math.min(lookMs, Math.max(0, (nextAt ?? Infinity) - clock.elapsed())))
  }

  stop(): Promise<void> {
    this.#alarm.stop()
    return this.figures.write()
  }

  #visit(caller: string, call: Call): QueueVisit {
    const { clock } = this.#options
    const visit = new QueueVisit(call, clock.elapsed(), (how) =>
      this.tell(how === 'left' ? { type: 'left', caller } : { type: 'absent', caller, notBefore: clock.elapsed() + hangUpMs }),
    )
    visit.onPickedUp = (by) => this.figures.answered(by, clock.elapsed() - visit.since)
    visit.onMoved = () => this.figures.sentOn()
    this.#visits.set(caller, visit)
    void visit.found.then(() => this.#visits.delete(caller))
    return visit
  }

  #carryOut(order: QueueOrder): void {
    const { figures, members, log } = this.#options
    switch (order.order) {
      case 'ring':
        return this.#ring(order.caller, order.member, order.ms)
      case 'release': {
        this.#ringing.get(order.member)?.release(order.why === 'elsewhere' ? elsewhereCause : undefined)
        if (order.why === 'unanswered') figures.missed(order.member)
        this.#silent(order.member)
        return
      }
      case 'connect':
        return this.#connect(order.caller, order.member)
      case 'send':
        this.#visits.get(order.caller)?.resolve({ ...sentAs[order.why], text: `queue ${this.settings.id}: ${order.why}` }, order.why)
        return
      case 'pause':
        log.warn({ queue: this.settings.id, extension: order.member }, 'a member of a queue did not answer twice, and is paused')
        members
          .change(this.settings.id, order.member, { action: 'pause', reason: unanswered })
          .catch((error: unknown) => log.error({ err: error, extension: order.member }, 'the pause of a member could not be stored'))
          .finally(() => this.look())
        return
      case 'summon':
        this.#options.summon(order.caller)
    }
  }

  #ring(caller: string, member: string, ms: number): void {
    const visit = this.#visits.get(caller)
    if (visit === undefined) return
    const { clock, figures, ringing, ring } = this.#options
    const rung = ring(visit.call, member, ms)
    this.#ringing.set(member, rung)
    ringing.add(member)
    figures.rung(member)
    void rung.lifted.then((lifted) => {
      if (lifted && this.#ringing.get(member) === rung) this.tell({ type: 'lifted', member })
    })
    void rung.found.then((found) => {
      if (this.#ringing.get(member) !== rung) {
        if ('leg' in found) found.leg.release(elsewhereCause)
        return
      }
      if (!('leg' in found)) {
        this.#silent(member)
        if (found.outcome === 'no-answer') figures.missed(member)
        return this.tell({ type: 'ended', member, outcome: found.outcome })
      }
      this.#answerers.set(member, found)
      const talkedFrom = clock.elapsed()
      void found.leg.ended.then(() => {
        if (this.#answerers.get(member) !== found) return
        this.#answerers.delete(member)
        figures.talked(member, clock.elapsed() - talkedFrom)
        this.tell({ type: 'done', member })
      })
      this.tell({ type: 'accepted', member })
    })
  }

  #connect(caller: string, member: string): void {
    const { clock, figures } = this.#options
    const visit = this.#visits.get(caller)
    this.#silent(member)
    figures.answered(member, clock.elapsed() - (visit?.since ?? clock.elapsed()))
    if (visit !== undefined) visit.connectedAt = clock.elapsed()
    visit?.resolve(this.#answerers.get(member)!, 'connected')
  }

  #silent(member: string): void {
    this.#ringing.delete(member)
    this.#options.ringing.delete(member)
  }
}

const sentAs: Readonly<Record<SentAway, Pick<Taken, 'outcome' | 'sipCode'>>> = {
  full: { outcome: 'busy', sipCode: 486 },
  empty: { outcome: 'unreachable', sipCode: 480 },
  timeout: { outcome: 'no-answer', sipCode: 480 },
}

type VisitEnd = 'connected' | 'picked-up' | 'moved' | 'left' | 'key' | 'callback' | SentAway

/** Who a call that waits is connected with in the end, or why it leaves. */
export class QueueVisit implements Search {
  /** Nobody hears it ring: there is music. */
  onRinging: () => void = () => undefined
  readonly quiet = true
  /** Called with the number of the phone at which somebody took the call that rang at a member. */
  onPickedUp: (by: string) => void = () => undefined
  /** Called when a person has sent the call elsewhere. */
  onMoved: () => void = () => undefined
  readonly call: Call
  /** On the clock that nobody sets. */
  readonly since: number
  /** Of the same clock; Infinity while nobody has answered. */
  connectedAt = Infinity
  readonly #leave: (how: 'left' | 'absent') => void
  readonly #found = Promise.withResolvers<Answerer | Taken>()
  #answerer: Answerer | null = null
  #end: VisitEnd | null = null

  constructor(call: Call, since: number, leave: (how: 'left' | 'absent') => void) {
    this.call = call
    this.since = since
    this.#leave = leave
  }

  get found(): Promise<Answerer | Taken> {
    return this.#found.promise
  }

  /** How the wait ended; null while it lasts. */
  get end(): VisitEnd | null {
    return this.#end
  }

  resolve(found: Answerer | Taken, end: VisitEnd): void {
    this.#end ??= end
    if ('leg' in found) this.#answerer = found
    this.#found.resolve(found)
  }

  /** The caller has pressed the key. */
  leave(): void {
    if (this.#end !== null) return
    this.resolve({ outcome: 'no-answer', sipCode: 480, text: 'the caller left the queue by key' }, 'key')
    this.#leave('left')
  }

  /** The caller has asked to be called back, and keeps the place. */
  callBack(): void {
    if (this.#end !== null) return
    this.resolve({ outcome: 'no-answer', sipCode: 480, text: 'the caller is called back' }, 'callback')
    this.#leave('absent')
  }

  pickedUp({ leg }: Partner): void {
    if (this.#end !== null) return
    this.#end = 'picked-up'
    this.onPickedUp(leg.row.to)
  }

  moved(): void {
    if (this.#end !== null) return
    this.#end = 'moved'
    this.onMoved()
  }

  release(): void {
    this.#end ??= 'left'
    this.#found.resolve(canceled)
    this.#answerer?.leg.release()
    if (this.#end !== 'callback') this.#leave('left')
  }
}
