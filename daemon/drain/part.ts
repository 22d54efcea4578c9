/** `pbx drain`: the box takes no new calls, before an upgrade or before it is switched off. */
import type { Assembly } from '../assembly.ts'
import { wallTime } from '../base/day.ts'
import { ours, said } from '../base/for-log.ts'
import type { Calls } from '../calls/calls.ts'
import type { Ground } from '../core.ts'
import type { Part } from '../part.ts'
import type { Routing } from '../routing/routing.ts'
import { Drain } from './drain.ts'
import { drainRoutes } from './routes.ts'

export interface StandingDrainOptions {
  readonly calls: Calls
  readonly routing: Pick<Routing, 'originator' | 'desks'>
  readonly assembly: Pick<Assembly, 'hold'>
}

export function standingDrainPart(
  { config, store, clock, log }: Ground,
  { calls, routing: { originator, desks }, assembly }: StandingDrainOptions,
): Part {
  const drain = new Drain({
    ...{ store, clock, log, calls },
    isHelp: ({ row }) => row.extension !== '' && desks.get('help').numberIn(row.to) !== null,
    waiting: () => originator.queued,
    hold: (on) => assembly.hold(on),
  })
  return {
    name: 'drain',
    routes: drainRoutes(drain),
    health: { draining: () => ({ ok: !drain.on, reason: drain.on ? 'draining' : '' }) },
    figures: [{ name: 'pbx_draining', help: 'Whether the box takes no new calls.', type: 'gauge', read: () => [[{}, drain.on ? 1 : 0]] }],
    *warnings() {
      const { since, until } = drain.view()
      if (since === null) return
      const at = (time: string): string => wallTime(Date.parse(time), config.site.timeZone)
      const end = until === null ? '' : `; what is left is ended at ${at(until)}`
      const text = said`The box takes no new calls since ${ours(at(since))}${ours(end)}`
      yield { code: 'draining', severity: 'error', text, fix: 'pbx drain --off' }
    },
    stepped: (stepMs) => drain.stepped(stepMs),
    start: () => drain.start(),
    stop: () => drain.stop(),
  }
}
