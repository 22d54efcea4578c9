/** Calls, and the applications that drive them. */
import type { Dispatcher } from 'undici'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import { ApplicationAlerts } from './application-alerts.ts'
import { Calls } from '../calls/calls.ts'
import { sweepCalls } from '../calls/sweep.ts'
import type { Core } from '../core.ts'
import type { Fax } from '../fax/fax.ts'
import { ours, said } from '../base/for-log.ts'
import { callRecordRoutes } from '../history/record-routes.ts'
import { callsShimRoutes } from '../voice/calls-shim-routes.ts'
import { historyRoutes } from '../history/routes.ts'
import { recordingRoutes } from '../voice/recording-routes.ts'
import { voiceRoutes } from '../voice/routes.ts'
import { History } from '../history/history.ts'
import { CallRecords, type RecordWatch } from '../history/records.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { CodedWarning, Part } from '../part.ts'
import type { ApplicationRunner } from '../routing/application.ts'
import { pbxPart, type PbxPart, type PbxPartOptions } from './pbx.ts'
import { recoverCalls } from '../routing/recovery.ts'
import type { ServedLines } from '../routing/lines.ts'
import { createRouting, type Routing, type RoutingOptions } from '../routing/routing.ts'
import type { UnroutedCall } from '../routing/unrouted.ts'
import type { Config } from '../schema/config.ts'
import type { Speech } from '../speech/speech.ts'
import type { SpeechEngines } from './speech-engines.ts'
import type { CallRow, RecordingRow } from '../store/tables.ts'
import { eraseRecording, eraseTrace } from '../voice/erase.ts'
import { LiveCalls } from '../voice/live.ts'
import type { Recordings } from '../voice/recordings.ts'
import type { Voice } from '../voice/voice.ts'
import { createVoice } from './voice-services.ts'

export interface VoicePartOptions {
  readonly outbox: Outbox
  readonly driver: SipDriver
  /** Lines on modems. */
  readonly analog: ServedLines
  readonly speech: Speech
  readonly engines: SpeechEngines
  /** For requests to applications. */
  readonly dispatcher: Dispatcher
  /** Records messages, and plays them at phones. Not before the first call. */
  readonly mailboxes: () => {
    readonly voicemail: ReturnType<RoutingOptions['voicemail']>
    readonly menu: ReturnType<PbxPartOptions['mailbox']>
  }
  readonly notices: PbxPartOptions['notices']
  readonly callers: RoutingOptions['callers']
  /** Told of all that becomes of the records of calls. */
  readonly watches: readonly RecordWatch[]
  /** Takes fax calls, and shares numbers with applications. Not before the first call. */
  readonly faxes: () => Pick<Fax, 'receiver' | 'shares'>
}

export interface VoiceParts extends Pick<Routing, 'trunks' | 'inbound' | 'originator'> {
  readonly history: History
  readonly records: CallRecords
  readonly calls: Calls
  readonly live: LiveCalls
  readonly voice: Voice
  /** Drives calls, and shares them with fax machines. Not before the first call. */
  readonly applications: () => ApplicationRunner
  readonly recordings: Recordings
  /** Calls: after the driver, before whatever places calls. */
  readonly callsPart: Part
  readonly house: PbxPart
  /** Applications: after whatever places calls, so that they are gone before. */
  readonly applicationsPart: Part
}

export function voiceParts(core: Core, options: VoicePartOptions): VoiceParts {
  const { config, store, clock, log, health, policies } = core
  const { engines, driver } = options
  const history = new History({ store, clock, keepDays: config.voice.historyDays })
  const records = new CallRecords({ ...options, store, clock, history, live: (callId) => calls.get(callId) })
  const alongside = records.write.bind(records)
  const calls = new Calls({ ...core, ...options, alongside, apologise: (call, why) => voice.apologise(call, why) })
  let shared: ApplicationRunner | null = null
  const applications = (): ApplicationRunner => (shared ??= options.faxes().shares(voice))
  const routing = createRouting({
    ...core,
    ...options,
    calls,
    lines: [options.analog, { driver, serves: () => true }],
    applications,
    house: () => house,
    voicemail: () => options.mailboxes().voicemail,
    receiveFax: (call) => options.faxes().receiver.receive(call),
  })
  const { trunks, inbound, originator } = routing
  driver.onReplacing = (info, replaced) => void inbound.takeFor(info, (call) => house.phones.takePlace(call, replaced))
  const house = pbxPart(core, {
    ...routing,
    ...options,
    calls,
    applications,
    mailbox: () => options.mailboxes().menu,
    recordings: () => recordings,
  })
  const settled = records.touched.bind(records)
  const application = createVoice({ ...core, ...options, ...routing, settled, calls, alerts: new ApplicationAlerts(health, log) })
  const { voice, recordings, tellInputs } = application
  for (const own of house.applications) voice.serve(own)
  const live = new LiveCalls(calls, voice, store)
  const erasers = { recording: eraseRecording(store, recordings, calls), trace: eraseTrace(store, calls) }
  const { callDays, traceDays } = config.voice
  const callsPart: Part = {
    name: 'calls',
    routes: [
      ...voiceRoutes({ config, originator, live, policies, clock, abilities: engines.abilities }, erasers.trace),
      ...recordingRoutes({ recordings, live, erase: erasers.recording, newest: (limit) => newestRecordings(store, limit) }),
      ...callsShimRoutes({ live, config, policies }),
      ...historyRoutes(history, config),
      ...callRecordRoutes({ records, config, clock }),
    ],
    erasers,
    warnings: () => unroutedWarnings(inbound.unrouted.recent()),
    figures: callFigures(calls),
    looked: () => void records.catchUp().catch((error: unknown) => log.debug({ err: error }, 'the history of calls waits for the disk')),
    queues: () => [{ name: 'calls', title: 'calls to place', waiting: originator.queued, oldestAt: null }],
    sweeps: [
      { what: 'recordings', sweep: () => recordings.sweep() },
      { what: 'traces', sweep: () => sweepCalls(store, store.tables.callTraces, clock, Math.min(traceDays, callDays)) },
      { what: 'calls', sweep: () => sweepCalls(store, store.tables.calls, clock, callDays) },
      { what: 'history', sweep: () => history.sweep() },
    ],
    start() {
      driver.onStanding((legs) => house.resume({ inbound, tellInputs }, legs))
      recoverCalls({ store, calls, originator, clock, log, tellInputs })
      history.start().catch((error: unknown) => log.error({ err: error }, 'the index of the history could not be read'))
    },
    stepped(stepMs) {
      calls.stepped()
      inbound.unrouted.stepped(stepMs)
    },
    drain: () => originator.stop(),
  }
  const applicationsPart: Part = {
    name: 'applications',
    warnings: () => circuitWarnings(config, application.openCircuits()),
    start: () => application.start(),
    async stop(drainMs) {
      await application.stop()
      await calls.drain(drainMs, (call) => (core.leaving ? house.outlives(call) : 'never'))
    },
  }
  return { history, records, calls, trunks, inbound, originator, live, voice, applications, recordings, callsPart, house, applicationsPart }
}

function callFigures(calls: Calls): NonNullable<Part['figures']> {
  return [
    { name: 'pbx_calls_active', help: 'Calls in progress, queued ones included.', type: 'gauge', read: () => [[{}, calls.live().length]] },
    { name: 'pbx_calls_ended_total', help: 'Calls that ended since the start.', type: 'counter', read: () => [[{}, calls.endedCount]] },
  ]
}

function newestRecordings({ tables }: Core['store'], limit: number): RecordingRow[] {
  return Array.from(tables.recordings.range({ reverse: true, limit }), ({ value }) => value)
}

/** One for each application that is not asked at the moment. */
function circuitWarnings(config: Config, circuits: readonly { readonly endpoint: string }[]): CodedWarning[] {
  return circuits.map(({ endpoint }) => {
    const url = config.voice.endpoints.find(({ id }) => id === endpoint)?.controlUrl
    return {
      code: `circuit ${endpoint}`,
      severity: 'error',
      text: said`The application ${ours(endpoint)}${url === undefined ? '' : ` (${url})`} does not answer: its calls go to the fallback`,
      fix: 'pbx calls --all, then pbx trace CALL',
    }
  })
}

/** Calls that no rule fits. */
function* unroutedWarnings(calls: readonly UnroutedCall[]): Iterable<CodedWarning> {
  const last = calls.at(-1)
  if (last === undefined) return
  const { to, from, by } = last
  yield {
    code: 'no-route',
    severity: 'warning',
    text: said`${calls.length === 1 ? 'A call' : `${calls.length} calls`} of the last hour ${calls.length === 1 ? 'was' : 'were'} refused because no rule matches, the last to ${to} from ${by.startsWith('trunk') && from !== '' ? said`${from} through ${ours(by)}` : ours(by)}`,
    fix: 'pbx where NUMBER says what fits; write a rule under inbound',
  }
}
