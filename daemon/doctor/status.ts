/** The box at a glance: what its parts, its lines and its machine are like. */
import type { LineStatus } from '../../drivers/line.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import { shownWarning, type Health } from '../base/health.ts'
import type { Calls } from '../calls/calls.ts'
import type { Originator } from '../routing/originate.ts'
import type { Config } from '../schema/config.ts'
import type { PairView, StatusView } from '../schema/operation.ts'
import type { SpeechEngines } from '../speech/engines.ts'
import { speechSummary } from '../speech/summary.ts'
import { freeBytes } from '../store/disk.ts'
import type { Store } from '../store/store.ts'
import { clockSynchronised } from './doctor.ts'

export interface StatusFacts {
  readonly core: {
    readonly version: string
    readonly config: Config
    readonly configFile: string | null
    readonly health: Health
    readonly store: Store
    readonly clock: Clock
    readonly stopping: boolean
  }
  readonly calls: Calls
  readonly originator: Originator
  readonly driver: SipDriver
  readonly engines: Pick<SpeechEngines, 'view'>
  /** What waits to go out. */
  readonly queues: readonly { readonly title: string; readonly waiting: number; readonly oldestAt: number | null; readonly dead?: number }[]
  readonly lines: LineStatus[]
  readonly httpAddress: string | null
  readonly pair: PairView | null
}

export async function statusOf({
  core,
  calls,
  originator,
  driver,
  engines,
  queues,
  lines,
  httpAddress,
  pair,
}: StatusFacts): Promise<StatusView> {
  const { config, health, store, clock } = core
  const report = health.report()
  const bound = driver.bound()
  const sip = [bound.udp && `udp ${bound.udp}`, bound.tcp && `tcp ${bound.tcp}`, bound.tls && `tls ${bound.tls}`]
  const spoken = speechSummary(engines.view())
  const engineKb = driver.health().facts.rssKb
  return {
    version: core.version,
    pid: process.pid,
    startedAt: isoTime(clock.now() - Math.round(process.uptime() * 1000)),
    uptimeSeconds: Math.round(process.uptime()),
    ready: report.ready,
    draining: core.stopping || calls.draining,
    configFile: core.configFile,
    addresses: { http: httpAddress, sip: sip.filter((text): text is string => typeof text === 'string') },
    parts: report.parts
      .filter(({ name }) => name !== 'stopping' && name !== 'draining')
      .map(({ name, ok, detail }) => ({
        name,
        ok,
        reason: name === 'speech' ? [detail, spoken].filter((text) => text !== '').join('; ') : detail,
      })),
    lines,
    calls: { active: calls.live().length - originator.queued, queued: originator.queued, sinceStart: calls.endedCount },
    queues: queues.map(({ title, waiting, oldestAt, dead = 0 }) => ({ name: title, waiting, oldestAt: isoTime(oldestAt), dead })),
    disk: { dir: config.storage.dir, usedBytes: store.health().bytes, freeBytes: freeBytes(config.storage.dir) },
    clock: { now: new Date(clock.now()).toISOString(), timeZone: config.site.timeZone, synchronised: await clockSynchronised() },
    memory: { daemonBytes: process.memoryUsage.rss(), engineBytes: typeof engineKb === 'number' ? engineKb * 1024 : null },
    warnings: health.warnings().map(shownWarning),
    ...(pair === null ? {} : { pair }),
  }
}
