/** The box at a glance: what its parts, its lines and its machine are like. */
import type { LineStatus } from '../../drivers/line.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import type { Assembly } from '../assembly.ts'
import type { Calls } from '../calls/calls.ts'
import { isoTime } from '../base/clock.ts'
import { cleartextOf } from '../config/meaning.ts'
import type { Core } from '../core.ts'
import { clockSynchronised, doctorChecks } from '../doctor/doctor.ts'
import { saidOutside } from '../base/for-log.ts'
import { operationRoutes } from '../box/routes.ts'
import type { Part } from '../part.ts'
import type { Originator } from '../routing/originate.ts'
import type { StatusView } from '../schema/operation.ts'
import { speechSummary } from '../speech/summary.ts'
import { freeBytes } from '../store/disk.ts'
import type { ModemsPart } from './modems.ts'
import type { SpeechPart } from './speech.ts'
import { engineSocket, pagesSocket } from '../base/services.ts'

export interface StatusOptions {
  readonly calls: Calls
  readonly originator: Originator
  readonly driver: SipDriver
  readonly modems: Pick<ModemsPart, 'faxLines' | 'lines'>
  readonly engines: SpeechPart['engines']
  /** Not before the first request. */
  readonly assembly: () => Pick<Assembly, 'queues' | 'refresh'>
  readonly httpAddress: () => string | null
}

export function statusPart(core: Core, options: StatusOptions): Part {
  const { driver, modems } = options
  const lines = (): LineStatus[] => [...driver.lines(), ...modems.lines()].map((line) => ({ ...line, reason: saidOutside(line.reason) }))
  return {
    name: 'status',
    routes: operationRoutes({
      status: () => status(core, options, lines()),
      lines,
      bans: driver.bans,
      doctor: () => doctor(core, options, lines()),
    }),
  }
}

function doctor({ config, programs }: Core, { driver, modems }: StatusOptions, lines: readonly LineStatus[]) {
  const { realtime, realtimeReason } = driver.health().facts
  const pages = pagesSocket()
  const unheard = engineSocket() === undefined ? {} : ({ realtime: 'unknown' } as const)
  return doctorChecks({
    engine: programs.engine,
    storageDir: config.storage.dir,
    faxMegabytes: config.fax.freeMegabytes,
    endpoints: config.voice.endpoints.map((endpoint) => ({ id: endpoint.id, url: endpoint.controlUrl })),
    cleartext: cleartextOf(config),
    lines,
    trunks: config.trunks,
    ...(pages === undefined ? {} : { pagesSocket: pages }),
    ...(modems.faxLines.length === 0 ? {} : { faxProgram: programs.fax }),
    engineHealth: engineHealth(driver),
    ...(typeof realtime === 'boolean' ? { realtime: { ok: realtime, reason: String(realtimeReason ?? '') } } : unheard),
  })
}

/** The engine with its listeners: the doctor looks at both together. */
function engineHealth(driver: SipDriver): { ok: boolean; reason: string } {
  const { ok, reason } = driver.health()
  const closed = driver.closedListeners()
  return ok ? { ok: closed.length === 0, reason: closed.map(({ part, text }) => `${part}: ${text}`).join('; ') } : { ok, reason }
}

async function status(core: Core, options: StatusOptions, lines: LineStatus[]): Promise<StatusView> {
  const { config, health, store, clock } = core
  const { calls, originator, driver, engines } = options
  const assembly = options.assembly()
  assembly.refresh()
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
    draining: core.stopping,
    configFile: core.configFile,
    addresses: { http: options.httpAddress(), sip: sip.filter((text): text is string => typeof text === 'string') },
    parts: report.parts
      .filter((part) => part.name !== 'stopping')
      .map(({ name, ok, detail }) => ({
        name,
        ok,
        reason: name === 'speech' ? [detail, spoken].filter((text) => text !== '').join('; ') : detail,
      })),
    lines,
    calls: { active: calls.live().length - originator.queued, queued: originator.queued, sinceStart: calls.endedCount },
    queues: assembly
      .queues()
      .map(({ title, waiting, oldestAt, dead = 0 }) => ({ name: title, waiting, oldestAt: isoTime(oldestAt), dead })),
    disk: { dir: config.storage.dir, usedBytes: store.health().bytes, freeBytes: freeBytes(config.storage.dir) },
    clock: { now: new Date(clock.now()).toISOString(), timeZone: config.site.timeZone, synchronised: await clockSynchronised() },
    memory: { daemonBytes: process.memoryUsage.rss(), engineBytes: typeof engineKb === 'number' ? engineKb * 1024 : null },
    warnings: health.warnings().map(({ since, ...warning }) => ({ ...warning, since: new Date(since).toISOString() })),
  }
}
