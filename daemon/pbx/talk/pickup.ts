/** A phone takes a call that rings elsewhere in the house. */
import type { Call } from '../../calls/call.ts'
import type { Move, Partner, Sought } from '../../routing/connect.ts'
import type { Config } from '../../schema/config.ts'
import { partnerOf } from './talk.ts'

// Phones that take each other's calls.

/** The others of the pickup group of this extension. */
export function pickupGroupOf({ extensions }: Pick<Config, 'extensions'>, extension: string): readonly string[] {
  const group = extensions.find(({ number }) => number === extension)?.pickupGroup
  if (group === undefined) return []
  return extensions.filter(({ number, pickupGroup }) => number !== extension && pickupGroup === group).map(({ number }) => number)
}

export interface PickupOptions {
  readonly config: Pick<Config, 'extensions'>
}

export class Pickup {
  readonly #options: PickupOptions
  /** Calls for which somebody is being looked for, the oldest first. */
  readonly #sought = new Map<Call, Sought>()

  constructor(options: PickupOptions) {
    this.#options = options
  }

  /** Returns how to say that the search has ended. */
  seeks(call: Call, sought: Sought): () => void {
    this.#sought.set(call, sought)
    return () => {
      if (this.#sought.get(call) === sought) this.#sought.delete(call)
    }
  }

  /** Whether somebody is being looked for, so that anybody may take the call. */
  isSought(call: Call): boolean {
    return this.#sought.has(call)
  }

  /** Sends a call elsewhere for which somebody is being looked for; false where nobody is by now. */
  move(call: Call, to: Move): boolean {
    const sought = this.#sought.get(call)
    if (sought === undefined) return false
    this.#sought.delete(call)
    sought.moved(to)
    return true
  }

  /**
   * `number`: of the phone that rings; '' for any of the own group. Resolves false where none rings, or somebody else was faster; true when
   * the conversation has ended.
   */
  async take(call: Call, extension: string, number: string): Promise<boolean> {
    const numbers = number === '' ? pickupGroupOf(this.#options.config, extension) : [number]
    return this.takeCall(call, () => [...this.#sought.keys()].find((sought) => sought !== call && ringsAt(sought, numbers)))
  }

  /** The same for the call that `which` names, asked for twice: the first one may have been taken while this one is answered. */
  async takeCall(call: Call, which: () => Call | undefined): Promise<boolean> {
    if (which() === undefined || !(await call.answer())) return false
    const sought = which()
    const search = sought === undefined ? undefined : this.#sought.get(sought)
    if (sought === undefined || search === undefined) return false
    this.#sought.delete(sought)
    const left = Promise.withResolvers<null>()
    call.over.addEventListener('abort', () => left.resolve(null), { once: true })
    call.activity('routed')
    sought.note('leg', `picked up by ${call.party.number}`)
    search.found(partnerOf(sought, call, left.promise))
    await left.promise
    return true
  }
}

function ringsAt({ row }: Call, numbers: readonly string[]): boolean {
  return (row.legs ?? []).some(
    ({ to, trunkId, state }) => trunkId === '' && numbers.includes(to) && (state === 'dialing' || state === 'ringing'),
  )
}
