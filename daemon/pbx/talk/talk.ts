/**
 * Two who talk: what each hears while the other holds, and how it ends. A party that holds for too long is rung; one that then takes the
 * call replaces the leg that holds.
 */
import type { Leg } from '../../../drivers/line.ts'
import { pbxLeg, type TransferRequest } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import { takeTransfers, noteTransfer } from '../../calls/second-leg.ts'
import type { FarLeg, Party } from '../../calls/far-leg.ts'
import { LentLeg } from '../../calls/lent-leg.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Partner, Search } from '../../routing/connect.ts'
import { ringExtension, type ExtensionOptions } from '../../routing/extension.ts'
import type { Config } from '../../schema/config.ts'
import { destinationText, parseDestination, type Destination } from '../../schema/destination.ts'
import { hearsMusic, nextHold, otherSide, talking, type HoldInput, type HoldState, type Side } from './hold-machine.ts'
import type { Music } from './music.ts'
import { participant, type Participant } from './party.ts'
import type { TalkBook } from './talks.ts'
import { keepAlone, keepSide } from './tag.ts'
import { TransferReport, depart, type Leaving } from './transfer-report.ts'
import { mayTransfer, transferWay, type TransferOptions, type TransferWay } from './transfer-way.ts'

/** What the phones of the house show: the present partner, where that is another than the one they called, or who called them. */
export class ConnectedLine {
  /** The number that a phone shows. */
  readonly #shown = new WeakMap<Leg, string>()

  /** These two talk from now on, in this call. */
  tell({ row }: Pick<Call, 'row'>, sides: Readonly<Record<Side, Participant>>): void {
    for (const side of ['own', 'far'] as const) {
      const leg = pbxLeg(sides[side].leg)
      if (leg === null || sides[side].party.extension === '') continue
      const { number, name } = sides[otherSide(side)].party
      // A phone that is rung is shown who calls.
      const before = this.#shown.get(leg) ?? (side === 'own' && row.direction === 'inbound' ? row.to : number)
      this.#shown.set(leg, number)
      if (before !== number) leg.connected({ number, name })
    }
  }
}

export interface TalkOptions extends ExtensionOptions, TransferOptions {
  readonly config: Config
  readonly music: Music
  /** The talks that are under way. */
  readonly book: TalkBook
  readonly connected: ConnectedLine
  /** The call of this leg, while it rings; null for none. */
  readonly consulting: (leg: Leg) => Call | null
}

export type Verdict =
  /** Whom the call was connected with is gone. */
  | { readonly kind: 'over' }
  /** The call has ended, or goes elsewhere. */
  | { readonly kind: 'left' }
  /** Somebody takes the place of who left. */
  | { readonly kind: 'replaced'; readonly by: Partner }
  /** The remaining party talks with the party of another call, where that goes on. */
  | { readonly kind: 'lent' }
  /** Who left sends the other one on. */
  | { readonly kind: 'onward'; readonly onward: Onward }

export interface Onward {
  readonly way: TransferWay
  readonly by: Side
  readonly leaving: Leaving
  /** Who hears what became of it. */
  readonly progress: (sipCode: number) => void
  /** The extension that has the other one again where nobody takes the call; '' for none. */
  readonly back: string
  /** The consultation call of the leaving party for this transfer; it must end before anybody is rung. */
  readonly consulted?: Call
}

export const forgottenMs = 120_000

export class Talk {
  readonly #options: TalkOptions
  readonly #call: Call
  readonly #left: Promise<null>
  readonly #partner: Partner
  readonly #far: FarLeg
  readonly #sides: Readonly<Record<Side, Participant>>
  readonly #verdict = Promise.withResolvers<Verdict>()
  readonly #stops: (() => void)[] = []
  #state: HoldState = talking
  #timer: Timer | null = null
  #back: Search | null = null

  /** `left`: resolves when the call has ended, or goes elsewhere. */
  constructor(options: TalkOptions, call: Call, partner: Partner, left: Promise<null>) {
    const far = partner.leg
    this.#options = options
    this.#left = left
    this.#call = call
    this.#partner = partner
    this.#far = far
    const side = (name: Side): Participant => participant(call, far, name, options.config)
    this.#sides = { own: side('own'), far: side('far') }
  }

  /** Resolves when these two talk no more, in this call. */
  async run(): Promise<Verdict> {
    this.#options.connected.tell(this.#call, this.#sides)
    for (const name of ['own', 'far'] as const) {
      const side = this.#sides[name]
      if (side.holds) this.#tell({ type: 'hold', side: name })
      this.#stops.push(side.watch((held) => this.#tell({ type: held ? 'hold' : 'resume', side: name })))
      const leg = mayTransfer(this.#options.config, side.party) ? pbxLeg(side.leg) : null
      if (leg !== null) takeTransfers(leg, (request) => this.#transfer(name, request))
      if (leg !== null) this.#stops.push(() => leg.onTransfer(null))
      if (side.leg !== null) this.#stops.push(this.#options.book.add(side.leg, this, name))
      this.#stops.push(this.#keep(name))
    }
    const over = this.#far.ended.then((): Verdict => ({ kind: 'over' }))
    const verdict = await Promise.race([this.#verdict.promise, over, this.#left.then((): Verdict => ({ kind: 'left' }))])
    this.#end()
    return verdict
  }

  /** Nobody is cut off by the end of this program. Returns how to end that. */
  #keep(side: Side): () => void {
    const { leg } = this.#sides[side]
    const { leg: far } = this.#partner
    keepSide(this.#call, this.#partner, side, this.#sides[side])
    const alone = side === 'own' ? this.#call : far instanceof LentLeg ? far.lender : null
    return () => (alone === null ? pbxLeg(leg)?.keep('') : keepAlone(alone))
  }

  #tell(input: HoldInput): void {
    const before = this.#state
    const state = (this.#state = nextHold(before, input))
    if (state === before) return
    for (const side of ['own', 'far'] as const) this.#sound(side, hearsMusic(before, side), hearsMusic(state, side))
    showHold(this.#call, state)
    if (before.at === 'back') {
      this.#back?.release()
      this.#back = null
    }
    this.#timer?.cancel()
    this.#timer = state.at === 'held' && this.#holder(state.by) !== '' ? this.#remind() : null
    if (state.at === 'back') this.#ringBack(state.by)
    if (input.type === 'hold' || input.type === 'resume')
      this.#call.note('leg', `${this.#sides[input.side].party.number} ${input.type === 'hold' ? 'holds' : 'is back'}`)
  }

  #remind(): Timer {
    return this.#options.clock.after(forgottenMs, () => this.#tell({ type: 'forgotten' }))
  }

  /** '' for somebody outside, who cannot be called back. */
  #holder(side: Side): string {
    return this.#sides[side].party.extension
  }

  #sound(side: Side, before: boolean, music: boolean): void {
    const leg = pbxLeg(this.#sides[side].leg)
    if (leg === null || before === music) return
    if (!music) return leg.stopLoop()
    const { clip, offsetMs } = this.#options.music.now()
    leg.loop(clip, offsetMs)
  }

  #ringBack(side: Side): void {
    const number = this.#holder(side)
    const { extensions } = this.#options.config
    const { ringSeconds = 25, onNoAnswer } = extensions.find((candidate) => candidate.number === number) ?? {}
    this.#call.note('leg', `${number} holds for ${forgottenMs / 1000} s: rung`)
    const waits = this.#sides[otherSide(side)].party
    const shown = { from: waits.number, callerName: waits.name }
    const back = ringExtension(this.#options, this.#call, number, { timeoutSeconds: ringSeconds, shown })
    this.#back = back
    void back.found.then((found) => {
      if (this.#back !== back) return
      if ('leg' in found) {
        this.#back = null
        this.#leave(side).hangUp()
        return this.#verdict.resolve({ kind: 'replaced', by: found })
      }
      const destination = onNoAnswer === undefined ? undefined : parseDestination(onNoAnswer)
      if (destination === undefined) return this.#tell({ type: 'not-back' })
      const leaving = this.#leave(side)
      leaving.hangUp()
      this.#verdict.resolve({ kind: 'onward', onward: { way: { destination }, by: side, leaving, progress: () => undefined, back: '' } })
    })
  }

  #transfer(by: Side, { to, replaces, progress }: TransferRequest): void {
    const { party } = this.#sides[by]
    if (replaces !== null) return this.#attended(by, replaces, progress)
    this.#call.note('leg', `${party.number} transfers ${this.#sides[otherSide(by)].party.number} to ${to}`)
    noteTransfer(this.#call, to, 'blind')
    const way = transferWay(this.#options, party, to)
    this.#verdict.resolve({ kind: 'onward', onward: { way, by, leaving: this.#leave(by), progress, back: party.extension } })
  }

  /** The phone gives up its call that still rings, and the remaining party rings in its place. */
  #halfAttended(by: Side, consulted: Call, progress: (sipCode: number) => void): void {
    const { party } = this.#sides[by]
    const { to } = consulted.row
    const way = transferWay(this.#options, party, to)
    // Both calls go on: the one may be for help.
    if ('sipCode' in way) return progress(way.sipCode)
    this.#call.note('leg', `${party.number} transfers ${this.#sides[otherSide(by)].party.number} to ${to}, whom it rings`)
    noteTransfer(this.#call, to, 'blind')
    this.#verdict.resolve({ kind: 'onward', onward: { way, by, leaving: this.#leave(by), progress, back: party.extension, consulted } })
    consulted.note('leg', `${party.number} has given its place to call ${this.#call.id}`)
    consulted.end({ reason: 'canceled', by: 'caller' }, { sipCode: 487 })
  }

  /** The party that asks leaves both of its conversations, and the two remaining parties talk with each other. */
  #attended(by: Side, replaces: Leg, progress: (sipCode: number) => void): void {
    const { book, clock, places } = this.#options
    for (const place of places) {
      const destination = place.give(replaces)
      if (destination === null) continue
      const { extension: back } = this.#sides[by].party
      const onward = { way: { destination }, by, leaving: this.#leave(by), progress, back }
      return this.#verdict.resolve({ kind: 'onward', onward })
    }
    const consulted = this.#options.consulting(replaces)
    if (consulted !== null) return this.#halfAttended(by, consulted, progress)
    const other = book.find(replaces)
    if (other === null || other.talk === this) return progress(603)
    const leaving = this.#leave(by)
    const lent = other.talk.lend(other.side, this.#call)
    noteTransfer(this.#call, lent.partner.name, 'attended')
    for (const each of [leaving, lent.leaving]) new TransferReport(clock, each, each === leaving ? progress : () => undefined).succeeded()
    this.#verdict.resolve({ kind: 'replaced', by: lent.partner })
  }

  /**
   * The party of the house that a person may take out of the talk, so that the other one stays: the phone `own` where it takes part, else
   * the one that was called. null where both are outside.
   */
  houseParty(own: string | null): Party | null {
    const side = this.#houseSide(own)
    return side === null ? null : this.#sides[side].party
  }

  #houseSide(own: string | null): Side | null {
    const house = (['far', 'own'] as const).filter((side) => this.#sides[side].party.extension !== '')
    return house.find((side) => this.#sides[side].party.extension === own) ?? house[0] ?? null
  }

  /** A person sends the party that stays on to somebody else: that of the house leaves, and has it again where nobody takes the call. */
  sendOn(own: string | null, way: Extract<TransferWay, { destination: Destination }>): void {
    const by = this.#houseSide(own)
    if (by === null) return
    const { extension } = this.#sides[by].party
    noteTransfer(this.#call, destinationText(way.destination), 'blind')
    const leaving = this.#leave(by)
    leaving.hangUp()
    this.#verdict.resolve({ kind: 'onward', onward: { way, by, leaving, progress: () => undefined, back: extension } })
  }

  /** The party at `side` leaves, and the remaining one is a partner for another call. */
  lend(side: Side, to: Call): { readonly partner: Partner; readonly leaving: Leaving } {
    const leaving = this.#leave(side)
    this.#verdict.resolve({ kind: 'lent' })
    return { partner: partnerOf(to, this.#call, this.#left), leaving }
  }

  /** A call that has just been answered replaces the party at `side`, which is hung up. */
  replace(side: Side, by: Call, left: Promise<null>): void {
    this.#leave(side).hangUp()
    this.#verdict.resolve({ kind: 'replaced', by: partnerOf(this.#call, by, left) })
  }

  /** At once: nothing that happens to this leg from now on is the end of the call. */
  #leave(side: Side): Leaving {
    this.#end()
    this.#call.note('leg', `${this.#sides[side].party.number} leaves; ${this.#sides[otherSide(side)].party.number} stays`)
    return depart(this.#call, this.#far, side, this.#sides.far.party)
  }

  #end(): void {
    for (const stop of this.#stops.splice(0)) stop()
    this.#tell({ type: 'over' })
  }
}

/** Who asks about the call sees whether somebody waits in it. */
function showHold(call: Call, { at }: HoldState): void {
  const held = at === 'held' || at === 'both-held' || at === 'back'
  if ((call.row.held ?? false) === held) return
  const { row } = call
  const now = call.time.now()
  row.held = held
  if (held) row.heldSince = now
  else if (row.heldSince !== undefined) row.heldMs = (row.heldMs ?? 0) + Math.max(0, now - row.heldSince)
  if (!held) delete row.heldSince
  call.legChanged()
}

/** The party of another call, for this one. */
export function partnerOf(call: Call, lender: Call, left: Promise<null>): Partner {
  const { number, trunkId } = lender.party
  call.note('leg', `joined with call ${lender.id}`)
  lender.note('leg', `joined with call ${call.id}`)
  return { leg: new LentLeg(call, lender, left), name: number, activity: trunkId === '' ? 'routed' : 'forwarded' }
}
