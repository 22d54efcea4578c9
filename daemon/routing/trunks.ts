/**
 * The desk of channels: code that wants to call through a trunk claims a channel here first, and nothing else dials. A claim holds its
 * channel from that moment until it is released or the leg it became has ended, so that two claims on the last channel see each other, also
 * between an awaited write to the disk and the first packet. Calls that come in are counted with them.
 */
import type { DialRequest, Leg } from '../../drivers/line.ts'
import { derived } from '../base/derived.ts'
import { createReach, type Purpose as ReachPurpose, type Reach } from '../numbers/reach.ts'
import { siteLines } from '../schema/config/sites.ts'
import type { Config } from '../schema/config.ts'
import type { LineDrivers, Via } from './lines.ts'
import { callLines, type CallLine } from '../schema/call-lines.ts'

// Which trunk an outbound call takes.

/** The named one, the one that owns `from`, the default, else the first. */
export function chooseTrunk(config: Config, trunkId: string | undefined, from: string | undefined): CallLine | undefined {
  if (trunkId !== undefined) return callLines(config).find((trunk) => trunk.id === trunkId)
  if (from !== undefined) return callLines(config).find((trunk) => trunk.numbers.includes(from))
  return callLines(config).find((trunk) => trunk.default) ?? callLines(config)[0]
}

/** What a channel is wanted for. `call`: somebody asked for this call just now. */
export type Purpose = 'call' | 'fax' | 'reminder'

interface Habit {
  /** Channels that this purpose leaves to others, of a trunk that has more than one. */
  leavesFree(config: Config): number
  /** Whether it waits for a trunk that is down; who asked for a call now learns from the attempt itself. */
  readonly waitsForTrunk: boolean
  readonly reach: ReachPurpose
}

const habits: Readonly<Record<Purpose, Habit>> = {
  call: { leavesFree: () => 0, waitsForTrunk: false, reach: 'call' },
  fax: { leavesFree: ({ fax }) => fax.keepFree, waitsForTrunk: true, reach: 'fax' },
  reminder: { leavesFree: () => 1, waitsForTrunk: true, reach: 'reminder' },
}

export interface ClaimOrder {
  readonly purpose: Purpose
  readonly trunkId: string
  /** E.164 or a short code: the number that is to be called. */
  readonly to: string
}

/**
 * `unknown`: there is no such trunk. `stopped`: its driver does not run. `down`: it cannot be used. `full`: no channel is free for
 * this purpose. `denied`: the number may not be called, now or later.
 */
export type Obstacle = 'unknown' | 'stopped' | 'down' | 'full' | 'denied'

export type ClaimAnswer =
  /** `warning`: what should be known of the number; '' for nothing. */
  | { readonly claim: Claim; readonly warning: string }
  /** `reason`: for a person, without the number. */
  | { readonly claim: null; readonly obstacle: Obstacle; readonly reason: string }

/** What a claim dials. */
export type ClaimedDial = Omit<DialRequest, 'via'>

/** One channel that is held. */
export interface Claim {
  /** '' for the desk phones. */
  readonly trunkId: string
  /** Dials, once: the channel is held until `over` aborts. Throws where the claim was released or dialled before. */
  dial(request: ClaimedDial, over: AbortSignal): Leg
  /** Gives the channel back where nothing was dialled; does nothing afterwards. */
  release(): void
}

export interface TrunksOptions {
  readonly config: Config
  readonly lines: LineDrivers
}

export class Trunks {
  readonly #config: Config
  readonly #lines: LineDrivers
  readonly #reach: Reach
  readonly #trunks: () => ReadonlyMap<string, CallLine>
  readonly #used = new Map<string, number>()

  constructor({ config, lines }: TrunksOptions) {
    this.#config = config
    this.#lines = lines
    this.#reach = createReach(config)
    this.#trunks = derived(config, () => new Map([...callLines(config), ...siteLines(config)].map((line) => [line.id, line])))
  }

  /** Whether any line can be dialled at all. */
  get isUp(): boolean {
    return this.#lines.isUp
  }

  /** Channels of a trunk that are held, by claims and by calls. */
  used(trunkId: string): number {
    return this.#used.get(trunkId) ?? 0
  }

  /** Why a trunk cannot be used at the moment, or null. */
  fault(trunkId: string): string | null {
    return this.#lines.fault(trunkId)
  }

  claim({ purpose, trunkId, to }: ClaimOrder): ClaimAnswer {
    const { leavesFree, waitsForTrunk, reach } = habits[purpose]
    const refused = (obstacle: Obstacle, reason: string): ClaimAnswer => ({ claim: null, obstacle, reason })
    const trunk = this.#trunks().get(trunkId)
    const driver = this.#lines.of({ kind: 'trunk', trunkId })
    if (trunk === undefined || driver === undefined) return refused('unknown', `there is no trunk ${trunkId}`)
    if (this.#freeFor(trunk, leavesFree(this.#config)) <= 0) return refused('full', `all channels of ${trunkId} are in use`)
    if (!driver.isUp) return refused('stopped', `the line of ${trunkId} is not running`)
    const fault = waitsForTrunk ? this.#lines.fault(trunkId) : null
    if (fault !== null) return refused('down', `${trunkId}: ${fault}`)
    const { allowed, reason, warning } = this.#reach.mayDial(to, reach)
    if (!allowed) return refused('denied', reason)
    return { claim: this.#held({ kind: 'trunk', trunkId }), warning }
  }

  /** Whether no channel of the trunk is free. */
  isFull(trunkId: string): boolean {
    const trunk = this.#trunks().get(trunkId)
    return trunk !== undefined && this.#freeFor(trunk, 0) <= 0
  }

  /** For a call for help alone: neither the number nor a full trunk is an obstacle. */
  claimForHelp(trunkId: string): ClaimAnswer {
    const refused = (obstacle: Obstacle, reason: string): ClaimAnswer => ({ claim: null, obstacle, reason })
    const driver = this.#lines.of({ kind: 'trunk', trunkId })
    if (!this.#trunks().has(trunkId) || driver === undefined) return refused('unknown', `there is no trunk ${trunkId}`)
    if (!driver.isUp) return refused('stopped', `the line of ${trunkId} is not running`)
    return { claim: this.#held({ kind: 'trunk', trunkId }), warning: '' }
  }

  /** For a number of another site alone, which is no number outside. */
  claimForSite(trunkId: string): ClaimAnswer {
    return this.isFull(trunkId)
      ? { claim: null, obstacle: 'full', reason: `all channels of ${trunkId} are in use` }
      : this.claimForHelp(trunkId)
  }

  /** Whether a phone of the extension can be rung, as far as its driver knows. */
  hasPhone(extension: string): boolean {
    return this.#lines.hasPhone(extension)
  }

  /** For a call to a desk phone, which takes no channel. */
  phone(): Claim {
    return this.#held({ kind: 'extension' })
  }

  /** A call has come in through a trunk and holds a channel until `over` aborts; false, and nothing is held, where there is none. */
  arrived(trunkId: string, over: AbortSignal): boolean {
    const trunk = this.#trunks().get(trunkId)
    if (trunk === undefined) return true
    if (this.#freeFor(trunk, 0) <= 0) return false
    this.#hold(trunkId, over)
    return true
  }

  /** A call that began before this run of the program has a channel until `over` aborts, whether or not one is free. */
  stands(trunkId: string, over: AbortSignal): void {
    if (this.#trunks().has(trunkId)) this.#hold(trunkId, over)
  }

  #freeFor({ id, channels }: CallLine, leavesFree: number): number {
    return channels - Math.min(leavesFree, channels - 1) - this.used(id)
  }

  #count(trunkId: string, by: 1 | -1): void {
    this.#used.set(trunkId, this.used(trunkId) + by)
  }

  /** Until `over` aborts. */
  #hold(trunkId: string, over: AbortSignal): void {
    if (over.aborted) return
    this.#count(trunkId, 1)
    over.addEventListener('abort', () => this.#count(trunkId, -1), { once: true })
  }

  #held(via: Via): Claim {
    const trunkId = via.kind === 'trunk' ? via.trunkId : ''
    const counts = via.kind === 'trunk'
    let held = true
    if (counts) this.#count(trunkId, 1)
    const release = (): void => {
      if (!held) return
      held = false
      if (counts) this.#count(trunkId, -1)
    }
    return {
      trunkId,
      release,
      dial: (request, over) => {
        if (!held) throw new Error('a claim is dialled once, while it is held')
        const driver = this.#lines.of(via)
        try {
          if (driver === undefined) throw new Error('no line driver serves the desk phones')
          const leg = driver.dial({ via, ...request })
          // Before the claim goes: nobody sees the channel free in between.
          if (counts) this.#hold(trunkId, over)
          return leg
        } finally {
          release()
        }
      },
    }
  }
}
