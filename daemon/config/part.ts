/** The configuration in use, and how it is changed while the daemon runs. */
import type { SipDriver } from '../../drivers/sip/driver.ts'
import type { Assembly } from '../assembly.ts'
import { bySystem } from '../audit/audit.ts'
import type { Call } from '../calls/call.ts'
import type { Calls, Outlives } from '../calls/calls.ts'
import type { CodedWarning } from '../base/health.ts'
import type { Config } from '../schema/config.ts'
import type { Facts } from './gate.ts'
import type { Core } from '../core.ts'
import { ours, said } from '../base/for-log.ts'
import { cleartextOf } from './meaning.ts'
import { configurationRoutes } from './routes.ts'
import type { Part } from '../part.ts'
import { isDeepStrictEqual } from 'node:util'
import { configChanged } from '../base/derived.ts'

/** Changes the configuration of a running daemon in place. */
type Tree = Record<string, unknown>

/**
 * `config` is as `next` from now on. Sections and lists stay the objects they were, so that code that keeps one sees the change. A changed
 * item of a list is another object, so that a call that began with the old one goes on with it.
 */
export function adopt(config: Config, next: Config): void {
  into(config as unknown as Tree, structuredClone(next) as unknown as Tree)
  configChanged(config)
}

function into(target: Tree, source: Tree): void {
  for (const key of Object.keys(target)) if (!(key in source)) delete target[key]
  for (const [key, value] of Object.entries(source)) {
    const own = target[key]
    if (isDeepStrictEqual(own, value)) continue
    if (Array.isArray(own) && Array.isArray(value)) own.splice(0, own.length, ...withSame(own, value))
    else if (isTree(own) && isTree(value)) into(own, value)
    else target[key] = value
  }
}

function withSame(before: readonly unknown[], after: readonly unknown[]): unknown[] {
  return after.map((item) => before.find((one) => isDeepStrictEqual(one, item)) ?? item)
}

function isTree(value: unknown): value is Tree {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

export interface ConfigurationPartOptions {
  readonly calls: Calls
  readonly driver: SipDriver
  /** Whether a call continues while the daemon restarts. */
  readonly outlives: (call: Call) => Outlives
  readonly assembly: Pick<Assembly, 'reconfigured'>
}

export function configurationPart(core: Core, { calls, driver, outlives, assembly }: ConfigurationPartOptions): Part {
  const { config, configuration, health, trail } = core
  if (configuration === undefined) return { name: 'configuration', warnings: () => cleartextWarnings(config) }
  const { desk, revisions } = configuration
  const cut = (engine: boolean): number => calls.live().filter((call) => call.leg !== null && (engine || outlives(call) !== 'now')).length
  return {
    name: 'configuration',
    routes: configurationRoutes({ desk, revisions }),
    *warnings() {
      yield* cleartextWarnings(config)
      const fault = desk.fileFault()
      if (fault?.kind === 'refused')
        yield {
          code: 'config-file-refused',
          severity: 'warning',
          text: said`The next start would not use the configuration in use: ${ours(core.configFile ?? '')} has a fault: ${ours(fault.text)}`,
          fix: 'pbx config check',
        }
      if (fault?.kind === 'behind')
        yield {
          code: 'config-file-behind',
          severity: 'notice',
          text: said`${ours(core.configFile ?? '')} does not have what was applied last, which is in use, also after a restart`,
          fix: 'sudo pbx config write',
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
          assembly.reconfigured()
        },
        facts: () => factsOf(core, driver),
        wouldCut: cut,
        settled: () => health.clear('config-refused'),
        takenBack: (revision) => void trail.happened(bySystem('config.revert', `revision:${revision}`)),
      }),
  }
}

function* cleartextWarnings(config: Config): Iterable<CodedWarning> {
  for (const { path, text, fix } of cleartextOf(config)) yield { code: `cleartext-${path.join('.')}`, severity: 'warning', text, fix }
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
