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
import type { LiveCalls } from './live.ts'
import { recordingRoutes } from './recording-routes.ts'
import type { Recordings } from './recordings.ts'
import { voiceRoutes } from './routes.ts'
import { ApiError } from '../base/errors.ts'
import { forgetCalls, forgetRepeats, repeatsOf, type Eraser } from '../erasure/erasure.ts'
import { callIdPattern } from '../base/ids.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'

/** Applications that are not asked at the moment. */
export function circuitWarnings(config: Config, circuits: readonly { readonly endpoint: string }[]): CodedWarning[] {
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

// Deletes what was recorded and traced of a call, with everything that repeats it.

/** Throws ApiError `recording_unknown`. */
function eraseRecording(store: Store, recordings: Recordings, calls: Pick<Calls, 'get'>): Eraser {
  return async (id, record) => {
    const found = recordings.find(id)
    const repeats = await repeatsOf(store, id, ({ kind, body }) => kind.startsWith('record.') && body.includes(id))
    const removed = await recordings.remove(id, () => {
      if (found !== undefined) store.tables.callTraces.remove(found.row.callId)
      forgetRepeats(store.tables, id, repeats)
      record(id)
    })
    if (!removed || found === undefined) throw new ApiError('recording_unknown', 'There is no recording with that id')
    calls.get(found.row.callId)?.trace.forget()
  }
}

/** The trace of a call that has ended, with its words elsewhere. Throws ApiError: call_unknown, call_live. */
function eraseTrace(store: Store, calls: Pick<Calls, 'get'>): Eraser {
  return async (callId, record) => {
    if (!callIdPattern.test(callId) || store.tables.calls.get(callId) === undefined) {
      throw new ApiError('call_unknown', 'There is no call with that id')
    }
    if (calls.get(callId) !== undefined)
      throw new ApiError('call_live', 'The call is still running: its trace can be deleted when it has ended.')
    await store.transaction(() => {
      forgetCalls(store.tables, [callId])
      record(callId)
    })
  }
}

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
