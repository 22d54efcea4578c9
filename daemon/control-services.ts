/** The daemon's services as the technician's socket wants them. */
import { statfsSync } from 'node:fs'
import type { SipDriver } from '../drivers/sip/driver.ts'
import type { Calls } from './calls/calls.ts'
import type { Originator } from './calls/originate.ts'
import { Ceilings } from './ceilings/ceilings.ts'
import { limitsControl } from './ceilings/control.ts'
import { isoTime } from './clock.ts'
import type { Clock } from './clock.ts'
import { cleartextOf } from './config/cleartext.ts'
import { clockSynchronised, doctorChecks } from './control/doctor.ts'
import type { CallView, CallbackState, ControlServices, SpeechView, StatusView, TraceEntryView } from './control/services.ts'
import { speechSummary } from './control/speech-summary.ts'
import { ApiError } from './errors.ts'
import type { Health } from './health.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { Config } from './schema/config.ts'
import { simulateCall } from './simulate.ts'
import type { Log } from './log.ts'
import type { Transcriber } from './speech/hearing.ts'
import type { Speaker } from './speech/speaker.ts'
import { speechServices } from './speech-services.ts'
import type { Modems } from './modems.ts'
import type { Store } from './store/store.ts'
import type { CallRow } from './store/tables.ts'
import type { Tokens } from './tokens.ts'
import type { LiveCalls } from './voice/live.ts'

export interface WaitingQueue {
  readonly name: string
  readonly waiting: number
  readonly oldestAt: number | null
}

export interface ControlOptions {
  readonly config: Config
  readonly configFile: string | null
  readonly version: string
  readonly enginePath: string
  readonly startedAt: number
  readonly store: Store
  readonly tokens: Tokens
  readonly outbox: Outbox
  readonly calls: Calls
  readonly originator: Originator
  readonly live: LiveCalls
  readonly driver: SipDriver
  readonly modems: Modems
  /** The built pbx-fax. */
  readonly faxProgram: string
  readonly health: Health
  readonly speaker: Speaker
  /** What each capability does for the technician. */
  readonly capabilities: Pick<ControlServices, 'audit' | 'faxes' | 'inbox' | 'mail' | 'reminders' | 'sms' | 'stored'>
  /** What waits to go out. */
  readonly queues: () => readonly WaitingQueue[]
  readonly transcriber: Transcriber
  readonly speechView: () => SpeechView | Promise<SpeechView>
  /** Looks at the installed models again. */
  readonly reloadSpeech: () => Promise<void>
  readonly log: Log
  /** Brings the warnings up to date. */
  readonly refresh: () => void
  readonly clock: Clock
  readonly httpAddress: () => string | null
  readonly draining: () => boolean
}

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
  }
}

export function controlServices(options: ControlOptions): ControlServices {
  const { config, store, outbox, calls, live, driver } = options
  return {
    status: () => status(options),
    calls: {
      list: ({ all, limit }) => live.list(all ? 'all' : 'live', limit).map(callView),
      show: (callId) => attempt(() => callView(live.row(callId))),
      trace: (callId) =>
        attempt(() => ({ call: callView(live.row(callId)), entries: live.trace(callId).entries satisfies readonly TraceEntryView[] })),
    },
    lines: () => [...driver.lines(), ...options.modems.lines()],
    limits: limitsControl(new Ceilings(options), store),
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
    speech: speechServices({ ...options, language: config.site.language, storageDir: config.storage.dir }),
    simulate: (request, onEvent, signal) => simulateCall(calls, config, options.speaker, request, onEvent, signal),
    ...options.capabilities,
    modems: options.modems.services,
    doctor: () => {
      const health = driver.health()
      const { realtime, realtimeReason } = health.facts
      return doctorChecks({
        engine: options.enginePath,
        storageDir: config.storage.dir,
        faxMegabytes: config.fax.freeMegabytes,
        endpoints: config.voice.endpoints.map((endpoint) => ({ id: endpoint.id, url: endpoint.controlUrl })),
        cleartext: cleartextOf(config),
        lines: [...driver.lines(), ...options.modems.lines()],
        ...(options.modems.faxLines.length === 0 ? {} : { faxProgram: options.faxProgram }),
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

async function status(options: ControlOptions): Promise<StatusView> {
  const { config, health, outbox, calls, originator, driver, store } = options
  options.refresh()
  const report = health.report()
  const pending = outbox.stats()
  const bound = driver.bound()
  const sip = [bound.udp && `udp ${bound.udp}`, bound.tcp && `tcp ${bound.tcp}`, bound.tls && `tls ${bound.tls}`]
  const disk = statfsSync(config.storage.dir)
  const speech = speechSummary(await options.speechView())
  const engineKb = driver.health().facts.rssKb
  return {
    version: options.version,
    pid: process.pid,
    startedAt: isoTime(options.startedAt),
    uptimeSeconds: Math.round((options.clock.now() - options.startedAt) / 1000),
    ready: report.ready,
    draining: options.draining(),
    configFile: options.configFile,
    addresses: { http: options.httpAddress(), sip: sip.filter((text): text is string => typeof text === 'string') },
    parts: report.parts
      .filter((part) => part.name !== 'stopping')
      .map(({ name, ok, detail }) => ({
        name,
        ok,
        reason: name === 'speech' ? [detail, speech].filter((text) => text !== '').join('; ') : detail,
      })),
    lines: [...driver.lines(), ...options.modems.lines()],
    calls: { active: calls.live().length - originator.queued, queued: originator.queued, sinceStart: calls.endedCount },
    queues: [
      { name: 'callbacks', waiting: pending.pending, oldestAt: isoTime(pending.oldestPendingAt), dead: pending.dead },
      { name: 'calls to place', waiting: originator.queued, oldestAt: null, dead: 0 },
      ...options.queues().map(({ name, waiting, oldestAt }) => ({ name, waiting, oldestAt: isoTime(oldestAt), dead: 0 })),
    ],
    disk: { dir: config.storage.dir, usedBytes: store.health().bytes, freeBytes: disk.bavail * disk.bsize },
    clock: { now: new Date(options.clock.now()).toISOString(), timeZone: config.site.timeZone, synchronised: await clockSynchronised() },
    memory: { daemonBytes: process.memoryUsage.rss(), engineBytes: typeof engineKb === 'number' ? engineKb * 1024 : null },
    warnings: health.warnings().map(({ text, fix }) => ({ text, fix })),
  }
}
