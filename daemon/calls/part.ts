/** The end of the daemon: calls in progress end before all that they need, or are left to its next run. */
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import type { Call } from './call.ts'
import type { Calls, Outlives } from './calls.ts'

export interface DrainPartOptions {
  readonly calls: Calls
  /** Whether a call continues while the daemon restarts. */
  readonly outlives: (call: Call) => Outlives
}

export function drainPart(core: Pick<Core, 'leaving'>, { calls, outlives }: DrainPartOptions): Part {
  return { name: 'end of calls', stop: (drainMs) => calls.drain(drainMs, (call) => (core.leaving ? outlives(call) : 'never')) }
}
