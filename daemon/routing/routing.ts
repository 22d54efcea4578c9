/** Routing, put together: the desk of channels, the destinations, calls that come in and calls that are placed. */
import type { ReplacedCall } from '../../drivers/pbx.ts'
import type { Calls } from '../calls/calls.ts'
import type { Call } from '../calls/call.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import { takeToApplication, type ApplicationRunner } from './application.ts'
import { Destinations, type Takers } from './destinations.ts'
import { Inbound, type Callers, type CodeDesk, type EmergencyDesk } from './inbound.ts'
import { LineDrivers, type ServedLines } from './lines.ts'
import { Originator } from './originate.ts'
import { answered } from './taken.ts'
import { Trunks } from './trunks.ts'

export interface RoutingOptions {
  readonly config: Config
  readonly calls: Calls
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The line drivers; of several that serve the same line the first one is taken. */
  readonly lines: readonly ServedLines[]
  /** Not before the first call. */
  readonly applications: () => ApplicationRunner
  readonly callers: Callers
  /** Where the house sends a call on by itself. Not before the first call. */
  readonly house: () => HouseTakers
  /** Records messages. Not before the first call. */
  readonly voicemail: () => { readonly take: Takers['voicemail'] }
  /** Answers the call and receives the fax. Not before the first call. */
  readonly receiveFax: (call: Call) => Promise<void>
}

/** Phones of the house, alone and in groups. */
export type Phones = Pick<Takers, 'extension' | 'group' | 'external' | 'park' | 'parked'> & {
  /** Calls for help. */
  readonly help: EmergencyDesk
  /** The call of a phone takes the place of this leg, null for one that is not known; resolves when it has no part in that any more. */
  takePlace(call: Call, replaced: ReplacedCall): Promise<void>
}

export interface HouseTakers {
  readonly codes: CodeDesk
  readonly hours: { take: Takers['hours'] }
  readonly menus: { take: Takers['menu'] }
  readonly callQueues: { take: Takers['queue'] }
  readonly phones: Phones
  /** An answered call that came in outlives this program from now on. */
  keep(call: Call): void
}

export interface Routing {
  readonly trunks: Trunks
  readonly destinations: Destinations
  readonly inbound: Inbound
  readonly originator: Originator
}

export function createRouting(options: RoutingOptions): Routing {
  const { config, calls, store, clock, log, applications, receiveFax } = options
  const trunks = new Trunks({ config, lines: new LineDrivers(options.lines) })
  const destinations = new Destinations({
    extension: (call, number, request) => options.house().phones.extension(call, number, request),
    external: (call, number, request) => options.house().phones.external(call, number, request),
    group: (call, id, request) => options.house().phones.group(call, id, request),
    queue: (call, id, request) => options.house().callQueues.take(call, id, request),
    park: (call, slot, request) => options.house().phones.park(call, slot, request),
    parked: (call, slot, request) => options.house().phones.parked(call, slot, request),
    endpoint: (call, id, request) => takeToApplication(config, applications(), call, id, request),
    menu: (call, id, request) => options.house().menus.take(call, id, request),
    hours: (call, id, request) => options.house().hours.take(call, id, request),
    voicemail: (call, extension, request) => options.voicemail().take(call, extension, request),
    fax: async (call) => {
      await receiveFax(call)
      return answered
    },
  })
  return {
    trunks,
    destinations,
    inbound: new Inbound({
      help: () => options.house().phones.help,
      codes: () => options.house().codes,
      keep: (call) => options.house().keep(call),
      config,
      calls,
      callers: options.callers,
      trunks,
      destinations,
      clock,
      log,
    }),
    originator: new Originator({ config, calls, trunks, store, clock, answered: (call) => applications().answered(call) }),
  }
}
