/** SIP: the engine, its listeners, trunks and phones. */
import { join } from 'node:path'
import { lineDrivers } from '../../drivers/index.ts'
import type { InboundCall } from '../../drivers/line.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import { listenerNames } from '../../drivers/sip/listeners.ts'
import type { Core } from '../core.ts'
import { spoolFolder } from '../backup/places.ts'
import { engineSettings } from './engine-settings.ts'
import type { PartState } from '../base/health.ts'
import type { Figure, Sample } from '../base/metrics.ts'
import type { Part } from '../part.ts'
import { engineSocket } from '../base/services.ts'
import { sipWarnings } from './sip-warnings.ts'

export interface SipPart extends Part {
  readonly driver: SipDriver
  /** `tell` is called with the number of an extension whenever a phone of it has registered. */
  onRegistered(tell: (extension: string) => void): void
}

/** `inbound` takes the calls that come in, once this has started. */
export async function sipPart(core: Core, inbound: (call: InboundCall) => void): Promise<SipPart> {
  const told = new Set<(extension: string) => void>()
  const registered = (extension: string): void => told.forEach((tell) => tell(extension))
  const driver = await createDriver(core, registered)
  return {
    name: 'sip',
    driver,
    onRegistered: (tell) => void told.add(tell),
    health: { engine: () => engineState(driver), listeners: () => listenerState(driver), trunks: () => trunkState(driver) },
    warnings: () => sipWarnings(core.config, driver),
    figures: sipFigures(driver),
    reconfigured: () => driver.configure(engineSettings(core.config, core.store, core.clock.now())),
    start: () => driver.start({ inbound, statusChanged: () => undefined }),
    drain: () => driver.drain(),
    stop: async () => (core.leaving ? driver.leave() : driver.stop()),
  }
}

async function createDriver(
  { config, programs, startedAt, store, trail, clock, log }: Core,
  registered: (extension: string) => void,
): Promise<SipDriver> {
  const create = await lineDrivers.sip()
  const socket = engineSocket()
  return create({
    enginePath: programs.engine,
    // Nobody but the service may enter that folder.
    standby: join(config.storage.dir, 'engine.sock'),
    ...(socket === undefined ? {} : { service: { socket, spool: join(config.storage.dir, spoolFolder), home: config.storage.dir } }),
    configure: engineSettings(config, store, startedAt),
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

function sipFigures(driver: SipDriver): readonly Figure[] {
  const one = (value: number): Sample[] => [[{}, value]]
  const fact = (name: string): Sample[] => {
    const value = driver.health().facts[name]
    return typeof value === 'number' ? one(value) : []
  }
  const ofKind = (kind: 'trunk' | 'extension') => (): Sample[] =>
    driver
      .lines()
      .filter((line) => line.kind === kind)
      .map((line): Sample => [{ [kind]: line.id }, line.ok ? 1 : 0])
  return [
    { name: 'pbx_trunk_up', help: 'Whether a trunk can be used.', type: 'gauge', read: ofKind('trunk') },
    { name: 'pbx_extension_registered', help: 'Whether a phone is registered.', type: 'gauge', read: ofKind('extension') },
    { name: 'pbx_engine_up', help: 'Whether the SIP engine runs.', type: 'gauge', read: () => one(driver.health().ok ? 1 : 0) },
    {
      name: 'pbx_sip_listener_up',
      help: 'Whether a SIP listener that is configured is open.',
      type: 'gauge',
      read() {
        const bound = driver.bound()
        const closed = driver.closedListeners()
        return listenerNames.flatMap((name): Sample[] =>
          bound[name] !== null ? [[{ listener: name }, 1]] : closed.some(({ part }) => part === name) ? [[{ listener: name }, 0]] : [],
        )
      },
    },
    { name: 'pbx_engine_restarts_total', help: 'Restarts of the SIP engine.', type: 'counter', read: () => fact('restarts') },
    { name: 'pbx_calls_limit', help: 'Most calls of one party at the same time.', type: 'gauge', read: () => fact('callsLimit') },
    { name: 'pbx_calls_in_use', help: 'Calls of one party in progress.', type: 'gauge', read: () => fact('callsInUse') },
    {
      name: 'pbx_engine_tick_lateness_max_ms',
      help: 'Latest tick of the media clock in the last 10 s.',
      type: 'gauge',
      read: () => fact('tickLatenessMaxMs'),
    },
    {
      name: 'pbx_engine_audio_lost_ms_total',
      help: 'Audio of calls that was dropped because the machine was too slow, in milliseconds.',
      type: 'counter',
      read: () => fact('lostAudioMs'),
    },
    {
      name: 'pbx_engine_audio_dropped_total',
      help: 'Pieces of 20 ms of a call that speech recognition did not get, because they were taken too late.',
      type: 'counter',
      read: () => fact('droppedAudio'),
    },
    {
      name: 'pbx_rtp_foreign_packets_total',
      help: 'RTP, RTCP and UDPTL packets dropped because they did not come from the far end of a call.',
      type: 'counter',
      read: () => fact('foreignPackets'),
    },
    {
      name: 'pbx_sip_connections_refused_total',
      help: 'SIP connections over TCP or TLS refused, or ended for being idle.',
      type: 'counter',
      read: () => [...driver.refusals.connections()].map(([reason, count]): Sample => [{ reason }, count]),
    },
    {
      name: 'pbx_unacknowledged_calls_total',
      help: 'Calls ended or refused because answers were not acknowledged.',
      type: 'counter',
      read: () => one(driver.refusals.unacknowledgedCalls),
    },
  ]
}
