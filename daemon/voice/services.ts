/** Programmable voice with what it works with: recordings, transcripts, requests to applications, and reports after a crash. */
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import { ApplicationAlerts } from './application-alerts.ts'
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import type { Clock } from '../base/clock.ts'
import { checker } from '../http/validate.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import { checkUrl, controlConnections, guardedAgent } from '../outbox/address.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Policies } from '../outbox/policies.ts'
import type { Destinations } from '../routing/destinations.ts'
import type { Config } from '../schema/config.ts'
import { ServerFrameSchema } from '../schema/stream-frames.ts'
import type { Speech } from '../speech/speech.ts'
import type { SpeechEngines } from '../speech/engines.ts'
import type { Store } from '../store/store.ts'
import { createVerbAbilities } from './verb-abilities.ts'
import { FinishedInputs } from './inputs.ts'
import { Recordings } from './recordings.ts'
import { Requestor } from './requestor.ts'
import { Transcripts } from './transcripts.ts'
import { Voice } from './voice.ts'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The account that streams name, as Twilio's do: the same of a box for ever. */
const key = 'accountSid'

/** Kept in the store, so that it goes with the box to another machine. At first made of this machine's id, which it does not reveal. */
export function accountSidOf(store: Store, log: Log): string {
  const kept = store.tables.meta.get(key)
  if (typeof kept === 'string') return kept
  const made = `AC${createHash('sha256').update('pbxd media streams').update(machineId()).digest('hex').slice(0, 32)}`
  store
    .transaction(() => store.tables.meta.put(key, made))
    .catch((err: unknown) => log.warn({ err }, 'the account of the media streams could not be stored'))
  return made
}

function machineId(): string | Buffer {
  try {
    return readFileSync('/etc/machine-id')
  } catch {
    return randomBytes(32)
  }
}

export interface VoiceServicesOptions {
  readonly config: Config
  readonly policies: Policies
  readonly store: Store
  readonly outbox: Outbox
  readonly calls: Calls
  readonly speech: Pick<Speech, 'prompts' | 'speaker'>
  readonly engines: Pick<SpeechEngines, 'ear' | 'transcriber'>
  readonly health: Health
  readonly dispatcher: Dispatcher
  /** Where a call that is under way is sent on to. */
  readonly destinations: Destinations
  /** Inside a transaction: a recording of that call has its transcript. */
  readonly settled: (callId: string) => void
  readonly version: string
  readonly clock: Clock
  readonly log: Log
}

export interface VoiceServices {
  readonly voice: Voice
  readonly recordings: Recordings
  readonly openCircuits: Requestor['openCircuits']
  readonly stateOf: Requestor['stateOf']
  /** Reports what the caller had entered when the end of the daemon cut off a call. */
  readonly tellInputs: (call: Call) => Promise<void>
  /** Takes up what the last run left, after the calls. */
  start(): void
  /** Before the calls are drained. */
  stop(): Promise<void>
}

export function createVoice(options: VoiceServicesOptions): VoiceServices {
  const { config, store, outbox, calls, speech, engines, health, destinations, clock, log } = options
  const alerts = new ApplicationAlerts(health, log)
  const policy = options.policies.control
  const { recordingDays: keepDays, endpointRequests, redirects, documents, silentGathers } = config.voice
  const recordings = new Recordings({ dir: join(config.storage.dir, 'recordings'), store, clock, log, keepDays })
  const userAgent = `pbx/${options.version}`
  const requestor = new Requestor({
    dispatcher: options.dispatcher,
    again: guardedAgent(policy, { ...controlConnections, kept: false }),
    checkUrl: (url) => checkUrl(url, policy),
    clock,
    log,
    userAgent,
    endpointRequests,
  })
  const { ear, transcriber } = engines
  const transcripts = new Transcripts({
    transcriber,
    store,
    outbox,
    recordings,
    call: (id) => calls.get(id),
    settled: options.settled,
    clock,
    log,
  })
  const lives = (callId: string) => calls.get(callId) !== undefined
  const inputs = new FinishedInputs({ store, outbox, recordings, lives, transcribe: (job) => transcripts.takeUp(job), clock, log })
  recordings.onStoredLate((job) => transcripts.takeUp(job))
  const voice = new Voice(config, {
    ear,
    inputs,
    transcripts,
    requestor,
    promptSource: speech.prompts,
    speaker: speech.speaker,
    recordings,
    clock,
    log,
    guards: { redirects, documents, silentGathers },
    alert: alerts.raise,
    recovered: alerts.recovered,
    destinations,
    abilities: createVerbAbilities({
      config,
      policy,
      calls,
      destinations,
      speaker: speech.speaker,
      clock,
      log,
      userAgent,
      accountSid: accountSidOf(store, log),
      checkFrame: checker(ServerFrameSchema, false),
    }),
  })
  return {
    voice,
    recordings,
    openCircuits: () => requestor.openCircuits(),
    stateOf: (endpointId) => requestor.stateOf(endpointId),
    tellInputs: (call) => inputs.tell(call),
    start() {
      void inputs.tidy().then(() => transcripts.start())
    },
    async stop() {
      inputs.stop()
      recordings.stop()
      await transcripts.stop()
    },
  }
}
