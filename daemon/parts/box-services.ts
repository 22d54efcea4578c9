/** The daemon's services as the technician's socket wants them. */
import { statfsSync } from 'node:fs'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import type { Assembly } from '../assembly.ts'
import type { Calls } from '../calls/calls.ts'
import type { Inbound } from '../routing/inbound.ts'
import type { Originator } from '../routing/originate.ts'
import { isoTime } from '../clock.ts'
import { cleartextOf } from '../config/cleartext.ts'
import { clockSynchronised, doctorChecks } from '../control/doctor.ts'
import type { CallView, ControlServices, StatusView, TraceEntryView } from '../control/services.ts'
import { speechSummary } from '../control/speech-summary.ts'
import type { Core } from '../core.ts'
import { ApiError } from '../errors.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { CallbackState } from '../schema/states.ts'
import type { ModemsPart } from './modems.ts'
import type { SpeechPart } from './speech.ts'
import { simulateCall } from './simulate.ts'
import type { CallRow } from '../store/tables.ts'
import type { Tokens } from '../tokens.ts'
import { legsOf, type LiveCalls } from '../voice/live.ts'

export interface ControlOptions {
  readonly core: Core
  readonly tokens: Tokens
  readonly outbox: Outbox
  readonly calls: Calls
  readonly inbound: Inbound
  readonly originator: Originator
  readonly live: LiveCalls
  readonly driver: SipDriver
  readonly modems: Pick<ModemsPart, 'faxLines' | 'lines'>
  readonly speech: Pick<SpeechPart, 'speech' | 'engines'>
  readonly assembly: Pick<Assembly, 'queues' | 'refresh'>
  readonly httpAddress: () => string | null
}

/** Those that no part gives. */
export type BoxServices = Omit<ControlServices, 'speech'>

function callView(row: CallRow): CallView {
  return {
    callId: row.callId,
    direction: row.direction,
    state: row.state,
    activity: row.activity,
    from: row.from,
    to: row.to,
    trunkId: row.trunkId,
    endpoint: row.endpointId,
    startedAt: isoTime(row.startedAt ?? row.createdAt),
    answeredAt: isoTime(row.answeredAt),
    endedAt: isoTime(row.endedAt),
    talkSeconds: row.talkSeconds,
    endReason: row.endReason ?? '',
    ...legsOf(row),
  }
}

export function boxServices(options: ControlOptions): BoxServices {
  const { core, outbox, live, driver, modems } = options
  const { config, programs } = core
  return {
    status: () => status(options),
    calls: {
      list: ({ all, limit }) => live.list(all ? 'all' : 'live', limit).map(callView),
      show: (callId) => attempt(() => callView(live.row(callId))),
      trace: (callId) =>
        attempt(() => ({ call: callView(live.row(callId)), entries: live.trace(callId).entries satisfies readonly TraceEntryView[] })),
    },
    lines: () => [...driver.lines(), ...modems.lines()],
    bans: driver.bans,
    callbacks: {
      list: ({ state, limit }) => outbox.list({ limit, ...(state === undefined ? {} : { state }) }).map(callbackView),
      show: (eventId) => {
        const detail = outbox.show(eventId)
        return detail && { ...callbackView(detail), lastAttemptAt: isoTime(detail.lastAttemptAt), body: detail.body }
      },
      retry: (eventId, alongside) => outbox.retry(eventId, alongside),
    },
    tokens: {
      create: (token, alongside) => options.tokens.create(token, alongside),
      list: () => options.tokens.list(),
      revoke: (name, alongside) => options.tokens.revoke(name, alongside),
    },
    simulate: (request, onEvent, signal) => simulateCall(options.inbound, config, options.speech.speech.speaker, request, onEvent, signal),
    doctor: () => {
      const health = driver.health()
      const { realtime, realtimeReason } = health.facts
      return doctorChecks({
        engine: programs.engine,
        storageDir: config.storage.dir,
        faxMegabytes: config.fax.freeMegabytes,
        endpoints: config.voice.endpoints.map((endpoint) => ({ id: endpoint.id, url: endpoint.controlUrl })),
        cleartext: cleartextOf(config),
        lines: [...driver.lines(), ...modems.lines()],
        ...(modems.faxLines.length === 0 ? {} : { faxProgram: programs.fax }),
        engineHealth: engineHealth(driver),
        ...(typeof realtime === 'boolean' ? { realtime: { ok: realtime, reason: String(realtimeReason ?? '') } } : {}),
      })
    },
  }
}

/** The engine with its listeners: the doctor looks at both together. */
function engineHealth(driver: SipDriver): { ok: boolean; reason: string } {
  const { ok, reason } = driver.health()
  const closed = driver.closedListeners()
  return ok ? { ok: closed.length === 0, reason: closed.map(({ part, text }) => `${part}: ${text}`).join('; ') } : { ok, reason }
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'call_unknown') return undefined
    throw error
  }
}

function callbackView(view: ReturnType<Outbox['list']>[number]) {
  return {
    eventId: view.eventId,
    kind: view.kind,
    subject: view.subject,
    url: view.url,
    state: view.state as CallbackState,
    attempts: view.attempts,
    createdAt: isoTime(view.createdAt),
    nextAttemptAt: isoTime(view.nextAt),
    lastResult: view.lastError !== '' ? view.lastError : view.lastStatus === 0 ? '' : String(view.lastStatus),
  }
}

async function status({ core, calls, originator, driver, modems, speech, assembly, httpAddress }: ControlOptions): Promise<StatusView> {
  const { config, health, store, clock } = core
  assembly.refresh()
  const report = health.report()
  const bound = driver.bound()
  const sip = [bound.udp && `udp ${bound.udp}`, bound.tcp && `tcp ${bound.tcp}`, bound.tls && `tls ${bound.tls}`]
  const disk = statfsSync(config.storage.dir)
  const spoken = speechSummary(speech.engines.view())
  const engineKb = driver.health().facts.rssKb
  return {
    version: core.version,
    pid: process.pid,
    startedAt: isoTime(core.startedAt),
    uptimeSeconds: Math.round((clock.now() - core.startedAt) / 1000),
    ready: report.ready,
    draining: core.stopping,
    configFile: core.configFile,
    addresses: { http: httpAddress(), sip: sip.filter((text): text is string => typeof text === 'string') },
    parts: report.parts
      .filter((part) => part.name !== 'stopping')
      .map(({ name, ok, detail }) => ({
        name,
        ok,
        reason: name === 'speech' ? [detail, spoken].filter((text) => text !== '').join('; ') : detail,
      })),
    lines: [...driver.lines(), ...modems.lines()],
    calls: { active: calls.live().length - originator.queued, queued: originator.queued, sinceStart: calls.endedCount },
    queues: assembly
      .queues()
      .map(({ title, waiting, oldestAt, dead = 0 }) => ({ name: title, waiting, oldestAt: isoTime(oldestAt), dead })),
    disk: { dir: config.storage.dir, usedBytes: store.health().bytes, freeBytes: disk.bavail * disk.bsize },
    clock: { now: new Date(clock.now()).toISOString(), timeZone: config.site.timeZone, synchronised: await clockSynchronised() },
    memory: { daemonBytes: process.memoryUsage.rss(), engineBytes: typeof engineKb === 'number' ? engineKb * 1024 : null },
    warnings: health.warnings().map(({ text, fix }) => ({ text, fix })),
  }
}
