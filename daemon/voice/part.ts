/** Programmable voice: applications drive calls. */
import type { Dispatcher } from 'undici'
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Part } from '../part.ts'
import { takeToApplication, type ApplicationRunner } from '../routing/application.ts'
import type { Routing } from '../routing/routing.ts'
import type { Speech } from '../speech/speech.ts'
import { applicationRoutes } from './application-routes.ts'
import { LiveCalls } from './live.ts'
import type { Recordings } from './recordings.ts'
import { createVoice, type VoiceServicesOptions } from './services.ts'
import { voiceTables, circuitWarnings } from './tables.ts'
import type { Voice } from './voice.ts'

export interface VoicePart extends Part {
  readonly voice: Voice
  readonly recordings: Recordings
  /** Drives calls, and shares them with fax machines. */
  readonly applications: ApplicationRunner
  /** Reports what the caller had entered when the end of the daemon cut off a call. */
  readonly tellInputs: (call: Call) => Promise<void>
}

export interface VoicePartOptions {
  readonly outbox: Outbox
  readonly calls: Calls
  readonly routing: Pick<Routing, 'desks' | 'destinations' | 'originator' | 'takers'>
  readonly speech: Speech
  readonly engines: VoiceServicesOptions['engines'] & Parameters<typeof voiceTables>[0]['engines']
  /** For requests to applications. */
  readonly dispatcher: Dispatcher
  /** Inside a transaction: a recording of that call has its transcript. */
  readonly settled: (callId: string) => void
  /** The same application, on numbers that take faxes too. */
  readonly shares: (application: Voice) => ApplicationRunner
}

export function voicePart(core: Core, options: VoicePartOptions): VoicePart {
  const { config, store, clock, log, health, policies, version } = core
  const { outbox, calls, routing, speech, engines, dispatcher, settled, shares } = options
  const { desks, destinations, originator, takers } = routing
  const services = createVoice({
    ...{ config, store, clock, log, health, policies, version },
    ...{ outbox, calls, speech, engines, dispatcher, destinations, settled },
  })
  const { voice, recordings, tellInputs } = services
  const applications = shares(voice)
  desks.add('applications', applications)
  desks.add('apologise', (call, why) => voice.apologise(call, why))
  takers.add('endpoint', (call, { id }, request) => takeToApplication(config, applications, call, id, request))
  const live = new LiveCalls(calls, voice, store)
  const tables = voiceTables({ config, store, clock, policies, calls, originator, live, recordings, engines })
  return {
    name: 'applications',
    voice,
    recordings,
    applications,
    tellInputs,
    ...tables,
    routes: [...tables.routes, ...applicationRoutes({ config, calls, stateOf: services.stateOf })],
    warnings: () => circuitWarnings(config, services.openCircuits()),
    sweeps: [{ what: 'recordings', sweep: () => recordings.sweep() }],
    start: () => services.start(),
    stop: () => services.stop(),
  }
}
