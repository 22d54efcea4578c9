/** All routes of programmable voice, and what deletes recordings and traces. */
import type { Clock } from '../base/clock.ts'
import type { Calls } from '../calls/calls.ts'
import type { Route } from '../http/route.ts'
import type { Policies } from '../outbox/policies.ts'
import type { Originator } from '../routing/originate.ts'
import type { Config } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import type { RecordingRow } from '../store/tables.ts'
import type { Abilities } from '../speech/hearing.ts'
import { callsShimRoutes } from './calls-shim-routes.ts'
import { eraseRecording, eraseTrace } from './erase.ts'
import type { LiveCalls } from './live.ts'
import { recordingRoutes } from './recording-routes.ts'
import type { Recordings } from './recordings.ts'
import { voiceRoutes } from './routes.ts'

export interface VoiceTablesOptions {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly policies: Policies
  readonly originator: Originator
  readonly live: LiveCalls
  readonly recordings: Recordings
  readonly engines: { readonly abilities: Abilities }
  readonly calls: Calls
}

export function voiceTables(options: VoiceTablesOptions) {
  const { config, store, clock, policies, calls, originator, live, recordings, engines } = options
  const erasers = { recording: eraseRecording(store, recordings, calls), trace: eraseTrace(store, calls) }
  const routes: Route[] = [
    ...voiceRoutes({ config, originator, live, policies, clock, abilities: engines.abilities }, erasers.trace),
    ...recordingRoutes({ recordings, live, erase: erasers.recording, newest: (limit) => newestRecordings(store, limit) }),
    ...callsShimRoutes({ live, config, policies }),
  ]
  return { routes, erasers }
}

function newestRecordings({ tables }: Store, limit: number): RecordingRow[] {
  return Array.from(tables.recordings.range({ reverse: true, limit }), ({ value }) => value)
}
