/** Calls, and who takes them. */
import { Calls } from '../calls/calls.ts'
import { sweepCalls } from '../calls/sweep.ts'
import type { Ground } from '../core.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Part } from '../part.ts'
import { createDesks } from './desks.ts'
import type { ServedLines } from './lines.ts'
import { createRouting, type Routing } from './routing.ts'
import { unroutedWarnings } from './unrouted.ts'

export interface RoutingPart extends Part {
  readonly calls: Calls
  readonly routing: Routing
}

export interface RoutingPartOptions {
  readonly outbox: Outbox
  /** The line drivers; of several that serve the same line the first one is taken. */
  readonly lines: readonly ServedLines[]
}

export function routingPart({ config, store, clock, log }: Ground, { outbox, lines }: RoutingPartOptions): RoutingPart {
  const desks = createDesks()
  const calls = new Calls({ config, store, outbox, clock, log, apologise: (call, why) => desks.get('apologise')(call, why) })
  const routing = createRouting({ config, calls, store, clock, log, lines, desks })
  const { inbound, originator } = routing
  const { callDays, traceDays } = config.voice
  return {
    name: 'calls',
    calls,
    routing,
    warnings: () => unroutedWarnings(inbound.unrouted.recent()),
    figures: [
      {
        name: 'pbx_calls_active',
        help: 'Calls in progress, queued ones included.',
        type: 'gauge',
        read: () => [[{}, calls.live().length]],
      },
      { name: 'pbx_calls_ended_total', help: 'Calls that ended since the start.', type: 'counter', read: () => [[{}, calls.endedCount]] },
    ],
    queues: () => [{ name: 'calls', title: 'calls to place', waiting: originator.queued, oldestAt: null }],
    sweeps: [
      { what: 'traces', sweep: () => sweepCalls(store, store.tables.callTraces, clock, Math.min(traceDays, callDays)) },
      { what: 'calls', sweep: () => sweepCalls(store, store.tables.calls, clock, callDays) },
    ],
    stepped(stepMs) {
      calls.stepped()
      inbound.unrouted.stepped(stepMs)
    },
    hold: (on) => originator.hold(on),
    drain: () => originator.stop(),
  }
}
