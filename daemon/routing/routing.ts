/** Routing, put together: the desk of channels, the destinations, calls that come in and calls that are placed. */
import type { Registry } from '../base/registry.ts'
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import { createFeatures, type Desks, type Features } from './desks.ts'
import { Destinations, type Takers } from './destinations.ts'
import { Inbound } from './inbound.ts'
import { LineDrivers, type ServedLines } from './lines.ts'
import { Originator } from './originate.ts'
import { Trunks } from './trunks.ts'

export interface RoutingOptions {
  readonly config: Config
  readonly calls: Calls
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The line drivers; of several that serve the same line the first one is taken. */
  readonly lines: readonly ServedLines[]
  readonly desks: Registry<Desks>
}

/** Parts of the daemon enter themselves in `takers`, `features` and `desks`; all three are sealed before the first call. */
export interface Routing {
  readonly trunks: Trunks
  readonly destinations: Destinations
  readonly inbound: Inbound
  readonly originator: Originator
  /** Who takes calls to a destination. */
  readonly takers: Registry<Takers>
  /** What is done for a feature code. */
  readonly features: Registry<Features>
  readonly desks: Registry<Desks>
  /** All three. */
  readonly registries: readonly Pick<Registry<object>, 'seal'>[]
}

export function createRouting({ config, calls, store, clock, log, lines, desks }: RoutingOptions): Routing {
  const trunks = new Trunks({ config, lines: new LineDrivers(lines) })
  const destinations = new Destinations()
  const { takers } = destinations
  const features = createFeatures()
  const answered = (call: Call): Promise<void> => desks.get('applications').answered(call)
  return {
    trunks,
    destinations,
    inbound: new Inbound({ config, calls, trunks, destinations, desks, clock, log }),
    originator: new Originator({ config, calls, trunks, store, clock, answered }),
    takers,
    features,
    desks,
    registries: [takers, features, desks],
  }
}
