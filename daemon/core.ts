/** What every part is made of: configuration, store, clock, log, and where faults are reported. */
import { join } from 'node:path'
import { Trail } from './audit/trail.ts'
import { halfRestored } from './backup/places.ts'
import { systemClock, type Clock } from './base/clock.ts'
import type { ConfigDesk } from './config/desk.ts'
import type { Revisions } from './config/revisions.ts'
import { keepFailedStart } from './failed-starts.ts'
import { ours, said } from './base/for-log.ts'
import { idsOfBox } from './base/ids.ts'
import { Health } from './base/health.ts'
import type { Log } from './base/log.ts'
import { Metrics } from './base/metrics.ts'
import { policiesOf, type Policies } from './outbox/policies.ts'
import { wallTime } from './base/day.ts'
import type { Config } from './schema/config.ts'
import { programVersion } from './base/root.ts'
import { isBroken, openOrStandIn, type Opened } from './stand-in.ts'
import type { Store } from './store/store.ts'
import { storeBackSince } from './base/upgrade-notes.ts'

/** Programs of our own, as they were built. */
export interface Programs {
  /** pbx-engine. */
  readonly engine: string
  /** pbx-fax. */
  readonly fax: string
  /** pbx-pty, for simulated modems. */
  readonly pty: string
  /** pbx-sim-fax, for the faxes of simulated lines. */
  readonly simFax: string
  /** pbxd-peer. */
  readonly peer: string
}

export interface CoreOptions {
  readonly config: Config
  readonly configFile: string | null
  /** The checkout, or the folder of the installed program. */
  readonly root: string
  readonly programs: Programs
  /** Where the box is one of two machines: the file in which Pacemaker says how they stand. */
  readonly pairFile?: string
  readonly log: Log
  /** Where the configuration is changed while the daemon runs; it outlives a restart within the process. */
  readonly configuration?: { readonly desk: ConfigDesk; readonly revisions: Revisions }
  /** Why the configuration file was refused, where the daemon runs on the one before it. */
  readonly refused?: { readonly text: string; readonly since: number }
  /** Restarts in this process, with the same configuration, while current conversations go on. */
  readonly again?: () => void
}

export interface Core extends CoreOptions {
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly clock: Clock
  readonly store: Store
  /** null, but where the store is a stand-in. */
  readonly comeBack: Opened['comeBack']
  readonly trail: Trail
  readonly health: Health
  readonly metrics: Metrics
  readonly policies: Policies
  /** A part could not be started: kept for the history, while there is a store. */
  readonly failed: (error: unknown) => Promise<void>
  /** Whether the daemon is being stopped. */
  stopping: boolean
  /** Whether talks are to go on without it then. */
  leaving: boolean
}

function warnRefused(health: Health, { text, since }: NonNullable<CoreOptions['refused']>, file: string | null, zone: string): void {
  health.warn('config-refused', {
    severity: 'error',
    text: said`SAFE MODE: ${ours(file ?? 'the configuration')} has a fault, so the last good configuration, from ${ours(wallTime(since, zone))}, is in use: ${ours(text)}`,
    fix: 'pbx config check, then pbx config apply',
  })
}

/** Where `start` throws, the store is let go: the next start may be in the same process, with the former configuration. */
export async function withCore<T>(options: CoreOptions, start: (core: Core) => Promise<T>): Promise<T> {
  try {
    return await startOn(await openCore(options), start)
  } catch (error) {
    // A store that opens and cannot be read is found out by its first reader.
    if (!isBroken(error)) throw error
    return startOn(await openCore(options, error.message), start)
  }
}

async function startOn<T>(core: Core, start: (core: Core) => Promise<T>): Promise<T> {
  try {
    return await start(core)
  } catch (error) {
    await core.store.close()
    throw error
  }
}

async function openCore(options: CoreOptions, broken?: string): Promise<Core> {
  const { config, root, log } = options
  const clock = systemClock
  idsOfBox(config.box.id)
  const version = programVersion(root)
  if (halfRestored(config.storage.dir)) throw new Error('a restore of this box was interrupted: run as root: pbx restore --finish')
  const { historyDays } = config.voice
  const dir = join(config.storage.dir, 'store')
  const { store, comeBack } = await openOrStandIn({
    ...{ dir, clock, log, historyDays, undoSince: storeBackSince() },
    ...(broken === undefined ? {} : { broken }),
  })
  const trail = new Trail({ store, clock, log })
  const health = new Health()
  if (options.refused !== undefined) warnRefused(health, options.refused, options.configFile, config.site.timeZone)
  const tellers = { health, metrics: new Metrics(), policies: policiesOf(config) }
  const startedAt = clock.now()
  const failed = (error: unknown): Promise<void> => keepFailedStart({ store, startedAt, log }, error)
  return { ...options, ...tellers, version, startedAt, failed, clock, store, comeBack, trail, stopping: false, leaving: false }
}

/** What nearly every part is made of. */
export type Ground = Pick<Core, 'config' | 'store' | 'clock' | 'log'>
