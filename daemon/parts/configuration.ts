/** The configuration in use, and how it is changed while the daemon runs. */
import type { SipDriver } from '../../drivers/sip/driver.ts'
import type { Assembly } from '../assembly.ts'
import { bySystem } from '../audit/audit.ts'
import type { Calls } from '../calls/calls.ts'
import { adopt } from '../config/adopt.ts'
import type { Facts } from '../config/gate.ts'
import type { Core } from '../core.ts'
import { ours, said } from '../base/for-log.ts'
import { configurationRoutes } from '../config/routes.ts'
import type { Part } from '../part.ts'
import type { PbxPart } from './pbx.ts'

export interface ConfigurationPartOptions {
  readonly calls: Calls
  readonly driver: SipDriver
  readonly house: Pick<PbxPart, 'outlives'>
  /** Not before the first change. */
  readonly assembly: () => Pick<Assembly, 'reconfigured'>
}

export function configurationPart(core: Core, options: ConfigurationPartOptions): Part {
  const { config, configuration, health, trail } = core
  if (configuration === undefined) return { name: 'configuration' }
  const { desk, revisions } = configuration
  const { calls, house } = options
  const cut = (engine: boolean): number =>
    calls.live().filter((call) => call.leg !== null && (engine || house.outlives(call) !== 'now')).length
  return {
    name: 'configuration',
    routes: configurationRoutes({ desk, revisions }),
    *warnings() {
      const fault = desk.fileFault()
      if (fault?.kind === 'refused')
        yield {
          code: 'config-file-refused',
          severity: 'warning',
          text: said`The next start would not use the configuration in use: ${ours(core.configFile ?? '')} has a fault: ${ours(fault.text)}`,
          fix: 'pbx config check',
        }
      if (fault?.kind === 'other')
        yield {
          code: 'config-file-changed',
          severity: 'notice',
          text: said`${ours(core.configFile ?? '')} differs from the configuration in use: ${ours(fault.text)}`,
          fix: 'pbx config diff, then pbx config apply',
        }
    },
    start: () =>
      desk.attach({
        config,
        reconfigure(next) {
          adopt(config, next)
          options.assembly().reconfigured()
        },
        facts: () => factsOf(core, options.driver),
        wouldCut: cut,
        settled: () => health.clear('config-refused'),
        takenBack: (revision) => void trail.happened(bySystem('config.revert', `revision:${revision}`)),
      }),
  }
}

function factsOf({ health }: Core, driver: SipDriver): Facts {
  const { parts } = health.report()
  const trunks = driver.lines().filter(({ kind }) => kind === 'trunk')
  return {
    parts: parts.filter(({ required }) => required).map(({ name, ok, detail }) => ({ name, ok, reason: detail })),
    trunks: trunks.map(({ id, ok, reason, state }) => ({
      name: id,
      ok,
      reason: reason === '' ? state : reason,
      refused: state === 'refused' && /\b40[13457]\b/.test(reason),
    })),
  }
}
