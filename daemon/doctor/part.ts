/** The box at a glance, and what is wrong with it: for `pbx status`, `pbx lines` and `pbx doctor`. */
import type { LineStatus } from '../../drivers/line.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import type { Assembly } from '../assembly.ts'
import type { Calls } from '../calls/calls.ts'
import { cleartextOf } from '../config/meaning.ts'
import type { Core } from '../core.ts'
import { doctorChecks } from './doctor.ts'
import { saidOutside } from '../base/for-log.ts'
import { operationRoutes, type OperationServices } from './routes.ts'
import type { Part } from '../part.ts'
import type { Originator } from '../routing/originate.ts'
import type { SpeechEngines } from '../speech/engines.ts'
import { siteTrunk } from '../schema/config/sites.ts'
import { statusOf, type StatusFacts } from './status.ts'
import { engineSocket, pagesSocket } from '../base/services.ts'

export interface StatusOptions {
  readonly calls: Calls
  readonly originator: Originator
  readonly driver: SipDriver
  readonly modems: { readonly faxLines: readonly unknown[]; lines(): readonly LineStatus[] }
  readonly engines: Pick<SpeechEngines, 'view'>
  readonly assembly: Pick<Assembly, 'queues' | 'refresh'>
  readonly httpAddress: () => string | null
  readonly pair: () => StatusFacts['pair']
}

export interface StatusPart extends Part, Pick<OperationServices, 'status' | 'lines' | 'doctor'> {}

export function statusPart(core: Core, options: StatusOptions): StatusPart {
  const { assembly, calls, originator, driver, modems, engines, httpAddress, pair } = options
  const lines = (): LineStatus[] => [...driver.lines(), ...modems.lines()].map((line) => ({ ...line, reason: saidOutside(line.reason) }))
  const services: OperationServices = {
    status() {
      assembly.refresh()
      const facts = { core, calls, originator, driver, engines, lines: lines(), httpAddress: httpAddress(), pair: pair() }
      return statusOf({ ...facts, queues: assembly.queues() })
    },
    lines,
    bans: driver.bans,
    doctor: () => doctor(core, options, lines()),
  }
  const { status, doctor: checks } = services
  return { name: 'status', routes: operationRoutes(services), status, lines, doctor: checks }
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
    trunks: [...config.trunks, ...config.sites.map((site) => ({ ...site, id: siteTrunk(site.id) }))],
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
