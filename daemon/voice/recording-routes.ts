/** The recordings of calls: fetch and delete; for the technician, which there are. */
import { Type } from '@sinclair/typebox'
import type { Eraser } from '../erasure/erasure.ts'
import { ApiError } from '../base/errors.ts'
import { isoTime } from '../base/clock.ts'
import { peaksOf, timedWords } from '../../drivers/wav-peaks.ts'
import { peaksExample, PeaksSchema } from '../schema/mailboxes.ts'
import { RecordingSchema, type RecordingView } from '../schema/voice-api.ts'
import type { RecordingRow } from '../store/tables.ts'
import type { Recordings } from './recordings.ts'
import type { LiveCalls } from './live.ts'
import { reachedCall } from '../http/reach.ts'
import { defineRoute, Limit, listed, type Principal, type Route } from '../http/route.ts'

const Params = Type.Object({ recording: Type.String() })
const tag = 'Programmable voice'
const people = ['manager'] as const

/** `/recordings/<id>` and `/recordings/<id>.wav` name the same file. */
function idOf(recording: string): string {
  return recording.endsWith('.wav') ? recording.slice(0, -4) : recording
}

function unknown(): ApiError {
  return new ApiError('recording_unknown', 'There is no recording with that id')
}

export interface RecordingServices {
  readonly recordings: Recordings
  readonly live: LiveCalls
  readonly erase: Eraser
  newest(limit: number): readonly RecordingRow[]
}

/** Without its transcript. */
function recordingView({ recordingId, callId, createdAt, expiresAt, durationMs, bytes, transcriptStatus }: RecordingRow): RecordingView {
  return { recordingId, callId, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt), durationMs, bytes, transcriptStatus }
}

export function recordingRoutes({ recordings, live, erase, newest }: RecordingServices): Route[] {
  const find = (recording: string, token: Principal | null) => {
    const found = recordings.find(idOf(recording))
    if (found === undefined) throw unknown()
    if (token?.reach != null) mustReach(live, token, found.row.callId)
    return found
  }
  return [
    defineRoute({
      method: 'GET',
      path: '/api/voice/recordings',
      access: 'technician',
      people,
      operationId: 'listRecordings',
      deed: 'recording.list',
      polled: true,
      summary: 'List recordings, newest first',
      tag,
      query: Type.Object({ limit: Limit(50) }),
      responses: { 200: { description: 'Recordings, without their transcripts.', schema: Type.Array(RecordingSchema) } },
      handle: ({ query: { limit }, deed }) => listed(deed, newest(limit).map(recordingView)),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/voice/recordings/:recording',
      access: 'voice',
      people,
      operationId: 'getRecording',
      deed: 'recording.read',
      summary: 'The audio of a recording (WAV, 8 kHz mono)',
      tag,
      params: Params,
      responses: { 200: { description: 'The audio; Range is honoured.', contentType: 'audio/wav' } },
      handle: ({ params, token, deed }) => {
        const found = find(params.recording, token)
        deed.about(found.row.recordingId)
        return {
          status: 200,
          headers: { 'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff' },
          file: { path: found.file, type: 'audio/wav', etag: found.row.recordingId },
        }
      },
    }),
    peaksRoute(find),
    defineRoute({
      method: 'DELETE',
      path: '/api/voice/recordings/:recording',
      access: 'voice',
      people,
      operationId: 'deleteRecording',
      deed: 'recording.delete',
      summary: 'Delete a recording, its transcript and the trace of its call',
      tag,
      params: Params,
      responses: { 204: { description: 'Deleted.' } },
      handle: async ({ params, token, deed }) => {
        const { recordingId } = find(params.recording, token).row
        await erase(recordingId, (id) => deed.record(id))
        return { status: 204 }
      },
    }),
  ]
}

function peaksRoute(find: (recording: string, token: Principal | null) => { readonly row: RecordingRow; readonly file: string }): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/voice/recordings/:recording/peaks',
    access: 'voice',
    people,
    operationId: 'getRecordingPeaks',
    deed: 'recording.read',
    polled: true,
    summary: 'How loud a recording is along its time, and about when each word is spoken',
    tag,
    params: Params,
    responses: { 200: { description: 'For a player.', schema: PeaksSchema, example: peaksExample } },
    handle: async ({ params, token, deed }) => {
      const { row, file } = find(params.recording, token)
      deed.about(row.recordingId)
      const peaks = await peaksOf(file)
      const words = timedWords(row.transcript, peaks)
      return { status: 200, body: { ...peaks, ...(words.length === 0 ? {} : { words }) } }
    },
  })
}

function mustReach(live: LiveCalls, token: Principal, callId: string): void {
  try {
    reachedCall(live, token, callId)
  } catch (cause) {
    if (cause instanceof ApiError && cause.code === 'call_unknown') throw unknown()
    throw cause
  }
}
