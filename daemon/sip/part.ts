/** SIP: the engine, its listeners, trunks and phones. */
import { join } from 'node:path'
import { lineDrivers } from '../../drivers/index.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import { spoolFolder } from '../backup/places.ts'
import { Alarm } from '../base/clock.ts'
import { engineSocket } from '../base/services.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import type { Routing } from '../routing/routing.ts'
import { engineSettings, sipRealm } from './engine-settings.ts'
import { sipFigures } from './metrics.ts'
import { sipWarnings } from './warnings.ts'
import { listenerNames } from '../../drivers/sip/listeners.ts'
import type { PartState } from '../base/health.ts'

/** Whether the engine, its listeners and the trunks work: for `/readyz`. */
function engineState(driver: SipDriver): PartState {
  const { ok, reason, facts } = driver.health()
  const running = facts.pid !== undefined
  return { ok, reason: ok ? '' : running ? 'the SIP engine has nothing to listen on' : 'the SIP engine is not running', detail: reason }
}

function listenerState(driver: SipDriver): PartState {
  const closed = driver.closedListeners()
  const names = listenerNames.filter((name) => closed.some(({ part }) => part === name)).map((name) => name.toUpperCase())
  return {
    ok: closed.length === 0,
    reason: closed.length === 0 ? '' : `SIP does not listen on ${names.join(' and ')}`,
    detail: closed.map(({ part, text }) => `sip.${part} ${text}`).join('; '),
  }
}

function trunkState(driver: SipDriver): PartState {
  const down = driver.lines().filter((line) => line.kind === 'trunk' && !line.ok)
  return {
    ok: down.length === 0,
    reason: down.length === 0 ? '' : 'a trunk is down',
    detail: down.map((line) => `${line.id}: ${line.reason === '' ? line.state : line.reason}`).join('; '),
    required: false,
  }
}

/** There before calls can be routed; the part starts it. */
export interface SipLines {
  readonly driver: SipDriver
  /** How the box calls itself in SIP. */
  readonly realm: string
  /** The observer is called with the number of an extension whenever a phone of it has registered. */
  onRegistered(tell: (extension: string) => void): void
}

export async function sipLines(core: Core): Promise<SipLines> {
  const told = new Set<(extension: string) => void>()
  const registered = (extension: string): void => told.forEach((tell) => tell(extension))
  return { driver: await createDriver(core, registered), realm: sipRealm, onRegistered: (tell) => void told.add(tell) }
}

export interface SipPartOptions {
  readonly driver: SipDriver
  readonly routing: Pick<Routing, 'inbound'>
  /** Of SIP over TLS. */
  readonly certificate: { onReplaced(reload: () => void): void }
  /** Brings what is known of the box up to date. */
  readonly looked: () => void
}

/** All phones of a house come back within a moment. */
const momentMs = 500

export function sipPart(core: Core, { driver, routing, certificate, looked }: SipPartOptions): Part {
  const { config, store, clock } = core
  const { inbound } = routing
  const configure = (): void => driver.configure(engineSettings(config, { store, now: clock.now(), paired: core.pairFile !== undefined }))
  certificate.onReplaced(configure)
  const soon = new Alarm(clock, looked)
  return {
    name: 'sip',
    health: { engine: () => engineState(driver), listeners: () => listenerState(driver), trunks: () => trunkState(driver) },
    warnings: () => sipWarnings(config, driver),
    figures: sipFigures(driver),
    reconfigured: configure,
    start: () => driver.start({ inbound: (call) => void inbound.take(call), statusChanged: () => soon.within(momentMs) }),
    hold: (on) => driver.drain(on),
    // The other machine of a pair has the address in a moment.
    drain: () => driver.drain(true, core.pairFile !== undefined && !core.leaving),
    stop: async () => {
      soon.stop()
      await (core.leaving ? driver.leave() : driver.stop())
    },
  }
}

async function createDriver(
  { config, programs, startedAt, pairFile, store, trail, clock, log }: Core,
  registered: (extension: string) => void,
): Promise<SipDriver> {
  const create = await lineDrivers.sip()
  const socket = engineSocket()
  return create({
    enginePath: programs.engine,
    // Only the service may enter that folder.
    standby: join(config.storage.dir, 'engine.sock'),
    ...(socket === undefined ? {} : { service: { socket, spool: join(config.storage.dir, spoolFolder), home: config.storage.dir } }),
    configure: engineSettings(config, { store, now: startedAt, paired: pairFile !== undefined }),
    log,
    onBanned: (address) => trail.banned(address),
    onRegistration: (extension, contacts, userAgent) => {
      if (contacts.length > 0) registered(extension)
      store
        .transaction(() =>
          store.tables.registrations.put(extension, {
            extension,
            contacts: contacts.map((contact) => ({ ...contact })),
            userAgent,
            updatedAt: clock.now(),
          }),
        )
        .catch((error: unknown) => log.error({ err: error, extension }, 'a registration could not be stored'))
    },
  })
}
