/** Simulated calls. */
import { masked } from '../calls/trace-mask.ts'
import type { Ground } from '../core.ts'
import type { Part } from '../part.ts'
import type { Routing } from '../routing/routing.ts'
import type { Speaker } from '../speech/speaker.ts'
import { simulateRoutes } from './routes.ts'
import { playedBy, simulateCall } from './simulate.ts'

export interface SimulatePartOptions {
  readonly routing: Pick<Routing, 'inbound'>
  readonly speaker: Speaker
}

export function simulatePart({ config }: Pick<Ground, 'config'>, { routing, speaker }: SimulatePartOptions): Part {
  const { inbound } = routing
  return {
    name: 'simulate',
    routes: simulateRoutes((options) => {
      const play = playedBy(options)
      return (onEvent, signal) => simulateCall({ inbound, config, speaker, options, play }, onEvent, signal)
    }, masked),
  }
}
