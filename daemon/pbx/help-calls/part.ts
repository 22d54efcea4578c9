/** Calls for help until a person has looked after them. */
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import { OpenHelpCalls } from './open-calls.ts'
import { helpCallRoutes } from './routes.ts'

export interface HelpCallsPart extends Part {
  readonly open: OpenHelpCalls
}

const dayMs = 86_400_000

export function helpCallsPart({ config, store, clock, log }: Ground): HelpCallsPart {
  const open = new OpenHelpCalls({ store, clock, log })
  return {
    name: 'calls for help',
    open,
    routes: helpCallRoutes({ open }),
    sweeps: [{ what: 'calls for help that are closed', sweep: () => open.sweep(config.voice.historyDays * dayMs) }],
  }
}
