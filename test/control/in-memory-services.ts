/** Services of a box with one call, one trunk and one dead callback, held in memory: what the technician's socket is tried against. */
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../../daemon/base/errors.ts'
import type { CallbackView } from '../../daemon/schema/applications.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import type { Route } from '../../daemon/http/route.ts'
import { callbackRoutes } from '../../daemon/outbox/routes.ts'
import { operationRoutes, type OperationServices } from '../../daemon/doctor/routes.ts'
import { simulateRoutes, type Simulate } from '../../daemon/simulate/routes.ts'
import { speechRoutes, type SpeechServices } from '../../daemon/speech/routes.ts'
import { tokenRoutes, type TokenServices } from '../../daemon/tokens/routes.ts'
import { voiceRoutes } from '../../daemon/voice/routes.ts'
import type { StatusView } from '../../daemon/schema/operation.ts'
import type { SpeechView, TranscriptView } from '../../daemon/schema/speech.ts'
import type { TokenView } from '../../daemon/schema/tokens.ts'
import { speechSummary } from '../../daemon/speech/summary.ts'
import type { CallRow, WholeTrace } from '../../daemon/store/tables.ts'
import { wavBytes } from '../../drivers/wav.ts'

export const callId = 'CA019aa4c17d2e7b1180003f6a2d9c0b55'
export const eventId = '019aa4c1-7d2e-7b11-8000-3f6a2d9c0b55'
const began = '2026-11-20T10:00:00.000Z'
const at = (ms: number): string => new Date(Date.parse(began) + ms).toISOString()

const call: CallRow = {
  ...newCallRow(Date.parse(began), 'inbound'),
  callId,
  state: 'in-progress',
  activity: 'app',
  from: '+15551230001',
  to: '+15550001000',
  trunkId: 'main',
  endpointId: 'reception',
  answeredAt: Date.parse(began) + 40,
}

const document = { ms: 18.2, verbs: [{ say: { text: 'Press one.' } }, { gather: { numDigits: 1 } }] }
const trace: WholeTrace = {
  dropped: 0,
  entries: [
    { at: at(3), ms: 3, kind: 'event', text: 'call.inbound.pre_route -> http://127.0.0.1:3000/voice', data: { reason: 'x' } },
    { at: at(21), ms: 21, kind: 'document', text: 'say, gather', data: document },
    { at: at(60), ms: 60, kind: 'prompt', text: '"Press one."' },
    { at: at(1900), ms: 1900, kind: 'key', text: '1 (rfc4733, 120 ms)' },
  ],
}

export interface InMemoryServices extends OperationServices {
  readonly tokens: TokenServices
  readonly speech: SpeechServices
  readonly simulate: Simulate
  /** All of them as routes. */
  routes(): Route[]
  /** The last order that `simulate` got. */
  simulated: unknown
  /** The client of the running simulation went away. */
  readonly hungUp: Promise<void>
  callback: CallbackView
  /** What `say` was last asked, what `transcribe` was last given, and how often `reload` was asked. */
  said: unknown
  heard: { bytes: Buffer; options: unknown } | undefined
  reloads: number
  /** How transcription answers. */
  transcript: Omit<TranscriptView, 'ms'>
}

export const speechView: SpeechView = {
  roles: [
    {
      role: 'call',
      engine: 'embedded-grammar',
      vocabulary: 'closed',
      why: 'no model for calls is installed',
      fix: 'pbx models install conformer-small',
    },
    { role: 'recording', engine: '', vocabulary: 'none', why: '', fix: 'pbx models install parakeet-110m' },
    { role: 'voice', engine: 'flite', why: 'no voice is installed', fix: '' },
    { role: 'detector', engine: 'silero', why: 'auto', fix: '' },
  ],
  processes: [
    { name: 'call', state: 'running', pid: 77, memoryBytes: 120_000_000, limitBytes: 900_000_000, restarts: 1, reason: 'killed: SIGKILL' },
    { name: 'recording', state: 'idle', pid: null, memoryBytes: null, limitBytes: 900_000_000, restarts: 0, reason: '' },
  ],
  voices: [{ language: 'en-US', engines: ['flite-2.2', 'espeak-ng-1.51'] }],
  leftOut: [{ id: 'whisper-tiny', reason: 'crashed the process twice while loading', fix: 'pbx models verify whisper-tiny' }],
  problems: [{ text: 'espeak-ng is missing', fix: 'apt-get install espeak-ng' }],
  recommended: [
    {
      id: 'conformer-small',
      title: 'Conformer-CTC small',
      roles: ['call', 'recording'],
      downloadBytes: 76_482_338,
      memoryBytes: 240_000_000,
      installed: false,
    },
    { id: 'silero-vad', title: 'Silero', roles: ['detector'], downloadBytes: 2_300_000, memoryBytes: 40_000_000, installed: true },
  ],
}

export function inMemoryServices(changes: Partial<StatusView> = {}): InMemoryServices {
  const tokens = new Map<string, { sha256: string; view: TokenView }>()
  const unused = { endpoints: null, mailboxes: null, expiresAt: null, lastUsedAt: null, lastAddress: '' }
  const fixed: TokenView = { name: 'acceptance', scopes: ['voice'], createdAt: null, source: 'config', ...unused }
  let sawHangUp = (): void => undefined
  const services: InMemoryServices = {
    simulated: undefined,
    hungUp: new Promise((resolve) => (sawHangUp = resolve)),
    callback: {
      eventId,
      kind: 'call.ended',
      subject: callId,
      url: 'http://127.0.0.1:3000/status',
      state: 'dead',
      attempts: 10,
      createdAt: began,
      nextAttemptAt: null,
      lastResult: '503',
    },
    said: undefined,
    heard: undefined,
    reloads: 0,
    transcript: { status: 'done', text: 'move my appointment', reason: '', engine: 'parakeet-110m' },
    speech: {
      view: () => speechView,
      async say(request) {
        services.said = request
        if (request.text === 'nobody') throw new ApiError('not_supported', 'No voice could speak it: flite is missing')
        const warnings = request.voice === 'bob' ? ['There is no voice "bob"; the default voice is used'] : []
        const wav = wavBytes(new Int16Array(8000).fill(9)).toString('base64')
        return { engine: 'flite-2.2', firstMs: 30, ms: 50, seconds: 1, warnings, wav }
      },
      transcribes: (language) =>
        language === 'de'
          ? { ok: false, reason: 'language-unsupported' }
          : { ok: services.transcript.status !== 'off', reason: services.transcript.reason },
      uploads: join(tmpdir(), `pbxd-uploads-${randomUUID()}`),
      async transcribe(file, options, onProgress, signal) {
        services.heard = { bytes: readFileSync(file), options }
        onProgress(500, 1000)
        if (options.hints[0] === 'forever') {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          sawHangUp()
        }
        await setImmediate()
        return { ...services.transcript, ms: 12 }
      },
      async reload() {
        services.reloads += 1
      },
    },
    status: async () => ({ ...statusView(services), ...changes }),
    bans: {
      list: async () => [{ address: '192.0.2.40', seconds: 3540, failures: 5 }],
      lift: async (address) => address === '192.0.2.40',
    },
    lines: () => [
      {
        id: 'main',
        kind: 'trunk',
        ok: false,
        state: 'refused',
        reason: 'the provider refused the password (403)',
        since: began,
        activeCalls: 1,
        channels: 30,
      },
    ],
    tokens: {
      async create({ name, scopes }) {
        if (tokens.has(name)) throw new ApiError('validation_failed', `There is a token named ${name}.`)
        const token = `pbx_${name}`
        const view: TokenView = { name, scopes: [...scopes], createdAt: began, source: 'store', ...unused }
        tokens.set(name, { sha256: createHash('sha256').update(token).digest('hex'), view })
        return { token, view }
      },
      list: () => [fixed, ...[...tokens.values()].map(({ view }) => view)],
      revoke: async (name) => tokens.delete(name),
    },
    simulate: (options) => async (onEvent, signal) => {
      services.simulated = options
      onEvent({ type: 'started', callId })
      for (const entry of trace.entries) onEvent({ type: 'trace', entry })
      if (options.to === 'forever') {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return sawHangUp()
      }
      if (options.to === 'broken') throw new Error('the line burnt down')
      onEvent({ type: 'ended', endReason: options.to === 'dead-app' ? 'app-error' : 'document-end', talkSeconds: 2 })
    },
    doctor: async () => [
      { name: 'engine', level: 'ok', text: 'built', fix: '' },
      { name: 'endpoint reception', level: 'failure', text: 'refused', fix: 'start it' },
    ],
    routes: () => routesOf(services),
  }
  return services
}

function routesOf(services: InMemoryServices): Route[] {
  const { config } = parseConfig('{}', '/nowhere/pbxd.yaml')
  const live = { find: (id: string) => (id === callId ? call : undefined), list: () => [call], trace: () => trace }
  return [
    ...operationRoutes(services),
    ...voiceRoutes({ config, live } as never, async () => undefined),
    ...callbackRoutes({
      list: ({ state } = {}) => (state === undefined || state === services.callback.state ? [services.callback] : []),
      show: (id) => (id === eventId ? { ...services.callback, lastAttemptAt: at(1000), body: '{"event":"call.ended"}' } : undefined),
      async retry(id) {
        if (id !== eventId) return false
        services.callback = { ...services.callback, state: 'pending' }
        return true
      },
    }),
    ...tokenRoutes(services.tokens),
    ...simulateRoutes(services.simulate, (entry) => entry),
    ...speechRoutes(services.speech),
  ]
}

function statusView(services: InMemoryServices): StatusView {
  return {
    version: '0.1.0',
    pid: 42,
    startedAt: began,
    uptimeSeconds: 93_784,
    ready: false,
    draining: false,
    configFile: null,
    addresses: { http: '127.0.0.1:8080', sip: ['udp 127.0.0.1:5060'] },
    parts: [
      { name: 'store', ok: true, reason: '' },
      { name: 'speech', ok: true, reason: speechSummary(speechView) },
      { name: 'trunks', ok: false, reason: 'main: the provider refused the password (403)' },
    ],
    lines: services.lines(),
    calls: { active: 1, queued: 0, sinceStart: 7 },
    queues: [{ name: 'callbacks', waiting: 2, oldestAt: began, dead: 1 }],
    disk: { dir: '/var/lib/pbxd', usedBytes: 5_000_000, freeBytes: 12_000_000_000 },
    clock: { now: at(60_000), timeZone: 'America/New_York', synchronised: false },
    memory: { daemonBytes: 80_000_000, engineBytes: 20_000_000 },
    warnings: [
      {
        kind: 'warning',
        code: 'callbacks-dead',
        severity: 'warning',
        since: '2026-11-21T09:00:00.000Z',
        text: '1 callback was given up',
        fix: 'pbx callbacks retry --dead',
      },
    ],
  }
}
