/** Talks, from the answer to their end: who comes in the place of whom, and where somebody is sent on to. */
import { setImmediate as breath } from 'node:timers/promises'
import { pbxLeg, type ReplacedCall } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import type { Outlives } from '../../calls/calls.ts'
import { expectTransfers } from '../../calls/second-leg.ts'
import type { FarLeg } from '../../calls/far-leg.ts'
import { settledWithin } from '../../base/clock.ts'
import type { Partner, Sought, TalkRequest, Talks } from '../../routing/connect.ts'
import { pickupAtSite, siteOf } from '../../schema/config/sites.ts'
import { isMachine, type Destinations, type TakeRequest } from '../../routing/destinations.ts'
import { answered, canceled, type Taken } from '../../routing/taken.ts'
import type { TalkWatch } from '../recording/talk-recorder.ts'
import { Pickup } from './pickup.ts'
import { watchedIn } from '../lamps/dialogs.ts'
import { Talk, type Onward, type TalkOptions, ConnectedLine } from './talk.ts'
import { participant } from './party.ts'
import { keepAlone, keepSide } from './tag.ts'
import { TransferReport } from './transfer-report.ts'
import type { TransferWay, WaitingPlace } from './transfer-way.ts'
import type { Leg } from '../../../drivers/line.ts'
import type { Side } from './hold-machine.ts'

/** Who talks, by their legs: for transfers and calls that name a leg of somebody else's talk. */
interface TalkPlace {
  readonly talk: Talk
  readonly side: Side
}

export class TalkBook {
  readonly #places = new Map<Leg, TalkPlace>()

  /** Returns how to take it out again. */
  add(leg: Leg, talk: Talk, side: Side): () => void {
    const place = { talk, side }
    this.#places.set(leg, place)
    return () => {
      if (this.#places.get(leg) === place) this.#places.delete(leg)
    }
  }

  find(leg: Leg): TalkPlace | null {
    return this.#places.get(leg) ?? null
  }
}

export interface HouseTalksOptions extends Omit<TalkOptions, 'book' | 'connected' | 'places'> {
  readonly destinations: Pick<Destinations, 'take'>
  readonly recorder: TalkWatch
}

/** So many transfers in a row, each within this time after the one before, are phones that send one another on. */
const mostTransfers = 10
const inARowMs = 10_000
/** For the phone that is rung again: it may have one call only. */
const freeMs = 2000

export class HouseTalks implements Talks {
  readonly pickup: Pickup
  /** Parts of the house add themselves. */
  readonly places: WaitingPlace[] = []
  readonly #options: HouseTalksOptions
  readonly #book = new TalkBook()
  readonly #connected = new ConnectedLine()
  /** Transfers that are under way. */
  readonly #reports = new Map<Call, TransferReport>()
  /** When a call was transferred, in a row. */
  readonly #transfers = new WeakMap<Call, { readonly at: number; readonly count: number }>()

  constructor(options: HouseTalksOptions) {
    this.#options = options
    this.pickup = new Pickup(options)
  }

  /** Whether it would go on without this program: `now` where two talk. */
  outlives({ leg }: Call): Outlives {
    if (leg !== null && this.#book.find(leg) !== null) return 'now'
    return pbxLeg(leg)?.isKept === true ? 'later' : 'never'
  }

  seeks(call: Call, sought: Sought): () => void {
    if (call.party.extension !== '') expectTransfers(call.leg, this.#options.clock)
    return this.pickup.seeks(call, sought)
  }

  /** The talk in which the call's own party is; null where it talks with nobody. */
  talkOf({ leg }: Call): Talk | null {
    return leg === null ? null : (this.#book.find(leg)?.talk ?? null)
  }

  rings(call: Call): void {
    this.#reports.get(call)?.rings()
  }

  async converse(call: Call, first: Partner, request: TalkRequest): Promise<Taken> {
    const { signal, left, before } = request
    const ahead = !call.answered
    if (ahead) this.#keepAhead(call, first)
    const there = await Promise.race([call.answer(), left])
    if (there !== true || signal.aborted) {
      first.leg.release()
      if (ahead && call.answered) keepAlone(call)
      return canceled
    }
    let answerer = first
    for (;;) {
      const { leg, name, activity } = answerer
      // One that has hung up in this very moment was answered all the same.
      if (!leg.over.aborted && !leg.bridge()) {
        call.activity(before)
        return cannotJoin(call, leg, name)
      }
      call.activity(activity)
      call.note('leg', `${name} answered`)
      // A person may send it back to where it came from.
      call.passed = []
      this.#reports.get(call)?.succeeded()
      const apart = this.#options.recorder.talk(call, leg)
      const shared = { book: this.#book, connected: this.#connected, places: this.places }
      const verdict = await new Talk({ ...this.#options, ...shared }, call, answerer, left).run()
      apart(verdict.kind === 'left' || verdict.kind === 'over')
      switch (verdict.kind) {
        case 'left':
          leg.release()
          return canceled
        case 'lent':
          await left
          return canceled
        case 'over':
          return hungUp(call, answerer, request)
        case 'onward':
          return this.#sendOn(call, verdict.onward, request)
        case 'replaced':
          answerer = verdict.by
      }
    }
  }

  /** With the answer itself the engine knows who talks: it keeps them also where this program dies in the very moment. */
  #keepAhead(call: Call, partner: Partner): void {
    for (const side of ['own', 'far'] as const) keepSide(call, partner, side, participant(call, partner.leg, side, this.#options.config))
  }

  /** A phone calls to take the place of another in its talk, or a call that its lamp shows to ring (Replaces, RFC 3891); resolves when it has no part in that any more. */
  async takePlace(call: Call, { leg: replaced, ...named }: ReplacedCall): Promise<void> {
    const left = Promise.withResolvers<null>()
    call.over.addEventListener('abort', () => left.resolve(null), { once: true })
    const gone = (): void => call.end({ reason: 'no-route', by: 'system' }, { sipCode: 481 })
    const watched = watchedIn(named)
    if (watched !== null) return (await this.#takeRinging(call, watched)) ? undefined : gone()
    if (replaced === null || this.#book.find(replaced) === null) return gone()
    if (!(await call.answer())) return
    // It may have changed meanwhile.
    const place = this.#book.find(replaced)
    if (place === null) return gone()
    call.activity('routed')
    place.talk.replace(place.side, call, left.promise)
    await left.promise
  }

  /** Where the phone is of another site, the box there knows what rings at it. */
  async #takeRinging(call: Call, number: string): Promise<boolean> {
    const { config, destinations } = this.#options
    if (siteOf(config, number) === undefined) return this.pickup.take(call, call.row.extension, number)
    const there = { kind: 'remote', number: pickupAtSite + number } as const
    return (await destinations.take(call, there, { signal: call.over })).outcome === 'answered'
  }

  /** The remaining party goes on to somebody else; where nobody takes the call, the party that left has it again. */
  async #sendOn(call: Call, { way, by, leaving, progress, back, consulted }: Onward, { signal, afterwards }: TalkRequest): Promise<Taken> {
    const { clock } = this.#options
    // Where the one is gone whose call it was, nobody is left to have it again.
    const request = { signal, sentBy: back, ...(by === 'far' && afterwards === 'stay' ? { afterwards } : {}) }
    const report = new TransferReport(clock, leaving, progress)
    this.#reports.set(call, report)
    const inCircles = this.#tooOften(call)
    // A phone with room for one call has it when it is rung.
    if (consulted !== undefined) await settledWithin(clock, freeMs, [consulted.settled])
    const taken = inCircles ? tooOften : await this.#take(call, way, request, report)
    const isDone = taken.outcome === 'answered' || signal.aborted || call.ending
    if (isDone) report.succeeded()
    else report.failed(taken.sipCode)
    if (this.#reports.get(call) === report) this.#reports.delete(call)
    if (isDone || inCircles || back === '') return taken
    call.note('leg', `not transferred (${taken.text}): ${back} is rung`)
    await settledWithin(clock, freeMs, [leaving.ended])
    return this.#options.destinations.take(call, { kind: 'extension', number: back }, request)
  }

  async #take(call: Call, way: TransferWay, request: TakeRequest, report: TransferReport): Promise<Taken> {
    if (!('destination' in way)) return { outcome: 'failed', ...way }
    const { destination, dialler } = way
    // Also where it comes to one by way of a phone that nobody answers.
    let refused = false
    const stop = call.listen((signal) => {
      if (signal.type !== 'step' || !isMachine(signal.to)) return
      this.#options.recorder.stop(call)
      void breath().then(() => (refused ? undefined : report.succeeded()))
    })
    try {
      const taken = await this.#options.destinations.take(call, destination, { ...request, ...(dialler === undefined ? {} : { dialler }) })
      refused = taken.outcome !== 'answered'
      return taken
    } finally {
      stop()
    }
  }

  #tooOften(call: Call): boolean {
    const now = this.#options.clock.elapsed()
    const before = this.#transfers.get(call)
    const count = before !== undefined && now - before.at < inARowMs ? before.count + 1 : 1
    this.#transfers.set(call, { at: now, count })
    return count > mostTransfers
  }
}

const tooOften: Taken = { outcome: 'failed', sipCode: 482, text: 'transferred in circles' }

function hungUp(call: Call, { name, activity }: Partner, { signal, afterwards, before, again }: TalkRequest): Taken {
  if (signal.aborted) return canceled
  call.note('leg', `${name} hung up`)
  if (again?.() === true) {
    call.activity(before)
    return { outcome: 'refused', sipCode: 603, text: `${name} hung up at once` }
  }
  if (afterwards === 'stay') call.activity(before)
  else call.end({ reason: activity === 'forwarded' ? 'forwarded-ended' : 'routed-ended', by: 'callee' })
  return answered
}

/** They are of two line drivers. */
function cannotJoin(call: Call, leg: FarLeg, name: string): Taken {
  const text = 'the two lines cannot be joined'
  call.note('error', `${name}: ${text}`)
  leg.release()
  return { outcome: 'failed', sipCode: 0, text }
}
