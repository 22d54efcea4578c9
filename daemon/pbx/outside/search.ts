/** A number outside, rung for a call through one trunk after the other until one gives way. */
import type { Call } from '../../calls/call.ts'
import { SecondLeg } from '../../calls/second-leg.ts'
import type { Clock } from '../../base/clock.ts'
import type { Answerer, Search } from '../../routing/connect.ts'
import { Rung, type RungOptions } from '../../routing/rung.ts'
import { canceled, type Taken } from '../../routing/taken.ts'
import { isSiteTrunk } from '../../schema/config/sites.ts'
import type { ClaimAnswer, ClaimedDial, Trunks } from '../../routing/trunks.ts'

export interface OutsideOrder extends Pick<RungOptions, 'announce' | 'confirm'> {
  readonly to: string
  readonly trunks: readonly string[]
  readonly timeoutSeconds: number
  /** What the far end is shown, by trunk. */
  readonly identity: (trunkId: string) => Pick<ClaimedDial, 'from' | 'callerName' | 'diversion' | 'headers' | 'help'>
  /** Where the channel comes from; the desk as for everybody by default. */
  readonly claim?: (trunkId: string) => Promise<ClaimAnswer>
  /** Why the call may not begin after all, such as the ceiling of the day; null for nothing. */
  readonly obstacle: () => string | null
  /** Every own trunk comes before a line to another site, one that is known to be down too. */
  readonly ownFirst?: boolean
  /** Whether the next trunk is tried after this; where a trunk gave no way by default. */
  readonly goesOn?: (taken: Taken, rang: boolean) => boolean
}

/** For all trunks from which nothing comes together: then the last one is dialled. */
const silenceMs = 4000
/** Who is there answers within that time, over a bad line too. */
const leastSilenceMs = 1000

const noWay: Taken = { outcome: 'failed', sipCode: 503, text: 'no trunk is available' }

export class OutsideSearch implements Search {
  onRinging: () => void = () => undefined
  onEarlyMedia: (leg: SecondLeg) => void = () => undefined
  readonly found: Promise<Answerer | Taken>
  readonly #call: Call
  readonly #clock: Clock
  readonly #trunks: Trunks
  readonly #order: OutsideOrder
  #rung: Rung | null = null
  #released = false

  constructor(call: Call, clock: Clock, trunks: Trunks, order: OutsideOrder) {
    this.#call = call
    this.#clock = clock
    this.#trunks = trunks
    this.#order = order
    this.found = this.#search()
  }

  release(cause?: number): void {
    this.#released = true
    this.#rung?.release(cause)
  }

  async #search(): Promise<Answerer | Taken> {
    const { trunks, goesOn = givesNoWay } = this.#order
    const endsAt = this.#clock.elapsed() + this.#order.timeoutSeconds * 1000
    let last: Taken = noWay
    let silent = 0
    for (const [index, trunkId] of this.#soundFirst(trunks).entries()) {
      const began = this.#clock.elapsed()
      const leftMs = endsAt - began
      if (this.#released) return canceled
      if (leftMs <= 0) return last
      const patience = this.#patience(trunkId, trunks.length - index - 1, silent)
      const one = await this.#through(trunkId, Math.max(1, Math.ceil(leftMs / 1000)), patience)
      if ('leg' in one.found) return one.found
      last = one.found
      if (this.#released || !goesOn(last, one.rang)) return last
      silent += this.#clock.elapsed() - began
    }
    return last
  }

  /** A box of this house answers at once: the caller need not wait for one that does not, even where nothing else is left. */
  #patience(trunkId: string, more: number, silent: number): number | undefined {
    if (more === 0) return isSiteTrunk(trunkId) ? silenceMs : undefined
    return Math.max(leastSilenceMs, Math.floor((silenceMs - silent) / more))
  }

  /** A trunk that is known to be down is tried when no other one is left: it may be back. */
  #soundFirst(trunks: readonly string[]): readonly string[] {
    const isLater = (trunkId: string): boolean => this.#order.ownFirst === true && isSiteTrunk(trunkId)
    const rank = (trunkId: string): number => (isLater(trunkId) ? 2 : 0) + (this.#trunks.fault(trunkId) === null ? 0 : 1)
    const ranks = new Map(trunks.map((trunkId) => [trunkId, rank(trunkId)]))
    return trunks.toSorted((a, b) => ranks.get(a)! - ranks.get(b)!)
  }

  /** `patience`: how long (ms) nothing at all may come from the trunk. */
  async #through(trunkId: string, timeoutSeconds: number, patience?: number): Promise<{ found: Answerer | Taken; rang: boolean }> {
    const { to, claim, identity, obstacle, announce, confirm } = this.#order
    const call = this.#call
    const passed = (text: string, sipCode: number) => {
      call.note('leg', `${to}: ${text}`)
      return { found: { outcome: 'failed', sipCode, text } as const, rang: false }
    }
    const answer = claim === undefined ? this.#trunks.claim({ purpose: 'call', trunkId, to }) : await claim(trunkId)
    if (answer.claim === null) return passed(answer.reason, answer.obstacle === 'denied' ? 403 : 503)
    const refused = this.#released ? 'the call has ended' : obstacle()
    if (refused !== null) {
      answer.claim.release()
      return passed(refused, 403)
    }
    const leg = new SecondLeg(call, to, trunkId, this.#clock)
    leg.attach(
      answer.claim.dial({ to, ...identity(trunkId), timeoutSeconds, ...(patience === undefined ? {} : { silenceMs: patience }) }, leg.over),
    )
    call.note('leg', `ringing ${to} through ${trunkId}`)
    this.#rung = new Rung(call, leg, {
      name: to,
      activity: 'forwarded',
      ...(announce === undefined ? {} : { announce }),
      ...(confirm === undefined ? {} : { confirm }),
    })
    let rang = false
    this.#rung.onRinging = () => {
      rang = true
      this.onRinging()
    }
    // Who is asked for a key, or hears why it rings, is not heard before.
    if (announce === undefined && confirm === undefined) this.#rung.onEarlyMedia = (early) => this.onEarlyMedia(early)
    const found = await this.#rung.found
    return { found, rang: rang || leg.row.answeredAt !== null }
  }
}

/** 408, 5xx, or nothing that answers, before anybody was rung; never busy, declined or not found. A channel that could not be had is 503. */
function givesNoWay({ outcome, sipCode }: Taken, rang: boolean): boolean {
  if (rang) return false
  return outcome === 'unreachable' || sipCode === 408 || (sipCode >= 500 && sipCode < 600) || (outcome === 'failed' && sipCode === 0)
}
