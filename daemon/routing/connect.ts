/** Connects a call with a party that is found for it: rings, and when somebody takes the call the conversation begins. */
import type { Call } from '../calls/call.ts'
import type { FarLeg } from '../calls/far-leg.ts'
import type { SecondLeg } from '../calls/second-leg.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../schema/config.ts'
import type { TakeRequest } from './destinations.ts'
import { Ringing } from './ringing.ts'
import { canceled, type Taken } from './taken.ts'

/** Somebody who has taken the call, and has heard what was to be heard before. */
export interface Answerer {
  readonly leg: SecondLeg
  /** For the trace, such as `extension 101`. */
  readonly name: string
  readonly activity: 'routed' | 'forwarded'
}

/** With whom a call is connected, whichever code owns their leg. */
export interface Partner extends Omit<Answerer, 'leg'> {
  readonly leg: FarLeg
}

/** Somebody is being looked for: a phone, a number outside, a group. */
export interface Search {
  /** Called when a phone rings. */
  onRinging: () => void
  /** Called when the party that is rung is to be heard before the answer. Only of a search that rings no other. */
  onEarlyMedia?: (leg: SecondLeg) => void
  /** The caller hears something else meanwhile than that it rings. */
  readonly quiet?: boolean
  /** Who takes the call, or why nobody does. */
  readonly found: Promise<Answerer | Taken>
  /** Another phone has taken the call; called before the release. */
  pickedUp?(by: Partner): void
  /** A person has sent the call elsewhere; called before the release. */
  moved?(): void
  /** Nobody is wanted any more: all that rings is released. */
  release(): void
}

/** A talk that is to begin. */
export interface TalkRequest extends Pick<TakeRequest, 'afterwards' | 'signal'> {
  /** Resolves when the signal aborts. */
  readonly left: Promise<null>
  /** What the call did before. */
  readonly before: Call['row']['activity']
  /** Asked when who answered has hung up: true, and the call goes on as one that was refused. */
  readonly again?: () => boolean
}

/** Takes a call elsewhere, which a person wants while somebody is being looked for. */
export type Move = (request: Pick<TakeRequest, 'signal' | 'afterwards'>) => Promise<Taken>

/** How a search for somebody ends before it has found anybody. */
export interface Sought {
  /** Somebody takes the call at another phone. */
  found(by: Partner): void
  moved(to: Move): void
}

/** Joins two parties, and lets them hold and transfer. */
export interface Talks {
  /** Answers the caller and joins the two; resolves when nobody talks any more. */
  converse(call: Call, partner: Partner, request: TalkRequest): Promise<Taken>
  /** Somebody rings for this call. */
  rings(call: Call): void
  /** A search is under way. Returns how to say that it has ended. */
  seeks(call: Call, sought: Sought): () => void
}

export interface ConnectOptions {
  readonly config: { readonly site: Pick<Config['site'], 'country'> }
  readonly clock: Clock
  readonly talks: Talks
}

/**
 * Resolves when that conversation has ended, or with why there was none. When the signal aborts, as it does at the end of the call, ringing
 * phones are released and nothing is waited for.
 */
export async function connect(
  { config, clock, talks }: ConnectOptions,
  call: Call,
  request: TakeRequest & Pick<TalkRequest, 'again'>,
  begin: () => Search,
): Promise<Taken> {
  const { signal } = request
  if (signal.aborted) return canceled
  const search = begin()
  const before = call.row.activity
  call.activity('ringing-dest')
  const left = Promise.withResolvers<null>()
  const elsewhere = Promise.withResolvers<Partner | { readonly move: Move }>()
  let picker: Partner | null = null
  const stopSeeking = talks.seeks(call, {
    found: (by) => {
      picker = by
      elsewhere.resolve(by)
    },
    moved: (move) => elsewhere.resolve({ move }),
  })
  let found: Partner | Taken | { readonly move: Move } | null = null
  const leave = () => {
    search.release()
    if (found !== null && 'leg' in found) found.leg.release()
    left.resolve(null)
  }
  signal.addEventListener('abort', leave)
  const ringing = search.quiet === true ? null : new Ringing(call, config.site.country, clock, signal)
  search.onRinging = () => {
    ringing?.begin()
    talks.rings(call)
  }
  if ('onEarlyMedia' in search) search.onEarlyMedia = (leg) => ringing?.early(leg)
  try {
    found = await Promise.race([search.found, elsewhere.promise, left.promise])
    stopSeeking()
    ringing?.stop()
    if (found !== null && found === picker) {
      search.pickedUp?.(picker)
      search.release()
    } else (picker as Partner | null)?.leg.release()
    if (found === null || signal.aborted) return canceled
    call.clear()
    if ('move' in found) {
      search.moved?.()
      search.release()
      call.activity(before)
      const { afterwards } = request
      return await found.move({ signal, ...(afterwards === undefined ? {} : { afterwards }) })
    }
    if ('leg' in found) return await talks.converse(call, found, { ...request, left: left.promise, before })
    call.activity(before)
    return found
  } finally {
    stopSeeking()
    ringing?.stop()
    signal.removeEventListener('abort', leave)
    if (signal.aborted && !call.over.aborted) {
      if (call.row.activity === 'routed' || call.row.activity === 'forwarded') call.leg?.audio?.unbridge()
      call.activity(before)
    }
  }
}
